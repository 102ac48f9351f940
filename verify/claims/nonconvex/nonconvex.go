// Package nonconvex holds the claims of Wang & Xu 2019, "Differentially Private
// Empirical Risk Minimization with Smooth Non-convex Loss Functions: A
// Non-stationary View".
//
//	geometry*.go    Definitions 2, 3, 7, 8 and 9, eq. (2), Assumption 3, Lemma 4, the Frank–Wolfe gap
//	tools.go        Lemmas 1 to 3, Definitions 5 and 6: the privacy tools
//	release.go      Theorems 1 and 4 and line 3 of Algorithm 1: the privacy of a run
//	observers.go    the privacy of a run if all iterates, or only one, are observed
//	remark.go       Remark 1 and below: noise in closed form, comparisons, smallest gradient
//	noise.go        the noise formulas of Remark 1
//	rates.go        Theorems 2 to 6: utility along n, p and T, with explicit constants
//	variations.go   the list of these rates and their variables
//	adversary.go    the adversary of the rates: its instances and its choice of the worst
//	runs.go         the algorithms of the rates, one replicate at a time
//	regions.go      Theorem 2 for F without a minimum, Theorem 4 for small sets
//	population.go   the two sides of eq. (5), Remark 2
//	formulas.go     Remark 3, Table 1, (8) against the other bounds
//	vertices.go     Algorithm 4 and its privacy, noisy max
//	experiments*.go the loss, the labels, the trends and the comparison of the experiments
//	training.go     the DP-GD of the experiments
//	settings.go     observations at the settings of the experiments
//
// # Readings
//
// These readings were fixed before anything was run. Neighbors differ in one of n records, so that ∇F moves by up to
// 2G/n. The paper's datasets are in 𝒳ⁿ, and neighbors "differ only by one entry".
//
//   - thm-1: x_R is released, as Algorithm 1 returns it, or all iterates, which the composition accounts for.
//   - thm-1/corrected, alg-1/step-3, remark-1/noise/private: all iterates, with the Lipschitz constant G for L.
//   - remark-1/noise/smoothness: L as Assumption 1 defines it.
//   - remark-1/comparison/moments: integer orders to 32; …/moments/real real orders.
//   - thm-2 to thm-6: T = ⌈v⌉, v the T of the theorem without its O; thm-2/steps T between multiples of v.
//   - thm-2, thm-5: g_R = (x_R − x_{R+1})/γ_R contains the noise; thm-2/gradient is the projected gradient at ∇F(x_R).
//   - thm-3/utility: the mean over the records for the probability 1 − β, τ = G.
//   - thm-6/utility/probability: the mean over R, with probability 1 − η over the selections.
//   - alg-4: line 2 as reconstructed; the score moves by at most 2G‖C‖₁/n.
//   - experiments/comparison/synthetic/zhang: the comparison of Figure 4 on the other data set.
package nonconvex

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the first part of the paper's claim ids.
const ID = "nonconvex"

// Claims returns the claims of the paper in the paper's order.
func Claims() []verify.Claim {
	return slices.Concat(geometryClaims(), toolClaims(), releaseClaims(), remarkClaims(), rateClaims(),
		populationClaims(), formulaClaims(), vertexClaims(), experimentClaims(), settingsClaims())
}
