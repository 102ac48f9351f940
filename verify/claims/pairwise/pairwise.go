// Package pairwise holds the claims of Huai et al. 2020, "Pairwise Learning with
// Differential Privacy Guarantees".
//
//	gaussian.go    Definition 2, Lemmas 1-3
//	losses.go      Assumption 1 and its examples, eq. (6), line 4 of Algorithms 2 and 4
//	examples.go    Examples 1 and 2: strong convexity, Rademacher averages
//	stability.go   Lemma 4, the warm-up, the noise of Algorithm 3; tilt.go has the worst loss
//	noise.go       the noise of Algorithm 1, its approximation, Remark 1
//	scale.go       the closed form of ρ, the noise of Algorithms 3 and 1 compared, footnote 3
//	privacy.go     the algorithms as a whole: Theorems 1, 3 and 5
//	regret.go      Theorems 2 and 3
//	rates.go       the orders that the text derives from its equations, Remark 2, units
//	errors.go      Theorems 4 and 5
//	figures*.go    the statements about the figures, tested on the data
//	settings*.go   observations at the settings of the experiments
//
// # Readings
//
// Some statements can be read in more than one way. These readings were fixed before anything was run.
//
//   - def-2: the ε of the theorems, of the experiments, and of the practice that the paper names.
//   - alg-1/output, thm-1: line 13 gives its output the name that line 11 starts from; both readings are tested.
//     thm-2: with two names, which its rate needs; …/fed-back: with one name, as printed.
//   - noise-approximation/regime: "≪ 1" is read as "below 1", at the n of the experiments.
//   - remark-1: the factor of the regret, which is linear in the standard deviation of the noise.
//   - thm-3, thm-5/rates: α = c/√n at any fixed c > 0; the claims compute c = 1, and the proofs cover every c. O(·) may
//     hide everything that does not depend on n, for thm-5/rates/strongly everything that does not depend on n and α.
//   - contributions, remark-2: roots as in the equations; the errata have the printed ones.
//   - experiments, settings: rows of norm 1 and α = 1/√n, which the paper does not print; a correction takes the
//     shortest warm-up that is sound, with α and ε at which steps are taken.
//   - experiments: data files are standardized by the training rows' constants, which the paper does not print either.
//
// # Statements without a claim
//
// The paper refers to its supplement, for example for the buffer of Remark 1; the supplement was not at hand.
// Statements that existing methods do not apply, and that no work precedes, are about the literature.
package pairwise

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the first part of the paper's claim ids.
const ID = "pairwise"

// Claims returns the claims of the paper.
func Claims() []verify.Claim {
	return slices.Concat(gaussianClaims(), lossClaims(), exampleClaims(), stabilityClaims(), noiseClaims(), scaleClaims(),
		privacyClaims(), regretClaims(), rateClaims(), errorClaims(), figureClaims(), settingsClaims())
}

// The privacy levels of the experiments, with δ = 1/n, and the smallest and largest n.
var (
	paperEpsilons = []float64{0.5, 1.5, 2.5}
	paperSizes    = []float64{40, 50, 90, 350}
)
