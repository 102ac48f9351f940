package accountant

import (
	"math"
	"slices"
)

// knot is a corner of the lower bound of δ, at t = e^ε.
type knot struct {
	t, delta float64
	interval int // index of the point at which the interval begins
}

// fewPoints bounds the relative error of a few operations on bracket ends and e^ε.
const fewPoints = 64 * unit

// knots returns the corners of a lower bound of δ for all t ≥ 1. The bound is linear between corners and 0 beyond the
// last one.
func (p *Profile) knots() []knot {
	var list []knot
	for i := range p.points {
		from, to := math.Exp(p.points[i].At), math.Inf(1)
		if i+1 < len(p.points) {
			to = math.Exp(p.points[i+1].At)
		}
		lines := p.below(i)
		cuts := []float64{from}
		for k, a := range lines {
			for _, b := range append(lines[:k:k], line{}) {
				if t := a.meets(b); t > from && t < to {
					cuts = append(cuts, t)
				}
			}
		}
		if i+1 < len(p.points) {
			cuts = append(cuts, to) // limit from the left
		} else if len(cuts) == 1 {
			list = append(list, knot{from, 0, i})
		}
		slices.Sort(cuts)
		for _, t := range cuts {
			lower := 0.0
			for _, l := range lines {
				lower = math.Max(lower, l.at(t))
			}
			list = append(list, knot{t, lower, i})
		}
	}
	return list
}

// line is the function y + slope·(t − x), minus its rounding error.
type line struct{ x, y, slope, error float64 }

func (l line) at(t float64) float64 {
	return l.y + l.slope*(t-l.x) - l.error - fewPoints*(math.Abs(l.y)+math.Abs(l.slope)*(t+l.x))
}

// meets returns the t at which two lines intersect. It is NaN or infinite for parallel lines.
func (l line) meets(m line) float64 {
	return (m.y - m.slope*m.x - l.y + l.slope*l.x) / (l.slope - m.slope)
}

// below returns lines that are lower bounds of δ between the i-th point and the next, or beyond the last point.
func (p *Profile) below(i int) []line {
	// The point before the first is the mirror image of the second, by δ(−ε) = 1 − e^{−ε} + e^{−ε}δ(ε).
	before := func(i int) (t, upper float64) {
		if i > 0 {
			return math.Exp(p.points[i-1].At), p.points[i-1].Upper
		}
		t = math.Exp(-p.points[1].At)
		return t, 1 - t + t*p.points[1].Upper
	}
	var lines []line
	add := func(t, lower, beyond, upper float64) {
		// Otherwise the horizontal line through the next point is at least as good.
		if slope := (upper - lower) / (beyond - t); slope <= 0 {
			lines = append(lines, line{t, lower, slope, fewPoints * (math.Abs(slope)*(t+beyond) + lower + upper)})
		}
	}
	t := math.Exp(p.points[i].At)
	from, upper := before(i)
	add(t, p.points[i].Lower, from, upper)
	if i+1 < len(p.points) {
		next := p.points[i+1]
		lines = append(lines, line{y: next.Lower}) // δ is decreasing
		if i+2 < len(p.points) {
			add(math.Exp(next.At), next.Lower, math.Exp(p.points[i+2].At), p.points[i+2].Upper)
		}
	}
	return lines
}

// tradeOff brackets the trade-off function f(α) from the known points.
func (p *Profile) tradeOff(alpha float64) Bracket {
	lower, _ := p.tradeOffAbove(alpha)
	upper, _ := p.tradeOffBelow(alpha)
	return Bracket{Lower: lower, Estimate: (lower + upper) / 2, Upper: upper}
}

// tradeOffAbove returns a lower bound of f(α), computed from the upper ends of δ, and the index of the point that gives
// it.
func (p *Profile) tradeOffAbove(alpha float64) (f float64, best int) {
	for i, q := range p.points {
		t := math.Exp(q.At)
		if v := math.Max(1-q.Upper-t*alpha-fewPoints*(1+t*alpha), (1-q.Upper-alpha-fewPoints)/t); v > f {
			f, best = v, i
		}
	}
	return f, best
}

// tradeOffBelow returns an upper bound of f(α), computed from the lower bound of δ at all t. On each linear piece both
// terms are largest at an end. interval is the interval of the corner that gives the bound.
func (p *Profile) tradeOffBelow(alpha float64) (f float64, interval int) {
	for _, k := range p.knots() {
		if v := math.Max(1-k.delta-k.t*alpha+fewPoints*(1+k.t*alpha), (1-k.delta-alpha+fewPoints)/k.t); v > f {
			f, interval = v, k.interval
		}
	}
	return math.Min(f, 1-alpha), interval
}
