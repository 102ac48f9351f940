// Package pairwise holds the claims of Huai et al. 2020, "Pairwise Learning with
// Differential Privacy Guarantees".
//
//	gaussian.go    Definition 2, Lemmas 1-3
//	losses.go      Assumption 1 and its examples, eq. (6), line 4 of Algorithms 2 and 4
//	examples.go    Examples 1 and 2, Definition 5, Rademacher averages
//	stability.go   Lemma 4, the warm-up, the noise of Algorithm 3; tilt.go is the worst loss
//	noise.go       the noise of Algorithm 1, its approximation, Remark 1
//	scale.go       the closed form of ρ, the noise of Algorithm 3 beside that of Algorithm 1, footnote 3
//	privacy.go     the algorithms as a whole: Theorems 1, 3 and 5
//	regret.go      Theorems 2 and 3; share.go their bounds beside the trivial one
//	rates.go       the orders that the text reads off its equations, eq. (8) at L = 0
//	errors.go      Theorems 4 and 5, Remark 2
//	units.go       eqs. (8), (10) and (13) in other units, Remark 2 in d
//	figures*.go    the sentences about the figures, on the data
//	settings*.go   what follows at the settings of the experiments
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these, fixed
// before anything is run; each has an id, and its place says what is ambiguous.
//
//   - def-2: any ε > 0, as the definition has it; …/corrected for ε ≤ 1, as the theorems
//     have it; …/experiments at the ε and δ of the experiments.
//   - assumption-1: rows in the unit ball; …/unbounded rows anywhere in R^d, as Definition 4 has
//     them; …/strongly whether losses of its form can be strongly convex.
//   - alg-1/warm-up: T₁ is enough for steps to contract; …/necessary that it is what
//     the argument needs; …/seven that the 7 in it has no effect.
//   - alg-1/output: step 13 gives the noisy output the name that step 11 uses, so that it is
//     fed back; …/kept: it is not, and Lemma 4 speaks of the run beneath. Theorem 2 likewise:
//     thm-2 where it is kept apart, which its rate needs, and thm-2/fed-back.
//   - noise-approximation: the value, the root of the line above read over the sum log(1/δ) + ε, as the Taylor
//     expansion of it demands; …/closed-form to the letter, over log(1/δ) alone; …/private: what the exact privacy of
//     the run is with it, …/lemma-3 what the paper's own conversion makes of it.
//   - noise-approximation/regime: ≪ 1 as below 1, over the range of ε named; …/tenth as at most 1/10 at
//     the ε and n of the experiments.
//   - remark-1: the factor of the regret, which is linear in the deviation of the noise;
//     …/variance the factor of its variance.
//   - footnote-3: w* as the minimiser on the data.
//   - thm-3, thm-4, thm-5/rates: α = c/√n at any fixed c > 0; c = 1 is shown, and the proofs say
//     why no c helps. O(·) may hide whatever does not depend on n; for thm-5/rates/strongly whatever
//     does not depend on n and α, as the bound names both.
//   - contributions, thm-3/rates, remark-2, thm-5/rates/text: the orders of the text as printed, beside the
//     equations; one glyph of a root decides in each.
//   - thm-4/strongly: eq. (11) in n; …/units in the unit in which losses are measured.
//   - thm-5/privacy: ε ≤ 1; …/experiments the ε of the experiments.
//   - experiments/auc, …/metric: the order in ε of the objective values of Figures 1, 2 and 5; …/auc/objective and
//     …/auc/size the order in n of objective and AUC, and …/auc/figure-4 the distance from NonPrivate of the AUC in
//     Figure 4. All at the literal warm-up; …/corrected at the shortest warm-up that is sound, with α and ε
//     at which steps are taken and the noise is small.
//   - experiments/metric/figure-5, …/metric/accuracy/size: a difference that a figure shows, for one that is not 0.
//   - settings/seven, settings/observers: T₁ as its 7, λ = 8 for the printed one, at which no step is taken.
//   - thm-2/experiments, thm-3/…, thm-5/…: the right sides with the constant 1 at the n and ε of the experiments.
//
// # Statements without an id
//
// The Conclusion speaks of regret bounds of the offline algorithms: Theorem 5 bounds the error of the one parameter
// that they return, and no regret is defined for them. What the supplement is said to hold, the buffer of Remark 1
// among it, is not in the paper. That existing methods do not apply, and that no work precedes, is of the literature.
package pairwise

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "pairwise"

// Claims returns the claims of the paper in its own order.
func Claims() []verify.Claim {
	return slices.Concat(gaussianClaims(), lossClaims(), exampleClaims(), stabilityClaims(), noiseClaims(), scaleClaims(),
		privacyClaims(), regretClaims(), rateClaims(), errorClaims(),
		unitClaims(), figureClaims(), settingsClaims())
}

// The privacy levels of the experiments, with δ = 1/n, and the sizes between which n runs.
var (
	paperEpsilons = []float64{0.5, 1.5, 2.5}
	paperSizes    = []float64{40, 50, 90, 350}
)

const paperWords = "ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, n ∈ {40, 50, 90, 350}"
