// Package grid rounds numbers to a grid that their size sets.
package grid

import "math"

// Nearest is the multiple of 2⁻³⁰ of the size, rounded to a power of two, that is next to x, away from 0 half way
// between two; x itself where either is not finite or the size is 0.
func Nearest(x, size float64) float64 {
	const fraction, bias, most = 52, 1023, 0x7ff
	if math.Float64bits(x)>>fraction&most == most || math.Float64bits(size)>>fraction&most == most || size == 0 {
		return x
	}
	// The unit is 2^k, k+29 being the exponent of the size; below this range it is no normal number.
	if e := math.Float64bits(size) >> fraction & most; e > 29 {
		unit, inverse := math.Float64frombits((e-29)<<fraction), math.Float64frombits((2*bias+29-e)<<fraction)
		return round(x*inverse) * unit
	}
	_, exponent := math.Frexp(size)
	unit := math.Ldexp(1, exponent-30)
	return math.Round(x/unit) * unit
}

// round is math.Round, in fewer steps.
func round(x float64) float64 {
	t := math.Trunc(x)
	if math.Abs(x-t) >= 0.5 {
		t += math.Copysign(1, x)
	}
	return t
}
