// Package nonconvex holds the claims of Wang & Xu 2019, "Differentially Private
// Empirical Risk Minimization with Smooth Non-convex Loss Functions: A
// Non-stationary View".
//
//	geometry*.go    Definitions 2, 3, 7, 8 and 9, eq. (2), Assumption 3, Lemma 4, the Frank–Wolfe gap
//	tools.go        Lemmas 1 to 3, Definitions 5 and 6: the privacy tools
//	observers.go    what those learn who see the iterates, or one of them
//	release.go      Theorems 1, 4 and 5 and line 3 of Algorithm 1: the privacy of a run
//	remark.go       after Theorem 2: noise in closed form, comparisons, least gradient
//	noise.go        the formulas of noise behind them
//	rates.go        Theorems 2 to 6: utility along n, ε, p and T, with explicit constants
//	variations.go   the table of these rates
//	adversary.go    the adversary of the rates: the instances among which it takes the worst
//	runs.go         the algorithms behind them, one replicate at a time
//	regions.go      Theorem 2 without a least value of F, and T = O(·)
//	small.go        Theorems 4 and 6 as ‖C‖₂ → 0
//	large.go        Theorems 4 to 6 as ‖C‖₂ → ∞
//	population.go   the two sides of eq. (5), Remark 2
//	formulas.go     Remark 3, Table 1, (8) beside the other bounds
//	vertices.go     Algorithm 4 and its privacy, noisy max
//	experiments*.go the loss, the labels, the trends and the comparison of the experiments
//	training.go     DP-GD as in the experiments, behind these and the settings
//	settings*.go    what follows at the settings of the experiments
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these, fixed
// before anything is run; each has an id, and its place says what is ambiguous. Neighbours differ in one of n records,
// so that ∇F moves by up to 2G/n: datasets are in 𝒳ⁿ, and "differ only by one entry".
//
//   - lemma-1: δ′ ≤ ½, as it is used; …/any-delta δ′ < 1, as no range is printed.
//   - def-5: every ε; …/corrected ε ≤ 1.
//   - lemma-2: the noise Gσ/n on the mean gradient of a batch, as Algorithm 1 of Abadi
//     et al. forms it; …/corrected there. At l = n, where mean and sum/n agree, it is thm-1/iterates.
//   - thm-1: x_R alone is released, as Algorithm 1 returns it; …/iterates all
//     iterates are, as the composition in the proof charges. In both ε goes up to
//     c₁T for any T. …/corrected has ε ≤ ln(1/δ). Theorems 4 and 5 repeat the
//     statement of Algorithms 2 and 3.
//   - alg-1/step-3: L read as the Lipschitz constant G, x_R alone; …/iterates all
//     iterates; …/smoothness L as Assumption 1 has it, the smoothness; …/practice at
//     the ε of the experiments.
//   - remark-1/noise: the closed form, with the root over log(1/δ)+ε that the next
//     line's Taylor series needs, against line 3; …/root the root over log(1/δ) alone, as the text at hand shows
//     it; …/private its privacy with L for G; …/smoothness with the L of Assumption 1; …/approximation the
//     Taylor series for ε ≪ ln(1/δ), of σ₂; …/approximation/literal of the σ₁ that is printed; …/practice at the ε
//     of the experiments.
//   - remark-1/comparison: with advanced composition; …/zhang with the formula as
//     printed, without T; …/zhang/corrected with T put in; …/moments the moments
//     accountant with integer orders to 32; …/moments/real with real orders;
//     …/step-3 line 3 as printed against advanced composition.
//   - remark-1/minimum: the least true projected gradient; …/iterates the least g_k =
//     (x_k − x_{k+1})/γ_k, as Theorem 2 defines g_R, which the iterates tell.
//   - thm-2 to thm-6: T = ⌈v⌉, v the T of the theorem without its O, along n; …/epsilon,
//     …/dimension and …/steps along the others, …/steps with T about v as Θ(v) has it;
//     …/steps/at-most with every T ≤ v, as O(v) has it.
//   - thm-2, thm-5: g_R = (x_R − x_{R+1})/γ_R, noise included, as printed; thm-2/gradient
//     the projected gradient at ∇F(x_R) itself; thm-2/unbounded F without a least value.
//   - thm-4: ‖C‖₂ = 1, where the ‖C‖₂ + G_C² in the printed γ is the ‖C‖₂² + G_C² of the
//     rest; …/small ‖C‖₂ → 0, with the square; thm-4/large, thm-5/large, thm-6/utility/large ‖C‖₂ → ∞, where the O
//     hides L and G alone, or Δ as well.
//   - thm-4/step, thm-6/step: sets with ‖C‖₂ → 0.
//   - thm-6/utility: the ℓ1 ball; …/simplex the simplex, both of Corollary 1; …/probability the mean over R alone.
//   - thm-3: all ε, δ, β in (0, 1]; …/defined whether the bound is a number at all;
//     …/utility the bound itself, in the mean over the records where the theorem has
//     probability 1 − β, τ = G.
//   - remark-2: as n grows; …/every every n; …/samples nε in the place of n to a constant; …/samples/corrected at most.
//   - remark-3: p → ∞, which G_C = o(√p) speaks of; …/always every p; …/same (6) and (7) at ‖C‖₂ = 1.
//   - alg-4: line 2 as reconstructed, the score moves by 2G‖C‖₁/n.
//   - thm-6/privacy: every ε > 0 and δ < 1, x_R alone; …/corrected all vertices.
//   - table-1: C the ℓ1 ball in the row of Algorithm 4; …/polytope any polytope.
//
// The comments of geometryClaims, experimentClaims and settingsClaims have the readings of their claims.
package nonconvex

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "nonconvex"

// Claims returns the claims of the paper in its own order.
func Claims() []verify.Claim {
	return slices.Concat(geometryClaims(), toolClaims(), releaseClaims(), remarkClaims(), rateClaims(),
		populationClaims(), formulaClaims(), vertexClaims(), experimentClaims(), settingsClaims())
}
