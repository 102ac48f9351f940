package prestige

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

// localClaims returns the statements about local privacy and perturbed labels outside Proposition 2.
func localClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/def-2/global", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Sect. 3.1, Definitions 1 and 2: the last sentence before Definition 1, local privacy is more stringent",
			Statement: "the outputs of an ε-locally private algorithm, one for each record, are together ε-globally " +
				"private for data sets that differ in one record. Checked on randomized response for 2 to 6 bits; the " +
				"proof covers every such algorithm",
			Check: globalLoss(1),
			Control: verify.Control{Check: globalLoss(2), Want: checks.Refuted, Fault: "data sets that differ in two " +
				"entries"},
		},
		{
			ID: "prestige/def-2/strict", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Sect. 3.1, Definitions 1 and 2: the last sentence before Definition 1, local privacy is more stringent",
			Statement: "for every ε > 0, an ε-globally private algorithm exists in which no record's own message is " +
				"locally private. An example is the sum of n bits, each sent unperturbed, with two-sided geometric noise " +
				"of ratio e^−ε",
			Check:   geometricSum(1),
			Control: checks.Faulty(geometricSum(0.5), "half of ε claimed"),
		},
		{
			ID: "prestige/remark-3/unperturbed", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Remark 3: second and third sentence",
			Statement: "without perturbed labels, the decision whether to select a record with |score| ≥ D_th is not " +
				"ε-locally private for any ε, because it reveals whether the label agrees with w",
			Check:   selectionTells(0),
			Control: checks.Faulty(selectionTells(1), "labels perturbed at ε_r = 1"),
		},
	}
}

// geometricSum compares the privacy loss of a noisy sum of n bits with share·ε, for data sets that differ in one bit.
// The noise k has probability (1−r)/(1+r)·r^|k| with r = e^−ε. Each tail beyond 40/ε counts as one event.
func geometricSum(share float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of the sum; inverse of the loss of the bit that a record hands in", Sense: verify.AtMost,
		Grid:  formula.Grid{formula.Over("n", 2, 3, 4, 5, 6), formula.Over("ε", 0.1, 1, 2)},
		Proof: "each output keeps its probability up to a factor e^ε when the sum changes by 1",
		At: func(at []float64, add func(formula.Point)) {
			n, eps := int(at[0]), at[1]
			far := n + int(40/eps)
			law := func(sum int) (p []float64) {
				r := math.Exp(-eps)
				p = append(p, math.Pow(r, float64(sum+far+1))/(1+r))
				for k := -far; k <= far; k++ {
					p = append(p, (1-r)/(1+r)*math.Pow(r, math.Abs(float64(k-sum))))
				}
				return append(p, math.Pow(r, float64(far+1-sum))/(1+r))
			}
			for sum := range n {
				p, q := law(sum), law(sum+1)
				add(formula.Point{Place: formula.Placef("sums %d and %d", sum, sum+1), Measured: bounds.MaxLoss(p, q),
					Claimed: share * eps, Error: 1e-9, Show: sum == 0})
			}
			handed := bounds.MaxLoss([]float64{1, 0}, []float64{0, 1})
			add(formula.Point{Place: formula.Placef("bits 0 and 1, inverse of the loss"), Measured: 1 / handed, Claimed: 0})
		},
	}
}

// globalLoss computes the exact privacy loss of n answers of randomized response for data sets that differ in the given
// number of entries.
func globalLoss(entries int) verify.Check {
	return privacy.Exact{
		Domain: "randomized response on n ∈ {2, …, 6} bits, ε ∈ {0.1, 1, 2}, all 2ⁿ outputs",
		Proof:  "the outputs of the other records have the same distribution on both data sets",
		Pairs: func() (pairs []privacy.DistributionPair, failed error) {
			for _, eps := range []float64{0.1, 1, 2} {
				m, err := mechanism.NewRandomizedResponse(eps)
				if err != nil {
					return nil, err
				}
				for n := 2; n <= 6; n++ {
					p, q := []float64{1}, []float64{1}
					for i := range n {
						other := 0
						if i < entries {
							other = 1
						}
						p, q = product(p, m.Distribution(0)), product(q, m.Distribution(other))
					}
					pairs = append(pairs, privacy.DistributionPair{Place: fmt.Sprintf("n=%d, ε=%g", n, eps), P: p, Q: q,
						Epsilon: eps})
				}
			}
			return pairs, failed
		},
	}
}

// product returns the joint distribution of two independent draws.
func product(a, b []float64) (both []float64) {
	for _, p := range a {
		for _, q := range b {
			both = append(both, p*q)
		}
	}
	return both
}

// selectionTells checks that the privacy loss of the selection exceeds 700; for larger ε a float64 cannot represent
// e^ε. At ε_r = 0 labels are not perturbed.
func selectionTells(epsilon float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss ε", Sense: verify.Above, Domain: "a record of score 2 with the label +1 or −1, D_th = 1.5",
		Points: func(add func(formula.Point)) {
			p, q := []float64{1, 0}, []float64{0, 1}
			var err error
			if epsilon > 0 {
				var m *mechanism.RandomizedResponse
				if m, err = mechanism.NewRandomizedResponse(epsilon); err == nil {
					p, q = m.Distribution(1), m.Distribution(0)
				}
			}
			add(formula.Point{Place: formula.Placef("score 2, ε_r=%g (0: no perturbation)", epsilon),
				Measured: bounds.MaxLoss(p,
					q),
				Claimed: 700, Err: err})
		},
	}
}
