package confidence

import "math"

// pValueGamma is the error of the confidence set of the nuisance parameter in jointPValue, which has no alpha. It
// is the smallest p-value that jointPValue returns.
const pValueGamma = 1e-15

// jointPValue returns an upper bound of the p-value of p ≤ min(1, e^ε q + δ). The limits are compared with it. Its
// order is the likelihood ratio at ε, whereas the limits use one order for all ε. The result is 1 if x/n1 ≤ e^ε
// y/n2 + δ or an argument is outside its domain.
func jointPValue(x, n1, y, n2 int64, eps, delta float64) float64 {
	line := boundary{math.Exp(eps), delta}
	if !validCounts(x, n1, y, n2) || !(delta >= 0 && delta < 1) || !(line.t > 0 && line.t <= math.MaxFloat64) {
		return 1
	}
	observed := countPair{float64(x), float64(n1), float64(y), float64(n2)}
	if max(n1, n2) > jointSumLimit {
		half, _ := line.half(observed.interior())
		return math.Min(1, (1+half)*math.Exp(-half))
	}
	half, q := line.half(observed.shifted())
	if !(half > leastHalf) {
		return 1
	}
	box := newJointBox(x, n1, y, n2, pValueGamma)
	low, high, _ := box.span(line)
	if low > high && low > box.qHigh {
		return pValueGamma
	}
	region := newJointRegion(observed.n1, observed.n2, line, half, math.Max(box.qLow, math.Min(low, high)), box.qHigh, math.Min(half, 36)+15)
	target, _ := region.mass(line.on(q))
	target = math.Max(target*(1+spare), pValueGamma/100)
	region.sweep(box, line, target, func(piece jointPiece) (boundary, float64, bool) {
		bound, _ := piece.bound(line)
		target = bound * (1 + spare/4)
		return line, target, target < 1
	})
	return math.Min(1, target+pValueGamma)
}
