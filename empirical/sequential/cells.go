package sequential

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// cells divides the values of a score into intervals, plus one cell for values without order.
type cells struct {
	upper []float64 // largest value in each interval except the last
	n     int       // number of intervals
}

// index returns the cell of a value.
func (c cells) index(v float64) int {
	if math.IsNaN(v) { // includes symbols
		return c.n
	}
	cell, _ := slices.BinarySearch(c.upper, v)
	return cell
}

// classesOf returns the cells of the integers 0, …, n−1.
func classesOf(n int) cells {
	c := cells{n: n}
	for k := range n - 1 {
		c.upper = append(c.upper, float64(k))
	}
	return c
}

// divide returns at most the given number of intervals with equal shares of the sorted values. A value with more
// than one share becomes an interval of its own.
func divide(sorted []float64, limit int) cells {
	var c cells
	n := len(sorted)
	limit = max(1, min(limit, n))
	share := float64(n) / float64(limit)
	filled := 0.0
	for i := 0; i < n; {
		j := i
		for j < n && sorted[j] == sorted[i] {
			j++
		}
		group := float64(j - i)
		if i > 0 && group >= math.Max(2, share) { // the values before it form an interval
			if filled == 0 {
				c.upper = c.upper[:len(c.upper)-1]
			}
			c.upper = append(c.upper, sorted[i-1])
			filled = 0
		}
		filled += group
		if j < n && filled >= share*(1-1e-9) {
			c.upper = append(c.upper, between(sorted[j-1], sorted[j], group > 1))
			filled = 0
		}
		i = j
	}
	c.n = len(c.upper) + 1
	return c
}

// between returns a boundary between two values: their midpoint, or low if low must have its own interval.
func between(low, high float64, alone bool) float64 {
	if mid := low + (high-low)/2; !alone && mid < high && !math.IsInf(mid, 0) {
		return mid
	}
	return low
}

// places returns the normal quantiles of the midpoints of cells with the given counts.
func places(counts []float64) []float64 {
	sum := 0.0
	for _, n := range counts {
		sum += n
	}
	out, before := make([]float64, len(counts)), 0.0
	if sum == 0 { // no value has an order
		return out
	}
	for j, n := range counts {
		out[j] = distuv.UnitNormal.Quantile(math.Min(1-1e-9, math.Max(1e-9, (before+n/2)/sum)))
		before += n
	}
	return out
}
