package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/lattice"
	"github.com/dpverify/dpverify/bounds/internal/logmath"
)

// tailOf is a normal tail beyond an edge on the side where it is small.
type tailOf struct {
	mass, scaled float64 // 1−Φ(|z|), and that times e^loss of the edge
	below        bool    // z < 0: the mass lies below the edge
}

func newTail(z, loss float64) tailOf {
	t := tailOf{below: z < 0}
	z = math.Abs(z)
	if z < 26 && loss < 600 {
		t.mass = math.Erfc(z/math.Sqrt2) / 2
		t.scaled = t.mass * math.Exp(loss)
		return t
	}
	l := -z*z/2 - logmath.LogSqrt2Pi + math.Log(logmath.Mills(z))
	if math.IsInf(z, 1) {
		l = math.Inf(-1)
	}
	t.mass, t.scaled = math.Exp(l), math.Exp(l+loss)
	return t
}

// between returns the normal mass between two edges, and it times e^at, given
// the losses of the edges less at.
func between(a, b tailOf, at, da, db float64) (mass, scaled float64) {
	sa, sb := a.scaled*da, b.scaled*db
	switch {
	case !a.below && !b.below:
		mass, scaled = a.mass-b.mass, sa-sb
	case a.below && b.below:
		mass, scaled = b.mass-a.mass, sb-sa
	default:
		mass, scaled = 1-a.mass-b.mass, math.Exp(at)-sa-sb
	}
	return math.Max(0, mass), math.Max(0, scaled)
}

// gauss4 is the rule for narrow cells. Over a width w its error is w⁹·5.6e-10 times the
// eighth derivative, for a normal density at distance z from its centre at most
// (1.8+z)⁸ times the density (Hermite's polynomial, 105 at z = 0).
var gauss4 = legendre(4)

const narrow = 0.25 // bound of w(1+z)

// gauss4Error bounds the relative error of gauss4; within a narrow cell the density
// changes by a factor below 1.3.
func gauss4Error(w, z float64) float64 {
	v := w * (1.8 + z)
	v *= v
	v *= v
	return 1e-9 * v * v
}

// normalEdge is an edge of a half cell: its output and the tails there.
type normalEdge struct {
	y, loss          float64
	centre, up, down tailOf
}

func (l leaf) edge(loss float64) normalEdge {
	y := l.outputAt(loss)
	e := normalEdge{y: y, loss: loss, up: newTail(y-l.a, loss), centre: newTail(y, loss)}
	if l.opposed {
		e.down = newTail(y+l.a, loss)
	}
	return e
}

// fillGaussian computes the masses of (1−q)N(0,1) + qN(μ,1) against N(0,1), or
// against (1−q)N(0,1) + qN(−μ,1) if opposed: narrow cells by quadrature, since
// differences of distribution functions would lose their digits there (and
// the sum of the losses is what counts), wide ones by differences.
func (l leaf) fillGaussian(c *lattice.Cells) {
	lossOf := func(j int) float64 { return float64(2*c.Lo+j) * c.H / 2 }
	left := l.edge(lossOf(0))
	c.PLow, c.QLow = l.outside(left, true)
	wideLeft := true // whether left holds its tails
	for j := range c.P {
		loss := lossOf(j + 1)
		y := l.outputAt(loss)
		at := float64(c.Lo+lattice.Touched(j)) * c.H
		z := math.Max(math.Abs(left.y), math.Abs(y)) + l.a
		if (y-left.y)*(1+z) <= narrow {
			c.P[j], c.Rho[j] = l.density(left.y, y, at)
			c.Err[j] = (unit*(16+2*z*z+2*math.Abs(at)) + gauss4Error(y-left.y, z)) * (c.P[j] + c.Rho[j])
			left, wideLeft = normalEdge{y: y, loss: loss}, false
			continue
		}
		if !wideLeft {
			left = l.edge(left.loss)
		}
		right := l.edge(loss)
		c.P[j], c.Rho[j], c.Err[j] = l.difference(left, right, at)
		left, wideLeft = right, true
	}
	c.PHigh, c.QHigh = l.outside(l.edge(lossOf(2*c.N)), false)
}

// density integrates both densities between two outputs, Q's times e^at.
func (l leaf) density(from, to, at float64) (p, rho float64) {
	const norm = 0.3989422804014327 // 1/√(2π)
	rest := 1 - l.q
	for i, x := range gauss4.x {
		y := from + (to-from)*x
		w := gauss4.w[i]
		up := math.Exp(-(y - l.a) * (y - l.a) / 2)
		scaled := math.Exp(at - y*y/2)
		p += w * l.q * up
		if rest > 0 {
			p += w * rest * math.Exp(-y*y/2)
		}
		if l.opposed {
			scaled = rest*scaled + l.q*math.Exp(at-(y+l.a)*(y+l.a)/2)
		}
		rho += w * scaled
	}
	return p * norm * (to - from), rho * norm * (to - from)
}

// difference takes the masses from the tails at both edges. erfc is off by one
// rounding, but its argument's rounding counts z² times.
func (l leaf) difference(left, right normalEdge, at float64) (p, rho, err float64) {
	rest := 1 - l.q
	da, db := math.Exp(at-left.loss), math.Exp(at-right.loss)
	zero, rho := between(left.centre, right.centre, at, da, db)
	plus, _ := between(left.up, right.up, at, da, db)
	p = rest*zero + l.q*plus
	if l.opposed {
		_, minus := between(left.down, right.down, at, da, db)
		rho = rest*rho + l.q*minus
	}
	for _, e := range [2]normalEdge{left, right} {
		if math.IsInf(e.y, 0) {
			continue
		}
		z := math.Abs(e.y) + l.a
		tails := l.q*e.up.mass + rest*e.centre.mass + (e.centre.scaled+l.q*e.down.scaled)*math.Exp(at-e.loss)
		err += 4 * unit * (16 + z*z + math.Abs(at)) * (tails + p + rho)
	}
	return p, rho, err
}

// outside returns the masses of P and Q below or above an edge.
func (l leaf) outside(e normalEdge, below bool) (p, q float64) {
	rest := 1 - l.q
	p = l.q*beyond(e.up, below) + rest*beyond(e.centre, below)
	q = beyond(e.centre, below)
	if l.opposed {
		q = rest*q + l.q*beyond(e.down, below)
	}
	return p, q
}

// beyond returns the mass below or above an edge.
func beyond(t tailOf, below bool) float64 {
	if t.below == below {
		return t.mass
	}
	return 1 - t.mass
}
