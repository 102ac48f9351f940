package verify

import "math"

// What the checks agree on.
const (
	DefaultRelativeError = 1e-12 // relative rounding error of a computed figure, where none is given
	MaxCells             = 64    // rows of the report from one check
	TargetPower          = 0.99  // at which a claim that was sampled is called consistent
)

// MinSamples of each input of a pair: fewer certify nothing worth the name.
const MinSamples = 200

// SmallestSize is the smallest n beyond from for which enough is true, to a twentieth;
// 0 where none up to 10¹² is. Enough stays true once it is.
func SmallestSize(from int64, enough func(n int64) bool) int64 {
	const most = int64(1e12)
	low, high := max(from, 1), max(from, 1)
	for !enough(high) {
		if high >= most {
			return 0
		}
		low, high = high, min(most, 2*high)
	}
	for high-low > 1+high/20 {
		if mid := low + (high-low)/2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// DistanceFromEnd of a value to the nearer end of its interval: 0 in the middle, 1 at an
// end, more outside.
func DistanceFromEnd(value, lower, upper float64) float64 {
	half := (upper - lower) / 2
	if !(half > 0) {
		return 0
	}
	return 1 - min(value-lower, upper-value)/half
}

// ScaledSize scales n by the square of ratio, to two digits, rounded up.
func ScaledSize(n int64, ratio float64) int64 {
	want := float64(n) * ratio * ratio
	if !(want < 1e15) {
		return 1e15
	}
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(want))-1))
	return int64(math.Ceil(want/unit) * unit)
}

// RoundedSize rounds a size up to two digits.
func RoundedSize(n int64) int64 { return ScaledSize(n, 1) }
