package matrix

import "math"

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// twoSum returns a + b rounded, and the rest, exactly (Knuth 1997, section 4.2.2, Theorem B).
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	bb := sum - a
	return sum, (a - (sum - bb)) + (b - bb)
}

// double is a number in two parts: a running sum that keeps about twice the digits.
type double struct{ hi, lo float64 }

func (d double) plus(x float64) double {
	hi, rest := twoSum(d.hi, x)
	hi, lo := twoSum(hi, d.lo+rest)
	return double{hi, lo}
}

// minus returns d − e, rounded: within a few units of the difference if d, e are exact.
func (d double) minus(e double) float64 {
	hi, rest := twoSum(d.hi, -e.hi)
	return hi + (rest + (d.lo - e.lo))
}

func (d double) value() float64 { return d.hi + d.lo }

// root returns ends of √s for a true s in [low, high].
func root(low, high float64) (lower, upper float64) {
	low = math.Max(0, low)
	lower, upper = math.Sqrt(low), math.Sqrt(high)
	return down(lower, math.FMA(lower, lower, -low)), up(upper, math.FMA(upper, upper, -high))
}

// down and up move a rounded number outward, unless what is left of its defining equation says that
// nothing was rounded.
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
