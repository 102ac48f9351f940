package limits

import "sort"

// LeastMass is the smallest share of n samples under one input in which an event must happen
// for [EpsilonLower] to refute (ε, δ)-DP with error alpha, if it happens in none of n under the
// other: rarer events cannot refute the claim with so many samples. It is 1 where no share
// does, and where an argument is outside its domain.
func LeastMass(n int64, epsilon, delta, alpha float64) float64 {
	if n < 1 {
		return 1
	}
	k := sort.Search(int(n), func(k int) bool { return EpsilonLower(int64(k), n, 0, n, delta, alpha) > epsilon })
	return float64(k) / float64(n)
}
