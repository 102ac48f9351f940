package pld

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// tailOf is the smaller tail of a normal distribution at an edge.
type tailOf struct {
	mass, scaled float64 // 1−Φ(|z|), and this value times e^loss
	below        bool    // z < 0: the tail is below the edge
}

func newTail(z, loss float64) tailOf {
	t := tailOf{below: z < 0}
	z = math.Abs(z)
	if z < 26 && loss < 600 {
		t.mass = math.Erfc(z/math.Sqrt2) / 2
		t.scaled = t.mass * math.Exp(loss)
		return t
	}
	l := -z*z/2 - numeric.LogSqrt2Pi + math.Log(numeric.Mills(z))
	if math.IsInf(z, 1) {
		l = math.Inf(-1)
	}
	t.mass, t.scaled = math.Exp(l), math.Exp(l+loss)
	return t
}

// between returns the normal probability between two edges, and this value times e^at. da and db are e^at divided by
// e^loss at the edges.
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

// gauss4 is the quadrature rule for narrow cells. Over a width w its error is w⁹·5.6e-10 times the eighth derivative.
// For a normal density at distance z from its center, this derivative is at most (1.8+z)⁸ times the density (Hermite
// polynomial, 105 at z = 0).
var gauss4 = numeric.Legendre(4)

const narrow = 0.25 // upper bound of w(1+z) for a narrow cell

// gauss4Error bounds the relative error of gauss4. Within a narrow cell, the density changes by a factor below 1.3.
func gauss4Error(w, z float64) float64 {
	v := w * (1.8 + z)
	v *= v
	v *= v
	return 1e-9 * v * v
}

// normalEdge is an edge of a half cell: its output and the tails there.
type normalEdge struct {
	y, loss  float64
	centre   tailOf
	up, down []tailOf // tails of each shift and of its opposite
}

func (n Normal) edge(loss float64) normalEdge {
	y := n.outputAt(loss)
	e := normalEdge{y: y, loss: loss, centre: newTail(y, loss), up: make([]tailOf, len(n.Shifts))}
	for i, s := range n.Shifts {
		e.up[i] = newTail(y-s.Mu, loss)
	}
	if n.Opposed {
		e.down = make([]tailOf, len(n.Shifts))
		for i, s := range n.Shifts {
			e.down[i] = newTail(y+s.Mu, loss)
		}
	}
	return e
}
