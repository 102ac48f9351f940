package matrix

import "math"

// rounding is the relative difference of squares below which two ends are called equal.
const rounding = 1e-10

func (d *dense) fixedOrder(times, distance int) Sensitivity {
	if times == 1 {
		return d.single()
	}
	var patterns [][]int
	for start := range d.steps {
		// From a start that is one distance later the pattern may be part of this one.
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
	return d.anySigns(patterns, distance, theorem)
}

// single is the largest norm of a column.
func (d *dense) single() Sensitivity {
	patterns := make([][]int, d.steps)
	for j := range patterns {
		patterns[j] = []int{j}
	}
	return d.aligned(patterns, "largest norm of a column")
}

// aligned is the largest norm of a sum of columns over patterns of a matrix without negative entries.
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

// anySigns brackets the largest sum over patterns whose distances are multiples of distance.
func (d *dense) anySigns(patterns [][]int, distance int, theorem string) Sensitivity {
	g := d.products(distance, distance)
	order, sums := g.largestFirst(patterns)
	var low float64
	worst := patterns[order[0]]
	for _, i := range order {
		if sums[i] <= low {
			break
		}
		if l, _ := d.square(patterns[i], g.signs(patterns[i])); l > low {
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

func (d *dense) separated(times, distance int) Sensitivity {
	if times == 1 {
		return d.single()
	}
	g := d.products(distance, 1)
	var high float64
	var pattern []int
	theorem := "at most 2b bands: chain of consecutive participations"
	if d.width <= 2*distance {
		high, pattern = g.chain(times, distance)
	} else {
		high, pattern = g.rows(times, distance)
		theorem = "bound row by row (Choquette-Choo et al. 2023, Algorithm 4)"
	}
	low, worst := g.climb(pattern, times, distance)
	return bracket(low, high, high <= low*(1+rounding), worst, theorem)
}
