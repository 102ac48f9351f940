package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// lossRange returns an interval of losses that suffices for both orders of the pair. Under both distributions, losses
// above it have a probability of at most tail.
func (l leaf) lossRange(tail float64) (lo, hi float64) {
	if law := l.dominating(); law != nil {
		return law.Losses(tail)
	}
	span := pureEpsilon(leaf{kind: l.kind, a: l.a, b: l.b, q: 1})
	if l.q == 1 {
		return -span, span
	}
	_, lo = numeric.MixtureRatio(l.q, -span)
	_, hi = numeric.MixtureRatio(l.q, span)
	return lo, hi
}

// grid returns the spacing of a lattice through 0 that contains all atoms of the distribution, or 0 if there are no
// atoms. ok is false if no such lattice is known.
func (l leaf) grid() (spacing float64, ok bool) {
	switch {
	case l.pair != nil:
		return l.pair.Lattice()
	case l.kind == event.KindGaussian:
		return 0, true
	case l.q < 1:
		return 0, l.kind == event.KindExponential
	case l.kind == event.KindExponential: // the atoms of the lower pair
		return l.a / 2, true
	case l.kind == event.KindDiscreteLaplace:
		if math.Mod(l.b, 2) == 0 {
			return 2 * l.a, true
		}
		return l.a, true
	}
	return l.a, true
}

// smooth reports whether the distribution has a continuous part.
func (l leaf) smooth() bool {
	if l.pair != nil {
		return l.pair.Smooth()
	}
	return l.kind == event.KindGaussian || l.kind == event.KindLaplace || l.kind == event.KindExponential || l.q < 1
}

// sides discretizes the upper and the lower bound of the mechanism.
func (l leaf) sides(h, tail float64) (above, below *pld.Cells) {
	switch {
	case l.dominating() != nil:
		return l.dominating().Cells(h, tail)
	case l.kind == event.KindExponential:
		// No mechanism attains the dominating pair. The response with two equal ends is an instance, and gives the
		// lower bound.
		return l.cells(h, tail), leaf{kind: event.KindPure, a: l.a / 2, q: l.q}.cells(h, tail)
	}
	c := l.cells(h, tail)
	return c, c
}

// symmetric reports whether both orders of the neighbors have the same distribution of losses.
func (l leaf) symmetric() bool {
	if l.pair != nil {
		return l.pair.Symmetric()
	}
	return l.q == 1 || l.opposed
}

// dominating returns the dominating pair that package pld discretizes, or nil for other mechanisms.
func (l leaf) dominating() pld.Pair {
	if l.kind != event.KindGaussian {
		return l.pair
	}
	return pld.Normal{Rest: 1 - l.q, Shifts: []pld.Shift{{Mu: l.a, Weight: l.q}}, Opposed: l.opposed}
}

// cells discretizes the dominating pair of the mechanism. Under Poisson sampling it is (P, Q) with P = (1−q)Q₀ + qP₀
// (Zhu, Dong & Wang 2022, Theorem 11).
func (l leaf) cells(h, tail float64) *pld.Cells { return l.cellsOf(l.law(), h, tail) }

// cellsOf discretizes a distribution on the mechanism's interval of losses.
func (l leaf) cellsOf(law lossLaw, h, tail float64) *pld.Cells {
	lo, hi := l.lossRange(tail)
	first, last := int(math.Floor(lo/h*(1+1e-12)-1e-9)), int(math.Ceil(hi/h*(1+1e-12)+1e-9))
	if g, ok := l.grid(); ok && g > 0 {
		// The ends are atoms on the lattice, so there are no cells beyond them.
		first, last = int(math.Round(lo/h)), int(math.Round(hi/h))
		if math.Abs(hi-float64(last)*h) > 1e-9*h {
			first, last = int(math.Floor(lo/h)), int(math.Ceil(hi/h))
		}
	}
	c := pld.NewCells(h, first, max(1, last-first))
	c.Jitter = 32 * unit * (1 + math.Max(math.Abs(lo), math.Abs(hi)))
	c.Rel += 16 * unit * (math.Abs(hi) + math.Abs(lo) + math.Abs(law.logC))
	for _, x := range law.atoms {
		q := math.Exp(x.logQ)
		if l.q == 1 {
			c.Add(x.loss, math.Exp(x.logQ+x.loss))
			continue
		}
		_, loss := numeric.MixtureRatio(l.q, x.loss)
		c.Add(loss, (1-l.q)*q+l.q*math.Exp(x.logQ+x.loss))
	}
	if law.span > 0 {
		law.fill(c, l.q)
	}
	return c
}

// fill adds the continuous part, sampled at rate q.
func (m lossLaw) fill(c *pld.Cells, q float64) {
	base := func(j int) float64 {
		x := numeric.Unmix(q, float64(2*c.Lo+j)*c.H/2)
		return math.Min(m.span, math.Max(-m.span, x))
	}
	left := base(0)
	for j := range c.P {
		right := base(j + 1)
		if right > left {
			width := math.Log(2*math.Expm1((right-left)/2)) + m.logC
			underP, logQ := math.Exp(width+left/2), width-right/2
			loss := float64(c.Lo+pld.Touched(j)) * c.H
			c.P[j] += q*underP + (1-q)*math.Exp(logQ)
			c.Rho[j] += math.Exp(logQ + loss)
		}
		left = right
	}
}
