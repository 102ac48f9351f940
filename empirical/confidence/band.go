// A band bounds a privacy curve from below, at all ε at once, by counts of nested events.
//
// Levels v₁ < … < v_K of a score, fixed before the counts, have the events {score ≥ v_k}, or {score < v_k}. One-sided
// Clopper–Pearson limits of their probabilities P under the one input, from below, and Q under the other, from above,
// each with error α/2K, hold together with probability 1 − α. Whatever follows from them holds with them: for every
// event E of P(E) ≥ l and Q(E) ≤ u, and all ε, in the worse order of the inputs,
//
//	δ(ε) ≥ l − e^ε u,  and of the complement in the other order  δ(ε) ≥ (1 − u) − e^ε (1 − l).
//
// A test that rejects on E has errors of at most u and 1 − l, in the other order of 1 − l and u: the lower convex hull
// of these points, with (0, 1) and (1, 0), bounds the trade-off function from above at all errors of the first kind.

package confidence

import (
	"math"
	"slices"
)

// Limits are of the probabilities of an event: P from below and Q from above.
type Limits struct{ P, Q float64 }

// Band are limits that hold together.
type Band []Limits

// New is the band of nested events by how many outputs lie in just so many of them, from none up: first under the input
// where the events are to be likelier, second under the other one. It errs with probability at most alpha, 0 < alpha <
// 1.
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

// tails are the counts of the nested events, from the largest.
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

// Delta is the lower bound of δ at ε ≥ 0.
func (b Band) Delta(epsilon float64) float64 {
	t, delta := math.Exp(epsilon), 0.0
	for _, e := range b {
		delta = math.Max(delta, math.Max(difference(e.P, t, e.Q), difference(1-e.Q, t, 1-e.P)))
	}
	return delta
}

// difference is p − tq, where t may be infinite.
func difference(p, t, q float64) float64 {
	if q <= 0 {
		return p
	}
	return p - t*q
}

// End is an ε from which on the bound of δ is 0, or as small as it gets; at most 700.
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

// TradeOff is the upper bound of the least type II error at a type I error in [0, 1].
func (b Band) TradeOff(alpha float64) float64 {
	points := [][2]float64{{0, 1}, {1, 0}}
	for _, e := range b {
		points = append(points, [2]float64{e.Q, 1 - e.P}, [2]float64{1 - e.P, e.Q})
	}
	least := 1 - alpha
	for _, a := range points { // few: every chord
		for _, c := range points {
			switch {
			case a[0] <= alpha && alpha <= c[0] && a[0] < c[0]:
				least = math.Min(least, a[1]+(c[1]-a[1])*(alpha-a[0])/(c[0]-a[0]))
			case a[0] <= alpha:
				least = math.Min(least, a[1])
			}
		}
	}
	return math.Max(0, least)
}

// Levels are at most so many levels of a score, ascending, by its values under both inputs: closer to each other in
// the tails, in equal steps of the log-odds of their ranks. NaN is on no level.
func Levels(values []float64, most int) []float64 {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(values)
	n := float64(len(values))
	const fewest = 10 // values beyond the outermost
	if n < 2 {
		return nil
	}
	reach := math.Max(0, math.Log(math.Max(1, n/math.Min(fewest, n/4))-1))
	var levels []float64
	for k := range most {
		z := reach
		if most > 1 {
			z = reach * (2*float64(k)/float64(most-1) - 1)
		}
		v := values[min(len(values)-1, int(n/(1+math.Exp(-z))))]
		if v > values[0] && (len(levels) == 0 || v > levels[len(levels)-1]) {
			levels = append(levels, v)
		}
	}
	return levels
}

// Cell is that of a value among levels: the number of those that it reaches.
func Cell(levels []float64, v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	at, found := slices.BinarySearch(levels, v)
	if found {
		at++
	}
	return at
}
