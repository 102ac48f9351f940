package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func stepClaims() []verify.Claim {
	constant := func(alpha float64) func(int) []float64 { return func(int) []float64 { return []float64{alpha} } }
	return []verify.Claim{
		{
			ID: "pairwise/settings/steps", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Experiments, Alg. 1, line 2, Alg. 3, line 1: " + strongPlace + "; the smallest λ with which a step " +
				"is taken at n ≤ 90 is 2.9; rows of norm 1 are not stated, see settings/steps/rows",
			Statement: "OnPairStrC and OffPairStrC take no gradient step at any n of the experiments, 40 to 90: T₁ is " +
				"256 million. Setting: the printed λ = 10⁻³ and T₁ = max(⌈16L²/α²⌉, 7), rows of norm 1",
			Check:   noStep(constant(lambda), strongSizes, "T₁ does not depend on n, and n ≤ 90"),
			Control: checks.Faulty(noStep(constant(8), strongSizes, ""), "λ = 8"),
			Formerly: []string{"pairwise/experiments/setting", "pairwise/settings/steps/lambda",
				"pairwise/experiments/setting/corrected"},
		},
		{
			ID: "pairwise/settings/steps/convex", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Experiments, Theorem 3, Alg. 1, line 2: " + convexPlace + "; the paper prints no c; with c > 4L steps " +
				"are taken, after 16L²n/c² rounds",
			Statement: "OnPairC and OffPairC take no gradient step at any n: T₁ ≥ n. Setting: α = c/√n with c ≤ 4L = " +
				"16, rows of norm 1",
			Check:    noStep(scaledAlphas(1, 4, 16), convexAndPowers(), "T₁ ≥ 16·(4√n/c)² ≥ n for c ≤ 16, and T₁ falls in c"),
			Control:  checks.Faulty(noStep(scaledAlphas(40), convexSizes, ""), "c = 40"),
			Formerly: []string{"pairwise/experiments/setting/convex", "pairwise/thm-3/warm-up"},
		},
		{
			ID: "pairwise/settings/steps/rows", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Experiments, Alg. 1, line 2: λ (Experiments for AUC maximization, first paragraph) and n (second), " +
				"which state no norm of the rows",
			Statement: "if rows are short enough for T₁ < n at λ = 10⁻³ (norm at most 0.0184 at n = 90), the parameters " +
				"hardly matter. The loss of any pair then differs by at most 0.1 between any two parameters of the unit " +
				"ball",
			Check: shortRows(lambda, "L = 4r² grows with r, and T₁ with L; the argument of φ is within ±4r, and φ(−t) − "+
				"φ(t) = t"),
			Control: checks.Faulty(shortRows(8, ""), "λ = 8, at which rows may be long"),
		},
		{
			ID: "pairwise/settings/same-class", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Experiments, Example 2: with y = y′; eq. (1); the sizes n",
			Statement: "no objective value of Figures 1 to 3, without its ridge, is below 0.33. Eq. (1) with the AUC " +
				"loss counts pairs of one class, whose loss is log 2 for every w. They are at least 48 % of all pairs at " +
				"n ≥ 40, for any labels",
			Check:   sameClass(0.48),
			Control: checks.Faulty(sameClass(0.52), "a share of 52 %"),
		},
	}
}

// convexAndPowers returns sizes of the experiments and powers of 2.
func convexAndPowers() []int {
	sizes := []int{50, 100, 150, 200, 250, 300, 350}
	for n := 2; n <= 1<<20; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

func scaledAlphas(factors ...float64) func(n int) []float64 {
	return func(n int) (alphas []float64) {
		for _, c := range factors {
			alphas = append(alphas, c*inverseRoot(n))
		}
		return alphas
	}
}

// noStep compares T₁ with n. L is the sum of the smoothness of the loss, 4 for rows of norm 1 in either task, and the
// ridge.
func noStep(alphas func(n int) []float64, sizes []int, proof string) verify.Check {
	return formula.Check{
		Quantity: "T₁", Sense: verify.AtLeast, Proof: proof,
		Domain: "L = 4 + α for the AUC and the metric loss on rows of norm 1; the n of the experiments, for α = c/√n " +
			"also powers of 2 up to 2²⁰",
		Points: func(add func(formula.Point)) {
			for _, n := range sizes {
				for _, alpha := range alphas(n) {
					t1 := pairwise.WarmupSteps(pairwise.WarmupPaper, aucLoss.Smoothness(1, 1)+alpha, alpha)
					add(formula.Point{Place: formula.Placef("α=%.3g, n=%d", alpha, n), Measured: float64(t1), Claimed: float64(n),
						Show: true})
				}
			}
		},
	}
}

// smallestHolding finds the boundary of a condition that holds from some x on, by bisection of log x; hi satisfies it.
func smallestHolding(lo, hi float64, holds func(x float64) bool) float64 {
	for hi/lo > 1+1e-12 {
		if mid := math.Sqrt(lo * hi); holds(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// shortRows computes the largest norm of rows with T₁ < n, and the largest difference of a pair's loss between
// parameters.
func shortRows(lambda float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "largest difference of a pair's loss between parameters", Sense: verify.AtMost, Proof: proof,
		Domain: "n ∈ {40, 90}, the longest rows r with T₁ < n at L = 4r² + λ, by bisection, at most 1",
		Points: func(add func(formula.Point)) {
			for _, n := range strongSizes {
				longest := 1 / smallestHolding(1, 1e9, func(x float64) bool {
					return pairwise.WarmupSteps(pairwise.WarmupPaper, aucLoss.Smoothness(1/x, 1)+lambda, lambda) < n
				})
				widest := aucLoss.Phi.Value(-4*longest) - aucLoss.Phi.Value(4*longest)
				add(formula.Point{Place: formula.Placef("n=%d, rows of norm %.3g", n, longest), Measured: widest, Claimed: 0.1,
					Error: 1e-9, Show: true})
			}
		},
	}
}

// sameClass computes the share of pairs with equal labels, for one class up to two classes of equal size.
func sameClass(share float64) verify.Check {
	return formula.Check{
		Quantity: "share of the pairs of equal labels", Sense: verify.AtLeast, Domain: "every number of positive labels",
		Grid: formula.Grid{formula.Over("n", paperSizes...)},
		Proof: "(p(p−1) + (n−p)(n−p−1))/(n(n−1)) is smallest at p = n/2, with the value (n−2)/(2(n−1)), which increases " +
			"with n",
		At: func(at []float64, add func(formula.Point)) {
			n := at[0]
			for p := 0.0; p <= n; p++ {
				add(formula.Point{Place: formula.Placef("%g positive", p), Claimed: share, Show: 2*p == n,
					Measured: (p*(p-1) + (n-p)*(n-p-1)) / (n * (n - 1))})
			}
		},
	}
}
