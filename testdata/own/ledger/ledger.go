// Package ledger contains claims about the releases of package private, each with a control.
package ledger

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"

	"example.com/own/private"
)

// Ledger returns the claim set.
func Ledger() (*verify.Ledger, error) {
	refuted, sound := []verify.Verdict{verify.Refuted}, []verify.Verdict{verify.Consistent}
	return verify.NewLedger(
		verify.Claim{
			ID: "release/count", Source: "README, line 12", Kind: verify.Privacy,
			Statement: "Count with ε = 1 is 1-differentially private.",
			Check:     count(1),
			Control:   verify.Control{Check: count(2), Want: refuted, Fault: "run with ε = 2"},
		},
		verify.Claim{
			ID: "release/sum-unbiased", Source: "README, line 20", Kind: verify.Unbiasedness,
			Statement: "The mean of Sum is the sum of the values.",
			Check:     sum([]float64{20, 170}, 190),
			Control:   verify.Control{Check: sum([]float64{20, 70}, 90), Want: sound, Fault: "values within the bounds"},
			Corrected: "release/sum-unbiased/corrected",
		},
		verify.Claim{
			ID: "release/sum-unbiased/corrected", Source: "README, line 20, corrected", Kind: verify.Unbiasedness,
			Statement: "The mean of Sum is the sum of the values, each clamped to the bounds.",
			Check:     sum([]float64{20, 170}, 120),
			Control:   verify.Control{Check: sum([]float64{20, 170}, 190), Want: refuted, Fault: "the values as they are"},
		},
	)
}

// release adapts a function of the library to a mechanism.
type release[D, O any] func(input D) (O, error)

// Release ignores its source, because the library has its own randomness.
func (f release[D, O]) Release(_ *rand.Rand, input D) (O, error) { return f(input) }

// count checks the claim ε = 1 for Count with the given ε.
func count(epsilon float64) verify.Check {
	m := release[[]string, *int64](func(rows []string) (*int64, error) {
		return private.Count(rows, &private.CountOptions{Epsilon: epsilon})
	})
	return privacy.Audit[[]string, any]{
		Mechanism: outputs.Flat(m), Guarantee: privacy.ApproximateDP(1, 0), Samples: 100_000,
		Pairs: []inputs.Pair[[]string]{{Name: "one row more", A: []string{"Ada", "Bob"}, B: []string{"Ada"}}},
	}
}

// sum checks a stated mean of Sum.
func sum(values []float64, stated float64) verify.Check {
	return mean.Stated{
		Quantity: "the sum", Mean: []float64{stated}, Variances: []float64{2 * 100 * 100}, Samples: 50_000,
		Sample: func(_ *rand.Rand, dst []float64) error {
			r, err := private.Sum(values, &private.SumOptions{Epsilon: 1, Lower: 0, Upper: 100})
			if err == nil {
				dst[0] = r.Value
			}
			return err
		},
	}
}
