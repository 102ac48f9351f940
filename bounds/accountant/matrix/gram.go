package matrix

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// gram contains the entries of X = CᵀC that a kind of participation needs, rounded.
type gram struct {
	d *dense
	x [][]float64
}

// products computes the products of each column with itself and of columns whose distance is at least apart and a
// multiple of step. The others remain zero.
func (d *dense) products(apart, step int) gram {
	g := gram{d, make([][]float64, d.steps)}
	for i := range d.steps {
		g.x[i] = make([]float64, d.steps)
		g.x[i][i] = d.product(i, i)
	}
	const tile = 16 // number of columns that stay in the cache
	for from := 0; from < d.steps; from += tile {
		for j := from + 1; j < min(d.steps, from+tile+d.width); j++ {
			for i := from; i < min(from+tile, j); i++ {
				if j-i >= apart && (j-i)%step == 0 {
					x := d.product(i, j)
					g.x[i][j], g.x[j][i] = x, x
				}
			}
		}
	}
	return g
}

// upper returns an upper bound of |X_ij|. The rounded product of m terms has an error of at most (m + 4) units of
// Σ|C_ti C_tj|, including two for the entries. This sum is at most the product of the norms.
func (g gram) upper(i, j int) float64 {
	terms := min(len(g.d.column[min(i, j)])-max(i-j, j-i), len(g.d.column[max(i, j)]))
	if terms <= 0 {
		return 0
	}
	return math.Abs(g.x[i][j]) + float64(terms+6)*unit*g.d.norms[i]*g.d.norms[j]
}

// signs returns signs for a pattern such that changing any single sign does not increase Σ s_i s_j X_ij. They are
// optimal if only consecutive columns interact.
func (g gram) signs(pattern []int) []float64 {
	s := make([]float64, len(pattern))
	pull := func(m int) (sum float64) {
		for o, j := range pattern {
			if o != m {
				sum += s[o] * g.x[pattern[m]][j]
			}
		}
		return sum
	}
	for m := range s {
		s[m] = 1
		if pull(m) < 0 {
			s[m] = -1
		}
	}
	for turned, round := true, 0; turned && round < 100; round++ {
		turned = false
		for m := range s {
			if s[m]*pull(m) < 0 {
				s[m], turned = -s[m], true
			}
		}
	}
	return s
}

// sum returns an upper bound of Σ|X_ij| over a pattern.
func (g gram) sum(pattern []int) float64 {
	s := 0.0
	for m, i := range pattern {
		s += g.upper(i, i)
		for _, j := range pattern[:m] {
			s += 2 * g.upper(i, j)
		}
	}
	return s * (1 + float64(len(pattern)*len(pattern)+2)*unit)
}

// largestFirst returns the sums of patterns and their order, largest first.
func (g gram) largestFirst(patterns [][]int) (order []int, sums []float64) {
	for i, p := range patterns {
		order, sums = append(order, i), append(sums, g.sum(p))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	return order, sums
}

// rows returns an upper bound of Σ_{i,j} |X_ij| over patterns, and the pattern that attains it. The bound is the
// maximum of Σ_i r_i, where r_i is the largest Σ_j |X_ij| over patterns that contain i.
func (g gram) rows(times, distance int) (high float64, pattern []int) {
	n := len(g.x)
	others := &selection{times: times - 1, distance: distance}
	r, w := make([]float64, n), make([]float64, n)
	for i := range r {
		for j := range w {
			w[j] = g.upper(i, j)
		}
		clear(w[max(0, i-distance+1):min(n, i+distance)])
		r[i] = g.upper(i, i) + others.maximum(w)
	}
	return (&selection{times: times, distance: distance}).choose(r)
}

// chain returns the maximum of Σ|X_ij| over patterns, and its pattern, if C has at most twice as many bands as the
// distance. Then only consecutive participations interact.
func (g gram) chain(times, distance int) (high float64, pattern []int) {
	n, bands := len(g.x), g.d.width
	total := make([]float64, n) // maximum over the patterns that end at a step
	behind := make([][]int32, 0, times)
	best, last := 0.0, 0
	for c := range times {
		next, from := make([]float64, n), make([]int32, n)
		far, farAt := 0.0, -1 // the maximum among patterns that do not interact
		for j := range n {
			if i := j - max(bands, distance); i >= 0 && c > 0 && total[i] > far {
				far, farAt = total[i], i
			}
			sum, row := far, farAt
			for i := max(0, j-bands+1); c > 0 && i <= j-distance; i++ {
				if s := total[i] + 2*g.upper(i, j); s > sum {
					sum, row = s, i
				}
			}
			next[j], from[j] = g.upper(j, j)+sum, int32(row)
		}
		total, behind = next, append(behind, from)
		for j, s := range total {
			if s > best {
				best, last = s, j+c*n
			}
		}
	}
	for c, j := last/n, last%n; j >= 0; c-- {
		pattern = append(pattern, j)
		j = int(behind[c][j])
	}
	slices.Reverse(pattern)
	return best * (1 + float64(4*times+4)*unit), pattern
}

// climb searches for a pattern and signs with a large ‖Σ s_i C[:,i]‖. It starts from the given pattern, from evenly
// spaced ones and from single columns. The square is convex in the signed indicator x of a pattern. So the pattern that
// maximizes its tangent at x, with weights |Xx|, is at least as good.
func (g gram) climb(pattern []int, times, distance int) (low float64, worst []int) {
	d, starts := g.d, [][]int{pattern}
	for i := range 8 {
		starts = append(starts, evenly(i*distance/8, times, distance, d.steps), []int{i * d.steps / 8})
		if late := d.steps - 1 - (times-1)*distance; late > 0 {
			starts = append(starts, evenly(i*late/8, times, distance, d.steps))
		}
	}
	tried := make(map[string]bool)
	pick := &selection{times: times, distance: distance}
	w := make([]float64, d.steps)
	for _, p := range starts {
		for before := 0.0; ; {
			key := fmt.Sprint(p)
			if tried[key] {
				break
			}
			tried[key] = true
			signs := g.signs(p)
			l, _ := d.square(p, signs)
			if l > low {
				low, worst = l, p
			}
			if l <= before {
				break
			}
			before = l
			d.slopes(w, p, signs)
			_, p = pick.choose(w)
		}
	}
	return low, worst
}

// slopes sets w to |Xx| for the indicator x of a pattern with signs.
func (d *dense) slopes(w []float64, pattern []int, signs []float64) {
	sum := make([]float64, d.steps)
	for m, j := range pattern {
		for i, x := range d.column[j] {
			sum[j+i] += signs[m] * x
		}
	}
	for j, column := range d.column {
		s := 0.0
		for i, x := range column {
			s += x * sum[j+i]
		}
		w[j] = math.Abs(s)
	}
}
