package nonconvex

import (
	"cmp"
	"math"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// Formulas of the noise that Remark 1 compares, and the ratio of two of them.

func zhang(withSteps bool) noiseFormula {
	return func(b algorithm.Budget) (float64, error) { return algorithm.NoiseZhang(b, withSteps) }
}

// mendedStep3 returns 2G²T/(n²ρ) with the ρ that solves line 3's equation, by bisection.
func mendedStep3(b algorithm.Budget) (float64, error) {
	l := math.Log(1 / b.Delta)
	low, high := 0.0, b.Epsilon
	for range 200 {
		if middle := (low + high) / 2; middle+2*math.Sqrt(middle*l) < b.Epsilon {
			low = middle
		} else {
			high = middle
		}
	}
	return b.Lipschitz / float64(b.Records) * math.Sqrt(2*float64(b.Steps)/high), nil
}

// taylorNoise returns √(8G²T·log(1/δ))/(nε), the approximation after Remark 1.
func taylorNoise(b algorithm.Budget) (float64, error) { return algorithm.NoiseTheorem1(b, 8) }

// littleNoise is too small to make the iterates private.
func littleNoise(b algorithm.Budget) (float64, error) { return algorithm.NoiseTheorem1(b, 0.01) }

// composedNoise returns the noise of Definition 5 at the ε₀ that Lemma 1 gives each of T steps, with δ/2 for δ′ and
// δ/(2T) for each step.
func composedNoise(b algorithm.Budget) (float64, error) {
	half := b
	half.Delta /= 2
	each, err := algorithm.StepEpsilon(half)
	steps := float64(b.Steps)
	return 2 * b.Lipschitz / float64(b.Records) * math.Sqrt(2*math.Log(1.25*2*steps/b.Delta)) / each, err
}

// realMoments returns the noise of the moments accountant with every real order λ: the minimum of 2λ(λ+1)/(λε −
// ln(1/δ)), by golden section.
func realMoments(b algorithm.Budget) (float64, error) {
	l := math.Log(1 / b.Delta)
	f := func(logRoom float64) float64 {
		order := (l + math.Exp(logRoom)) / b.Epsilon
		return 2 * order * (order + 1) / math.Exp(logRoom)
	}
	low, high := -20.0, 20.0
	for range 200 {
		third := (high - low) / 3
		if f(low+third) < f(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	return b.Lipschitz / float64(b.Records) * math.Sqrt(float64(b.Steps)*f(low)), nil
}

// budgets returns the grid of T, ε and δ; budgetAt returns the budget of one point at n = 10⁴, G = 1.
func budgets(epsilons, deltas []float64) formula.Grid {
	return formula.Grid{formula.Over("T", 50, 200, 400, 100000), formula.Over("ε", epsilons...),
		formula.Over("δ", deltas...)}
}

func budgetAt(at []float64) algorithm.Budget {
	return algorithm.Budget{Epsilon: at[1], Delta: at[2], Steps: int(at[0]), Records: 10000, Lipschitz: 1}
}

var (
	paperBudgets = budgets(paperEpsilons, []float64{1e-3, 1e-4})
	belowOne     = budgets([]float64{0.01, 0.1, 0.5, 0.99}, []float64{1e-6, 1e-3})
	// smallEpsilons are at most 0.1·log(1/δ).
	smallEpsilons = budgets([]float64{0.01, 0.1, 0.5, 0.69}, []float64{1e-3, 1e-4, 5e-6})
	// momentEpsilons are ε that 32 orders suffice for: λε > ln(1/δ).
	momentEpsilons = budgets([]float64{0.5, 2, 5}, []float64{1e-3, 1e-4})
)

// noiseRatio compares the variances of two formulas.
func noiseRatio(left, right noiseFormula, sense verify.Sense, claimed float64, budgets formula.Grid,
	proof string) formula.Check {
	return formula.Check{
		Quantity: "first variance over the second", Sense: sense, Proof: proof, Domain: "n = 10⁴, G = 1", Grid: budgets,
		At: func(at []float64, add func(formula.Point)) {
			b := budgetAt(at)
			l, err1 := left(b)
			r, err2 := right(b)
			add(formula.Point{Measured: l * l / (r * r), Claimed: claimed, Error: 1e-10, Show: b.Steps == 200 || claimed == 1,
				Err: cmp.Or(err1, err2)})
		},
	}
}
