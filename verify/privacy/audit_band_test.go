package privacy

import (
	"context"
	"math"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// TestBandErrsByTheShareOfAView checks that an audit computes its band from its counts, at half of alpha per view.
// Coverage would not reveal an error probability that is many times too large, because the levels of a score depend on
// each other and most bands hold anyway.
func TestBandErrsByTheShareOfAView(t *testing.T) {
	for _, alpha := range []float64{0.05, 1e-6} {
		a := laplaceAudit(1, 1, 20_000)
		a.Band = true
		e, err := verify.Judge(context.Background(), a, verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: empirical.NewSeed(1)},
			empirical.NewPool(2), nil)
		if err != nil || e.Band == nil || e.Band.Alpha != alpha {
			t.Fatalf("%v: %v, band %+v", alpha, err, e.Band)
		}
		var f auditStatistics
		if err := e.Statistics.Read(&f); err != nil || len(f.Views) != 2 {
			t.Fatalf("%v: %d views, %v", alpha, len(f.Views), err)
		}
		bandAt := func(share float64) (all confidence.Band) {
			for _, v := range f.Views {
				b, err := confidence.New(v.Counts[0][1:], v.Counts[1][1:], share)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, b...)
			}
			return all
		}
		want, undivided := bandAt(alpha/2), bandAt(alpha)
		differs := false
		for _, p := range e.Band.Delta {
			if math.Abs(p.Certified-want.Delta(p.At)) > 1e-12 {
				t.Errorf("α = %v: δ(%.3g) ≥ %v; by the counts %v", alpha, p.At, p.Certified, want.Delta(p.At))
			}
			differs = differs || math.Abs(p.Certified-undivided.Delta(p.At)) > 1e-6
		}
		if !differs {
			t.Errorf("α = %v: bands at all of alpha and at half of it are the same", alpha)
		}
	}
}
