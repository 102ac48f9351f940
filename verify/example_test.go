package verify_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// A ledger with one claim: randomized response that answers truthfully with probability 3/4 is (ln 3)-DP. Its
// negative control answers truthfully with probability 4/5 and must be refuted by the same check.
func ExampleLedger() {
	truthful := func(p float64) verify.Check {
		return privacy.Exact{
			Domain: "the two bits",
			Proof:  "there are no other inputs, and no other outcomes",
			Pairs: func() ([]privacy.DistributionPair, error) {
				return []privacy.DistributionPair{{Place: "bits 1 and 0", P: []float64{p, 1 - p}, Q: []float64{1 - p, p},
					Epsilon: math.Log(3)}}, nil
			},
		}
	}
	ledger, err := verify.NewLedger(verify.Claim{
		ID: "warner-1965/privacy", Source: "Warner (1965), with P = 3/4", Kind: verify.Privacy,
		Statement: "randomised response that tells the truth with probability 3/4 is (ln 3)-DP",
		Check:     truthful(3. / 4),
		Control: verify.Control{Check: truthful(4. / 5), Want: []verify.Verdict{verify.Refuted},
			Fault: "it tells the truth with probability 4/5"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, options := context.Background(), verify.Options{Seed: 1, Alpha: verify.DefaultAlpha, Budget: verify.Standard,
		Workers: 1}
	run, err := ledger.Run(ctx, ledger.Claims(), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range run.Results {
		fmt.Printf("%s %s: %s %s %.3f, found %.3f\n", r.Claim.ID, r.Verdict, r.Quantity, r.Sense, r.Claimed.X, r.Measured.X)
		twin := r.Claim
		twin.Check = r.Claim.Control.Check
		control, err := ledger.Run(ctx, []verify.Claim{twin}, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("its twin, where %s: %s\n", r.Claim.Control.Fault, control.Results[0].Verdict)
	}
	// Output:
	// warner-1965/privacy holds: privacy loss ε ≤ 1.099, found 1.099
	// its twin, where it tells the truth with probability 4/5: refuted
}
