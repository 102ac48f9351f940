package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func stepClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/steps", Source: "Experiments, Alg. 1, step 2", Kind: verify.Experiment,
			Origin: verify.Observation, Place: strongPlace, Formerly: []string{"pairwise/experiments/setting"},
			Statement: "OnPairStrC and OffPairStrC at λ = 10⁻³ take no gradient step at any n of the experiments, for rows of " +
				"norm 1: the T₁ parameters drawn without a look at the data are more than n",
			Check: noStep(func(int) []float64 { return []float64{lambda} }, strongSizes, "T₁ does not depend on n, and n ≤ 90"),
			Control: verify.Control{Check: noStep(func(int) []float64 { return []float64{8} }, strongSizes, ""),
				Want:  checks.Refuted,
				Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/steps/convex", Source: "Experiments, Theorem 3, Alg. 1, step 2", Kind: verify.Experiment,
			Origin: verify.Observation, Place: convexPlace, Formerly: []string{"pairwise/experiments/setting/convex"},
			Statement: "OnPairC and OffPairC at α = c/√n, whatever c up to 4L = 16, take no gradient step at any n of the " +
				"experiments, for rows of norm 1",
			Check: noStep(scaledAlphas(1, 4, 16), []int{50, 100, 150, 200, 250, 300, 350},
				"T₁ ≥ 16·(4√n/c)² ≥ n for c ≤ 16, and "+
					"T₁ falls in c"),
			Control: verify.Control{Check: noStep(scaledAlphas(40), []int{50, 350}, ""), Want: checks.Refuted, Fault: "c = 40"},
		},
		{
			ID: "pairwise/settings/steps/lambda", Source: "Experiments, Alg. 1, step 2", Kind: verify.Experiment,
			Origin: verify.Observation, Place: strongPlace, Formerly: []string{"pairwise/experiments/setting/corrected"},
			Statement: "the least λ with which a step is taken at n ≤ 90, for rows of norm 1, is more than a thousand times " +
				"the λ of the experiments",
			Check: leastLambda(pairwise.WarmupPaper, "the least λ falls in n"),
			Control: verify.Control{Check: leastLambda(pairwise.WarmupContraction, ""), Want: checks.Refuted,
				Fault: "T₁ = ⌈L/α⌉ + 2, which is as sound"},
		},
		{
			ID: "pairwise/settings/steps/rows", Source: "Experiments, Alg. 1, step 2", Kind: verify.Experiment,
			Origin: verify.Observation,
			Place: "Experiments for AUC maximization, first paragraph (λ) and second (n), which " +
				"state no norm of the rows; Algorithm 1, line 2; Algorithm 3, line 1",
			Statement: "for a step at λ = 10⁻³ and n ≤ 90 rows must be so short that no two parameters differ by more than " +
				"0.1 in the loss of any pair",
			Check: shortRows(lambda, "L = 4r² grows with r, and T₁ with L; the argument of φ is within ±4r, and φ(−t) − "+
				"φ(t) = t"),
			Control: verify.Control{Check: shortRows(8, ""), Want: checks.Refuted, Fault: "λ = 8, where rows may be long"},
		},
		{
			ID: "pairwise/settings/same-class", Source: "Experiments, Example 2", Kind: verify.Identity,
			Origin: verify.Observation, Place: "Example 2 with y = y′; eq. (1); Experiments, the sizes n",
			Statement: "whatever the labels, at least 48 % of the pairs in an objective value of Figures 1 to 3 are of one " +
				"class and contribute log 2, whatever w: no objective value is below 0.33",
			Check:   sameClass(0.48),
			Control: verify.Control{Check: sameClass(0.52), Want: checks.Refuted, Fault: "a share of 52 %"},
		},
	}
}

func scaledAlphas(factors ...float64) func(n int) []float64 {
	return func(n int) (alphas []float64) {
		for _, c := range factors {
			alphas = append(alphas, c*inverseRoot(n))
		}
		return alphas
	}
}

// noStep compares T₁ with n; L is that of the loss, 4 for rows of norm 1 in either task, and the ridge.
func noStep(alphas func(n int) []float64, sizes []int, proof string) verify.Check {
	return formula.Check{
		Quantity: "T₁", Sense: verify.AtLeast, Proof: proof,
		Domain: "α and n as named, L = 4 + α for the AUC and the metric loss on rows of norm 1",
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

func leastLambda(w pairwise.Warmup, proof string) verify.Check {
	return formula.Check{
		Quantity: "least λ with T₁ < n, over 10⁻³", Sense: verify.AtLeast, Proof: proof,
		Domain: "n ∈ {40, 90}, L = 4 + λ, by bisection",
		Points: func(add func(formula.Point)) {
			for _, n := range strongSizes {
				first := smallestHolding(1e-6, 1e6, func(x float64) bool { return pairwise.WarmupSteps(w, 4+x, x) < n })
				add(formula.Point{Place: formula.Placef("n=%d", n), Measured: first / lambda, Claimed: 1000, Error: 1e-9,
					Show: true})
			}
		},
	}
}

// shortRows finds the longest rows with which T₁ < n, and what w can make of a pair of them.
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

// sameClass counts the pairs of equal labels, from one class to two of the same size.
func sameClass(share float64) verify.Check {
	return formula.Check{
		Quantity: "share of the pairs of equal labels", Sense: verify.AtLeast,
		Domain: "n ∈ {40, 50, 90, 350} and every number of positive labels",
		Proof:  "(p(p−1) + (n−p)(n−p−1))/(n(n−1)) is least at p = n/2, where it is (n−2)/(2(n−1)), which grows with n",
		Points: func(add func(formula.Point)) {
			for _, n := range []int{40, 50, 90, 350} {
				for p := 0; p <= n; p++ {
					pairs := float64(p*(p-1)+(n-p)*(n-p-1)) / float64(n*(n-1))
					add(formula.Point{Place: formula.Placef("n=%d, %d positive", n, p), Measured: pairs, Claimed: share,
						Show: 2*p == n})
				}
			}
		},
	}
}
