package pairwise

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	lambda = 1e-3
	// unitRows is what has to be assumed of the data for G and L.
	unitRows = "for rows of norm 1, which is not stated"
	// strongPlace and convexPlace are the lines that print the parameters, and the line they are put into.
	strongPlace = "Experiments for AUC maximization, first paragraph (λ) and second (n, ε, δ), " + unitRows +
		"; Algorithm 1, line 2; Algorithm 3, line 1"
	convexPlace = "Experiments for AUC maximization, second paragraph (n, ε, δ), " + unitRows +
		"; Theorem 3 (α); Algorithm 1, line 2; Algorithms 2 and 4, line 4"
	bothPlace = "Experiments, the paragraphs with λ, n, ε and δ, " + unitRows +
		"; Algorithm 1, line 2; Algorithms 2 to 4"
	sevenPlace = "Experiments for AUC maximization, λ, n, ε, δ; Algorithm 1, lines 2 and 10 to 13, T₁ read as its 7"
)

var (
	strongSizes = []int{40, 90}
	convexSizes = []int{50, 350}
)

// settingsClaims returns the claims about the parameters of the experiments, put into the paper's own algorithms and
// bounds, in the order of a report.
//
// λ = 10⁻³ is α of the algorithms for strongly convex losses, with n from 40 to 90; for convex losses α is
// c/√n by Theorem 3, n from 50 to 350, and the paper does not say c: 1 is taken, others are named. ε is 0.5, 1.5 and
// 2.5, δ = 1/n, C the unit ball. Rows have norm 1, which the paper does not state: the worst of other norms is
// settings/steps/rows. The data sets have d = 8, 9, 19 and 19; the least is taken where d helps.
func settingsClaims() []verify.Claim {
	return slices.Concat(stepClaims(), settingsReleaseClaims(), classifierClaims(),
		settingsNoiseClaims(), observerClaims(), boundClaims())
}

func boundClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/bounds", Source: "Experiments, eqs. (7), (8), (10)-(13)", Kind: verify.Rate,
			Origin: verify.Observation, Place: bothPlace + "; eqs. (7), (8), (10) to (13)",
			Statement: "at the settings of the experiments every printed bound on regret or error, its constant taken as 1, " +
				"exceeds what any parameter reaches, G‖C‖₂ a record",
			Check:   boundOverTrivial(90, 350, trivialProof),
			Control: verify.Control{Check: boundOverTrivial(1e45, 1e45, ""), Want: checks.Refuted, Fault: "n = 10⁴⁵"},
		},
		{
			ID: "pairwise/settings/epsilon", Source: "Experiments, Theorems 1, 3, 5", Kind: verify.Consistency,
			Origin: verify.Observation, Place: "Experiments, the paragraphs with ε; Theorems 1, 3 and 5, 0 < ε, δ ≤ 1",
			Formerly:  []string{"pairwise/experiments/setting/epsilon"},
			Statement: "the ε of the experiments, 0.5, 1.5 and 2.5, are within 0 < ε ≤ 1, where the theorems speak of privacy",
			Check:     withinOne(paperEpsilons),
			Control:   verify.Control{Check: withinOne([]float64{0.5, 1}), Want: checks.Holds, Fault: "none: ε ∈ {0.5, 1}"},
			Corrected: "pairwise/thm-1/experiments",
		},
		{
			ID: "pairwise/settings/delta", Source: "Experiments, Def. 1", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "Experiments for AUC maximization, second paragraph, δ = 1/n; Definition 1",
			Statement: "δ = 1/n of the experiments lets a mechanism pass that publishes one of the n records, drawn at " +
				"random, in full: it is (0, 1/n)-DP",
			Check:   published(1),
			Control: verify.Control{Check: published(2), Want: checks.Refuted, Fault: "two of the records"},
		},
	}
}

func withinOne(epsilons []float64) verify.Check {
	return formula.Check{
		Quantity: "ε", Sense: verify.AtMost, Contradiction: true, Domain: "the ε of the experiments",
		Proof: "the points are all there are",
		Points: func(add func(formula.Point)) {
			for _, eps := range epsilons {
				add(formula.Point{Place: formula.Placef("ε=%g", eps), Measured: eps, Claimed: 1, Show: true})
			}
		},
	}
}

// published is the largest total variation between neighbours of the publication of some of n records,
// all different, by enumeration: the neighbour has another record in the last place.
func published(records int) verify.Check {
	return formula.Check{
		Quantity: "largest difference of the probabilities of an event between neighbours", Sense: verify.AtMost,
		Domain: "n from 40 to 350, records all different, another one in the last place of the neighbour",
		Proof:  "by symmetry every place is the last; equal records only bring the laws together",
		Points: func(add func(formula.Point)) {
			for n := 40; n <= 350; n += 10 {
				// The event that decides: a published set has the record of the last place, which the neighbour lacks.
				with := 1.0
				for i := range records {
					with *= 1 - 1/float64(n-i)
				}
				add(formula.Point{Place: formula.Placef("n=%d", n), Measured: 1 - with, Claimed: 1 / float64(n), Error: 1e-9,
					Show: n == 40 || n == 350})
			}
		},
	}
}

func inverseRoot(n int) float64 { return 1 / math.Sqrt(float64(n)) }
