package matrix

import "math"

// unit is the maximum relative error of one rounding.
const unit = 0x1p-53

// twoSum returns a + b rounded, and the exact rounding error (Knuth 1997, section 4.2.2, Theorem B).
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	bb := sum - a
	return sum, (a - (sum - bb)) + (b - bb)
}

// double is a running sum in two parts, with about twice the digits of a float64.
type double struct{ hi, lo float64 }

func (d double) plus(x float64) double {
	hi, rest := twoSum(d.hi, x)
	hi, lo := twoSum(hi, d.lo+rest)
	return double{hi, lo}
}

// minus returns d − e rounded, with an error of a few units if d and e are exact.
func (d double) minus(e double) float64 {
	hi, rest := twoSum(d.hi, -e.hi)
	return hi + (rest + (d.lo - e.lo))
}

func (d double) value() float64 { return d.hi + d.lo }

// root brackets √s for s in [low, high].
func root(low, high float64) (lower, upper float64) {
	low = math.Max(0, low)
	lower, upper = math.Sqrt(low), math.Sqrt(high)
	return down(lower, math.FMA(lower, lower, -low)), up(upper, math.FMA(upper, upper, -high))
}

// down and up move a rounded number outwards, unless rest, the residual of its defining equation, shows that it is
// exact.
func down(x, rest float64) float64 {
	if rest == 0 {
		return x
	}
	return math.Max(0, math.Nextafter(x, -1))
}

func up(x, rest float64) float64 {
	if rest == 0 {
		return x
	}
	return math.Nextafter(x, math.Inf(1))
}
