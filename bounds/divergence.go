package bounds

import "math"

// MaxLoss returns the largest privacy loss max |ln(p/q)| over outcomes of positive probability under p or q. This is
// the smallest ε for which the pair is ε-DP in both directions. It is +Inf if an outcome is impossible under only one
// of the distributions. p and q have the same length.
func MaxLoss(p, q []float64) float64 {
	worst := 0.0
	for i := range p {
		if p[i] > 0 || q[i] > 0 {
			// smaller/larger cannot overflow, and is symmetric in p and q
			worst = math.Max(worst, -math.Log(math.Min(p[i], q[i])/math.Max(p[i], q[i])))
		}
	}
	return worst
}

// HockeyStick returns the hockey-stick divergence Σ max(0, p − e^ε q) of two distributions on the same outcomes. This
// is the smallest δ for which P(S) ≤ e^ε Q(S) + δ for every event S (Barthe & Olmedo 2013).
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

// MinEpsilon returns the smallest ε ≥ 0 for which [HockeyStick] is at most δ in both directions, so that the pair is
// (ε, δ)-DP. It returns +Inf if there is no such ε up to 8192.
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
