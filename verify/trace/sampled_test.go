package trace

import (
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounted"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
)

// steps of noisy sums over Poisson samples.
func steps(count int, rate float64, noise func(n *primitive.Noise, v float64) (float64, error)) mechanism {
	return one(func(n *primitive.Noise, d data) ([]float64, error) {
		var out []float64
		for range count {
			members, err := n.Poisson(len(d), rate, nil)
			if err != nil {
				return nil, err
			}
			s := 0.0
			for _, i := range members {
				s += clip(d[i], 0, 1)
			}
			v, err := noise(n, s)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	})
}

// Accounts of samples are those of the accountant: a claim at its upper end stands, one below its lower end
// does not.
func TestAccountsOfSamples(t *testing.T) {
	gaussian := func(n *primitive.Noise, v float64) (float64, error) { return n.Gaussian(v, 1, 1) }
	laplace := func(n *primitive.Noise, v float64) (float64, error) { return n.Laplace(v, 0.5, 1) }
	bracket := func(e event.Event, delta float64) accountant.Bracket {
		b, err := accounted.Release{Event: e}.Bracket(accounted.EpsilonAt(delta), accountant.Precision{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, c := range []struct {
		name  string
		f     mechanism
		cost  accountant.Bracket
		delta float64
	}{
		{"Gaussian steps", steps(3, 0.2, gaussian), bracket(event.Repeat(3, event.Poisson(0.2, event.Gaussian(1))), 1e-5), 1e-5},
		{"Laplace steps", steps(2, 0.3, laplace), bracket(event.Repeat(2, event.Poisson(0.3, event.Laplace(0.5))), 0), 0},
	} {
		for _, at := range []struct {
			claim float64
			want  verify.Verdict
		}{{c.cost.Upper * 1.001, verify.Inconclusive}, {c.cost.Lower * 0.99, verify.Refuted}} {
			p := Replay[data]{Subject: c.f, Claim: privacy.ApproximateDP(at.claim, c.delta), Pairs: 20,
				Space: neighbours.Datasets[float64]{Adjacency: neighbours.AddRemoveOne, Values: data{0, 1}, Most: 3}}
			if f := find(t, p, Account, 1); f.Verdict != at.want {
				t.Errorf("%s at %v of %v: %s: %s", c.name, at.claim, c.cost, f.Verdict, f.How+f.Needed)
			}
		}
	}
}
