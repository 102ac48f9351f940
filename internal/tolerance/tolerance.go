// Package tolerance compares computed numbers so that decisions do not depend on their last bits. These bits
// differ between processors, because some compilers fuse a product and a sum into one rounding. If two numbers are
// almost equal, the first one wins on every processor.
package tolerance

import (
	"math"
	"strconv"
)

// Tolerance is the relative difference up to which two figures are as good as equal: far
// above rounding, and far below any difference that a report speaks of.
const Tolerance = 1e-9

// Above reports whether x exceeds y by more than Tolerance of the larger magnitude. NaN exceeds
// nothing and is exceeded by nothing.
func Above(x, y float64) bool {
	return x > y && (math.IsInf(x-y, 1) || x-y > Tolerance*math.Max(math.Abs(x), math.Abs(y)))
}

// Rounded is x to nine significant digits, as a key to sort by: equality up to a tolerance is
// no order.
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

// Settled is x to so many significant digits, 1 to 17, rounded exactly. What machines compute
// within a few last bits of each other is settled to one and the same figure, but for one in
// 10^(15−digits) or so that lies between two: before it is printed, so that a value that ends
// in a half goes one way (to [PrintDigits]), or where any figure near by serves as well.
func Settled(x float64, digits int) float64 {
	settled, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits-1, 64), 64)
	if err != nil {
		return x // next to the largest float64, rounded beyond it
	}
	return settled
}

// PrintDigits are those to which a figure is settled before it is rounded further.
const PrintDigits = 12
