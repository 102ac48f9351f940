package verify

import "math"

// Constants that all checks use.
const (
	DefaultRelativeError = 1e-12 // default relative rounding error of a computed figure
	MaxCells             = 64    // maximum number of report rows per check
	TargetPower          = 0.99  // power at which a sampled claim is called consistent
)

// MinSamples is the minimum number of samples per input of a pair. Fewer certify too little to be useful.
const MinSamples = 200

// SmallestSize returns the smallest n ≥ from for which enough is true, to a relative precision of 0.05, or 0 if
// there is none up to 1e12. The function enough must be monotonic.
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

// DistanceFromEnd returns the relative position of a value in its interval: 0 in the middle, 1 at an end, more
// outside.
func DistanceFromEnd(value, lower, upper float64) float64 {
	half := (upper - lower) / 2
	if !(half > 0) {
		return 0
	}
	return 1 - min(value-lower, upper-value)/half
}

// ScaledSize multiplies n by the square of ratio and rounds up to two digits.
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
