package accountant

import (
	"math"
	"slices"
)

// knot is a corner of the lower bound of δ, at t = e^ε.
type knot struct {
	t, delta float64
	interval int // from the point of this index to the next
}

// fewPoints bounds the relative error of a fewPoints operations on ends and on e^ε.
const fewPoints = 64 * unit

// knots are the corners of a lower bound of δ on all of t ≥ 1. Between them it is linear, beyond the last it
// is 0.
func (p *Profile) knots() []knot {
	var list []knot
	for i := range p.points {
		from, to := math.Exp(p.points[i].At), math.Inf(1)
		if i+1 < len(p.points) {
			to = math.Exp(p.points[i+1].At)
		}
		lines := p.below(i)
		at := []float64{from}
		for k, a := range lines {
			for _, b := range append(lines[:k:k], line{}) {
				if t := a.meets(b); t > from && t < to {
					at = append(at, t)
				}
			}
		}
		if i+1 < len(p.points) {
			at = append(at, to) // seen from the left
		} else if len(at) == 1 {
			list = append(list, knot{from, 0, i})
		}
		slices.Sort(at)
		for _, t := range at {
			least := 0.0
			for _, l := range lines {
				least = math.Max(least, l.at(t))
			}
			list = append(list, knot{t, least, i})
		}
	}
	return list
}

// line is δ = y + slope·(t − x), less its rounding error.
type line struct{ x, y, slope, error float64 }

func (l line) at(t float64) float64 {
	return l.y + l.slope*(t-l.x) - l.error - fewPoints*(math.Abs(l.y)+math.Abs(l.slope)*(t+l.x))
}

// meets is where two lines cross, NaN or infinite where they do not.
func (l line) meets(m line) float64 {
	return (m.y - m.slope*m.x - l.y + l.slope*l.x) / (l.slope - m.slope)
}

// below are lines that δ does not fall below between the i-th point and the next, or beyond the last.
func (p *Profile) below(i int) []line {
	// The point before the first is the mirror image of the second.
	before := func(i int) (t, upper float64) {
		if i > 0 {
			return math.Exp(p.points[i-1].At), p.points[i-1].Upper
		}
		t = math.Exp(-p.points[1].At)
		return t, 1 - t + t*p.points[1].Upper
	}
	var lines []line
	add := func(t, lower, beyond, upper float64) {
		if slope := (upper - lower) / (beyond - t); slope <= 0 { // else it says less than the next line
			lines = append(lines, line{t, lower, slope, fewPoints * (math.Abs(slope)*(t+beyond) + lower + upper)})
		}
	}
	t := math.Exp(p.points[i].At)
	from, upper := before(i)
	add(t, p.points[i].Lower, from, upper)
	if i+1 < len(p.points) {
		next := p.points[i+1]
		lines = append(lines, line{y: next.Lower}) // δ falls
		if i+2 < len(p.points) {
			add(math.Exp(next.At), next.Lower, math.Exp(p.points[i+2].At), p.points[i+2].Upper)
		}
	}
	return lines
}

// tradeOff brackets f(α) from the points there are.
func (p *Profile) tradeOff(alpha float64) Bracket {
	lower, _ := p.tradeOffAbove(alpha)
	upper, _ := p.tradeOffBelow(alpha)
	return Bracket{Lower: lower, Estimate: (lower + upper) / 2, Upper: upper}
}

// tradeOffAbove is a lower bound of f(α), from the upper ends of δ at the points. best is the index of
// the one that it is from.
func (p *Profile) tradeOffAbove(alpha float64) (f float64, best int) {
	for i, q := range p.points {
		t := math.Exp(q.At)
		if v := math.Max(1-q.Upper-t*alpha-fewPoints*(1+t*alpha), (1-q.Upper-alpha-fewPoints)/t); v > f {
			f, best = v, i
		}
	}
	return f, best
}

// tradeOffBelow is an upper bound of f(α), from the lower bound of δ at all t: on each of its pieces both
// forms are largest at an end. interval is that of the corner that it is from.
func (p *Profile) tradeOffBelow(alpha float64) (f float64, interval int) {
	for _, k := range p.knots() {
		if v := math.Max(1-k.delta-k.t*alpha+fewPoints*(1+k.t*alpha), (1-k.delta-alpha+fewPoints)/k.t); v > f {
			f, interval = v, k.interval
		}
	}
	return math.Min(f, 1-alpha), interval
}
