package nonconvex

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// squaredLoss compares the largest gradient 2|⟨θ, x⟩ − y|·‖x‖_* of (⟨θ, x⟩ − y)², at x
// = (1, …, 1), y = 1 and θ = −e₁, with its value 4 at p = 1. ‖·‖_* is the norm dual to
// the one on the right of the definition.
func squaredLoss(norm sensitivity.Norm) verify.Check {
	return formula.Check{
		Quantity: "Lipschitz constant of the squared loss", Sense: verify.AtMost, Domain: "data in [−1, 1], ‖θ‖₁ ≤ 1",
		Proof: "|⟨θ, x⟩ − y| ≤ ‖θ‖₁‖x‖∞ + 1 = 2, and the gradient is 2(⟨θ, x⟩ − y)x: the point shown is the worst. |⟨θ, " +
			"x⟩| grows with θ, so the example needs the bounded C of Assumption 4",
		Grid: formula.Grid{formula.Over("p", 1, 2, 10, 100, 10000)},
		At: func(at []float64, add func(formula.Point)) {
			x, theta := make([]float64, int(at[0])), make([]float64, int(at[0]))
			for j := range x {
				x[j] = 1
			}
			theta[0] = -1
			dual := 2.0
			if norm == sensitivity.L1 {
				dual = math.Inf(1)
			}
			constant := 2 * math.Abs(floats.Dot(theta, x)-1) * floats.Norm(x, dual)
			add(formula.Point{Measured: constant, Claimed: 4, Show: true})
		},
	}
}

// sigmoidMeets holds what the sigmoid needs over what tau allows at c = 0: the logarithm of its moment generating
// function over τ²λ²/2, for gradients of two values in one direction, mean 0, that are as far from each other as rows
// of norm 1 allow, ½; and H over τ² and L over τ³.
func sigmoidMeets(tau float64) verify.Check {
	return formula.Check{
		Quantity: "what the sigmoid needs over what Assumptions 2 and 3 allow", Sense: verify.AtMost,
		Domain: "laws of two gradients ±u/4, ‖u‖ = 1, P(+) ∈ {0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99}, λ ∈ {±0.01, ±1, ±4, " +
			"±40}; H; L",
		Proof: "⟨λ, ∇f⟩ has a range of ‖λ‖/2, so that ∇f is ¼-sub-Gaussian (Hoeffding's lemma); |σ″| ≤ 1/(6√3), and |σ‴| " +
			"is largest at 0, where it is 1/8",
		Points: func(add func(formula.Point)) {
			for _, share := range []float64{0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99} {
				for _, lambda := range []float64{-40, -4, -1, -0.01, 0.01, 1, 4, 40} {
					mean := (2*share - 1) / 4
					moment := math.Log(share*math.Exp(lambda*(0.25-mean)) + (1-share)*math.Exp(lambda*(-0.25-mean)))
					add(formula.Point{Place: formula.Placef("Assumption 2, P(+)=%g, λ=%g", share, lambda), Claimed: 1,
						Error:    1e-9,
						Measured: moment / (tau * tau * lambda * lambda / 2), Show: share == 0.5 && lambda > 0})
				}
			}
			add(formula.Point{Place: formula.Placef("Assumption 3, H"), Claimed: 1, Show: true,
				Measured: erm.Sigmoid{}.Smoothness(math.Inf(1)) / (tau * tau)})
			add(formula.Point{Place: formula.Placef("Assumption 3, L"), Claimed: 1, Show: true, Error: 1e-6,
				Measured: steepestCurvature() / (tau * tau * tau)})
		},
	}
}

// steepestCurvature is the largest |σ‴| on a grid, by differences of the second derivative, which is that of σ′ by
// differences too: to about 1e-7 of itself.
func steepestCurvature() float64 {
	const h = 1e-3
	slope, largest := erm.Sigmoid{}.Derivative, 0.0
	for m := -10.0; m <= 10; m += 0.125 {
		// Richardson's extrapolation of the second difference, whose error goes with h⁴.
		second := func(h float64) float64 { return (slope(m+h) - 2*slope(m) + slope(m-h)) / (h * h) }
		largest = math.Max(largest, math.Abs(4*second(h)-second(2*h))/3)
	}
	return largest
}
