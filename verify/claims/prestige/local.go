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

// localClaims are what the text says of local privacy and of perturbed labels beside Proposition 2.
func localClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/def-2/global", Source: "Sect. 3.1, Defs. 1-2", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Sect. 3.1, the last sentence before Definition 1: local privacy is more stringent",
			Statement: "the outputs of an ε-locally private algorithm, one for each record, are ε-globally private for data " +
				"sets that differ in one entry",
			Check:   globalLoss(1),
			Control: verify.Control{Check: globalLoss(2), Want: checks.Refuted, Fault: "data sets that differ in two entries"},
		},
		{
			ID: "prestige/remark-2", Source: "Remark 2", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 2, first sentence",
			Statement: "the noise rates of the perturbed label are ρ₊ = ρ₋ = 1/(e^ε_r + 1)",
			Check:     noiseRates(1),
			Control:   verify.Control{Check: noiseRates(1.05), Want: checks.Refuted, Fault: "1.05 ε_r"},
		},
		{
			ID: "prestige/prop-2/monotone", Source: "Prop. 2, proof", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Proof of Proposition 2, the last three sentences: 2a/(a+1) and its derivative " +
				"2/(a+1)²",
			Statement: "2a/(a+1) grows in a, and a change from a to b makes one of 2(b−a)/((a+1)(b+1))",
			Check:     secants(2),
			Control:   verify.Control{Check: secants(1.9), Want: checks.Refuted, Fault: "the factor 2 understated by 5 %"},
		},
		{
			ID: "prestige/remark-3/unperturbed", Source: "Remark 3", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Remark 3, second and third sentence",
			Statement: "without the perturbation of labels the decision whether a record is selected is private for no ε",
			Check:     selectionTells(0),
			Control:   verify.Control{Check: selectionTells(1), Want: checks.Refuted, Fault: "labels perturbed at ε_r = 1"},
		},
	}
}

// globalLoss is the exact loss of n answers of randomized response at data sets that differ in the given number
// of entries.
func globalLoss(entries int) verify.Check {
	return privacy.Exact{
		Domain: "randomized response on n ∈ {2, …, 6} bits, ε ∈ {0.1, 1, 2}, all 2ⁿ outputs",
		Proof:  "the outputs of the other records have the same law, whatever a mechanism does with one",
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
					pairs = append(pairs, privacy.DistributionPair{Place: fmt.Sprintf("n=%d, ε=%g", n, eps), P: p, Q: q, Epsilon: eps})
				}
			}
			return pairs, failed
		},
	}
}

// product is the law of two independent draws.
func product(a, b []float64) (both []float64) {
	for _, p := range a {
		for _, q := range b {
			both = append(both, p*q)
		}
	}
	return both
}

func noiseRates(spent float64) verify.Check {
	return formula.Check{
		Quantity: "Pr(ỹ ≠ y)", Sense: verify.Equals, Domain: "ε_r ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}, both labels, the law of " +
			"the implementation",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			m, err := mechanism.NewRandomizedResponse(spent * eps)
			for _, bit := range []int{0, 1} {
				turned := 0.0
				if err == nil {
					turned = m.Distribution(bit)[1-bit]
				}
				add(formula.Point{Place: formula.Placef("ε_r=%g, label %d", eps, 2*bit-1), Measured: turned,
					Claimed: 1 / (math.Exp(eps) + 1),
					Show:    true, Err: err})
			}
		}),
	}
}

func secants(factor float64) verify.Check {
	share := func(a float64) float64 { return 2 * a / (a + 1) }
	return formula.Check{
		Quantity: "1 + 2b/(b+1) − 2a/(a+1)", Sense: verify.Equals, Domain: "1 < a < b ≤ e² in steps of e^0.2, and b near a",
		Proof: "2b(a+1) − 2a(b+1) = 2(b−a), which is positive; b → a gives the derivative",
		Points: func(add func(formula.Point)) {
			for e := 0.2; e <= 2; e += 0.2 {
				for _, gap := range []float64{1e-4, 0.2, 1} {
					a, b := math.Exp(e-0.2), math.Exp(e-0.2+gap)
					add(formula.Point{Place: formula.Placef("a=%.4g, b=%.4g", a, b), Measured: 1 + share(b) - share(a),
						Claimed: 1 + factor*(b-a)/((a+1)*(b+1)), Show: gap == 1})
				}
			}
		},
	}
}

// selectionTells compares the loss of the decision with ε = 700, beyond which no float64 tells e^ε from +Inf.
// At ε_r = 0 labels are not perturbed.
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
			add(formula.Point{Place: formula.Placef("score 2, ε_r=%g (0: no perturbation)", epsilon), Measured: bounds.MaxLoss(p,
				q),
				Claimed: 700, Err: err})
		},
	}
}
