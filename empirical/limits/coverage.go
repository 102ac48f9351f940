package limits

import "sort"

// LeastMass is the smallest share of n1 samples under one input in which an event must happen
// for [EpsilonLower] to refute (ε, δ)-DP with error alpha, if it happens in none of n2 under the
// other: rarer events cannot refute the claim with so many samples. It is 1 where no share
// does, and where an argument is outside its domain.
func LeastMass(n1, n2 int64, epsilon, delta, alpha float64) float64 {
	if n1 < 1 || n2 < 1 {
		return 1
	}
	k := sort.Search(int(n1), func(k int) bool { return EpsilonLower(int64(k), n1, 0, n2, delta, alpha) > epsilon })
	return float64(k) / float64(n1)
}
