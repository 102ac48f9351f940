package matrix

import (
	"math"
	"slices"
)

// rounding is the relative difference of squares below which two ends count as equal.
const rounding = 1e-10

func (d *dense) fixedOrder(times, distance int) Sensitivity {
	if times == 1 {
		return d.single()
	}
	var patterns [][]int
	for start := range d.steps {
		// The pattern that starts one distance earlier may contain this pattern.
		within := start >= distance && (d.steps-1-(start-distance))/distance < times
		if !within && (start == 0 || !d.shifts) {
			patterns = append(patterns, evenly(start, times, distance, d.steps))
		}
	}
	theorem := "fixed order: all starts"
	if d.shifts {
		theorem = "Toeplitz: the earliest of the shifted patterns"
	}
	if !d.signed {
		return d.aligned(patterns, theorem)
	}
	return d.products(distance, distance).anySigns(patterns, theorem)
}

// single returns the bracket of the largest column norm.
func (d *dense) single() Sensitivity {
	patterns := make([][]int, d.steps)
	for j := range patterns {
		patterns[j] = []int{j}
	}
	return d.aligned(patterns, "largest norm of a column")
}

// aligned brackets the largest norm of a sum of columns over patterns, for a matrix without negative entries.
func (d *dense) aligned(patterns [][]int, theorem string) Sensitivity {
	var low, high float64
	worst := patterns[0]
	for _, p := range patterns {
		l, h := d.square(p, ones(len(p)))
		high = math.Max(high, h)
		if l > low {
			low, worst = l, p
		}
	}
	return bracket(low, high, true, worst, theorem)
}

// anySigns brackets the largest norm of a sum over patterns and signs.
func (g gram) anySigns(patterns [][]int, theorem string) Sensitivity {
	order, sums := g.largestFirst(patterns)
	var low float64
	worst := patterns[order[0]]
	for _, i := range order {
		if sums[i] <= low {
			break
		}
		if l, _ := g.d.square(patterns[i], g.signs(patterns[i])); l > low {
			low, worst = l, patterns[i]
		}
	}
	high := sums[order[0]]
	return bracket(low, high, high <= low*(1+rounding), worst, theorem)
}

func ones(n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = 1
	}
	return s
}

// fewPatterns is the maximum number of patterns to enumerate.
const fewPatterns = 20_000

func (d *dense) separated(times, distance int) Sensitivity {
	if times == 1 {
		return d.single()
	}
	g := d.products(distance, 1)
	if times == 2 || d.width <= 2*distance {
		high, pattern := g.chain(times, distance)
		return g.between(high, pattern, times, distance, "chain: only consecutive participations interact")
	}
	if all, ok := allPatterns(times, distance, d.steps); ok {
		return g.anySigns(all, "all patterns")
	}
	high, pattern := g.rows(times, distance)
	return g.between(high, pattern, times, distance, "bound row by row, both maxima by dynamic programming")
}

// between returns the bracket with upper end high. A local search from pattern finds the lower end.
func (g gram) between(high float64, pattern []int, times, distance int, theorem string) Sensitivity {
	low, worst := g.climb(pattern, times, distance)
	return bracket(low, high, high <= low*(1+rounding), worst, theorem)
}

// allPatterns returns the maximal patterns of n steps, to which no later step can be added. Every pattern is part of
// one. ok is false if there are more than fewPatterns.
func allPatterns(times, distance, n int) (all [][]int, ok bool) {
	var grow func(pattern []int, from int)
	grow = func(pattern []int, from int) {
		if len(pattern) == times || from >= n {
			all = append(all, slices.Clone(pattern))
			return
		}
		for i := from; i < n; i++ {
			if grow(append(pattern, i), i+distance); len(all) > fewPatterns {
				return
			}
		}
	}
	grow(nil, 0)
	return all, len(all) <= fewPatterns
}
