package bounds

import "math"

// FiniteRenyi is the Rényi divergence D_α(p‖q) of two laws on the same outcomes,
// for every order α ∈ [0, ∞], by the limits at 0, 1 and ∞ (van Erven & Harremoës
// 2014, Sect. III). p and q have one length and sum to 1. NaN for α < 0 or NaN.
func FiniteRenyi(p, q []float64, alpha float64) float64 {
	switch {
	case !(alpha >= 0) || len(p) != len(q):
		return math.NaN()
	case math.IsInf(alpha, 1):
		worst := math.Inf(-1)
		for i := range p {
			if p[i] > 0 {
				worst = math.Max(worst, math.Log(p[i]/q[i]))
			}
		}
		return worst
	}
	sum := 0.0
	for i := range p {
		switch {
		case p[i] == 0 || alpha < 1 && q[i] == 0:
		case q[i] == 0:
			return math.Inf(1)
		case alpha == 1:
			sum += p[i] * math.Log(p[i]/q[i])
		default:
			sum += q[i] * math.Pow(p[i]/q[i], alpha)
		}
	}
	if alpha == 1 {
		return sum
	}
	return math.Log(sum) / (alpha - 1)
}

// SampledGaussianLogMoment is log ∫ m^s φ^{1−s}, m = (1−q)φ + qφ(·−1) with φ the
// density of N(0, σ²): the moments of order s of m/φ under N(0, σ²), from which
// follow both directions of the Rényi divergence of the sampled Gaussian mechanism
// of noise multiplier σ and sampling rate q (Mironov, Talwar & Zhang 2019, Sect. 3).
// Any real s with |s| ≤ 128, 0 < q ≤ 1, σ ≥ 0.1; NaN elsewhere.
//
// By the trapezoidal rule: m has zeros at distance πσ² from the real line alone, so
// that a step of σ/32 errs by far less than rounding.
func SampledGaussianLogMoment(q, sigma, s float64) float64 {
	if !(q > 0 && q <= 1 && sigma >= 0.1 && sigma < math.Inf(1) && math.Abs(s) <= 128) {
		return math.NaN()
	}
	if s == 0 || s == 1 { // the mass of φ, of m
		return 0
	}
	low, high := math.Min(0, s)-12*sigma, math.Max(1, s)+12*sigma
	h := sigma / 32
	logOne, logRate := math.Log1p(-q), math.Log(q)
	sum := 0.0
	top := math.Inf(-1) // running scale, so that nothing overflows
	for i := 0; low+float64(i)*h <= high; i++ {
		x := low + float64(i)*h
		shift := (2*x - 1) / (2 * sigma * sigma) // log φ(x−1)/φ(x)
		a, b := logOne, logRate+shift
		ratio := math.Max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
		term := s*ratio - x*x/(2*sigma*sigma)
		if term > top {
			sum *= math.Exp(top - term)
			top = term
		}
		sum += math.Exp(term - top)
	}
	return top + math.Log(sum*h/(sigma*math.Sqrt(2*math.Pi)))
}
