package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/logmath"
)

// lossRange returns the interval of losses that both orders of the pair need:
// outside it lie at most a mass tail of high losses under either. grid is the
// spacing of a lattice that holds all atoms of the law, 0 if there is none;
// smooth tells whether a part is continuous.
func (l leaf) lossRange(tail float64) (lo, hi float64) {
	if l.kind != gaussian {
		span := pureEpsilon(leaf{kind: l.kind, a: l.a, b: l.b, q: 1})
		if l.q == 1 {
			return -span, span
		}
		_, lo = mixtureRatio(l.q, -span)
		_, hi = mixtureRatio(l.q, span)
		return lo, hi
	}
	reach := logmath.TailPoint(math.Log(tail))
	low, high := -reach, l.a+reach
	if l.opposed {
		low = -high
	}
	return l.lossAt(low), l.lossAt(high)
}

// grid returns the spacing of a lattice through 0 that holds all atoms of the
// law; ok is false where no such lattice is known. spacing 0: no atoms.
func (l leaf) grid() (spacing float64, ok bool) {
	switch {
	case l.kind == gaussian || l.kind == exponential:
		return 0, true
	case l.q < 1:
		return 0, false
	case l.kind == discreteLaplace:
		if math.Mod(l.b, 2) == 0 {
			return 2 * l.a, true
		}
		return l.a, true
	}
	return l.a, true
}

// smooth reports whether the law has a continuous part.
func (l leaf) smooth() bool {
	return l.kind == gaussian || l.kind == laplace || l.kind == exponential || l.q < 1
}

// cells cuts the dominating pair of the mechanism: (P, Q) with
// P = (1−q)Q₀ + qP₀ under Poisson sampling (Zhu, Dong & Wang 2022, Theorem 11).
func (l leaf) cells(h, tail float64) *cells {
	lo, hi := l.lossRange(tail)
	first, last := int(math.Floor(lo/h*(1+1e-12)-1e-9)), int(math.Ceil(hi/h*(1+1e-12)+1e-9))
	if g, ok := l.grid(); ok && g > 0 {
		// The ends are atoms on the lattice: no cell beyond them.
		first, last = int(math.Round(lo/h)), int(math.Round(hi/h))
		if math.Abs(hi-float64(last)*h) > 1e-9*h {
			first, last = int(math.Floor(lo/h)), int(math.Ceil(hi/h))
		}
	}
	c := newCells(h, first, max(1, last-first))
	c.jitter = 32 * unit * (1 + math.Max(math.Abs(lo), math.Abs(hi)))
	if l.kind == gaussian {
		l.fillGaussian(c)
		return c
	}
	law := l.law()
	c.rel += 16 * unit * (math.Abs(hi) + math.Abs(lo) + math.Abs(law.logC))
	for _, x := range law.atoms {
		q := math.Exp(x.logQ)
		if l.q == 1 {
			c.add(x.loss, math.Exp(x.logQ+x.loss))
			continue
		}
		_, loss := mixtureRatio(l.q, x.loss)
		c.add(loss, (1-l.q)*q+l.q*math.Exp(x.logQ+x.loss))
	}
	if law.span > 0 {
		law.fill(c, l.q)
	}
	return c
}

// fill adds the continuous part, sampled at rate q.
func (m lossLaw) fill(c *cells, q float64) {
	base := func(j int) float64 {
		x := unmix(q, float64(2*c.lo+j)*c.h/2)
		return math.Min(m.span, math.Max(-m.span, x))
	}
	left := base(0)
	for j := range c.p {
		right := base(j + 1)
		if right > left {
			width := math.Log(2*math.Expm1((right-left)/2)) + m.logC
			underP, logQ := math.Exp(width+left/2), width-right/2
			at := float64(c.lo+touched(j)) * c.h
			c.p[j] += q*underP + (1-q)*math.Exp(logQ)
			c.rho[j] += math.Exp(logQ + at)
		}
		left = right
	}
}

// unmix inverts log(1 − q + q·e^x): the loss before sampling of a loss after.
func unmix(q, x float64) float64 {
	if q == 1 {
		return x
	}
	if x > 30 {
		return x - math.Log(q) + math.Log1p(-(1-q)*math.Exp(-x))
	}
	return math.Log1p(math.Max(-1, math.Expm1(x)/q))
}

// lossAt returns the loss at output y (in standard deviations, Q's centre 0).
func (l leaf) lossAt(y float64) float64 {
	_, up := mixtureRatio(l.q, l.a*y-l.a*l.a/2)
	if l.q == 1 {
		return l.a*y - l.a*l.a/2
	}
	if l.opposed {
		_, down := mixtureRatio(l.q, -l.a*y-l.a*l.a/2)
		return up - down
	}
	return up
}

// outputAt inverts lossAt; −Inf below the least loss.
func (l leaf) outputAt(x float64) float64 {
	if !l.opposed {
		return unmix(l.q, x)/l.a + l.a/2
	}
	// With w = e^{μy}, c = q·e^{−μ²/2}: (1−q+cw)/(1−q+c/w) = e^x is quadratic in w,
	// log w = x/2 + asinh((1−q)·sinh(x/2)/c).
	if x == 0 {
		return 0
	}
	half := math.Abs(x) / 2
	v := math.Log1p(-l.q) + half - math.Ln2 + logmath.Log1mExp(-2*half) - math.Log(l.q) + l.a*l.a/2
	w := v + math.Ln2
	if v < 20 {
		w = math.Asinh(math.Exp(v))
	}
	return math.Copysign(half+w, x) / l.a
}

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

// fillGaussian computes the masses of (1−q)N(0,1) + qN(μ,1) against N(0,1), or
// against (1−q)N(0,1) + qN(−μ,1) if opposed.
func (l leaf) fillGaussian(c *cells) {
	type edge struct{ centre, up, down tailOf }
	at := func(j int) (edge, float64) {
		x := float64(2*c.lo+j) * c.h / 2
		y := l.outputAt(x)
		var e edge
		e.up = newTail(y-l.a, x)
		e.centre = newTail(y, x)
		if l.opposed {
			e.down = newTail(y+l.a, x)
		}
		// erfc is off by one rounding, its argument's rounding counts z² times.
		z := math.Abs(y) + l.a
		if math.IsInf(y, 0) {
			return e, 0
		}
		size := l.q*e.up.mass + (1-l.q)*e.centre.mass
		size += (1-l.q)*e.centre.scaled + l.q*e.down.scaled
		if !l.opposed {
			size += l.q * e.centre.scaled
		}
		return e, 4 * unit * (8 + z*z + math.Abs(x)) * size
	}
	rest := 1 - l.q
	grow, shrink := math.Exp(c.h/2), math.Exp(-c.h/2)
	left, err := at(0)
	c.edge[0] = err
	c.pLow = beyond(left.up, true)*l.q + beyond(left.centre, true)*rest
	c.qLow = beyond(left.centre, true)
	if l.opposed {
		c.qLow = rest*beyond(left.centre, true) + l.q*beyond(left.down, true)
	}
	for j := range c.p {
		right, err := at(j + 1)
		c.edge[j+1] = err
		x := float64(c.lo+touched(j)) * c.h
		da, db := 1.0, shrink
		if j%2 == 1 {
			da, db = grow, 1
		}
		zero, zeroScaled := between(left.centre, right.centre, x, da, db)
		plus, _ := between(left.up, right.up, x, da, db)
		c.p[j] = rest*zero + l.q*plus
		c.rho[j] = zeroScaled
		if l.opposed {
			_, minusScaled := between(left.down, right.down, x, da, db)
			c.rho[j] = rest*zeroScaled + l.q*minusScaled
		}
		left = right
	}
	c.pHigh = beyond(left.up, false)*l.q + beyond(left.centre, false)*rest
	c.qHigh = beyond(left.centre, false)
	if l.opposed {
		c.qHigh = rest*beyond(left.centre, false) + l.q*beyond(left.down, false)
	}
}

// beyond returns the mass below or above an edge.
func beyond(t tailOf, below bool) float64 {
	if t.below == below {
		return t.mass
	}
	return 1 - t.mass
}
