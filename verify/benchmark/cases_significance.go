package benchmark

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/benchmark/benchdata"
	"github.com/dpverify/dpverify/verify/benchmark/internal/results"
)

// significanceCases print the results of methods a and b and claim that a's are above b's
// beyond chance, at level alpha. Where the methods do not differ, a claim that is
// confirmed is the error that a test is allowed with probability alpha. As the claim names
// a direction, that happens in half as many runs.
func significanceCases() ([]Case, error) {
	const none, plain = 0.0, 1.0
	var out []Case
	for _, k := range results.Kinds() {
		for _, difference := range []float64{none, plain} {
			name := k.Name + ", no difference"
			if difference == plain {
				name = k.Name + ", a plain difference"
			}
			out = append(out, Case{Name: name, True: difference == plain, Counted: benchdata.Confirmed,
				Check: drawn(func(r *rand.Rand, s verify.Settings) (verify.Check, error) {
					c := k.Claim(r, difference)
					c.Level = s.Alpha
					return c, nil
				})})
		}
	}
	return out, nil
}
