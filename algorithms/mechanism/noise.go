package mechanism

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/ziggurat"
)

// UnitExponential returns one draw of the exponential law of mean 1. It is finite: the
// generator's own tail can return +Inf, with probability about 2⁻⁶⁴, and is drawn again.
func UnitExponential(r *rand.Rand) float64 {
	for {
		if e := ziggurat.Exponential(r); e <= math.MaxFloat64 {
			return e
		}
	}
}

// UnitLaplace returns one draw of the Laplace law of mean 0 and scale 1; it is finite.
func UnitLaplace(r *rand.Rand) float64 {
	e := UnitExponential(r)
	return math.Float64frombits(math.Float64bits(e) | r.Uint64()<<63)
}

// UnitNormal returns one draw of the standard normal law; it is finite.
func UnitNormal(r *rand.Rand) float64 {
	for {
		if z := ziggurat.Normal(r); math.Abs(z) <= math.MaxFloat64 {
			return z
		}
	}
}

// laplaceTail returns P(Z > t) for Z of the unit Laplace law, with full relative accuracy.
func laplaceTail(t float64) float64 {
	if t < 0 {
		return 1 - 0.5*math.Exp(t)
	}
	return 0.5 * math.Exp(-t)
}

// laplaceInterval returns P(lo < Z ≤ hi) for Z of the unit Laplace law, as a difference of the
// smaller tails.
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

// logLaplace returns the log density of the Laplace law of the given scale at t.
func logLaplace(t, scale float64) float64 {
	return -math.Abs(t)/scale - math.Ln2 - math.Log(scale)
}
