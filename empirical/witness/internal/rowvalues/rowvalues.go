// Package rowvalues has properties of sequences, which are rows whose first number is their length.
package rowvalues

import "math"

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Size of a row is its largest finite magnitude, at least 1 for the counts.
func Size(row []float64) float64 {
	out := 1.0
	for _, v := range row[1:] {
		if v = math.Abs(v); v > out && v <= math.MaxFloat64 {
			out = v
		}
	}
	return out
}

// Sum of the finite values.
func Sum(row []float64) (out float64) {
	for _, v := range row[1:] {
		if finite(v) {
			out += v
		}
	}
	return out
}

// Largest finite value, −∞ where there is none.
func Largest(row []float64) float64 {
	out := math.Inf(-1)
	for _, v := range row[1:] {
		if finite(v) {
			out = max(out, v)
		}
	}
	return out
}

// Smallest finite value, +∞ where there is none.
func Smallest(row []float64) float64 {
	out := math.Inf(1)
	for _, v := range row[1:] {
		if finite(v) {
			out = min(out, v)
		}
	}
	return out
}

// Count is how many values f holds of, by their positions from 1.
func Count(row []float64, f func(i int, v float64) bool) float64 {
	n := 0
	for i := 1; i < len(row); i++ {
		if f(i, row[i]) {
			n++
		}
	}
	return float64(n)
}

// ExtremePosition is the position of the largest (sign 1) or smallest (sign −1)
// value, −1 where no value is finite.
func ExtremePosition(row []float64, sign float64) float64 {
	best, where := math.Inf(-1), -1
	for i, v := range row[1:] {
		if v *= sign; v > best && !math.IsInf(v, 1) {
			best, where = v, i
		}
	}
	return float64(where)
}

// TopGap is the gap between the two largest values (sign 1), or the two smallest ones (sign −1).
func TopGap(row []float64, sign float64) float64 {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, v := range row[1:] {
		switch v *= sign; {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		}
	}
	return first - second
}
