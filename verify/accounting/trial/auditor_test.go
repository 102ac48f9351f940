package trial

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Release draws an output on the first data set if first is true, on the second data set otherwise.
func (p Pair) Release(r *rand.Rand, first bool) ([]float64, error) {
	if first {
		return p.DrawA(r, nil), nil
	}
	return p.DrawB(r, nil), nil
}

// The black-box audit does not know the likelihood ratio, so it needs more samples and a larger margin.
func TestBlackBoxAuditAgreesWithTheAccount(t *testing.T) {
	for number := 2; number < len(Cells()); number += testutil.Size(100, 9) {
		d := Generate(number)
		res := Audit(accounted, d, 1e-9)
		if res.Outcome != TwoSided || res.Upper-res.Lower > 0.01 {
			continue
		}
		pairs, err := Simulate(d.Event, d.Adjacency, res.Epsilon)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			delta float64
			want  bool
		}{{res.Upper, false}, {max(0, res.Lower-0.05), true}} {
			refuted := false
			for _, p := range pairs {
				check := privacy.Audit[bool, []float64]{Mechanism: p, Samples: 100_000,
					Pairs:     []inputs.Pair[bool]{{Name: "neighbours", A: true, B: false}},
					Guarantee: privacy.ApproximateDP(res.Epsilon, c.delta)}
				settings := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(d.Seed)}
				e, err := verify.Judge(context.Background(), check, settings, empirical.NewPool(1), nil)
				if err != nil {
					t.Fatalf("%s: %v", d, err)
				}
				refuted = refuted || e.Verdict == verify.Refuted
			}
			if refuted != c.want {
				t.Errorf("%s: (%.4g, %.4g): refuted is %t, want %t", res, res.Epsilon, c.delta, refuted, c.want)
			}
		}
	}
}
