package pld

import (
	"cmp"
	"math"
	"slices"
)

// coarse is the maximum number of groups of atoms that determine the grid of a sum. gridNodes is the number of nodes of
// its interpolation.
const (
	coarse    = 64
	gridNodes = 96
)

// sketch is a group of atoms: the range of its values, its probability under Q, and its probability with some of the
// steps taken by either record (less) and with one more (more).
type sketch struct {
	low, high, mass float64
	less, more      [2]float64
}

// point is a value with its probabilities.
type point struct {
	value float64
	mass  [3]float64
}

// sketchSums returns points that are distributed like the sums of two distributions. masses returns the probabilities
// of a pair of groups at a sum. If both distributions are the same, only ordered pairs are used. The points are spread
// evenly over the ranges of the sums by the golden section, because sums of one large and many small terms would
// otherwise cluster.
func sketchSums(a, b []sketch, same bool, masses func(u, v sketch, sum float64) [3]float64) []point {
	points := make([]point, 0, len(a)*len(b))
	share := 0.5
	for i, u := range a {
		for j, v := range b {
			if same && j < i {
				continue
			}
			_, share = math.Modf(share + 0.6180339887498949)
			sum := interpolated(u.low+v.low, u.high+v.high, share)
			p := point{sum, masses(u, v, sum)}
			if same && j > i {
				for c := range p.mass {
					p.mass[c] *= 2
				}
			}
			points = append(points, p)
		}
	}
	return points
}

// sketchTaken computes sketchSums for probabilities under Q and with some steps taken by each record. With the given
// share, one additional step is taken from a, and otherwise one from b.
func sketchTaken(a, b []sketch, same bool, share float64) []point {
	return sketchSums(a, b, same, func(u, v sketch, _ float64) (mass [3]float64) {
		mass[0] = u.mass * v.mass
		for c := range u.less {
			mass[c+1] = share*u.more[c]*v.less[c] + (1-share)*u.less[c]*v.more[c]
		}
		return mass
	})
}

// interpolated interpolates between a and b, geometrically if they differ by more than a factor of 2.
func interpolated(a, b, share float64) float64 {
	if r := b / a; a != 0 && (r > 2 || r > 0 && r < 0.5) {
		return a * math.Pow(r, share)
	}
	return a + (b-a)*share
}

// layGrid returns at most n+1 increasing values. They are evenly spaced in the normal scores of the distributions,
// between tails with the given log probabilities in all distributions. The grid only affects the width of the bounds.
func layGrid(points []point, laws, n int, low, high float64) []float64 {
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.value, b.value) })
	score := make([]float64, len(points))
	first, last := len(points)-1, 0
	for c := range laws {
		bottom, top := 0, len(points)-1
		total := 0.0
		for _, p := range points {
			total += p.mass[c]
		}
		if total == 0 {
			continue
		}
		from := 0.0
		for i, p := range points {
			if from+p.mass[c]/2 <= total/2 {
				score[i] -= normalScore((from + p.mass[c]/2) / total)
			}
			if from += p.mass[c]; math.Log(from/total) <= low {
				bottom = i
			}
		}
		from = 0
		for i := len(points) - 1; i >= 0; i-- {
			m := points[i].mass[c]
			if from+m/2 < total/2 {
				score[i] += normalScore((from + m/2) / total)
			}
			if from += m; math.Log(from/total) <= high {
				top = i
			}
		}
		first, last = min(first, bottom), max(last, top)
	}
	return interpolate(points, score, first, max(last, first+1), n)
}

// normalScore returns approximately the z ≥ 0 with upper tail p ≤ 1/2.
func normalScore(p float64) float64 {
	l := math.Max(0, -math.Log(2*math.Max(p, 1e-300)))
	return 1.25 * l / math.Sqrt(1+0.78*l)
}

// normalTail inverts normalScore. It returns the log of p.
func normalTail(z float64) float64 {
	l := (0.78*z*z + z*math.Sqrt(0.6084*z*z+6.25)) / 3.125
	return -l - math.Ln2
}

// interpolate returns the values at n+1 evenly spaced scores. It first makes the scores increasing, which rounding may
// violate.
func interpolate(points []point, score []float64, first, last, n int) []float64 {
	last = min(last, len(points)-1)
	for i := first + 1; i <= last; i++ {
		score[i] = math.Max(score[i], score[i-1])
	}
	grid := []float64{points[first].value}
	put := func(v float64) {
		// Omit points that are closer than rounding.
		if top := grid[len(grid)-1]; v-top > 1e-13*math.Max(math.Abs(v), math.Abs(top)) {
			grid = append(grid, v)
		}
	}
	// Use nodes a few points apart, to smooth their scatter.
	total := score[last] - score[first]
	at, next := first, first
	for i := 1; i < n; i++ {
		want := score[first] + total*float64(i)/float64(n)
		for next < last && score[next] <= want {
			at = next
			next++
			for next < last && score[next]-score[at] < total/gridNodes {
				next++
			}
		}
		a, b := points[at].value, points[next].value
		share := math.Min(1, math.Max(0, (want-score[at])/math.Max(1e-300, score[next]-score[at])))
		put(interpolated(a, b, share))
	}
	put(points[last].value)
	return grid
}

// groups calls visit with the bounds of at most coarse groups of n atoms.
func groups(n int, visit func(from, to int)) {
	for i := range coarse {
		if from, to := i*n/coarse, (i+1)*n/coarse; from < to {
			visit(from, to)
		}
	}
}
