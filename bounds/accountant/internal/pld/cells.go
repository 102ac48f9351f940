package pld

import "math"

// Cells is a dominating pair cut along a lattice of losses i·H, Lo ≤ i ≤ Lo+N,
// into half cells ((2Lo+j)H/2, (2Lo+j+1)H/2], j = 0 … 2N−1. Halves serve both
// sides: two of them between lattice points make the cell of a chord (upper
// bound), two around one make the cell of a tangent (lower bound).
type Cells struct {
	H     float64
	Lo, N int
	// P[j] is the mass under P of half cell j, Rho[j] its mass under Q times
	// e^x at the lattice point it touches, which is ≈ p[j] and never over- or
	// underflows with the loss.
	P, Rho []float64
	// At[i] is the mass under P of a loss exactly at lattice point Lo+i.
	At []float64
	// Masses beyond the ends, under P and Q.
	PLow, PHigh, QLow, QHigh float64
	// Masses of infinite loss: P where Q has none, and Q where P has none.
	Lost, LostQ float64
	// Err[j] bounds the absolute errors of P[j] and Rho[j] together; Rel is a
	// relative error of every mass on top of it. The edges of the half cells are
	// what they are in floating point, the same for P and Q: only the losses at
	// them are off, by jitter.
	Err []float64
	Rel float64
	// Jitter bounds by how much a loss on the lattice differs from its index
	// times h, rounding of the edges included.
	Jitter float64

	back *Cells // that these are the mirror image of
}

// NewCells returns empty cells from lattice index lo on, n between lattice points.
func NewCells(h float64, lo, n int) *Cells {
	return &Cells{
		H: h, Lo: lo, N: n,
		P: make([]float64, 2*n), Rho: make([]float64, 2*n), At: make([]float64, n+1), Err: make([]float64, 2*n),
		Rel: 12 * unit,
	}
}

// Touched returns the lattice index (from 0) that half cell j touches.
func Touched(j int) int { return (j + 1) / 2 }

// Add puts an atom of mass p at the given loss: on the lattice point if it is
// there up to rounding, else into its half cell. The lattice must reach it.
func (c *Cells) Add(loss, p float64) {
	i := math.Round(loss / c.H)
	if off := math.Abs(loss - i*c.H); off <= 1e-10*c.H || off <= 64*unit*math.Abs(loss) {
		c.At[int(i)-c.Lo] += p
		c.Jitter = math.Max(c.Jitter, off+8*unit*math.Abs(loss))
		return
	}
	j := int(math.Floor(2*loss/c.H)) - 2*c.Lo
	j = min(max(j, 0), 2*c.N-1)
	c.P[j] += p
	c.Rho[j] += p * math.Exp(float64(c.Lo+Touched(j))*c.H-loss)
}

// Mirror returns the cells of the swapped pair (Q, P), whose losses are the
// negatives. Swapped twice they are the same: masses of large losses, which underflow on the way, are not lost.
func (c *Cells) Mirror() *Cells {
	if c.back != nil {
		return c.back
	}
	m := NewCells(c.H, -c.Lo-c.N, c.N)
	m.back = c
	m.Rel, m.Jitter = c.Rel, c.Jitter
	m.Lost, m.LostQ = c.LostQ, c.Lost
	m.PLow, m.PHigh, m.QLow, m.QHigh = c.QHigh, c.QLow, c.PHigh, c.PLow
	for i := range c.At {
		shrink := math.Exp(-float64(c.Lo+i) * c.H)
		m.At[c.N-i] = c.At[i] * shrink
		for _, j := range [2]int{2*i - 1, 2 * i} {
			if j >= 0 && j < 2*c.N {
				m.P[2*c.N-1-j], m.Rho[2*c.N-1-j] = c.Rho[j]*shrink, c.P[j]*shrink
				m.Err[2*c.N-1-j] = c.Err[j] * shrink
			}
		}
	}
	return m
}

// Side is one bound of a pair: masses under P on the lattice lo, lo+1, …
type Side struct {
	H    float64
	Lo   int
	Mass []float64
	Log  []float64 // their logarithms
	// Extra is what the bound must add (upper: a mass of infinite loss) or
	// take off (lower) for each step.
	Extra float64
	// Lost is a mass of infinite loss that the pair has.
	Lost   float64
	Jitter float64
	Count  float64 // steps composed
}

// Upper is connect-the-dots (Doroshenko et al. 2022): δ as a function of e^ε
// is convex, so the chords between its values on the lattice lie above it.
// They are the curve of the pair in which every cell's masses under P and Q
// are moved to its two ends, both sums kept.
func (c *Cells) Upper() *Side {
	mass := append([]float64(nil), c.At...)
	mass[0] += c.PLow + 1e-300 // what underflowed is below 1e-300
	shrink, gap := math.Exp(-c.H), -math.Expm1(-c.H)
	for i := range c.N {
		p := c.P[2*i] + c.P[2*i+1]
		r := c.Rho[2*i] + shrink*c.Rho[2*i+1]
		right := math.Min(p, math.Max(0, (p-r)/gap))
		mass[i+1] += right
		mass[i] += p - right
	}
	s := &Side{H: c.H, Lo: c.Lo, Mass: mass, Extra: c.PHigh * (1 + 1e-9), Lost: math.Min(1, c.Lost*(1+c.Rel)),
		Jitter: c.Jitter}
	s.certify(c, +1)
	return s
}

// Lower walks tangents: below the curve at every lattice point, with kinks on
// the lattice only. The tangents at the middles of the cells meet near the
// lattice points; there the smaller of two neighbours is taken, and the convex
// hull of these points is the curve of a pair on the lattice. Off by a third
// order term from the best, half as far from the truth as the chords.
func (c *Cells) Lower() *Side {
	n := c.N
	shrink, grow, gap := math.Exp(-c.H), math.Expm1(c.H), -math.Expm1(-c.H)
	// Masses p and scaled r of the cells around the lattice points. What lies
	// beyond the top is rounded down to it, what lies below the bottom dropped.
	p, r := append([]float64(nil), c.At...), append([]float64(nil), c.At...)
	p[n] += c.PHigh
	r[n] += c.PHigh
	first := c.firstPoint()
	for j := range 2 * n {
		switch i := Touched(j); {
		case i == n:
			p[n-1] += c.P[j]
			r[n-1] += c.Rho[j] * shrink
		case j == 2*first && first < n-1:
			p[i+1] += c.P[j]
			r[i+1] += c.Rho[j] / shrink
		default:
			p[i] += c.P[j]
			r[i] += c.Rho[j]
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
	convexHull(mass, c.H)
	s := &Side{H: c.H, Lo: c.Lo, Mass: mass, Lost: c.Lost * (1 - c.Rel), Jitter: c.Jitter}
	s.certify(c, -1)
	return s
}

// firstPoint returns the first lattice point whose cell holds any mass. To its
// left the curve is the line 1 − t. The cell there must not bend it: it is cut
// at the point itself and the rest joins the next one. A concave corner here would
// be cut off by a chord from t = 0, a loss of first order in h.
func (c *Cells) firstPoint() int {
	for i := range c.At {
		if c.At[i] > 0 || i > 0 && c.P[2*i-1] > 0 || i < c.N && c.P[2*i] > 0 {
			return i
		}
	}
	return c.N
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
func (s *Side) certify(c *Cells, sign float64) {
	gap, shrink := -math.Expm1(-c.H), math.Exp(-c.H)
	f, weight, tail, errors := s.Extra, 0.0, s.Extra, 0.0
	rest := 0.0
	zeta := make([]float64, len(s.Mass))
	cover := func(j int) {
		eta := 2 * (errors + c.Rel*tail)
		switch {
		case eta == 0:
		case eta <= 0.5*f:
			zeta[j] = eta / f
		default:
			rest = math.Max(rest, eta)
		}
	}
	for i := c.N; i >= 0; i-- {
		// The cell of the lower bound reaches down one half cell, next to the first
		// point two.
		for _, j := range [2]int{2*i - 1, 2*i - 2} {
			if j >= 0 {
				errors += c.Err[j]
			}
		}
		if i < c.N {
			cover(i + 1)
		} else {
			rest = 2 * (errors + c.Rel*tail) // no mass above it that could be scaled
		}
		weight = s.Mass[i] + shrink*weight
		tail += s.Mass[i]
		f += weight * gap
	}
	cover(0) // left of the lattice
	s.Extra += rest
	s.Log = make([]float64, len(s.Mass))
	for i := range s.Mass {
		if i > 0 && zeta[i] < zeta[i-1] {
			zeta[i] = zeta[i-1]
		}
		s.Mass[i] *= 1 + sign*zeta[i]
		s.Log[i] = math.Log(s.Mass[i])
	}
}

// CommonSpacing returns the greatest common divisor of two spacings (0: none
// yet), 0 if they have none above a thousandth of the smaller.
func CommonSpacing(a, b float64) float64 {
	if a == 0 {
		return b
	}
	least := math.Min(a, b) * 1e-3
	for x, y := math.Max(a, b), math.Min(a, b); ; {
		r := x - y*math.Round(x/y)
		if math.Abs(r) < 1e-11*x {
			return y
		}
		if x, y = y, math.Abs(r); y < least {
			return 0
		}
	}
}
