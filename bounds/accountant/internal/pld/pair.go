// Package pld computes privacy-loss distributions. It represents pairs of output distributions that dominate a
// mechanism on neighbouring inputs. It composes these pairs on a lattice or by inverting transforms, and bounds
// random allocation. Package accountant solves for ε.
//
//	pair*.go          pairs of output distributions, given by the distributions of their privacy loss
//	cells*.go         distributions on a lattice, and their composition
//	inversion*.go     certified δ(ε) from the transforms of privacy losses
//	allocation*.go    bounds for random allocation (balls in bins)
package pld

import (
	"math"
)

// Pair is a pair (P, Q) of output laws on neighbouring inputs. It is comparable: what cannot be compared is held
// by a pointer. No event of any output tells the inputs apart more than one of the pair, in either order. Where
// such a pair is only known between two others, it is both: one above it, and one below that the
// mechanism attains.
//
// Losses are log dP/dQ; they may be infinite, where one law has mass and the other has none.
type Pair interface {
	// Losses is the range of the finite losses, but for a mass of tail under P and under Q.
	Losses(tail float64) (low, high float64)
	// Lattice is the spacing of a lattice through 0 that holds all finite losses of positive
	// probability, 0 if there are none; ok is false where no lattice is known.
	Lattice() (spacing float64, ok bool)
	// Smooth says that a part of the losses is on no lattice.
	Smooth() bool
	// Cells lays the pair on a lattice of losses; above and below are one where it is known exactly.
	Cells(h, tail float64) (above, below *Cells)
	// LogMoment brackets log E_Q[(P/Q)^alpha] over the finite losses, alpha > 1 or < 0: the upper end bounds it,
	// and the lower end is that of laws that occur, −Inf if none are known. At 1 + β it is β times the Rényi
	// divergence of P from Q of that order, at −β that of Q from P.
	LogMoment(alpha float64) Interval
	// Lost are the masses of infinite loss, under P and under Q.
	Lost() (p, q Interval)
	// Most is the largest finite loss of either order; +Inf where there is none.
	Most() Interval
	// Symmetric says that both orders of the neighbours have one law of losses.
	Symmetric() bool
	// Sampled is the pair of the mechanism on a Poisson sample at rate q, that is of (1−q)Q + qP
	// against Q. It must be that of a record added to what is Q without it.
	Sampled(q float64) (Pair, error)
}

// Interval holds a number between two.
type Interval struct{ Low, High float64 }

// none is the lower end of a log-moment of no law that is known.
var none = math.Inf(-1)
