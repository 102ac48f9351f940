package confidence

import "math"

// EpsilonFast approximates EpsilonLower at one δ and alpha, for searching
// thresholds over many candidate events. It is the likelihood-ratio limit of
// slightly shifted counts: for alpha ≤ 0.05 within 0.15 of the certified limit
// where x ≥ 20, at every y, and within 0.02 where y ≥ 100 as well, 0.01 of as many samples on either
// side. It is not a certificate.
type EpsilonFast struct{ delta, half float64 }

// NewEpsilonFast prepares the approximation. delta in [0, 1), alpha in (0, 1).
func NewEpsilonFast(delta, alpha float64) EpsilonFast {
	return EpsilonFast{delta, orderHalf(alpha)}
}

// Lower approximates EpsilonLower at counts that need not be whole, such as
// those of a pilot scaled to the sample size of the certification. It rises
// in x and falls in y; −Inf where nothing would be proved.
func (f EpsilonFast) Lower(x, n1, y, n2 float64) float64 {
	if !(n1 >= 1 && n2 >= 1 && x >= 0 && x <= n1 && y >= 0 && y <= n2) {
		return math.Inf(-1)
	}
	logRatio, _ := countPair{x, n1, y, n2}.shifted().leastRatio(f.delta, f.half, 1e-6)
	return logRatio
}

// EpsilonLowerFast is EpsilonFast for a single use; arguments as for EpsilonLower.
func EpsilonLowerFast(x, n1, y, n2 int64, delta, alpha float64) float64 {
	return NewEpsilonFast(delta, alpha).Lower(float64(x), float64(n1), float64(y), float64(n2))
}

// Exceeds reports whether the counts certify more than epsilon at delta: whether EpsilonLower is above
// it. Where the fast limit is further from it than it can be from the certified one, it decides.
func Exceeds(x, n1, y, n2 int64, epsilon, delta, alpha float64) bool {
	const sure, fromCount = 0.2, 20 // see EpsilonFast
	if x >= fromCount && alpha <= 0.05 {
		if fast := EpsilonLowerFast(x, n1, y, n2, delta, alpha); math.Abs(fast-epsilon) > sure {
			return fast > epsilon
		}
	}
	return EpsilonLower(x, n1, y, n2, delta, alpha) > epsilon
}
