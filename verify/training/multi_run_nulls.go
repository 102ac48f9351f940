package training

import (
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify/privacy"
)

// linesCurve returns δ(ε) for the lines of a trade-off function, whose ε increase from 0. Between two lines δ is at
// most their chord in e^ε, because δ is convex in e^ε. The result is defined for ε ≥ 0.
func linesCurve(l confidence.Lines) func(epsilon float64) float64 {
	return func(epsilon float64) float64 {
		least := 1.0
		for i, at := range l {
			if at.Epsilon <= epsilon { // δ decreases with ε
				least = math.Min(least, at.Delta)
			}
			if i > 0 && l[i-1].Epsilon <= epsilon && epsilon < at.Epsilon {
				from, to := l[i-1], at
				part := math.Expm1(epsilon-from.Epsilon) / math.Expm1(to.Epsilon-from.Epsilon)
				least = math.Min(least, ((1-part)*from.Delta+part*to.Delta)*(1+1e-12))
			}
		}
		return least
	}
}

// curve returns δ(ε) of a guarantee as a claim for sequential tests. The curve of Gaussian privacy is rounded up.
func curve(g privacy.Guarantee) sequential.Claim {
	if _, gaussian := g.Gaussian(); !gaussian || g.Value() == 0 {
		return g.Sequential()
	}
	const rounding = 1e-13
	return sequential.BothOrders(func(epsilon float64) float64 { return math.Min(1, g.HockeyStick(epsilon)+rounding) })
}

// describedCurve returns the curve of an account; false if it does not consist of lines from ε = 0 on.
func describedCurve(null confidence.TradeOff) (sequential.Claim, bool) {
	l, ok := null.(confidence.Lines)
	if !ok || len(l) == 0 || l[0].Epsilon != 0 {
		return sequential.Claim{}, false
	}
	return sequential.BothOrders(linesCurve(l)), true
}
