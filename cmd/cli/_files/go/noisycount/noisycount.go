// Package noisycount contains a mechanism, which noisycount_test.go audits. CHANGE: replace it by yours.
package noisycount

import "math/rand/v2"

// Epsilon is the claimed ε of Release if a record of 0 or 1 is replaced.
const Epsilon = 1.0

// Release returns a count with two-sided geometric noise, which is Epsilon-DP. All of its randomness comes from r.
func Release(r *rand.Rand, data []int) int {
	count := geometric(r, Epsilon) - geometric(r, Epsilon)
	for _, x := range data {
		count += x
	}
	return count
}

// geometric draws k = 0, 1, 2, … with probability proportional to exp(-epsilon k).
func geometric(r *rand.Rand, epsilon float64) int {
	return int(r.ExpFloat64() / epsilon)
}
