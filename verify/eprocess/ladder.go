package eprocess

import (
	"math"

	"github.com/dpverify/dpverify/verify"
)

const (
	// levels is the number of error probabilities at which a check is judged: 1/2, 1/4, …
	levels = 60
	// unbet is the part of the wealth that no refutation multiplies.
	unbet = 0.1
)

// levelWeight returns the part of the wealth that is bet on a refutation at the error probability 2^−(j+1). The parts
// fall as √2^−j and sum to less than 1 − unbet.
func levelWeight(j int) float64 { return (1 - unbet) * (1 - math.Sqrt2/2) * math.Pow(2, -float64(j)/2) }

// ladderFactor returns the logarithm of a factor for a check that does not bet. If the claim is true, a check at error
// probability a refutes it with probability at most a. So a factor of 1/a for a refutation, and 0 otherwise, has
// expectation at most 1. A weighted average over the levels has the same property. The check is judged at decreasing a
// until it does not refute.
func ladderFactor(b verify.SufficientStatistics, s verify.Settings) (float64, error) {
	factor := unbet
	s.Drawn = s.Alpha
	for j := range levels {
		s.Alpha = math.Pow(2, -float64(j+1))
		e, err := b.Judge(s)
		if err != nil {
			return 0, err
		}
		if !refutes(e.Verdict) {
			break
		}
		factor += levelWeight(j) / s.Alpha
	}
	return math.Log(factor), nil
}

// refutes reports whether a verdict refutes the claim.
func refutes(v verify.Verdict) bool {
	return v == verify.Refuted || v == verify.Contradictory || v == verify.Vacuous
}
