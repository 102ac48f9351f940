package distinguisher

import "math"

// rowSize returns the largest finite magnitude of the values, at least 1 because of the counts.
func rowSize(row []float64) float64 {
	out := 1.0
	for _, v := range row[1:] {
		if v = math.Abs(v); v > out && v <= math.MaxFloat64 {
			out = v
		}
	}
	return out
}

// sumFinite returns the sum of the finite values.
func sumFinite(row []float64) (out float64) {
	for _, v := range row[1:] {
		if finite(v) {
			out += v
		}
	}
	return out
}

// normFinite returns the Euclidean norm of the finite values.
func normFinite(row []float64) float64 {
	size := rowSize(row)
	var sum float64
	for _, v := range row[1:] {
		if finite(v) {
			sum += v / size * (v / size)
		}
	}
	return size * math.Sqrt(sum)
}

// largestFinite returns the largest finite value, or −∞ if there is none.
func largestFinite(row []float64) float64 {
	out := math.Inf(-1)
	for _, v := range row[1:] {
		if finite(v) {
			out = max(out, v)
		}
	}
	return out
}

// smallestFinite returns the smallest finite value, or +∞ if there is none.
func smallestFinite(row []float64) float64 {
	out := math.Inf(1)
	for _, v := range row[1:] {
		if finite(v) {
			out = min(out, v)
		}
	}
	return out
}

// countValues returns the number of values for which f is true. Positions start at 1.
func countValues(row []float64, f func(i int, v float64) bool) float64 {
	n := 0
	for i := 1; i < len(row); i++ {
		if f(i, row[i]) {
			n++
		}
	}
	return float64(n)
}

// extremePosition returns the index of the largest (sign 1) or smallest (sign −1) finite value, or −1 if there is
// none.
func extremePosition(row []float64, sign float64) float64 {
	best, where := math.Inf(-1), -1
	for i, v := range row[1:] {
		if v *= sign; v > best && !math.IsInf(v, 1) {
			best, where = v, i
		}
	}
	return float64(where)
}

// topGapOf returns the gap between the two largest values (sign 1) or the two smallest values (sign −1).
func topGapOf(row []float64, sign float64) float64 {
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
