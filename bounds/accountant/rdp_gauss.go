package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// sampledGaussianRenyi returns the Rényi divergence of order α = 1 + β between
// P = (1−q)N(0,1) + qN(μ,1) and Q = N(0,1) (the larger order of the two,
// Mironov, Talwar & Zhang 2019, Theorem 5), or Q = (1−q)N(0,1) + qN(−μ,1) if
// opposed. With u = P/Q − 1, which Q integrates to zero, it is
//
//	(1/β) log(1 + E_Q[(1+u)^α − 1 − αu]),
//
// a positive integrand: nothing cancels however small the divergence. Every term
// carries its rounding upwards; quadrature itself is good to 1e-13.
func sampledGaussianRenyi(q, mu, beta float64, opposed bool) float64 {
	return sampledPair{q: q, mu: mu, alpha: 1 + beta, beta: beta, opposed: opposed, sign: 1}.renyi()
}

// sampledGaussianRenyiLow returns sampledGaussianRenyi with every term rounded down; 0 at orders without quadrature.
func sampledGaussianRenyiLow(q, mu, beta float64, opposed bool) float64 {
	return sampledPair{q: q, mu: mu, alpha: 1 + beta, beta: beta, opposed: opposed, sign: -1}.renyi()
}

func (pair sampledPair) renyi() float64 {
	most := pair.bound()
	from, to := pair.reach()
	switch {
	case to > 1e9 && pair.sign < 0:
		return 0
	case to > 1e9:
		return most
	}
	var sum logAccumulator
	// The integrand is analytic up to a branch point at imaginary distance π/μ, so a
	// step of 0.55/μ leaves an error factor of exp(−2π²/0.55) ≈ 3e-16.
	step := math.Min(0.7, 0.55/pair.mu)
	if n := math.Ceil((to - from) / step); n <= 4000 {
		logStep := math.Log(step)
		for i := 0.0; i <= n; i++ {
			sum.add(pair.integrand(from+i*step) + logStep)
		}
	} else {
		pair.panels(&sum, from, to)
	}
	return math.Min(most, numeric.LogAddExp(0, sum.log()-numeric.LogSqrt2Pi)/pair.beta)
}

// sampledPair is the Poisson-sampled Gaussian's pair at one order.
type sampledPair struct {
	q, mu, alpha, beta float64
	opposed            bool
	sign               float64 // of the rounding of every term: 1 up, -1 down
}

// bound returns closed forms that the divergence cannot exceed: with R the ratio of
// the unsampled pair, ‖1 − q + qR‖_α ≤ 1 − q + q‖R‖_α (Minkowski), attained in the limit
// of large orders, and E[(1 − q + qR)^α] ≤ 1 − q + qE[R^α] (convexity). Opposed pairs have
// Q ≥ (1−q)N(0), and are mixtures of N(±μ), 2μ apart.
func (s sampledPair) bound() float64 {
	_, norm := numeric.MixtureRatio(s.q, s.beta*s.mu*s.mu/2)
	norm *= s.alpha / s.beta
	apart := s.mu
	if s.opposed {
		norm -= math.Log1p(-s.q)
		apart *= 2
	}
	_, mixed := numeric.MixtureRatio(s.q, s.alpha*s.beta*apart*apart/2)
	return math.Min(norm, mixed/s.beta) * (1 + 4e-13)
}

// reach returns the outputs between which the integrand lies: its bumps are at 0, and
// between μ and max(2, α)·μ, as wide as a normal density, which beyond 9.8 is below 1e-21
// of its top. Opposed pairs have them between −μ and max(3, 2α−1)·μ.
func (s sampledPair) reach() (from, to float64) {
	const tail = 9.8
	if s.opposed {
		return -s.mu - tail, (2*s.alpha+1)*s.mu + tail
	}
	return -tail, math.Max(2, s.alpha)*s.mu + tail
}

// at returns log Q + y²/2 (constants apart), u and log(1 + u) at output y.
func (s sampledPair) at(y float64) (logQ, u, l float64) {
	u, l = numeric.MixtureRatio(s.q, s.mu*y-s.mu*s.mu/2)
	if s.opposed {
		_, below := numeric.MixtureRatio(s.q, -s.mu*y-s.mu*s.mu/2)
		l -= below
		return below, math.Expm1(l), l
	}
	return 0, u, l
}

// integrand returns the log of the integrand at output y, less log √(2π), with its
// rounding, by sign.
func (s sampledPair) integrand(y float64) float64 {
	logQ, u, l := s.at(y)
	size := s.mu * (math.Abs(y) + s.mu)
	return logQ - y*y/2 + numeric.LogPowerGap(s.alpha, s.beta, u, l) + s.sign*(powerError(s.alpha, u, size)+4*unit*y*y)
}

// panels integrates by Gauss–Legendre panels found by bisection: what can be proven
// negligible enters with its bound, so that no bump is passed over wherever it is.
// The rest is cut to panels no wider than 1 and than their distance from the branch
// points, at log((1−q)/q)/μ + μ/2 ± iπ/μ. The integrand there changes by e^10 a unit
// at most, since (1+u)^α is log-convex in y; 16 nodes leave less than 1e-14.
func (s sampledPair) panels(sum *logAccumulator, from, to float64) {
	branch := (math.Log1p(-s.q)-math.Log(s.q))/s.mu + s.mu/2
	negligible := math.Inf(-1)
	for _, y := range []float64{0, -s.mu, s.mu, 2 * s.mu, 3 * s.mu, s.alpha * s.mu, (2*s.alpha - 1) * s.mu, branch} {
		if y >= from && y <= to {
			negligible = math.Max(negligible, s.integrand(y)-45)
		}
	}
	var visit func(a, b float64)
	visit = func(a, b float64) {
		middle, width := (a+b)/2, b-a
		if most := s.most(a, b) + math.Log(width); most < negligible {
			if s.sign > 0 {
				sum.add(most)
			}
			return
		}
		away := math.Max(0, math.Abs(middle-branch)-width/2)
		if s.opposed { // the other density's are at −branch
			away = math.Min(away, math.Max(0, math.Abs(middle+branch)-width/2))
		}
		if width > math.Min(1, math.Hypot(away, math.Pi/s.mu)) && middle > a && middle < b {
			visit(a, middle)
			visit(middle, b)
			return
		}
		for i, x := range gauss16.X {
			sum.add(s.integrand(a+width*x) + math.Log(width*gauss16.W[i]))
		}
	}
	visit(from, to)
}

// most bounds the log of the integrand on [a, b]. ψ is convex and u grows in y, so that
// ψ(u) is largest at an end; where u ≥ 0, ψ ≤ (1+u)^α as well, and the density's mixture
// log(1 − q + qe^x) is convex in y, below its chord.
func (s sampledPair) most(a, b float64) float64 {
	nearest := func(c float64) float64 { return math.Max(a, math.Min(b, c)) }
	near := nearest(0)
	qa, ua, la := s.at(a)
	qb, ub, lb := s.at(b)
	gap := math.Max(numeric.LogPowerGap(s.alpha, s.beta, ua, la), numeric.LogPowerGap(s.alpha, s.beta, ub, lb))
	most := math.Max(qa, qb) - near*near/2 + gap
	if s.opposed { // the density has a second bump
		other := nearest(-s.mu)
		most = gap + math.Max(math.Log1p(-s.q)-near*near/2, math.Log(s.q)-(other+s.mu)*(other+s.mu)/2) + math.Ln2
	}
	if !(ua >= 0) {
		return most
	}
	// l + logQ is the convex log(1 − q + qe^x) of P in either case.
	va, vb := s.alpha*(la+qa), s.alpha*(lb+qb)
	slope := (vb - va) / (b - a)
	y := nearest(slope)
	return math.Min(most, va+slope*(y-a)-y*y/2-s.beta*math.Min(qa, qb)+16*unit*(math.Abs(vb)+y*y))
}
