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
	// Places that print the parameters, and the lines of the algorithms that use them.
	strongPlace       = "λ (Experiments for AUC maximization, first paragraph), n, ε and δ (second paragraph)"
	convexPlace       = "n, ε and δ (Experiments for AUC maximization, second paragraph), α (Theorem 3)"
	bothPlace         = "Experiments, Algs. 1-4: the paragraphs with λ, n, ε and δ; Algorithm 1, line 2; Algorithms 2 to 4"
	printedParameters = "the printed parameters (λ = 10⁻³; α = 1/√n; T₁ of line 2; rows of norm 1)"
)

var (
	strongSizes = []int{40, 90}
	convexSizes = []int{50, 350}
)

// settingsClaims returns observations: the parameters of the experiments, put into the paper's own algorithms and
// bounds, in report order.
//
// λ = 10⁻³ is the α of the algorithms for strongly convex losses, with n from 40 to 90. For convex losses α is c/√n
// by Theorem 3, and n is from 50 to 350; the paper does not print c, and these claims use c = 1 or state another. ε
// is 0.5, 1.5 or 2.5, δ = 1/n, and C is the unit ball. Rows have norm 1, which the paper does not state;
// settings/steps/rows covers other norms. The data sets have d = 8, 9, 19 and 19; if a larger d favors a claim, it
// uses the smallest.
func settingsClaims() []verify.Claim {
	return slices.Concat(stepClaims(), settingsReleaseClaims(), classifierClaims(),
		settingsNoiseClaims(), observerClaims(), boundClaims())
}

func boundClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/bounds", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Experiments, eqs. (7), (8), (10)-(13): " + strongPlace + "; at a larger α eq. (12) would not be trivial",
			Statement: "the printed bounds do not explain the figures. With the constants of O(·) taken as 1, their " +
				"right sides exceed G‖C‖₂ per record, a bound for every parameter. Setting: eqs. (7), (11), (12) at λ = " +
				"10⁻³ and n = 90, eqs. (8), (10), (13) at n = 350; ε = 2.5, δ = 1/n, rows of norm 1, d = 8, ‖C‖ = 2, ζ = " +
				"1/2",
			Check:   boundOverTrivial(90, 350, trivialProof),
			Control: checks.Faulty(boundOverTrivial(1e45, 1e45, ""), "n = 10⁴⁵"),
			Formerly: []string{"pairwise/thm-2/experiments", "pairwise/thm-2/dominates", "pairwise/thm-3/experiments",
				"pairwise/thm-5/experiments/convex"},
		},
		{
			ID: "pairwise/settings/delta", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Experiments, Definition 1: δ = 1/n (Experiments for AUC maximization, second paragraph)",
			Statement: "δ = 1/n, as in the experiments, does not exclude a mechanism that publishes one random record " +
				"of n in full. This mechanism is (0, 1/n)-DP",
			Check:   published(1),
			Control: checks.Faulty(published(2), "two of the records"),
		},
	}
}

// published computes the largest total variation distance between neighbors if some of n different records are
// published, by enumeration. The neighbor differs in the last record.
func published(records int) verify.Check {
	return formula.Check{
		Quantity: "largest difference of the probabilities of an event between neighbors", Sense: verify.AtMost,
		Domain: "n from 40 to 350, records all different, the last one replaced in the neighbor",
		Proof:  "by symmetry every position is like the last; equal records only reduce the distance",
		Points: func(add func(formula.Point)) {
			for n := 40; n <= 350; n += 10 {
				// The most distinguishing event: a published set contains the last record, which the neighbor lacks.
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
