package accountant

import "math"

// unit is the unit roundoff of float64.
const unit = 1.0 / (1 << 53)

// cells is a dominating pair cut along a lattice of losses i·h, lo ≤ i ≤ lo+n,
// into half cells ((2lo+j)h/2, (2lo+j+1)h/2], j = 0 … 2n−1. Halves serve both
// sides: two of them between lattice points make the cell of a chord (upper
// bound), two around one make the cell of a tangent (lower bound).
type cells struct {
	h     float64
	lo, n int
	// p[j] is the mass under P of half cell j, rho[j] its mass under Q times
	// e^x at the lattice point it touches, which is ≈ p[j] and never over- or
	// underflows with the loss.
	p, rho []float64
	// at[i] is the mass under P of a loss exactly at lattice point lo+i.
	at []float64
	// Masses beyond the ends, under P and Q.
	pLow, pHigh, qLow, qHigh float64
	// err[j] bounds the absolute errors of p[j] and rho[j] together; rel is a
	// relative error of every mass on top of it. The edges of the half cells are
	// what they are in floating point, the same for P and Q: only the losses at
	// them are off, by jitter.
	err []float64
	rel float64
	// jitter bounds by how much a loss on the lattice differs from its index
	// times h, rounding of the edges included.
	jitter float64
}

func newCells(h float64, lo, n int) *cells {
	return &cells{
		h: h, lo: lo, n: n,
		p: make([]float64, 2*n), rho: make([]float64, 2*n), at: make([]float64, n+1), err: make([]float64, 2*n),
		rel: 12 * unit,
	}
}

// touched returns the lattice index (from 0) that half cell j touches.
func touched(j int) int { return (j + 1) / 2 }

// add puts an atom of mass p at the given loss: on the lattice point if it is
// there up to rounding, else into its half cell. The lattice must reach it.
func (c *cells) add(loss, p float64) {
	i := math.Round(loss / c.h)
	if off := math.Abs(loss - i*c.h); off <= 1e-10*c.h || off <= 64*unit*math.Abs(loss) {
		c.at[int(i)-c.lo] += p
		c.jitter = math.Max(c.jitter, off+8*unit*math.Abs(loss))
		return
	}
	j := int(math.Floor(2*loss/c.h)) - 2*c.lo
	j = min(max(j, 0), 2*c.n-1)
	c.p[j] += p
	c.rho[j] += p * math.Exp(float64(c.lo+touched(j))*c.h-loss)
}

// mirror returns the cells of the swapped pair (Q, P), whose losses are the
// negatives.
func (c *cells) mirror() *cells {
	m := newCells(c.h, -c.lo-c.n, c.n)
	m.rel, m.jitter = c.rel, c.jitter
	m.pLow, m.pHigh, m.qLow, m.qHigh = c.qHigh, c.qLow, c.pHigh, c.pLow
	for i := range c.at {
		shrink := math.Exp(-float64(c.lo+i) * c.h)
		m.at[c.n-i] = c.at[i] * shrink
		for _, j := range [2]int{2*i - 1, 2 * i} {
			if j >= 0 && j < 2*c.n {
				m.p[2*c.n-1-j], m.rho[2*c.n-1-j] = c.rho[j]*shrink, c.p[j]*shrink
				m.err[2*c.n-1-j] = c.err[j] * shrink
			}
		}
	}
	return m
}

// side is one bound of a pair: masses under P on the lattice lo, lo+1, …
type side struct {
	lo   int
	mass []float64
	log  []float64 // their logarithms
	// extra is what the bound must add (upper: a mass of infinite loss) or
	// take off (lower) for each step.
	extra  float64
	jitter float64
	count  float64
}

// upper is connect-the-dots (Doroshenko et al. 2022): δ as a function of e^ε
// is convex, so the chords between its values on the lattice lie above it.
// They are the curve of the pair in which every cell's masses under P and Q
// are moved to its two ends, both sums kept.
func (c *cells) upper() *side {
	mass := append([]float64(nil), c.at...)
	mass[0] += c.pLow + 1e-300 // what underflowed is below 1e-300
	shrink, gap := math.Exp(-c.h), -math.Expm1(-c.h)
	for i := range c.n {
		p := c.p[2*i] + c.p[2*i+1]
		r := c.rho[2*i] + shrink*c.rho[2*i+1]
		right := math.Min(p, math.Max(0, (p-r)/gap))
		mass[i+1] += right
		mass[i] += p - right
	}
	s := &side{lo: c.lo, mass: mass, extra: c.pHigh * (1 + 1e-9), jitter: c.jitter}
	s.certify(c, +1)
	return s
}

// lower walks tangents: below the curve at every lattice point, with kinks on
// the lattice only. The tangents at the middles of the cells meet near the
// lattice points; there the smaller of two neighbours is taken, and the convex
// hull of these points is the curve of a pair on the lattice. Off by a third
// order term from the best, half as far from the truth as the chords.
func (c *cells) lower() *side {
	n := c.n
	shrink, grow, gap := math.Exp(-c.h), math.Expm1(c.h), -math.Expm1(-c.h)
	// Masses p and scaled r of the cells around the lattice points. What lies
	// beyond the top is rounded down to it, what lies below the bottom dropped.
	p, r := append([]float64(nil), c.at...), append([]float64(nil), c.at...)
	p[n] += c.pHigh
	r[n] += c.pHigh
	first := c.firstPoint()
	for j := range 2 * n {
		switch i := touched(j); {
		case i == n:
			p[n-1] += c.p[j]
			r[n-1] += c.rho[j] * shrink
		case j == 2*first && first < n-1:
			p[i+1] += c.p[j]
			r[i+1] += c.rho[j] / shrink
		default:
			p[i] += c.p[j]
			r[i] += c.rho[j]
		}
	}
	roundDownTop(p, r, shrink, gap)
	// With m⁻ = (p−r)⁺, m⁺ = (r−p)⁺ the slopes of the broken line differ from
	// those of the tangents by these over the distances of the lattice points.
	minus := func(i int) float64 {
		if i > n {
			return 0
		}
		return math.Max(0, p[i]-r[i])
	}
	plus := func(i int) float64 {
		if i < 0 {
			return 0
		}
		return math.Max(0, r[i]-p[i])
	}
	mass := make([]float64, n+1)
	for i := range mass {
		mass[i] = r[i] + (plus(i)-minus(i+1))/grow - (plus(i-1)-minus(i))/gap
	}
	mass[0] -= minus(0) / grow // the corner left of the lattice, cut by the hull
	convexHull(mass, c.h)
	s := &side{lo: c.lo, mass: mass, jitter: c.jitter}
	s.certify(c, -1)
	return s
}

// firstPoint returns the first lattice point whose cell holds any mass. To its
// left the curve is the line 1 − t. The cell there must not bend it: it is cut
// at the point itself and the rest joins the next one. A concave corner here would
// be cut off by a chord from t = 0, a loss of first order in h.
func (c *cells) firstPoint() int {
	for i := range c.at {
		if c.at[i] > 0 || i > 0 && c.p[2*i-1] > 0 || i < c.n && c.p[2*i] > 0 {
			return i
		}
	}
	return c.n
}

// roundDownTop makes the broken line of lower nonnegative: where it would dip
// below zero, next to the top, the cell is rounded down by one lattice point.
func roundDownTop(p, r []float64, shrink, gap float64) {
	// line is the curve at point i of what lies strictly above i, weight the scaled
	// mass under Q there.
	line, weight := 0.0, 0.0
	for i := len(p) - 1; i > 0; i-- {
		if line+p[i]-r[i] < 0 {
			p[i-1] += p[i]
			r[i-1] += p[i]
			p[i], r[i] = 0, 0
		}
		line = line + (p[i] - r[i]) + (weight+r[i])*gap
		weight = (weight + r[i]) * shrink
	}
}

// convexHull removes the concave corners (negative masses) of a broken line
// with corners on the lattice: each is shared among its neighbours so that the
// line becomes the chord, which lies below.
func convexHull(mass []float64, h float64) {
	n := len(mass)
	prev, next := make([]int, n), make([]int, n)
	var queue []int
	for i := range mass {
		prev[i], next[i] = i-1, i+1
		if mass[i] < 0 {
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if !(mass[v] < 0) {
			continue
		}
		a, b := prev[v], next[v]
		m := mass[v]
		mass[v] = 0
		if b < n {
			prev[b] = a
		}
		if a >= 0 {
			next[a] = b
		}
		if b == n {
			continue // negative by rounding only, see roundDownTop; certify covers that
		}
		if a < 0 {
			mass[b] += m
		} else {
			left, all := float64(v-a)*h, float64(b-a)*h
			scale := -math.Expm1(-all)
			mass[a] += m * math.Exp(-left) * -math.Expm1(left-all) / scale
			mass[b] += m * -math.Expm1(-left) / scale
			if mass[a] < 0 {
				queue = append(queue, a)
			}
		}
		if mass[b] < 0 {
			queue = append(queue, b)
		}
	}
}

// certify makes the bound hold against rounding. The curve f of the computed
// masses is off at lattice point i by at most η_i, the errors of all masses
// above. Scaling the mass at j by 1 ± ζ_j, where ζ_j = max η_i/f_i over i < j, covers
// that: ζ grows with j, so the curve at i changes by at least ζ_{i+1}f_i. Where f
// drowns in its error η_i itself goes into extra.
func (s *side) certify(c *cells, sign float64) {
	gap, shrink := -math.Expm1(-c.h), math.Exp(-c.h)
	f, weight, tail, errors := s.extra, 0.0, s.extra, 0.0
	rest := 0.0
	zeta := make([]float64, len(s.mass))
	cover := func(j int) {
		eta := 2 * (errors + c.rel*tail)
		switch {
		case eta == 0:
		case eta <= 0.5*f:
			zeta[j] = eta / f
		default:
			rest = math.Max(rest, eta)
		}
	}
	for i := c.n; i >= 0; i-- {
		// The cell of the lower bound reaches down one half cell, next to the first
		// point two.
		for _, j := range [2]int{2*i - 1, 2*i - 2} {
			if j >= 0 {
				errors += c.err[j]
			}
		}
		if i < c.n {
			cover(i + 1)
		} else {
			rest = 2 * (errors + c.rel*tail) // no mass above it that could be scaled
		}
		weight = s.mass[i] + shrink*weight
		tail += s.mass[i]
		f += weight * gap
	}
	cover(0) // left of the lattice
	s.extra += rest
	s.log = make([]float64, len(s.mass))
	for i := range s.mass {
		if i > 0 && zeta[i] < zeta[i-1] {
			zeta[i] = zeta[i-1]
		}
		s.mass[i] *= 1 + sign*zeta[i]
		s.log[i] = math.Log(s.mass[i])
	}
}
