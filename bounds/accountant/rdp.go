package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/logmath"
)

// Renyi returns the Rényi divergence of order alpha that the event guarantees:
// the largest over both orders of the neighbours. Any real alpha > 1. It is
// +Inf where nothing is guaranteed. For a leaf with a known worst case the
// value is exact (relative 1e-11); for a composition it is the sum over steps,
// exact for worst cases that do not adapt (Mironov 2017, Proposition 1).
func Renyi(e Event, adj Adjacency, alpha float64) (float64, error) {
	if !(alpha > 1) {
		return 0, domainError("Rényi order %v, it must be above 1", alpha)
	}
	p, err := newProfile(e, adj)
	if err != nil {
		return 0, err
	}
	return p.renyi(alpha - 1), nil
}

// renyi is the Curve of the profile.
func (p *profile) renyi(beta float64) float64 {
	total := 0.0
	for _, t := range p.terms {
		total += t.count * t.renyi(beta)
	}
	return total
}

// renyi returns the divergence of order 1 + beta of one mechanism.
func (l leaf) renyi(beta float64) float64 {
	switch l.kind {
	case gaussian:
		if l.q < 1 {
			return sampledGaussianRenyi(l.q, l.a, beta, l.opposed)
		}
		return l.a * l.a / 2 * (1 + beta)
	case concentrated:
		return l.a * (1 + beta)
	case approximate:
		if l.b > 0 {
			return math.Inf(1)
		}
	case laplace:
		if l.q == 1 {
			return laplaceRenyi(l.a, beta)
		}
	case exponential:
		if l.q == 1 {
			return boundedRangeRenyi(l.a, beta)
		}
	}
	m := l.law()
	r := m.logMoment(1+beta, beta, l.q)
	if l.q < 1 {
		// The other order of the neighbours: E_Q[(P′/Q)^−β].
		r = math.Max(r, m.logMoment(-beta, -1-beta, l.q))
	}
	return r / beta
}

// laplaceRenyi is Mironov (2017), Proposition 6, for ε₀ = sensitivity/scale:
//
//	(1/β) log( α/(2α−1)·e^{βε₀} + β/(2α−1)·e^{−αε₀} ),
//
// the terms that cancel at small ε₀ taken out.
func laplaceRenyi(eps0, beta float64) float64 {
	alpha := 1 + beta
	if beta*eps0 > 500 {
		return eps0 + math.Log(alpha/(2*alpha-1))/beta
	}
	w := 1 / (2*alpha - 1)
	return math.Log1p(alpha*w*logmath.ExpSeries2(beta*eps0)+beta*w*logmath.ExpSeries2(-alpha*eps0)) / beta
}

// boundedRangeRenyi is the largest Rényi divergence of a mechanism whose
// losses lie in some [t−η, t], 0 ≤ t ≤ η. By convexity both ends carry all
// mass; the worst t solves e^t = β(e^η − e^{−βη}) / (α(1 − e^{−βη})). (Dong,
// Durfee & Rogers 2020 bound the same family.)
func boundedRangeRenyi(eta, beta float64) float64 {
	if eta == 0 {
		return 0
	}
	t := eta + math.Log(beta) - math.Log1p(beta) +
		logmath.Log1mExp(-(1+beta)*eta) - logmath.Log1mExp(-beta*eta)
	t = math.Min(eta, math.Max(0, t))
	return generalisedResponse(eta, t).logMoment(1+beta, beta, 1) / beta
}

// Step and reach of the trapezoidal rule in standard deviations. The integrand
// is analytic up to a branch point at imaginary distance π/μ, so a step of
// 0.5/μ leaves an error factor of exp(−4π²) ≈ 7e-18; beyond the reach a normal
// density is below 1e-21 of its top.
const (
	trapezoidStep  = 0.5
	trapezoidReach = 9.8
	trapezoidWide  = 0.7
	trapezoidMost  = 4000
)

// sampledGaussianRenyi returns the Rényi divergence of order α = 1 + β between
// P = (1−q)N(0,1) + qN(μ,1) and Q = N(0,1) (the larger order of the two,
// Mironov, Talwar & Zhang 2019, Theorem 5), or Q = (1−q)N(0,1) + qN(−μ,1) if
// opposed. With u = P/Q − 1, which Q integrates to zero, it is
//
//	(1/β) log(1 + E_Q[(1+u)^α − 1 − αu]),
//
// a positive integrand: nothing cancels however small the divergence. The
// trapezoidal rule converges geometrically for it.
func sampledGaussianRenyi(q, mu, beta float64, opposed bool) float64 {
	alpha := 1 + beta
	ratio := func(y float64) (logQ, u, l float64) {
		u, l = mixtureRatio(q, mu*y-mu*mu/2)
		return -y * y / 2, u, l
	}
	least, most := 0.0, math.Max(2, alpha)*mu
	if opposed {
		least, most = -mu, (2*alpha+1)*mu
		ratio = func(y float64) (logQ, u, l float64) {
			_, above := mixtureRatio(q, mu*y-mu*mu/2)
			_, below := mixtureRatio(q, -mu*y-mu*mu/2)
			l = above - below
			return below - y*y/2, math.Expm1(l), l
		}
	}
	var sum logAccumulator
	add := func(from, to, step float64) {
		n := math.Ceil((to - from) / step)
		for i := 0.0; i <= n; i++ {
			logQ, u, l := ratio(from + i*step)
			sum.add(logQ + logmath.LogPowerGap(alpha, beta, u, l) + math.Log(step))
		}
	}
	step := math.Min(trapezoidWide, trapezoidStep/mu)
	from, to := least-trapezoidReach, most+trapezoidReach
	switch {
	case (to-from)/step <= trapezoidMost:
		add(from, to, step)
	default:
		// Little noise or a huge order: the integrand is a few bumps far apart.
		// With mu ≥ 20 the branch points are themselves out of reach of them.
		if mu >= 20 {
			step = trapezoidStep
		}
		centres := []float64{0, mu, 2 * mu, alpha * mu}
		if opposed {
			centres = []float64{-mu, 0, mu, 2 * mu, alpha * mu, (2*alpha - 1) * mu}
		}
		end := math.Inf(-1)
		for _, c := range centres {
			start := math.Max(c-trapezoidReach, end)
			if c+trapezoidReach > start {
				end = c + trapezoidReach
				add(start, end, step)
			}
		}
	}
	// Near order 1 the exponents, of size μ², are known to few roundings only: with
	// little noise that is felt, and the result is kept an upper bound.
	return logmath.LogAddExp(0, sum.log()-logmath.LogSqrt2Pi) / beta * (1 + 4*unit*mu*mu)
}

// mixtureRatio returns u = q(e^x − 1) and log(1 + u).
func mixtureRatio(q, x float64) (u, l float64) {
	if x > 30 {
		l = x + math.Log(q) + math.Log1p((1-q)/q*math.Exp(-x))
		return math.Expm1(l), l
	}
	u = q * math.Expm1(x)
	return u, math.Log1p(u)
}

// logAccumulator sums numbers given by their logarithms.
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
