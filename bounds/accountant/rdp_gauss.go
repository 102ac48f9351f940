package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// sampledGaussianRenyi returns the Rényi divergence of order α = 1 + β between P = (1−q)N(0,1) + qN(μ,1) and Q =
// N(0,1), which is the larger one of both orders (Mironov, Talwar & Zhang 2019, Theorem 5). If opposed, Q is
// (1−q)N(0,1) + qN(−μ,1). Let u = P/Q − 1, which has mean zero under Q. The divergence is
//
//	(1/β) log(1 + E_Q[(1+u)^α − 1 − αu]).
//
// The integrand is positive, so even tiny divergences keep their digits. Every term is rounded up. The quadrature has a
// relative error of at most 1e-13.
func sampledGaussianRenyi(q, mu, beta float64, opposed bool) float64 {
	return sampledPair{q: q, mu: mu, alpha: 1 + beta, beta: beta, opposed: opposed, sign: 1}.renyi()
}

// sampledGaussianRenyiLow computes sampledGaussianRenyi with every term rounded down. It returns 0 at orders that are
// too large for quadrature.
func sampledGaussianRenyiLow(q, mu, beta float64, opposed bool) float64 {
	return sampledPair{q: q, mu: mu, alpha: 1 + beta, beta: beta, opposed: opposed, sign: -1}.renyi()
}

func (pair sampledPair) renyi() float64 {
	upper := pair.bound()
	from, to := pair.reach()
	switch {
	case to > 1e9 && pair.sign < 0:
		return 0
	case to > 1e9:
		return upper
	}
	var sum logAccumulator
	// The integrand is analytic up to a branch point at imaginary distance π/μ. So a step of 0.55/μ has an error factor
	// of exp(−2π²/0.55) ≈ 3e-16.
	step := math.Min(0.7, 0.55/pair.mu)
	if n := math.Ceil((to - from) / step); n <= 4000 {
		logStep := math.Log(step)
		for i := 0.0; i <= n; i++ {
			sum.add(pair.integrand(from+i*step) + logStep)
		}
	} else {
		pair.panels(&sum, from, to)
	}
	return math.Min(upper, numeric.LogAddExp(0, sum.log()-numeric.LogSqrt2Pi)/pair.beta)
}

// sampledPair is the pair of a Poisson-sampled Gaussian at one order.
type sampledPair struct {
	q, mu, alpha, beta float64
	opposed            bool
	sign               float64 // rounding direction of every term: 1 up, -1 down
}

// bound returns a closed-form upper bound, the smaller of two. R is the likelihood ratio of the unsampled pair.
// Minkowski's inequality gives ‖1 − q + qR‖_α ≤ 1 − q + q‖R‖_α, which is attained in the limit of large orders.
// Convexity gives E[(1 − q + qR)^α] ≤ 1 − q + qE[R^α]. Opposed pairs have Q ≥ (1−q)N(0) and are mixtures of N(±μ), 2μ
// apart.
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

// reach returns an interval of outputs outside which the integrand is negligible. Its bumps are at 0 and between μ and
// max(2, α)·μ. For opposed pairs they are between −μ and max(3, 2α−1)·μ. Their width is that of a normal density, which
// at 9.8 is below 1e-21 of its maximum.
func (s sampledPair) reach() (from, to float64) {
	const tail = 9.8
	if s.opposed {
		return -s.mu - tail, (2*s.alpha+1)*s.mu + tail
	}
	return -tail, math.Max(2, s.alpha)*s.mu + tail
}

// at returns log Q + y²/2 (without constants), u and log(1 + u) at output y.
func (s sampledPair) at(y float64) (logQ, u, l float64) {
	u, l = numeric.MixtureRatio(s.q, s.mu*y-s.mu*s.mu/2)
	if s.opposed {
		_, below := numeric.MixtureRatio(s.q, -s.mu*y-s.mu*s.mu/2)
		l -= below
		return below, math.Expm1(l), l
	}
	return 0, u, l
}

// integrand returns the log of the integrand at output y, without the factor 1/√(2π), rounded in the direction of sign.
func (s sampledPair) integrand(y float64) float64 {
	logQ, u, l := s.at(y)
	size := s.mu * (math.Abs(y) + s.mu)
	return logQ - y*y/2 + numeric.LogPowerGap(s.alpha, s.beta, u, l) + s.sign*(powerError(s.alpha, u, size)+4*unit*y*y)
}

// panels integrates by Gauss–Legendre panels that it finds by bisection. If a part is provably negligible, its bound is
// added, so that no bump is missed. The other parts are cut until they are not wider than 1 or than their distance from
// the branch points log((1−q)/q)/μ + μ/2 ± iπ/μ. (1+u)^α is log-convex in y, so the integrand changes there by at most
// a factor e^10 per unit. 16 nodes then have a relative error below 1e-14.
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
		if upper := s.upperLog(a, b) + math.Log(width); upper < negligible {
			if s.sign > 0 {
				sum.add(upper)
			}
			return
		}
		away := math.Max(0, math.Abs(middle-branch)-width/2)
		if s.opposed { // branch points of the other density are at −branch
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

// upperLog returns an upper bound of the log of the integrand on [a, b]. ψ is convex and u increases in y, so ψ(u) has
// its maximum at an end. If u ≥ 0, then also ψ ≤ (1+u)^α, and log(1 − q + qe^x) is convex in y and therefore below its
// chord.
func (s sampledPair) upperLog(a, b float64) float64 {
	nearest := func(c float64) float64 { return math.Max(a, math.Min(b, c)) }
	near := nearest(0)
	qa, ua, la := s.at(a)
	qb, ub, lb := s.at(b)
	gap := math.Max(numeric.LogPowerGap(s.alpha, s.beta, ua, la), numeric.LogPowerGap(s.alpha, s.beta, ub, lb))
	upper := math.Max(qa, qb) - near*near/2 + gap
	if s.opposed { // the density has a second bump
		other := nearest(-s.mu)
		upper = gap + math.Max(math.Log1p(-s.q)-near*near/2, math.Log(s.q)-(other+s.mu)*(other+s.mu)/2) + math.Ln2
	}
	if !(ua >= 0) {
		return upper
	}
	// l + logQ is the convex function log(1 − q + qe^x) of P in both cases.
	va, vb := s.alpha*(la+qa), s.alpha*(lb+qb)
	slope := (vb - va) / (b - a)
	y := nearest(slope)
	return math.Min(upper, va+slope*(y-a)-y*y/2-s.beta*math.Min(qa, qb)+16*unit*(math.Abs(vb)+y*y))
}
