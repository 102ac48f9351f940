// Package tolerance compares computed numbers so that decisions do not depend on their last bits. These bits differ
// between processors, because some compilers fuse a product and a sum into one rounding. Numbers within a relative
// difference of 1e-9 count as equal.
package tolerance

import (
	"math"
	"strconv"
)

// Tolerance is the relative difference up to which two numbers count as equal. It is far above rounding errors and
// far below any difference that a report shows.
const Tolerance = 1e-9

// Above reports whether x exceeds y by more than Tolerance of the larger magnitude. NaN exceeds
// nothing and is exceeded by nothing.
func Above(x, y float64) bool {
	return x > y && (math.IsInf(x-y, 1) || x-y > Tolerance*math.Max(math.Abs(x), math.Abs(y)))
}

// Rounded returns x rounded to nine significant digits, as a sort key. Sorting cannot use [Above], because equality
// up to a tolerance is not transitive.
func Rounded(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	scale := math.Pow(10, 8-math.Floor(math.Log10(math.Abs(x))))
	if math.IsInf(scale, 0) || scale == 0 {
		return x
	}
	return math.Round(x*scale) / scale
}

// Settled returns x rounded exactly to the given number of significant digits, 1 to 17. Values that differ between
// machines only in their last bits become one value, except in about one of 10^(15−digits) cases. Use it before
// printing, with [PrintDigits], so that a value that ends in a half rounds the same way everywhere. It also serves
// when any nearby value will do.
func Settled(x float64, digits int) float64 {
	settled, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return x // next to the largest float64, rounded beyond it
	}
	return settled
}

// PrintDigits is the number of digits that Settled keeps of a number that is rounded further for printing.
const PrintDigits = 12
