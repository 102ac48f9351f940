package bounds

import "math"

// MaxLoss is the largest privacy loss max |ln(p/q)| over outcomes of positive probability under
// either distribution: the least ε for which the pair is ε-DP in both directions, +Inf where an
// outcome is impossible under one alone. p and q are of equal length.
func MaxLoss(p, q []float64) float64 {
	worst := 0.0
	for i := range p {
		if p[i] > 0 || q[i] > 0 {
			// the smaller over the larger cannot overflow, and is the same for (q, p)
			worst = math.Max(worst, -math.Log(math.Min(p[i], q[i])/math.Max(p[i], q[i])))
		}
	}
	return worst
}

// HockeyStick is the hockey-stick divergence Σ max(0, p − e^ε q) of two distributions on the
// same outcomes: the least δ for which P(S) ≤ e^ε Q(S) + δ on every event S (Barthe & Olmedo
// 2013).
func HockeyStick(p, q []float64, epsilon float64) float64 {
	var delta float64
	for i := range p {
		if d := p[i] - math.Exp(epsilon)*q[i]; q[i] > 0 && d > 0 {
			delta += d
		} else if q[i] == 0 {
			delta += p[i]
		}
	}
	return delta
}

// MinEpsilon is the least ε ≥ 0 at which [HockeyStick] is at most δ in both directions, so
// that the pair is (ε, δ)-DP; +Inf if there is none.
func MinEpsilon(p, q []float64, delta float64) float64 {
	if delta == 0 {
		return MaxLoss(p, q)
	}
	excess := func(e float64) float64 { return math.Max(HockeyStick(p, q, e), HockeyStick(q, p, e)) - delta }
	if excess(0) <= 0 {
		return 0
	}
	lo, hi := 0.0, 1.0
	for excess(hi) > 0 {
		if lo, hi = hi, 2*hi; hi > 1e4 {
			return math.Inf(1)
		}
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if excess(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
