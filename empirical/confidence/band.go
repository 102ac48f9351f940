// A band bounds a privacy curve from below, simultaneously at all ε, from the counts of nested events.
//
// Levels v₁ < … < v_K of a score are fixed before the counts. They define the events {score ≥ v_k}, or {score <
// v_k}. Let P be the event's probability for one input and Q its probability for the other. One-sided
// Clopper–Pearson limits l ≤ P and u ≥ Q, each with error α/2K, hold together with probability at least 1 − α.
// Everything derived from them then holds as well. For every event, all ε and the worse order of the inputs,
//
// 	δ(ε) ≥ l − e^ε u, and from the complement in the other order δ(ε) ≥ (1 − u) − e^ε (1 − l).
//
// A test that rejects on the event has a type I error of at most u and a type II error of at most 1 − l. In the
// other order of the inputs the two are exchanged. The lower convex hull of these points together with (0, 1) and
// (1, 0) bounds the trade-off function from above at all type I errors.

package confidence

import (
	"math"
	"slices"
)

// Limits holds limits for the probabilities of one event: a lower limit P for one input and an upper limit Q for
// the other input.
type Limits struct{ P, Q float64 }

// Band holds limits of nested events that hold simultaneously.
type Band []Limits

// New returns the band of nested events. first and second count outputs by the number of events that contain them,
// starting at 0. first is for the input under which the events should be more likely, second for the other input.
// The band is wrong with probability at most alpha, 0 < alpha < 1; otherwise New returns ErrDomain. The band is nil
// if there are no events or no outputs.
func New(first, second []int64, alpha float64) (Band, error) {
	x, y := tails(first), tails(second)
	n, m := sum(first), sum(second)
	levels := len(x)
	if levels == 0 || n == 0 || m == 0 {
		return nil, nil
	}
	var b Band
	for k := range x {
		p, err := BinomialLower(x[k], n, alpha/float64(2*levels))
		if err != nil {
			return nil, err
		}
		q, err := BinomialUpper(y[k], m, alpha/float64(2*levels))
		if err != nil {
			return nil, err
		}
		b = append(b, Limits{p, q})
	}
	return b, nil
}

// tails returns the counts of the nested events, the largest event first.
func tails(cells []int64) (out []int64) {
	for k := 1; k < len(cells); k++ {
		out = append(out, sum(cells[k:]))
	}
	return out
}

func sum(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Delta returns the lower bound of δ at ε ≥ 0.
func (b Band) Delta(epsilon float64) float64 {
	t, delta := math.Exp(epsilon), 0.0
	for _, e := range b {
		delta = math.Max(delta, math.Max(difference(e.P, t, e.Q), difference(1-e.Q, t, 1-e.P)))
	}
	return delta
}

// difference returns p − tq, also if t is infinite.
func difference(p, t, q float64) float64 {
	if q <= 0 {
		return p
	}
	return p - t*q
}

// End returns an ε above which the bound of δ is 0 or does not decrease further, at most 700.
func (b Band) End() float64 {
	end := 0.0
	for _, e := range b {
		for _, masses := range [][2]float64{{e.P, e.Q}, {1 - e.Q, 1 - e.P}} {
			if masses[0] > masses[1] && masses[1] > 0 {
				end = math.Max(end, math.Log(masses[0])-math.Log(masses[1]))
			}
		}
	}
	return math.Min(700, end)
}

// TradeOff returns the upper bound of the minimal type II error at type I error alpha in [0, 1].
func (b Band) TradeOff(alpha float64) float64 {
	points := [][2]float64{{0, 1}, {1, 0}}
	for _, e := range b {
		points = append(points, [2]float64{e.Q, 1 - e.P}, [2]float64{1 - e.P, e.Q})
	}
	bound := 1 - alpha
	for _, a := range points { // few points: check every chord
		for _, c := range points {
			switch {
			case a[0] <= alpha && alpha <= c[0] && a[0] < c[0]:
				bound = math.Min(bound, a[1]+(c[1]-a[1])*(alpha-a[0])/(c[0]-a[0]))
			case a[0] <= alpha:
				bound = math.Min(bound, a[1])
			}
		}
	}
	return math.Max(0, bound)
}

// Levels returns at most limit levels of a score in ascending order, chosen from its pooled values for both inputs.
// The ranks are equally spaced in log-odds, so the levels are denser in the tails. NaN values are ignored.
func Levels(values []float64, limit int) []float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	n := float64(len(values))
	const outermost = 10 // minimal number of values beyond the outermost level
	if n < 2 {
		return nil
	}
	reach := math.Max(0, math.Log(math.Max(1, n/math.Min(outermost, n/4))-1))
	var levels []float64
	for k := range limit {
		z := reach
		if limit > 1 {
			z = reach * (2*float64(k)/float64(limit-1) - 1)
		}
		v := values[min(len(values)-1, int(n/(1+math.Exp(-z))))]
		if v > values[0] && (len(levels) == 0 || v > levels[len(levels)-1]) {
			levels = append(levels, v)
		}
	}
	return levels
}

// Cell returns the number of levels that are at most v; 0 for NaN.
func Cell(levels []float64, v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	cell, found := slices.BinarySearch(levels, v)
	if found {
		cell++
	}
	return cell
}
