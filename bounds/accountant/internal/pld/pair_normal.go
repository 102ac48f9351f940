package pld

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Normal is a mixture P of normal distributions with variance 1 against Q = N(0, 1). P has weight Rest at 0 and the
// other weights at positive shifts. It describes a sum with Gaussian noise to which a record contributes these shifts
// with these probabilities.
type Normal struct {
	Rest   float64
	Shifts []Shift // in increasing order, Mu > 0, Weight > 0
	// Opposed replaces Q by the mirror image of P. It describes a replaced record, where both records have the same
	// probabilities and opposite directions. No other directions are distinguished better. To see this, let a test have
	// power Φ(zᵢ) if P contributes sᵢ, and let c be the maximum of zᵢ − sᵢ. If Q contributes sⱼ, at distance at most sᵢ
	// + sⱼ, the error of the test is at least Φ(c − sⱼ), and its powers are at most Φ(c + sᵢ). The half-space at −c
	// attains all of these bounds.
	Opposed bool
}

// Shift is a component of the mixture, in standard deviations of the noise.
type Shift struct{ Mu, Weight float64 }

func (n Normal) maxShift() float64 { return n.Shifts[len(n.Shifts)-1].Mu }

// Losses returns the range of losses between the tails below 0 and above the largest shift.
func (n Normal) Losses(tail float64) (low, high float64) {
	reach := numeric.TailPoint(math.Log(tail))
	from, to := -reach, n.maxShift()+reach
	if n.Opposed {
		from = -to
	}
	return n.lossAt(from), n.lossAt(to)
}

// Lattice returns no spacing, since there are no atoms.
func (n Normal) Lattice() (spacing float64, ok bool) { return 0, true }

// Smooth returns true: the losses have a density.
func (n Normal) Smooth() bool { return true }

// Lost returns 0.
func (n Normal) Lost() (p, q Interval) { return p, q }

// Most returns +Inf: losses are unbounded.
func (n Normal) Most() Interval { return Interval{math.Inf(1), math.Inf(1)} }

// Symmetric returns true for a single shift and for opposed shifts.
func (n Normal) Symmetric() bool { return n.Opposed || n.Rest == 0 && len(n.Shifts) == 1 }

// Sampled moves the remaining weight to 0.
func (n Normal) Sampled(q float64) (Pair, error) {
	m := Normal{Rest: (1 - q) + q*n.Rest, Shifts: make([]Shift, len(n.Shifts)), Opposed: n.Opposed}
	for i, s := range n.Shifts {
		m.Shifts[i] = Shift{s.Mu, q * s.Weight}
	}
	return &m, nil
}

// LogMoment is bounded by the moments of the individual shifts, from 0 or from the opposite shift, because p^α·q^(1−α)
// is jointly convex. A single shift attains the bound. For alpha > 1, each component of P times its weight is a lower
// bound.
func (n Normal) LogMoment(alpha float64) Interval {
	order := alpha * (alpha - 1) / 2
	if n.Opposed {
		order *= 4
	}
	top := 0.0
	for _, s := range n.Shifts {
		top = math.Max(top, order*s.Mu*s.Mu)
	}
	sum := n.Rest * math.Exp(-top)
	for _, s := range n.Shifts {
		sum += s.Weight * math.Exp(order*s.Mu*s.Mu-top)
	}
	m := Interval{none, math.Max(0, top+math.Log(sum)+32*unit*(1+top))}
	switch {
	case n.Rest == 0 && len(n.Shifts) == 1:
		m.Low = top * (1 - 32*unit)
	case alpha > 1 && !n.Opposed:
		for _, s := range n.Shifts {
			m.Low = math.Max(m.Low, order*s.Mu*s.Mu*(1-32*unit)+alpha*math.Log(s.Weight)*(1+32*unit))
		}
	}
	return m
}

// lossAt returns the loss at output y.
func (n Normal) lossAt(y float64) float64 {
	s := n.Shifts[0]
	if len(n.Shifts) > 1 {
		up, _ := n.mixed(y)
		if n.Opposed {
			down, _ := n.mixed(-y)
			return up - down
		}
		return up
	}
	if n.Rest == 0 {
		return s.Mu*y - s.Mu*s.Mu/2
	}
	_, up := numeric.MixtureRatio(s.Weight, s.Mu*y-s.Mu*s.Mu/2)
	if n.Opposed {
		_, down := numeric.MixtureRatio(s.Weight, -s.Mu*y-s.Mu*s.Mu/2)
		return up - down
	}
	return up
}

// mixed returns the loss at output y of several shifts, and its slope.
func (n Normal) mixed(y float64) (loss, slope float64) {
	top := 0.0
	if n.Rest == 0 { // the largest term may be far below the range of float64
		top = math.Inf(-1)
	}
	for _, s := range n.Shifts {
		top = math.Max(top, s.Mu*y-s.Mu*s.Mu/2)
	}
	more, sum := 0.0, n.Rest*math.Exp(-top)
	for _, s := range n.Shifts {
		x := s.Mu*y - s.Mu*s.Mu/2
		part := s.Weight * math.Exp(x-top)
		sum += part
		slope += part * s.Mu
		more += s.Weight * math.Expm1(math.Min(x, 1))
	}
	if slope /= sum; top < 0.5 && more > -0.5 {
		return math.Log1p(more), slope
	}
	return top + math.Log(sum), slope
}

// outputAt inverts lossAt. It returns −Inf below the smallest loss.
func (n Normal) outputAt(x float64) float64 {
	s := n.Shifts[0]
	switch {
	case len(n.Shifts) > 1 && n.Opposed:
		// The loss is odd and increasing. For y > 0, it exceeds the loss of P against N(0, 1).
		far := math.Max(0, n.mixedAt(math.Abs(x)))
		return math.Copysign(numeric.FallingRoot(func(y float64) float64 { return math.Abs(x) - n.lossAt(y) }, 0, far), x)
	case len(n.Shifts) > 1:
		return n.mixedAt(x)
	case !n.Opposed:
		return numeric.Unmix(s.Weight, x)/s.Mu + s.Mu/2
	}
	// With w = e^{μy} and c = q·e^{−μ²/2}, the equation (1−q+cw)/(1−q+c/w) = e^x is quadratic in w. Its solution is log
	// w = x/2 + asinh((1−q)·sinh(x/2)/c).
	if x == 0 {
		return 0
	}
	half := math.Abs(x) / 2
	v := math.Log1p(-s.Weight) + half - math.Ln2 + numeric.Log1mExp(-2*half) - math.Log(s.Weight) + s.Mu*s.Mu/2
	w := v + math.Ln2
	if v < 20 {
		w = math.Asinh(math.Exp(v))
	}
	return math.Copysign(half+w, x) / s.Mu
}

// mixedAt inverts mixed by Newton's method. The loss is increasing and convex, so steps from the right stay right of
// the root.
func (n Normal) mixedAt(x float64) float64 {
	if n.Rest > 0 && x <= math.Log(n.Rest) {
		return math.Inf(-1)
	}
	y := math.Inf(1)
	for _, s := range n.Shifts {
		y = math.Min(y, (x-math.Log(s.Weight))/s.Mu+s.Mu/2)
	}
	for range 100 {
		loss, slope := n.mixed(y)
		step := (loss - x) / slope
		if !(step > 4*unit*math.Abs(y)) {
			break
		}
		y -= step
	}
	return y
}

// Cells integrates the densities over the outputs whose losses are in a cell.
func (n Normal) Cells(h, tail float64) (above, below *Cells) {
	low, high := n.Losses(tail)
	first, last := math.Floor(low/h*(1+1e-12)-1e-9), math.Ceil(high/h*(1+1e-12)+1e-9)
	c := NewCells(h, int(first), max(1, int(last-first)))
	c.Jitter = 32 * unit * (1 + math.Max(math.Abs(low), math.Abs(high)))
	n.fill(c)
	return c, c
}

// fill computes the probabilities of cells under P and Q. In narrow cells, differences of distribution functions would
// lose digits, and only sums of losses matter, so it uses quadrature there. In wide cells it uses differences.
func (n Normal) fill(c *Cells) {
	lossOf := func(j int) float64 { return float64(2*c.Lo+j) * c.H / 2 }
	left := n.edge(lossOf(0))
	c.PLow, c.QLow = n.outside(left, true)
	wideLeft := true // whether left contains its tails
	for j := range c.P {
		loss := lossOf(j + 1)
		y := n.outputAt(loss)
		center := float64(c.Lo+Touched(j)) * c.H
		z := math.Max(math.Abs(left.y), math.Abs(y)) + n.maxShift()
		if (y-left.y)*(1+z) <= narrow {
			c.P[j], c.Rho[j] = n.density(left.y, y, center)
			c.Err[j] = (unit*(16+2*z*z+2*math.Abs(center)) + gauss4Error(y-left.y, z)) * (c.P[j] + c.Rho[j])
			left, wideLeft = normalEdge{y: y, loss: loss}, false
			continue
		}
		if !wideLeft {
			left = n.edge(left.loss)
		}
		right := n.edge(loss)
		c.P[j], c.Rho[j], c.Err[j] = n.difference(left, right, center)
		left, wideLeft = right, true
	}
	c.PHigh, c.QHigh = n.outside(n.edge(lossOf(2*c.N)), false)
}

// density integrates both densities between two outputs. Q's is multiplied by e^at.
func (n Normal) density(from, to, at float64) (p, rho float64) {
	const norm = 0.3989422804014327 // 1/√(2π)
	for i, x := range gauss4.X {
		y := from + (to-from)*x
		w := gauss4.W[i]
		for _, s := range n.Shifts {
			p += w * s.Weight * math.Exp(-(y-s.Mu)*(y-s.Mu)/2)
		}
		if n.Rest > 0 {
			p += w * n.Rest * math.Exp(-y*y/2)
		}
		scaled := math.Exp(at - y*y/2)
		if n.Opposed {
			scaled *= n.Rest
			for _, s := range n.Shifts {
				scaled += s.Weight * math.Exp(at-(y+s.Mu)*(y+s.Mu)/2)
			}
		}
		rho += w * scaled
	}
	return p * norm * (to - from), rho * norm * (to - from)
}

// difference computes the probabilities from the tails at both edges. erfc has an error of one rounding, but the
// rounding of its argument is amplified z² times.
func (n Normal) difference(left, right normalEdge, at float64) (p, rho, err float64) {
	da, db := math.Exp(at-left.loss), math.Exp(at-right.loss)
	zero, rho := between(left.centre, right.centre, at, da, db)
	p = n.Rest * zero
	for i, s := range n.Shifts {
		plus, _ := between(left.up[i], right.up[i], at, da, db)
		p += s.Weight * plus
	}
	if n.Opposed {
		rho *= n.Rest
		for i, s := range n.Shifts {
			_, minus := between(left.down[i], right.down[i], at, da, db)
			rho += s.Weight * minus
		}
	}
	for _, e := range [2]normalEdge{left, right} {
		if math.IsInf(e.y, 0) {
			continue
		}
		z := math.Abs(e.y) + n.maxShift()
		tails, scaled := n.Rest*e.centre.mass, e.centre.scaled
		for i, s := range n.Shifts {
			tails += s.Weight * e.up[i].mass
			if n.Opposed {
				scaled += s.Weight * e.down[i].scaled
			}
		}
		tails += scaled * math.Exp(at-e.loss)
		err += 4 * unit * (16 + z*z + math.Abs(at)) * (tails + p + rho)
	}
	return p, rho, err
}

// outside returns the probabilities under P and Q below or above an edge.
func (n Normal) outside(e normalEdge, below bool) (p, q float64) {
	centre := beyond(e.centre, below)
	p, q = n.Rest*centre, centre
	if n.Opposed {
		q *= n.Rest
	}
	for i, s := range n.Shifts {
		p += s.Weight * beyond(e.up[i], below)
		if n.Opposed {
			q += s.Weight * beyond(e.down[i], below)
		}
	}
	return p, q
}

// beyond returns the probability below or above an edge.
func beyond(t tailOf, below bool) float64 {
	if t.below == below {
		return t.mass
	}
	return 1 - t.mass
}
