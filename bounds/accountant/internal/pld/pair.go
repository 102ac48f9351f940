// Package pld computes privacy-loss distributions. It represents pairs of output distributions that dominate a
// mechanism on neighboring inputs. It composes these pairs on a lattice or by inverting transforms, and bounds random
// allocation. Package accountant solves for ε.
//
//	pair*.go          pairs of output distributions, given by the distributions of their privacy loss
//	cells*.go         distributions on a lattice, and their composition
//	inversion*.go     certified δ(ε) from the transforms of privacy losses
//	allocation*.go    bounds for random allocation (balls in bins)
package pld

import (
	"math"
)

// Pair is a pair (P, Q) of output distributions on neighboring inputs that dominates a mechanism: no output event
// distinguishes the inputs better than the pair, in either order. If the exact pair is unknown, a Pair contains two
// pairs: an upper one that dominates the mechanism, and a lower one that the mechanism attains. Pairs are comparable,
// so implementations hold slices and maps behind pointers.
//
// Losses are log dP/dQ. They are infinite for outputs that only one distribution can produce.
type Pair interface {
	// Losses returns the range of the finite losses, excluding at most probability tail under P and under Q.
	Losses(tail float64) (low, high float64)
	// Lattice returns the spacing of a lattice through 0 that contains all finite losses, or 0 if all are 0. ok is
	// false if no lattice is known.
	Lattice() (spacing float64, ok bool)
	// Smooth reports whether some of the losses are not on a lattice.
	Smooth() bool
	// Cells discretizes the pair on a lattice of losses. above and below are the same if the pair is exact.
	Cells(h, tail float64) (above, below *Cells)
	// LogMoment brackets log E_Q[(P/Q)^alpha] over the finite losses for alpha > 1 or alpha < 0. The upper end is a
	// bound. The lower end belongs to distributions that occur, and is −Inf if none are known. At alpha = 1 + β it is β
	// times the Rényi divergence of P from Q of this order. At −β it is β times the divergence of Q from P.
	LogMoment(alpha float64) Interval
	// Lost returns the probabilities of infinite loss under P and under Q.
	Lost() (p, q Interval)
	// Most brackets the largest finite absolute loss; +Inf if losses are unbounded.
	Most() Interval
	// Symmetric reports whether both orders of the neighbors have the same distribution of losses.
	Symmetric() bool
	// Sampled returns the pair (1−q)Q + qP against Q of the mechanism on a Poisson sample with rate q. It requires that
	// Q is the distribution without the record.
	Sampled(q float64) (Pair, error)
}

// Interval contains a number between Low and High.
type Interval struct{ Low, High float64 }

// none is the lower end of a log-moment if no distribution is known.
var none = math.Inf(-1)
