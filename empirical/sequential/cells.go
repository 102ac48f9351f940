package sequential

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// cells divide the values of a score into intervals, and what has no order into one cell more.
type cells struct {
	upper []float64 // of each interval but the last: the largest value in it
	n     int       // intervals
}

// of is the cell of a value.
func (c cells) of(v float64) int {
	if math.IsNaN(v) { // symbols among them
		return c.n
	}
	at, _ := slices.BinarySearch(c.upper, v)
	return at
}

// classesOf are cells of the whole numbers below n.
func classesOf(n int) cells {
	c := cells{n: n}
	for k := range n - 1 {
		c.upper = append(c.upper, float64(k))
	}
	return c
}

// divide makes at most so many intervals of equal shares of sorted values; a value that has more
// than a share of its own is an interval of its own.
func divide(sorted []float64, most int) cells {
	var c cells
	n := len(sorted)
	most = max(1, min(most, n))
	share := float64(n) / float64(most)
	filled := 0.0
	for i := 0; i < n; {
		j := i
		for j < n && sorted[j] == sorted[i] {
			j++
		}
		group := float64(j - i)
		if i > 0 && group >= math.Max(2, share) { // the values before it stay by themselves
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

// between is a boundary of two values: half-way, unless the lower one is to be by itself.
func between(low, high float64, alone bool) float64 {
	if mid := low + (high-low)/2; !alone && mid < high && !math.IsInf(mid, 0) {
		return mid
	}
	return low
}

// places are the normal quantiles of the middles of cells that hold the given numbers of values.
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
