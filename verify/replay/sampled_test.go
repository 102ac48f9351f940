package replay

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// steps makes noisy sums over Poisson samples.
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

// Costs of samples agree with the accountant: a claim at the upper end is not refuted, and one below the lower end
// is.
func TestAccountsOfSamples(t *testing.T) {
	gaussian := func(n *primitive.Noise, v float64) (float64, error) { return n.Gaussian(v, 1, 1) }
	laplace := func(n *primitive.Noise, v float64) (float64, error) { return n.Laplace(v, 0.5, 1) }
	bracket := func(e event.Event, delta float64) accountant.Bracket {
		b, err := accounting.Release{Event: e}.Bracket(accounting.EpsilonAt(delta), accountant.Precision{})
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
		{"Gaussian steps", steps(3, 0.2, gaussian), bracket(event.Repeat(3, event.Poisson(0.2, event.Gaussian(1))), 1e-5),
			1e-5},
		{"Laplace steps", steps(2, 0.3, laplace), bracket(event.Repeat(2, event.Poisson(0.3, event.Laplace(0.5))), 0), 0},
	} {
		for _, at := range []struct {
			claim float64
			want  verify.Verdict
		}{{c.cost.Upper * 1.001, verify.Inconclusive}, {c.cost.Lower * 0.99, verify.Refuted}} {
			p := Replay[data]{Subject: c.f, Claim: privacy.ApproximateDP(at.claim, c.delta), Pairs: 20,
				Space: inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: data{0, 1}, MaxRecords: 3}}
			if f := find(t, p, Account, 1); f.Verdict != at.want {
				t.Errorf("%s at %v of %v: %s: %s", c.name, at.claim, c.cost, f.Verdict, f.How+f.Needed)
			}
		}
	}
}

// If a record of a sample is replaced, the cost depends on what it adds to the other records, which two runs do not
// show. The account is left open with this reason, however small the claim.
func TestAccountsOfReplacedRecords(t *testing.T) {
	half := func(noise func(n *primitive.Noise, v float64) (float64, error)) mechanism {
		return one(func(n *primitive.Noise, d data) (float64, error) {
			order := make([]int, len(d))
			for i := range order {
				order[i] = i
			}
			if err := n.Permute(order); err != nil {
				return 0, err
			}
			s := 0.0
			for _, i := range order[:len(d)/2] {
				s += clip(d[i], 0, 1)
			}
			return noise(n, s)
		})
	}
	gaussian := func(n *primitive.Noise, v float64) (float64, error) { return n.Gaussian(v, 1, 1) }
	laplace := func(n *primitive.Noise, v float64) (float64, error) { return n.Laplace(v, 0.5, 1) }
	for _, c := range []struct {
		name  string
		f     mechanism
		claim privacy.Guarantee
		says  string
	}{
		{"Gaussian steps on Poisson samples", steps(3, 0.2, gaussian), privacy.ApproximateDP(0.01, 1e-5),
			"one record is replaced"},
		{"Laplace steps on Poisson samples", steps(2, 0.3, laplace), privacy.ApproximateDP(0.01, 0),
			"one record is replaced"},
		{"Gaussian noise on half of the records", half(gaussian), privacy.ApproximateDP(0.01, 1e-5),
			"random samples or orders"},
		{"Laplace noise on half of the records", half(laplace), privacy.ApproximateDP(0.01, 0), "random samples or orders"},
		{"half of the records, within the claim without any sample", half(laplace), privacy.ApproximateDP(2, 0), "a proof"},
	} {
		p := Replay[data]{Subject: c.f, Claim: c.claim, Pairs: 20,
			Space: inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: data{0, 1}, MaxRecords: 3}}
		if f := find(t, p, Account, 1); f.Verdict != verify.Inconclusive || !strings.Contains(f.Needed, c.says) {
			t.Errorf("%s: %s: %s, want %q", c.name, f.Verdict, f.How+f.Needed, c.says)
		}
		if f := find(t, p, Sensitivity, 1); f.Verdict != verify.Inconclusive {
			t.Errorf("%s: %s: %s", c.name, f.Verdict, f.How)
		}
	}
}
