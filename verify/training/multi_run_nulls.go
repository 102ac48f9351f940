package training

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/sequential"
)

func quantile(p float64) float64 { return mathext.NormalQuantile(p) }

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// gaussianCurve is δ(ε) of Gaussian privacy (Balle & Wang 2018), rounded up. ε ≥ 0.
func gaussianCurve(mu float64) func(epsilon float64) float64 {
	return func(epsilon float64) float64 {
		if mu == 0 {
			return 0
		}
		over := normal(mu/2 - epsilon/mu)
		if under := normal(-mu/2 - epsilon/mu); under > 0 {
			over -= math.Exp(epsilon + math.Log(under))
		}
		const rounding = 1e-13
		return math.Min(1, math.Max(0, over)+rounding)
	}
}

// linesCurve is δ(ε) of all that lines allow, whose ε rise from 0: between two of them at most their chord in e^ε,
// in which it is convex. ε ≥ 0.
func linesCurve(l confidence.Lines) func(epsilon float64) float64 {
	return func(epsilon float64) float64 {
		least := 1.0
		for i, at := range l {
			if at.Epsilon <= epsilon { // δ falls in ε
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

// null is what a value of the claimed parameter allows.
func (a MultiRunAudit) null(value float64) confidence.TradeOff {
	if _, gaussian := a.Guarantee.Gaussian(); gaussian {
		return confidence.GaussianTradeOff(value)
	}
	_, delta, _ := a.Guarantee.Approximate()
	return confidence.Lines{{Epsilon: value, Delta: delta}}
}

// curve is the same to bet against.
func (a MultiRunAudit) curve(value float64) sequential.Claim {
	if _, gaussian := a.Guarantee.Gaussian(); gaussian {
		return sequential.BothOrders(gaussianCurve(value))
	}
	_, delta, _ := a.Guarantee.Approximate()
	return sequential.ApproximateDP(value, delta)
}

// describedCurve is what a description allows, to bet against.
func describedCurve(null confidence.TradeOff) (sequential.Claim, bool) {
	l, ok := null.(confidence.Lines)
	if !ok || len(l) == 0 || l[0].Epsilon != 0 {
		return sequential.Claim{}, false
	}
	return sequential.BothOrders(linesCurve(l)), true
}
