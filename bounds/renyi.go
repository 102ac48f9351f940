package bounds

import "math"

// FiniteRenyi returns the Rényi divergence D_α(p‖q) of two distributions on the same outcomes, for every order α ∈
// [0, ∞]. At 0, 1 and ∞ it is the limit (van Erven & Harremoës 2014, Sect. III). p and q have the same length and sum
// to 1. It returns NaN if α < 0, α is NaN or the lengths differ.
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

// SampledGaussianLogMoment returns log ∫ m^s φ^{1−s}, where φ is the density of N(0, σ²) and m = (1−q)φ + qφ(·−1).
// This is the log of the moment of order s of m/φ under N(0, σ²). Both directions of the Rényi divergence of the
// sampled Gaussian mechanism with noise multiplier σ and sampling rate q follow from these moments (Mironov, Talwar &
// Zhang 2019, Sect. 3). Any real s with |s| ≤ 128, 0 < q ≤ 1, σ ≥ 0.1; otherwise NaN.
//
// It uses the trapezoidal rule. The zeros of m are at distance πσ² from the real line, so that the error at a step of
// σ/32 is far below rounding errors.
func SampledGaussianLogMoment(q, sigma, s float64) float64 {
	if !(q > 0 && q <= 1 && sigma >= 0.1 && sigma < math.Inf(1) && math.Abs(s) <= 128) {
		return math.NaN()
	}
	if s == 0 || s == 1 { // φ and m integrate to 1
		return 0
	}
	low, high := math.Min(0, s)-12*sigma, math.Max(1, s)+12*sigma
	h := sigma / 32
	logOne, logRate := math.Log1p(-q), math.Log(q)
	sum := 0.0
	top := math.Inf(-1) // running scale against overflow
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
