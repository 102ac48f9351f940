package guarantee

import (
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// CurveDP returns the guarantee of (ε, δ)-DP at every point of a privacy curve. The ε must increase from 0 or more,
// and the δ, in [0, 1], must not increase. Between two points the curve is the chord in e^ε, which the points
// imply; beyond the last point it is the last δ. The value of the guarantee is a factor on all ε and δ, 1 as
// claimed. Invalid points are reported by Check.
//
// If one point implies all others, CurveDP returns [ApproximateDP].
func CurveDP(points ...confidence.Line) Guarantee {
	c := newCurve(points)
	if corners := c.Points(); c.Check() == nil && len(corners) == 1 {
		return ApproximateDP(corners[0].Epsilon, corners[0].Delta)
	}
	return Guarantee{notion: curveDP, value: 1, curve: c}
}

// Curve returns the points of a claimed curve that imply all its other points. It returns ok = false for other
// privacy definitions.
func (g Guarantee) Curve() (points confidence.Lines, ok bool) {
	if g.notion != curveDP {
		return nil, false
	}
	return g.curve.Points(), true
}

// TradeOff returns the trade-off function at a type I error alpha in [0, 1]: a lower bound on the type II error of
// every test between the two outputs, in either order. It is the maximum over ε of 1 − δ(ε) − e^ε α, e^−ε (1 − δ(ε)
// − α) and 0 (Dong, Roth & Su 2022, Proposition 2.12), for ε on a grid or, for claims at given ε, at those ε.
func (g Guarantee) TradeOff(alpha float64) float64 {
	errorBound := 0.0
	for _, epsilon := range g.grid() {
		t, d := math.Exp(epsilon), g.HockeyStick(epsilon)
		errorBound = math.Max(errorBound, math.Max(1-d-t*alpha, (1-d-alpha)/t))
	}
	return errorBound
}

// Violated returns the implied (ε, δ) that an event with probabilities p and q, or its complement in the other
// order, exceeds by the largest amount.
func (g Guarantee) Violated(p, q float64) confidence.Line {
	var worst confidence.Line
	maxExcess := math.Inf(-1)
	for _, epsilon := range g.grid() {
		t, delta := math.Exp(epsilon), g.HockeyStick(epsilon)
		if excess := math.Max(p-t*q, 1-q-t*(1-p)) - delta; excess > maxExcess {
			worst, maxExcess = confidence.Line{Epsilon: epsilon, Delta: delta}, excess
		}
	}
	return worst
}

// grid returns the ε at which TradeOff and Violated evaluate the privacy curve.
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
