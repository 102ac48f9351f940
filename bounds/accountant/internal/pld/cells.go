package pld

import "math"

// Cells is a dominating pair, discretized on a lattice of losses i·H, Lo ≤ i ≤ Lo+N. It consists of half cells
// ((2Lo+j)H/2, (2Lo+j+1)H/2], j = 0 … 2N−1. Two half cells between lattice points form the cell of a chord, for the
// upper bound. Two half cells around a lattice point form the cell of a tangent, for the lower bound.
type Cells struct {
	H     float64
	Lo, N int
	// P[j] is the probability of half cell j under P. Rho[j] is its probability under Q times e^x at the lattice point
	// that it touches. Rho[j] ≈ P[j], so it neither overflows nor underflows for large losses.
	P, Rho []float64
	// At[i] is the probability under P of a loss exactly at lattice point Lo+i.
	At []float64
	// Probabilities beyond the ends, under P and Q.
	PLow, PHigh, QLow, QHigh float64
	// Probabilities of infinite loss: under P where Q is 0, and under Q where P is 0.
	Lost, LostQ float64
	// Err[j] bounds the sum of the absolute errors of P[j] and Rho[j]. Rel bounds an additional relative error of every
	// probability. The edges of half cells are the same floating-point numbers for P and Q; only their losses have an
	// error, Jitter.
	Err []float64
	Rel float64
	// Jitter bounds the difference between a loss on the lattice and its index times H, including the rounding of the
	// edges.
	Jitter float64

	back *Cells // the cells of which these are the mirror image
}

// NewCells returns empty cells for n intervals between lattice points, from lattice index lo on.
func NewCells(h float64, lo, n int) *Cells {
	return &Cells{
		H: h, Lo: lo, N: n,
		P: make([]float64, 2*n), Rho: make([]float64, 2*n), At: make([]float64, n+1), Err: make([]float64, 2*n),
		Rel: 12 * unit,
	}
}

// Touched returns the lattice index, from 0, that half cell j touches.
func Touched(j int) int { return (j + 1) / 2 }

// Add adds an atom with probability p at a loss: to the lattice point if it is there up to rounding, otherwise to its
// half cell. The lattice must contain the loss.
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

// Mirror returns the cells of the swapped pair (Q, P), whose losses are negated. Mirroring twice returns the original,
// because probabilities of large losses may underflow on the way.
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

// Side is one bound of a pair: probabilities under P on the lattice Lo, Lo+1, ….
type Side struct {
	H    float64
	Lo   int
	Mass []float64
	Log  []float64 // logarithms of Mass
	// Extra is the probability of infinite loss that the upper bound adds for each step, or that the lower bound
	// subtracts.
	Extra float64
	// Lost is the pair's probability of infinite loss.
	Lost   float64
	Jitter float64
	Count  float64 // number of composed steps
}

// Upper returns the upper bound by connect-the-dots (Doroshenko et al. 2022). δ is convex as a function of e^ε, so the
// chords between its values on the lattice are above it. They are the curve of the pair in which each cell's
// probabilities under P and Q move to the cell's ends, with both sums preserved.
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

// Lower returns the lower bound by tangents. It is below the curve at every lattice point and has corners only on the
// lattice. The tangents at the cell midpoints intersect near the lattice points. There the smaller of the two adjacent
// tangents is used, and the convex hull of these points is the curve of a pair on the lattice. It differs from the best
// lower bound by a third-order term, and its error is half that of the chords.
func (c *Cells) Lower() *Side {
	n := c.N
	shrink, grow, gap := math.Exp(-c.H), math.Expm1(c.H), -math.Expm1(-c.H)
	// Compute probabilities p and scaled probabilities r of the cells around lattice points. Losses above the top are
	// rounded down to it. Losses below the bottom are dropped.
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
	// With m⁻ = (p−r)⁺ and m⁺ = (r−p)⁺, the slopes of the piecewise linear curve differ from those of the tangents by
	// these values divided by the distances of the lattice points.
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
	mass[0] -= minus(0) / grow // the corner left of the lattice, removed by the hull
	convexHull(mass, c.H)
	s := &Side{H: c.H, Lo: c.Lo, Mass: mass, Lost: c.Lost * (1 - c.Rel), Jitter: c.Jitter}
	s.certify(c, -1)
	return s
}

// firstPoint returns the first lattice point whose cell has positive probability. To its left the curve is the line 1 −
// t, which the cell must not bend. Therefore the cell is cut at the point, and its rest joins the next cell. A chord
// from t = 0 over a concave corner would cause a first-order error in h.
func (c *Cells) firstPoint() int {
	for i := range c.At {
		if c.At[i] > 0 || i > 0 && c.P[2*i-1] > 0 || i < c.N && c.P[2*i] > 0 {
			return i
		}
	}
	return c.N
}

// roundDownTop makes the piecewise linear curve of Lower nonnegative. If it would be negative near the top, the cell is
// rounded down by one lattice point.
func roundDownTop(p, r []float64, shrink, gap float64) {
	// line is the curve at point i from the losses above i. weight is the scaled probability under Q there.
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

// convexHull removes the concave corners (negative masses) of a piecewise linear curve with corners on the lattice.
// Each is distributed to its neighbors such that the curve becomes the chord, which is below it.
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
			continue // negative only by rounding, see roundDownTop; certify covers this
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

// certify makes the bound hold despite rounding. At lattice point i, the curve f of the computed masses has an error of
// at most η_i, the sum of the errors of all masses above. Scaling the mass at j by 1 ± ζ_j, where ζ_j = max η_i/f_i
// over i < j, covers this error: ζ increases with j, so the curve at i changes by at least ζ_{i+1}f_i. If η_i is not
// small compared with f_i, it is added to Extra.
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
		// The cell of the lower bound reaches down by one half cell, near the first point by two.
		for _, j := range [2]int{2*i - 1, 2*i - 2} {
			if j >= 0 {
				errors += c.Err[j]
			}
		}
		if i < c.N {
			cover(i + 1)
		} else {
			rest = 2 * (errors + c.Rel*tail) // no mass above this point can be scaled
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

// CommonSpacing returns the greatest common divisor of two spacings, or b if a is 0. It returns 0 if there is none
// above a thousandth of the smaller one.
func CommonSpacing(a, b float64) float64 {
	if a == 0 {
		return b
	}
	smallest := math.Min(a, b) * 1e-3
	for x, y := math.Max(a, b), math.Min(a, b); ; {
		r := x - y*math.Round(x/y)
		if math.Abs(r) < 1e-11*x {
			return y
		}
		if x, y = y, math.Abs(r); y < smallest {
			return 0
		}
	}
}
