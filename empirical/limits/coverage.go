package limits

import "sort"

// LeastMass is the smallest mass, as a share of n samples of each of two inputs, at
// which an event that never happens under one of them refutes (ε, δ)-DP at alpha by
// [EpsilonLower]: what n samples can see at all. It is 1 where none does, and where an
// argument is outside its domain.
func LeastMass(n int64, epsilon, delta, alpha float64) float64 {
	if n < 1 {
		return 1
	}
	k := sort.Search(int(n), func(k int) bool { return EpsilonLower(int64(k), n, 0, n, delta, alpha) > epsilon })
	return float64(k) / float64(n)
}
