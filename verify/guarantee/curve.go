package guarantee

import (
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// CurveDP is (ε, δ)-DP at every one of the points of a privacy curve, in the order of their ε ≥ 0, which rise; their
// δ, in [0, 1], do not. Between two points it is the chord in e^ε, which they imply, beyond the last one its δ. Its
// value is a factor on ε and δ of all points, 1 as claimed.
//
// A curve that says no more than one of its points is [ApproximateDP].
func CurveDP(points ...confidence.Line) Guarantee {
	c := newCurve(points)
	if at := c.Points(); c.Check() == nil && len(at) == 1 {
		return ApproximateDP(at[0].Epsilon, at[0].Delta)
	}
	return Guarantee{notion: curveDP, value: 1, curve: c}
}

// Curve are the points of a claimed curve that the others follow from; not ok of other notions.
func (g Guarantee) Curve() (points confidence.Lines, ok bool) {
	if g.notion != curveDP {
		return nil, false
	}
	return g.curve.Points(), true
}

// TradeOff is the least type II error, of all tests of the two outputs at a type I error in [0, 1], that the guarantee
// allows in either order: the largest of 1 − δ(ε) − e^ε α and e^−ε (1 − δ(ε) − α), and 0 (Dong, Roth & Su 2022,
// Proposition 2.12), over ε on a grid, or those at which it is claimed.
func (g Guarantee) TradeOff(alpha float64) float64 {
	least := 0.0
	for _, epsilon := range g.grid() {
		t, d := math.Exp(epsilon), g.HockeyStick(epsilon)
		least = math.Max(least, math.Max(1-d-t*alpha, (1-d-alpha)/t))
	}
	return least
}

// Violated is the (ε, δ) that the guarantee implies and an event of masses p and q, or its complement in the other
// order,
// exceeds most.
func (g Guarantee) Violated(p, q float64) confidence.Line {
	var worst confidence.Line
	most := math.Inf(-1)
	for _, epsilon := range g.grid() {
		t, delta := math.Exp(epsilon), g.HockeyStick(epsilon)
		if excess := math.Max(p-t*q, 1-q-t*(1-p)) - delta; excess > most {
			worst, most = confidence.Line{Epsilon: epsilon, Delta: delta}, excess
		}
	}
	return worst
}

// grid of ε.
func (g Guarantee) grid() (out []float64) {
	switch g.notion {
	case approximateDP:
		return []float64{math.Min(g.value, maxTangent)}
	case curveDP:
		return g.curve.Epsilons()
	}
	for epsilon := 0.0; epsilon < 40; epsilon += 0.02 {
		out = append(out, epsilon)
	}
	return out
}
