package pld

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// above is an upper bound in the convex order of a sum of steps, apart from the cut tails. It has atoms with
// probabilities q at increasing x. The exact probabilities are at most q(1 + eta). If x[0] ≥ 0, the exact points are
// between x(1 − jitter) and x(1 + jitter). If x[0] < 0, they are at most x, and the order is the increasing convex
// order.
type above struct {
	x, q        []float64
	steps       int
	eta, jitter float64
	reach       float64 // point at which each step is cut
	// groups are groups of atoms for the grid if x[0] < 0. They have approximate probabilities under Q and with one
	// step taken by either record.
	groups []sketch
}

// underflow bounds the loss by underflowing products, under either distribution.
const underflow = 1e-200

// plus returns the sum of independent a and b, spread along chords of about n points. If a and b are the same pointer,
// it is the sum of two independent copies.
func (a *above) plus(b *above, n int) *above {
	x, points := a.grid(b, n)
	left, right := a.convolve(b, x)
	sum := &above{
		x: x, q: make([]float64, len(x)), steps: a.steps + b.steps, reach: a.reach,
		// A cell gets at most one run of products for each atom of a.
		eta:    a.eta + b.eta + unit*float64(len(a.x)+len(b.x)+16)*1.01,
		jitter: math.Max(a.jitter, b.jitter) + 1.01*unit,
	}
	sum.chords(left, right)
	if x[0] < 0 {
		sum.raise()
		sum.regroup(points)
	}
	return sum
}

// raise moves every point up by more than the rounding of sums in the adjacent cells.
func (a *above) raise() {
	largest := func(i int) float64 { return math.Abs(a.x[min(max(i, 0), len(a.x)-1)]) }
	raised := make([]float64, len(a.x))
	for i, v := range a.x {
		raised[i] = v + 4*unit*max(largest(i-1), largest(i), largest(i+1))
		if i > 0 {
			raised[i] = max(raised[i], raised[i-1])
		}
	}
	a.x = raised
}

// chords moves the probability between two points to both points. left and right are the sums of probabilities times
// distances from the right and the left point.
func (a *above) chords(left, right []float64) {
	for k := range len(a.x) - 1 {
		gap := a.x[k+1] - a.x[k]
		a.q[k] += left[k] / gap
		a.q[k+1] += right[k] / gap
	}
}

// convolve returns, for the cells between the points x, the sums of the probabilities of a + b times their distances
// from the right and the left end.
func (a *above) convolve(b *above, x []float64) (left, right []float64) {
	left, right = make([]float64, len(x)), make([]float64, len(x))
	start := 0
	for i, u := range a.x {
		j, twice := 0, a.q[i]
		if a == b {
			j, twice = i, 2*a.q[i]
		}
		for start+2 < len(x) && u+b.x[j] >= x[start+1] {
			start++
		}
		k := start
		lo, hi, l, r := x[k], x[k+1], 0.0, 0.0
		if a == b {
			y, p := u+u, a.q[i]*a.q[i]
			l, r = p*(hi-y), p*(y-lo)
			j++
		}
		q := b.q[j:]
		for m, v := range b.x[j:] {
			y, p := u+v, twice*q[m]
			if y >= hi && k+2 < len(x) {
				left[k] += l
				right[k] += r
				l, r = 0, 0
				for y >= hi && k+2 < len(x) {
					k++
					hi = x[k+1]
				}
				lo = x[k]
			}
			l += p * (hi - y)
			r += p * (y - lo)
		}
		left[k] += l
		right[k] += r
	}
	return left, right
}

// grid returns the points of the sum: its smallest value, about n values between its tails, and its largest value. It
// also returns approximate values of the sum.
func (a *above) grid(b *above, n int) (x []float64, points []point) {
	lowest, laws := a.x[0]+b.x[0], 2
	if lowest < 0 {
		laws = 3
		points = sketchTaken(a.groups, b.groups, a == b, float64(a.steps)/float64(a.steps+b.steps))
	} else {
		points = sketchSums(a.coarsen(), b.coarsen(), a == b, func(u, v sketch, sum float64) [3]float64 {
			q := u.mass * v.mass
			return [3]float64{q, q * sum}
		})
	}
	var inner []float64
	if lowest >= 0 {
		inner = distinctSums(a.x, b.x, n)
	}
	if inner == nil {
		inner = layGrid(points, laws, n, numeric.LogPhi(-a.reach), tailLog)
	}
	x = []float64{lowest}
	for _, v := range inner {
		if v > x[len(x)-1] {
			x = append(x, v)
		}
	}
	if top := a.x[len(a.x)-1] + b.x[len(b.x)-1]; top > x[len(x)-1] {
		x = append(x, top)
	}
	return x, points
}

// regroup creates the groups. It divides their probabilities in the proportions of points, which are approximate values
// in increasing order.
func (a *above) regroup(points []point) {
	groups(len(a.x), func(from, to int) {
		g := sketch{low: a.x[from], high: a.x[min(to, len(a.x)-1)]}
		var masses [3]float64
		for len(points) > 0 && (points[0].value < g.high || to >= len(a.x)) {
			for c, m := range points[0].mass {
				masses[c] += m
			}
			points = points[1:]
		}
		for _, q := range a.q[from:to] {
			g.mass += q
		}
		if masses[0] > 0 {
			scale := g.mass / masses[0]
			g.less = [2]float64{g.mass, g.mass}
			g.more = [2]float64{masses[1] * scale, masses[2] * scale}
		}
		a.groups = append(a.groups, g)
	})
}

// coarsen groups the atoms.
func (a *above) coarsen() []sketch {
	var list []sketch
	groups(len(a.x), func(from, to int) {
		g := sketch{low: a.x[from], high: a.x[min(to, len(a.x)-1)]}
		for i := from; i < to; i++ {
			g.mass += a.q[i]
		}
		list = append(list, g)
	})
	return list
}

// atom returns the logs of an atom's probability and of its ratio to the mean, and bounds of their errors.
func (a *above) atom(i int) (mass, ratio, massError, ratioError float64) {
	mass, ratio = math.Log(math.Max(a.q[i], math.SmallestNonzeroFloat64)), math.Log(a.x[i]/float64(a.steps))
	rounding := 16 * unit * (1 + math.Abs(mass) + math.Abs(ratio))
	return mass, ratio, 1.01*a.eta + rounding, 1.01*a.jitter + rounding
}

// laws returns the distribution of a and its mirror image. infinite is the mean of the cut tail. Underflowing products
// have infinite loss, or the largest finite loss if R is bounded.
func (a *above) laws(infinite float64) (remove, add *AllocationLaw) {
	remove, add = &AllocationLaw{}, &AllocationLaw{}
	put := func(mass, ratio, dm, dr float64) {
		remove.add(mass+ratio+dm+dr, mass+dm)
		add.add(mass+dm, mass+ratio+dm-dr)
		remove.Rounding = math.Max(remove.Rounding, 2.01*(dm+dr))
	}
	first, last := 0, len(a.x)-1
	if a.x[0] == 0 {
		add.Infinite = a.q[0]*(1+1.01*a.eta) + underflow
		first = 1
	} else {
		_, ratio, _, dr := a.atom(0)
		put(math.Log(underflow), ratio, 0, dr)
	}
	if infinite > 0 {
		remove.Infinite = infinite + underflow
	} else {
		_, ratio, _, dr := a.atom(last)
		put(math.Log(underflow)-ratio+dr, ratio, 0, dr)
	}
	for i := first; i <= last; i++ {
		if a.q[i] > 0 {
			put(a.atom(i))
		}
	}
	add.Rounding = remove.Rounding
	return remove.sort(), add.sort()
}

// LogMoment returns an upper bound of log E_Q X^alpha = (alpha−1)·D_alpha(P‖Q) for one of the Count parts and alpha ≥
// 1, where D is the Rényi divergence in the remove order. By Minkowski's inequality, the cut tail adds at most its own
// norm. The bound is tight if the tilted distribution is within the kept range, for alpha up to about 8σ, and far too
// large beyond. With Replace, or alpha below 1, it is +Inf.
func (f Factor) LogMoment(alpha float64) float64 {
	a, s := f.single, f.shift
	if a == nil || !(alpha >= 1) {
		return math.Inf(1)
	}
	sum := math.Inf(-1)
	for i := 1; i < len(a.x); i++ {
		if a.q[i] > 0 {
			mass, ratio, dm, dr := a.atom(i)
			sum = numeric.LogAddExp(sum, mass+dm+alpha*(ratio+dr))
		}
	}
	tail := alpha*(alpha-1)*s*s/2 + numeric.LogPhi(alpha*s-f.cut)
	log := math.Max(0, alpha*numeric.LogAddExp(sum/alpha, tail/alpha)) // E_Q X = 1, so it is nonnegative
	return log + 1e-12*(1+log)
}
