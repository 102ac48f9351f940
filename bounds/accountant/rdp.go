package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Renyi brackets the smallest bound of the Rényi divergence of order alpha that the event guarantees, where the
// divergence is the larger one of both orders of the neighbors. alpha can be any finite real number above 1. Upper is a
// theorem, or +Inf if no guarantee is known. For a composition it is the sum over steps (Mironov 2017, Proposition 1).
// For a Poisson-sampled Gaussian it is a closed form if alpha·μ exceeds 1e9. Lower is the divergence of the output
// distributions of one pair of neighbors, composed without adaptivity in one order, or 0 if none is known: see
// renyiAttained. Errors wrap [event.ErrDomain] or [ErrBreach].
func Renyi(e event.Event, adj event.Adjacency, alpha float64) (Bracket, error) {
	if !(alpha > 1) || math.IsInf(alpha, 1) {
		return Bracket{}, event.DomainError("Rényi order %v, it must be above 1", alpha)
	}
	p, err := newProfile(e, adj)
	if err != nil {
		return Bracket{}, err
	}
	b := Bracket{Lower: p.renyiLow(alpha - 1), Upper: p.renyi(alpha - 1)}
	b.Estimate = b.Upper
	b, err = sealed("renyi", b, math.Inf(1))
	return b, breachOf(err, e)
}

// renyi is the Rényi curve of the profile.
func (p *profile) renyi(beta float64) float64 {
	if p.lost().High > 0 || p.unequal() {
		return math.Inf(1)
	}
	return p.finiteRenyi(beta)
}

// finiteRenyi computes renyi without the probability of infinite losses.
func (p *profile) finiteRenyi(beta float64) float64 {
	total := 0.0
	for _, t := range p.terms {
		total += t.count * t.renyi(beta)
	}
	return math.Max(0, total*(1+4*unit*float64(len(p.terms))))
}

// renyi returns an upper bound of the divergence of order 1 + beta of one mechanism. It is at most the divergence of
// infinite order. For a pair, it is at most the divergence of randomized response with the same ε at δ = 0 (Kairouz, Oh
// & Viswanath 2015, Theorem 2.4).
func (l leaf) renyi(beta float64) float64 {
	maxLoss := pureEpsilon(l)
	r := math.Min(l.renyiOf(beta)*(1+1e-13), maxLoss*(1+8*unit))
	if l.pair != nil && maxLoss <= 1e8 {
		r = math.Min(r, leaf{kind: event.KindPure, a: maxLoss, q: 1}.renyiOf(beta)*(1+1e-13))
	}
	return r
}

// farOrder is the largest order at which moments of pairs are computed. The squares of larger orders overflow.
const farOrder = 1e100

func (l leaf) renyiOf(beta float64) float64 {
	if l.pair != nil && beta > farOrder {
		return pairTail(l.pair, farOrder) * (1 + beta)
	}
	if l.pair != nil {
		// Divergences increase with the order. So the next larger order that is a float64 gives an upper bound.
		alpha := 1 + beta
		if alpha-1 < beta {
			alpha = math.Nextafter(alpha, math.Inf(1))
		}
		beta = alpha - 1
		return math.Max(l.pair.LogMoment(alpha).High, l.pair.LogMoment(-beta).High) / beta
	}
	switch l.kind {
	case event.KindGaussian:
		if l.q < 1 {
			return sampledGaussianRenyi(l.q, l.a, beta, l.opposed)
		}
		return l.a * l.a / 2 * (1 + beta)
	case event.KindConcentrated:
		return l.a * (1 + beta)
	case event.KindApproximate:
		if l.b > 0 {
			return math.Inf(1)
		}
	case event.KindLaplace:
		if l.q == 1 {
			return laplaceRenyi(l.a, beta)
		}
	case event.KindExponential:
		if l.q == 1 {
			return boundedRangeRenyi(l.a, beta)
		}
	}
	m := l.law()
	r := m.logMoment(1+beta, beta, l.q)
	if l.q < 1 {
		// Other order of the neighbors: E_Q[(P′/Q)^−β].
		r = math.Max(r, m.logMoment(-beta, -1-beta, l.q))
	}
	return r / beta
}

// laplaceRenyi computes Mironov (2017), Proposition 6, for ε₀ = sensitivity/scale:
//
//	(1/β) log( α/(2α−1)·e^{βε₀} + β/(2α−1)·e^{−αε₀} ).
//
// The terms that cancel at small ε₀ are removed.
func laplaceRenyi(eps0, beta float64) float64 {
	alpha := 1 + beta
	if beta*eps0 > 500 { // the second term is below e^−500 times the first
		return eps0 - math.Log(2-1/alpha)/beta
	}
	w := 1 / (2*alpha - 1)
	return math.Log1p(alpha*w*numeric.ExpSeries2(beta*eps0)+beta*w*numeric.ExpSeries2(-alpha*eps0)) / beta
}

// boundedRangeRenyi returns the maximum Rényi divergence of a mechanism whose losses are in an interval [t−η, t], 0 ≤ t
// ≤ η. By convexity, only the two ends have positive probability. The worst t satisfies e^t = β(e^η − e^{−βη}) / (α(1 −
// e^{−βη})). (Dong, Durfee & Rogers 2020 bound the same family.) The computation uses s = η − t, which is near 0 at
// large orders.
func boundedRangeRenyi(eta, beta float64) float64 {
	if eta == 0 {
		return 0
	}
	return worstResponse(eta, beta).logMoment(1+beta, beta, 1) / beta
}

// worstResponse returns the pair that attains boundedRangeRenyi.
func worstResponse(eta, beta float64) lossLaw {
	s := math.Log1p(1/beta) + numeric.Log1mExp(-beta*eta) - numeric.Log1mExp(-(1+beta)*eta)
	s = math.Min(eta, math.Max(0, s))
	return generalisedResponse(eta, s)
}

// powerError bounds the error of LogPowerGap at order alpha, where u = q(e^x − 1) and x has an error of a few roundings
// of a number of the given size. It uses that u·ψ′/ψ is at most 2 + αu for u ≥ 0, and at most α for large u. For
// negative powers the same holds at u < 0.
func powerError(alpha, u, size float64) float64 {
	steep := 2.0
	if u > 0 && alpha > 0 {
		if steep += alpha; u < 1 {
			steep += alpha * (u - 1)
		}
	} else if u < 0 && alpha < 0 {
		steep -= alpha
	}
	return 1e-13 + 8*unit*steep*size
}

// logAccumulator adds up numbers that are given by their logarithms.
type logAccumulator struct {
	top, sum float64
	used     bool
}

func (a *logAccumulator) add(v float64) {
	switch {
	case !a.used:
		a.top, a.sum, a.used = v, 1, !math.IsInf(v, -1)
	case v <= a.top:
		a.sum += math.Exp(v - a.top)
	default:
		a.sum = a.sum*math.Exp(a.top-v) + 1
		a.top = v
	}
}

func (a *logAccumulator) log() float64 {
	if !a.used {
		return math.Inf(-1)
	}
	return a.top + math.Log(a.sum)
}
