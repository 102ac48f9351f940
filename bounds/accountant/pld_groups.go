package accountant

import "math"

// grouped is another lower bound: neighbouring losses are merged into groups, each with
// edges such that its masses under P and Q are those of an atom on the lattice (merging
// lowers the curve; a cell is split between two groups in proportion). Where losses are
// spread evenly it is no better than lower; next to what is nearly an atom, and at the least
// loss, it does not lose a term of first order.
//
// Rounding is covered on the way: the curve Σ (p − tq)⁺ of masses falls with p, and with −q.
func (c *cells) grouped() *side {
	g := grouping{c: c, mass: make([]float64, c.n+1), target: -1}
	for i, at := range c.at {
		if i == c.n {
			at += c.pHigh * (1 - 1e-9) // rounded down to the top
		}
		g.add(i, at, at, 0)
		if i < c.n {
			g.add(i, c.p[2*i], c.rho[2*i], c.err[2*i])
			g.add(i+1, c.p[2*i+1], c.rho[2*i+1], c.err[2*i+1])
		}
	}
	// What is left is rounded down to the lattice point below, above which it lies but for
	// cells that drowned in their errors.
	few := 4 * unit * float64(g.parts+1)
	if rest := g.p * (1 - few); g.target > 0 && rest*math.Exp(c.h)*(1-16*unit) >= g.r*(1+few) {
		g.mass[g.target-1] += rest
	}
	s := &side{lo: c.lo, shift: c.shift, mass: g.mass, jitter: c.jitter, log: make([]float64, len(g.mass))}
	for i, m := range s.mass {
		s.log[i] = math.Log(m)
	}
	return s
}

// grouping is a walk over the cells of a law from its least loss up.
type grouping struct {
	c    *cells
	mass []float64
	// target is the lattice point of the open group, −1 where none is open: the first at
	// or above its least loss. p and r are its masses so far, of so many parts, under P and
	// under Q times e^loss of the target, p ≤ r.
	target int
	p, r   float64
	parts  int
}

// add takes the next cell: its mass p under P and rho under Q times e^loss of lattice point i,
// both off by err and c.rel of themselves at most.
func (g *grouping) add(i int, p, rho, err float64) {
	p, rho = p*(1-g.c.rel-4*unit)-err, rho*(1+g.c.rel+4*unit)+err
	for p > 0 {
		if g.target < 0 {
			g.open(i, p > rho)
		}
		if g.target > g.c.n {
			g.mass[g.c.n] += rho * (1 - 4*unit) // above the top by rounding
			g.target = -1
			return
		}
		r := rho * math.Exp(float64(g.target-i)*g.c.h)
		g.parts++
		// p exceeds r in the end by more than what rounding makes of the sums.
		lack := g.r - g.p + 8*unit*float64(g.parts+1)*(g.p+p)
		if p-r <= lack {
			g.p, g.r = g.p+p, g.r+r
			return
		}
		if g.parts == 1 { // not within h/2 of point i: nothing but rounding, dropped
			g.target = -1
			return
		}
		part := lack / (p - r)
		g.mass[g.target] += (g.p + part*p) * (1 - 4*unit*float64(g.parts+1))
		p, rho = (1-part)*p*(1-4*unit), (1-part)*rho*(1+4*unit)
		g.target = -1
	}
}

// open starts a group with a cell within h/2 of lattice point i, above or below it.
func (g *grouping) open(i int, above bool) {
	g.target, g.p, g.r, g.parts = i, 0, 0, 0
	if above {
		g.target = i + 1
	}
}
