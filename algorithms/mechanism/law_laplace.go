package mechanism

import "math"

// laplaceTail returns P(Z > t) for Z with the unit Laplace distribution, with full relative accuracy.
func laplaceTail(t float64) float64 {
	if t < 0 {
		return 1 - 0.5*math.Exp(t)
	}
	return 0.5 * math.Exp(-t)
}

// laplaceInterval returns P(lo < Z ≤ hi) for Z with the unit Laplace distribution. It subtracts the smaller tails.
func laplaceInterval(lo, hi float64) float64 {
	switch {
	case !(lo < hi):
		return 0
	case lo >= 0:
		return -0.5 * math.Exp(-lo) * math.Expm1(lo-hi)
	case hi <= 0:
		return -0.5 * math.Exp(hi) * math.Expm1(lo-hi)
	}
	return -0.5 * (math.Expm1(lo) + math.Expm1(-hi))
}

// logLaplace returns the log density of the Laplace distribution with the given scale at t.
func logLaplace(t, scale float64) float64 {
	return -math.Abs(t)/scale - math.Ln2 - math.Log(scale)
}
