package confidence

import "math"

// EpsilonFast approximates EpsilonLower at one δ and alpha, to choose thresholds among many candidate events. It is
// the likelihood-ratio limit of slightly shifted counts. For alpha ≤ 0.05 and x ≥ 20 it is within 0.15 of the
// certified limit at every y. If also y ≥ 100 it is within 0.02, or 0.01 with equal sample sizes. It is not a
// certificate.
type EpsilonFast struct{ delta, half float64 }

// NewEpsilonFast returns the approximation for delta in [0, 1) and alpha in (0, 1).
func NewEpsilonFast(delta, alpha float64) EpsilonFast {
	return EpsilonFast{delta, orderHalf(alpha)}
}

// Lower approximates EpsilonLower. Counts need not be integers, for example if a pilot's counts are scaled to the
// sample size of the certification. The result increases in x and decreases in y. It is −Inf if nothing would be
// proved.
func (f EpsilonFast) Lower(x, n1, y, n2 float64) float64 {
	if !(n1 >= 1 && n2 >= 1 && x >= 0 && x <= n1 && y >= 0 && y <= n2) {
		return math.Inf(-1)
	}
	logRatio, _ := countPair{x, n1, y, n2}.shifted().leastRatio(f.delta, f.half, 1e-6)
	return logRatio
}

// EpsilonLowerFast approximates EpsilonLower for a single use. The arguments are the ones of EpsilonLower.
func EpsilonLowerFast(x, n1, y, n2 int64, delta, alpha float64) float64 {
	return NewEpsilonFast(delta, alpha).Lower(float64(x), float64(n1), float64(y), float64(n2))
}

// Exceeds reports whether EpsilonLower exceeds epsilon, that is, whether the counts certify more than epsilon at
// delta. The fast limit decides if it differs from epsilon by more than its largest error.
func Exceeds(x, n1, y, n2 int64, epsilon, delta, alpha float64) bool {
	const sure, fromCount = 0.2, 20 // see EpsilonFast
	if x >= fromCount && alpha <= 0.05 {
		if fast := EpsilonLowerFast(x, n1, y, n2, delta, alpha); math.Abs(fast-epsilon) > sure {
			return fast > epsilon
		}
	}
	return EpsilonLower(x, n1, y, n2, delta, alpha) > epsilon
}
