package found_test

import (
	"context"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/found"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

func judged(t *testing.T, check verify.Check, alpha float64, seed uint64) verify.Evidence {
	t.Helper()
	e, err := verify.Judge(context.Background(), check, verify.Settings{Budget: verify.Standard, Alpha: alpha,
		Seed: empirical.NewSeed(seed)}, empirical.NewPool(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestRare(t *testing.T) {
	for _, c := range rare {
		t.Run(c.name, func(t *testing.T) {
			e := judged(t, found.Privacy[any, any]{
				Audit: privacy.Audit[any, any]{Mechanism: c.mechanism, Guarantee: privacy.ApproximateDP(1, 0), Samples: 40_000},
				Space: inputs.Must[any](c.space), Search: 200,
			}, 1e-6, 1)
			t.Log(e.Verdict, e.Lower.X, e.Samples, e.Witness, "|", e.Counterexample.At, "|", e.Counterexample.Choice)
		})
	}
}
