package prestige

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/erm"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// noiseClaims returns the claims about eq. (26), E[ε_t] = 0 for ε_t = G_t − ∇F(w_t): over the records that the
// curriculum selects, and over all records. E[G_t] = g_t by the corrected Lemma 2, so the claims compare E[g_t] with
// ∇F(w_t).
func noiseClaims() []verify.Claim {
	pair := checks.Pair(verify.Claim{
		ID: "prestige/eq-26", Kind: verify.Unbiasedness, Origin: verify.Stated,
		Place: "Eq. (26): given w^(t), over the records that the If of Algorithm 1 selects; the two sentences before eq. " +
			"(17)",
		Statement: "given w_t, the mean gradient of the records that the curriculum selects (z ≥ D_th) is ∇F(w_t), " +
			"where F has the perturbed labels. Setting: D_th = 1.5, 0.5 and −0.9; two distinct records, each repeated " +
			"equally often, so that n may be large",
		Check:    noiseMean(false, ""),
		Formerly: []string{"prestige/eq-17/bias"},
	}, verify.Claim{
		Place: "Eq. (26): with F of eq. (1) over ỹ, independently drawn records, and every record selected",
		Statement: "given w_t, the mean gradient of a record that is drawn uniformly, independently of w_t, and " +
			"selected for every z is ∇F(w_t), where F has the perturbed labels. An epoch in which no z is below D_th " +
			"selects every record",
		Check:    noiseMean(true, uniformProof),
		Formerly: []string{"prestige/eq-17/bias/corrected"},
	}, "every record selected", "selection by the curriculum")
	return pair
}

const uniformProof = "the mean over a uniform draw and over ỹ is the sum that defines F's gradient"

// twoRecords is the data set of the instance; the loss is the hinge loss, λ = 1 and ε_r = 0.2.
var twoRecords = []example{{1, 1}, {0.5, -1}}

// pick is one outcome of drawing a record and perturbing its label.
type pick struct {
	record  example // with the perturbed label
	mass    float64
	margins float64 // z
}

// picks returns all outcomes at w; both records have the same probability.
func picks(w float64) ([]pick, error) {
	m, err := paper.RandomizedResponse(labelEpsilon)
	if err != nil {
		return nil, err
	}
	var out []pick
	for _, e := range twoRecords {
		for _, turned := range []int{0, 1} {
			y := e.y * float64(1-2*turned)
			out = append(out, pick{example{e.x, y}, m[0][turned] / float64(len(twoRecords)), w * e.x * y})
		}
	}
	return out, nil
}

func gradientAt(w float64, e example) float64 { return w + erm.Hinge{}.Derivative(e.y*w*e.x)*e.y*e.x }

// meanGradients returns E[g_t] over the records that the threshold selects at w, and ∇F.
func meanGradients(w, threshold float64) (g, gradient float64, err error) {
	all, err := picks(w)
	mass := 0.0
	for _, p := range all {
		gradient += p.mass * gradientAt(w, p.record)
		if p.margins >= threshold {
			g, mass = g+p.mass*gradientAt(w, p.record), mass+p.mass
		}
	}
	if mass == 0 { // nothing is selected: no update, and no noise
		return gradient, gradient, err
	}
	return g / mass, gradient, err
}

func noiseMean(all bool, proof string) verify.Check {
	return formula.Check{
		Quantity: "E[g_t | w_t]", Sense: verify.Equals, Proof: proof,
		Grid: formula.Grid{formula.Over("D_th", 1.5, 0.5, -0.9),
			formula.Over("w", -3, -2.25, -1.5, -0.75, 0, 0.75, 1.5, 2.25, 3)},
		Domain: "records (1, +1) and (½, −1) of dimension 1, hinge loss, λ = 1, ε_r = 0.2",
		At: func(at []float64, add func(formula.Point)) {
			threshold := at[0]
			if all {
				threshold = math.Inf(-1)
			}
			g, gradient, err := meanGradients(at[1], threshold)
			add(formula.Point{Measured: g, Claimed: gradient, Show: at[1] == 3 || at[1] == -1.5, Err: err})
		},
	}
}
