package accounting_test

import (
	"math"
	"slices"
)

// This file computes distributions from the definitions of the mechanisms. It shares no code with package accountant.

// A cell is a set of outputs with its probability under both inputs, and bounds on the loss log dP/dQ in it.
type cell struct{ p, q, lo, hi float64 }

// A pairLaw is the pair of output distributions on two neighbors.
type pairLaw []cell

func (l pairLaw) reversed() pairLaw {
	r := make(pairLaw, len(l))
	for i, c := range l {
		r[i] = cell{c.q, c.p, -c.hi, -c.lo}
	}
	return r
}

// finite returns the pair of two distributions on finitely many outputs.
func finite(p, q []float64) pairLaw {
	var l pairLaw
	for i := range p {
		if p[i] > 0 || q[i] > 0 {
			loss := math.Log(p[i] / q[i])
			l = append(l, cell{p[i], q[i], loss, loss})
		}
	}
	return l
}

// independently returns the pair of two independent outputs.
func independently(a, b pairLaw) pairLaw {
	l := make(pairLaw, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			c := cell{x.p * y.p, x.q * y.q, x.lo + y.lo, x.hi + y.hi}
			if c.p > 0 || c.q > 0 {
				l = append(l, c)
			}
		}
	}
	return l
}

// bins is the number of lattice points on each side of 0.
const bins = 150

// A binned collects probabilities on a lattice of losses, with −∞ and ∞ at its ends.
type binned [2*bins + 3]cell

func (b *binned) add(k, p, q float64) {
	i := int(math.Max(-bins-1, math.Min(bins+1, k))) + bins + 1
	b[i].p += p
	b[i].q += q
}

// law returns the cells with the losses that follow from their probabilities.
func (b *binned) law() (l pairLaw) {
	for _, c := range b {
		if c.p > 0 || c.q > 0 {
			c.lo = math.Log(c.p / c.q)
			c.hi = c.lo
			l = append(l, c)
		}
	}
	return l
}

// coarse merges cells of similar loss. Merging is post-processing, so no divergence grows.
func (l pairLaw) coarse(step float64) pairLaw {
	var b binned
	for _, c := range l {
		k := math.Floor(math.Log(c.p/c.q) / step)
		if c.p > 0 && c.q > 0 {
			k = math.Max(-bins, math.Min(bins, k))
		}
		b.add(k, c.p, c.q)
	}
	return b.law()
}

// spread splits each cell between the two nearest lattice losses and keeps both probabilities. Each cell is a
// post-processing of its two shards, so no divergence shrinks.
func (l pairLaw) spread(step float64) pairLaw {
	var b binned
	for _, c := range l {
		low, high := math.Floor(c.lo/step), math.Ceil(c.hi/step)
		if low < -bins {
			low = math.Inf(-1)
		}
		if high > bins {
			low, high = math.Min(low, bins), math.Inf(1)
		}
		if c.p > 0 && c.q > 0 && high < -bins {
			high = -bins
		}
		x, y := c.split(low*step, high*step)
		b.add(low, x.p, x.q)
		b.add(high, y.p, y.q)
	}
	return b.law()
}

// split returns two cells of constant loss whose sum is c. The loss of c is between the two.
func (c cell) split(low, high float64) (a, b cell) {
	switch {
	case c.q == 0:
		return cell{}, c
	case c.p == 0:
		return c, cell{}
	case high-low < 1e-9 || low == high:
		return c, cell{}
	}
	s, t := math.Exp(low), math.Exp(high)
	if math.IsInf(t, 1) {
		p := math.Min(c.p, s*c.q)
		return cell{p: p, q: c.q}, cell{p: c.p - p}
	}
	p := math.Max(0, math.Min(c.p, t*(c.p-s*c.q)/(t-s)))
	return cell{p: c.p - p, q: math.Max(0, c.q-p/t)}, cell{p: p, q: p / t}
}

// lattice returns a step such that the losses of k runs fit the bins on each side, except with probability 1e-12.
func (l pairLaw) lattice(k int) float64 {
	largest := 1e-6
	for _, c := range l {
		if loss := math.Abs(math.Log(c.p / c.q)); !math.IsInf(loss, 0) && math.Max(c.p, c.q) > 1e-9 {
			largest = math.Max(largest, loss)
		}
	}
	return largest * float64(k) / (bins - 1)
}

// below returns a pair whose divergences are at most the divergences of k independent outputs.
func (l pairLaw) below(k int) pairLaw {
	if k == 1 {
		return l
	}
	step := l.lattice(k)
	one := l.coarse(step)
	all := one
	for range k - 1 {
		all = independently(all, one).coarse(step)
	}
	return all
}

// above returns a pair whose divergences are at least the divergences of k independent outputs.
func (l pairLaw) above(k int) pairLaw {
	if k == 1 {
		parts := make(pairLaw, 0, 2*len(l))
		for _, c := range l {
			a, b := c.split(c.lo, c.hi)
			parts = append(parts, a, b)
		}
		return parts
	}
	step := l.lattice(k)
	one := l.spread(step)
	all := one
	for range k - 1 {
		all = independently(all, one).spread(step)
	}
	return all
}

// delta returns the hockey-stick divergence of a pair of constant losses.
func (l pairLaw) delta(epsilon float64) float64 {
	sum := 0.0
	for _, c := range l {
		sum += math.Max(0, c.p-math.Exp(epsilon)*c.q)
	}
	return sum
}

// epsilon returns the smallest ε ≥ 0 with δ(ε) ≤ delta.
func (l pairLaw) epsilon(delta float64) float64 {
	if delta == 0 {
		largest := 0.0
		for _, c := range l {
			if c.p > 0 {
				largest = math.Max(largest, math.Log(c.p/c.q))
			}
		}
		return largest
	}
	if l.delta(0) <= delta {
		return 0
	}
	low, high := 0.0, 700.0
	if l.delta(high) > delta {
		return math.Inf(1)
	}
	for range 60 {
		if mid := (low + high) / 2; l.delta(mid) > delta {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// renyi returns the Rényi divergence of an order. It omits outputs of probability below 1e-150.
func (l pairLaw) renyi(alpha float64) float64 {
	sum := 0.0
	for _, c := range l {
		if c.p > 1e-150 {
			sum += math.Exp(alpha*math.Log(c.p) - (alpha-1)*math.Log(c.q))
		}
	}
	return math.Log(sum) / (alpha - 1)
}

// A noise is the distribution of the noise added to a sum.
type noise struct {
	mass      func(a, b float64) float64 // probability between a and b, with full relative precision
	log       func(x float64) float64    // log density, or log probability of an integer
	kinks     []float64                  // where the log density is not smooth
	bulk      float64                    // outputs further away are rare
	reach     float64                    // outputs further away have probability below 1e-130
	integer   bool
	unbounded bool // the loss of a shift has no bound
}

func gaussianNoise(sigma float64) noise {
	tail := func(x float64) float64 { return math.Erfc(x/sigma/math.Sqrt2) / 2 }
	return noise{
		mass: func(a, b float64) float64 {
			if a > 0 {
				return tail(a) - tail(b)
			}
			return tail(-b) - tail(-a)
		},
		log:       func(x float64) float64 { return -x * x / (2 * sigma * sigma) },
		bulk:      9 * sigma,
		reach:     27.5 * sigma,
		unbounded: true,
	}
}

// laplaceNoise returns Laplace noise, truncated at the bound, which may be infinite.
func laplaceNoise(scale, bound float64) noise {
	whole := -2 * math.Expm1(-bound/scale)
	n := noise{
		mass: func(a, b float64) float64 {
			a, b = math.Max(a, -bound), math.Min(b, bound)
			if a >= b {
				return 0
			}
			if b <= 0 {
				a, b = -b, -a
			}
			if a >= 0 {
				return math.Exp(-a/scale) * -math.Expm1((a-b)/scale) / whole
			}
			return (-math.Expm1(a/scale) - math.Expm1(-b/scale)) / whole
		},
		log: func(x float64) float64 {
			if math.Abs(x) > bound {
				return math.Inf(-1)
			}
			return -math.Abs(x) / scale
		},
		kinks: []float64{0},
		bulk:  20 * scale,
		reach: 300 * scale,
	}
	if !math.IsInf(bound, 1) {
		n.kinks, n.bulk, n.reach = []float64{-bound, 0, bound}, bound, bound
	}
	return n
}

func uniformNoise(bound float64) noise {
	return noise{
		mass: func(a, b float64) float64 {
			return math.Max(0, math.Min(b, bound)-math.Max(a, -bound)) / (2 * bound)
		},
		log: func(x float64) float64 {
			if math.Abs(x) > bound {
				return math.Inf(-1)
			}
			return 0
		},
		kinks: []float64{-bound, bound},
		bulk:  bound,
		reach: bound,
	}
}

func integerNoise(log func(x float64) float64, reach float64) noise {
	sum := 0.0
	for k := -reach; k <= reach; k++ {
		sum += math.Exp(log(k))
	}
	whole := math.Log(sum)
	return noise{log: func(x float64) float64 { return log(x) - whole }, reach: reach, integer: true}
}

func discreteLaplaceNoise(rate float64) noise {
	return integerNoise(func(k float64) float64 { return -rate * math.Abs(k) }, math.Ceil(340/rate))
}

func discreteGaussianNoise(sigma float64) noise {
	n := integerNoise(func(k float64) float64 { return -k * k / (2 * sigma * sigma) }, math.Ceil(27.5*sigma))
	n.unbounded = true
	return n
}

// A mixture is the distribution of a sum before the noise.
type mixture []struct{ weight, at float64 }

func at(x float64) mixture { return mixture{{1, x}} }

// sampled returns the distribution of a sum to which a record adds x with probability q.
func sampled(q, x float64) mixture { return mixture{{1 - q, 0}, {q, x}} }

func (m mixture) mass(n noise, a, b float64) float64 {
	sum := 0.0
	for _, s := range m {
		sum += s.weight * n.mass(a-s.at, b-s.at)
	}
	return sum
}

func (m mixture) log(n noise, x float64) float64 {
	largest := math.Inf(-1)
	for _, s := range m {
		if s.weight > 0 {
			largest = math.Max(largest, n.log(x-s.at))
		}
	}
	if math.IsInf(largest, -1) {
		return largest
	}
	sum := 0.0
	for _, s := range m {
		sum += s.weight * math.Exp(n.log(x-s.at)-largest)
	}
	return largest + math.Log(sum)
}

// pair returns the cells of two sums with the noise. Their loss bounds lo and hi hold if the loss is monotone between
// the kinks. It is if the noise is log-concave and no shift of q is to the right of a shift of p.
func (n noise) pair(p, q mixture) pairLaw { return n.pairAbove(math.Inf(-1), p, q) }

// pairAbove returns the cells of outputs above a threshold.
func (n noise) pairAbove(threshold float64, p, q mixture) pairLaw {
	var l pairLaw
	add := func(c cell) {
		if c.p > 0 || c.q > 0 {
			l = append(l, c)
		}
	}
	first, last := math.Inf(1), math.Inf(-1)
	for _, s := range slices.Concat(p, q) {
		first, last = math.Min(first, s.at-n.reach), math.Max(last, s.at+n.reach)
	}
	if n.integer {
		for k := math.Max(first, math.Floor(threshold)+1); k <= last; k++ {
			a, b := p.log(n, k), q.log(n, k)
			add(cell{math.Exp(a), math.Exp(b), a - b, a - b})
		}
		return n.ends(l)
	}
	edges := n.edges(threshold, first, last, slices.Concat(p, q))
	for i := range edges[1:] {
		a, b := edges[i], edges[i+1]
		in := 1e-9 * (b - a)
		x := p.log(n, a+in) - q.log(n, a+in)
		y := p.log(n, b-in) - q.log(n, b-in)
		add(cell{p.mass(n, a, b), q.mass(n, a, b), math.Min(x, y), math.Max(x, y)})
	}
	return n.ends(l)
}

// ends extends the losses of the first and the last cell to all outputs beyond them.
func (n noise) ends(l pairLaw) pairLaw {
	if n.unbounded {
		l[0].lo, l[0].hi = math.Inf(-1), l[0].hi+1
		l[len(l)-1].lo, l[len(l)-1].hi = l[len(l)-1].lo-1, math.Inf(1)
	}
	return l
}

// edges returns the ends of cells above a threshold: at most 1,502, the kinks and the threshold.
func (n noise) edges(threshold, first, last float64, shifts mixture) []float64 {
	edges := []float64{threshold}
	for i := range 301 {
		edges = append(edges, first+(last-first)*float64(i)/300)
	}
	for i := range 1201 {
		edges = append(edges, first+n.reach-n.bulk+(last-first-2*(n.reach-n.bulk))*float64(i)/1200)
	}
	for _, s := range shifts {
		for _, k := range n.kinks {
			edges = append(edges, s.at+k)
		}
	}
	edges = slices.DeleteFunc(edges, func(x float64) bool { return x < threshold || math.IsInf(x, -1) })
	slices.Sort(edges)
	return slices.CompactFunc(edges, func(a, b float64) bool { return math.Abs(b-a) < 1e-12*n.reach })
}
