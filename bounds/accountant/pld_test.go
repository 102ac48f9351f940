package accountant

import "testing"

func TestReferenceDistributions(t *testing.T) {
	checked := 0
	for _, r := range loadReference(t) {
		p := r.Params
		var e Event
		adj := AddRemove
		switch r.Mechanism {
		case "poisson_sampled_gaussian":
			if r.Quantity != "epsilon" {
				continue
			}
			e = Repeat(p.Steps, Poisson(p.Q, Gaussian(p.Sigma)))
		case "laplace":
			e = Repeat(p.K, Laplace(1/p.Epsilon0))
		case "discrete_laplace":
			e = Repeat(p.K, DiscreteLaplace(p.A).WithSensitivity(p.Sensitivity))
		case "randomized_response":
			adj = ReplaceOne
			e = Repeat(p.K, RandomizedResponse(p.Epsilon0, p.Buckets))
		default:
			continue
		}
		checked++
		t.Run(r.ID, func(t *testing.T) {
			if r.Mechanism == "laplace" && p.K == 1 {
				b, err := LaplaceEpsilon(p.Epsilon0, p.Delta)
				exactBracket(t, b, err, float64(r.Value))
				exact, err := LossEpsilon(e, adj, p.Delta, Precision{})
				if err != nil || !(exact.Lower <= float64(r.Value) && float64(r.Value) <= exact.Upper) {
					t.Errorf("distribution %v misses %v (%v)", exact, r.Value, err)
				}
				return
			}
			b, err := LossEpsilon(e, adj, p.Delta, Precision{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Lower == r.Upper {
				exactBracket(t, b, err, float64(r.Value))
			}
			if !(b.Lower <= float64(r.Upper) && float64(r.Lower) <= b.Upper) {
				t.Errorf("[%.12g, %.12g] does not meet [%.12g, %.12g]", b.Lower, b.Upper, float64(r.Lower), float64(r.Upper))
			}
			if !(b.Width() <= 1.2e-3*b.Upper) {
				t.Errorf("width %.3g at %.6g", b.Width(), b.Upper)
			}
		})
	}
	if want := 29 + 22 + 32 + 26; checked != want {
		t.Errorf("%d entries checked, want %d", checked, want)
	}
}
