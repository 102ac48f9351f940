package notion

import (
	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify/privacy/notion/internal/curves"
)

// CurveDP is (ε, δ)-DP at every one of the points of a privacy curve, in the order of their ε ≥ 0, which rise; their
// δ, in [0, 1], do not. Between two points it is the chord in e^ε, which they imply, beyond the last one its δ. Its
// value is a factor on ε and δ of all points, 1 as claimed.
//
// A curve that says no more than one of its points is [ApproximateDP].
func CurveDP(points ...limits.Line) Guarantee {
	c := curves.NewCurve(points)
	if at := c.Points(); c.Check() == nil && len(at) == 1 {
		return ApproximateDP(at[0].Epsilon, at[0].Delta)
	}
	return Guarantee{notion: curveDP, value: 1, curve: c}
}

// Curve are the points of a claimed curve that the others follow from; not ok of other notions.
func (g Guarantee) Curve() (points limits.Lines, ok bool) {
	if g.notion != curveDP {
		return nil, false
	}
	return g.curve.Points(), true
}

// MostEpsilon is the largest ε of a point of a curve.
const MostEpsilon = curves.MostEpsilon

// CheckPoint returns an error where a point of a curve is out of its domain, or does not follow the one before it; nil
// is none.
func CheckPoint(p limits.Line, before *limits.Line) error { return curves.CheckPoint(p, before) }
