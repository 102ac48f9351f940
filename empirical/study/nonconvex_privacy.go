package study

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds/accountant"
)

func init() {
	register(Experiment{
		Name: "nonconvex/thm-1", Title: "Least constant c of eq. (3)", Source: "Wang & Xu 2019, Theorem 1", Data: "none: it is computed",
		Panels: func(Options) ([]Panel, error) {
			return []Panel{{Name: "nonconvex/thm-1", Title: "Least constant c of eq. (3)", Start: leastConstantStart}}, nil
		},
	})
	register(Experiment{
		Name: "nonconvex/step-3", Title: "Least δ of line 3 of Algorithm 1", Source: "Wang & Xu 2019, Algorithm 1", Data: "none: it is computed",
		Panels: func(Options) ([]Panel, error) {
			return []Panel{{Name: "nonconvex/step-3", Title: "Least δ over the claimed δ, line 3 of Algorithm 1 as printed", Start: stepThreeStart}}, nil
		},
	})
}

var (
	privacyDeltas   = []float64{1e-8, 1e-5, 1e-3, 0.1}
	privacyEpsilons = []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}
)

// curves has a curve over ε for each δ.
func curves(f func(epsilon, delta float64) (float64, error)) (units []Unit) {
	for _, delta := range privacyDeltas {
		units = append(units, Unit{Series: fmt.Sprintf("δ = %g", delta), X: privacyEpsilons, Once: true, Run: func(context.Context, Draw) (values []float64, err error) {
			for _, epsilon := range privacyEpsilons {
				v, err := f(epsilon, delta)
				if err != nil {
					return nil, err
				}
				values = append(values, v)
			}
			return values, nil
		}})
	}
	return units
}

func leastConstantStart(context.Context, Options) (Task, error) {
	return Task{
		XLabel: "privacy level ε", YLabel: "least c", LogX: true, LogY: true, Least: 0, Most: math.Inf(1), Repeats: 2,
		Units: curves(func(epsilon, delta float64) (float64, error) {
			sigma, err := accountant.GaussianSigma(epsilon, delta, 2)
			return sigma.Estimate * sigma.Estimate * epsilon * epsilon / math.Log(1/delta), err
		}),
		Config: "exact Gaussian mechanism",
		Notes: []string{
			"σ² = cG²T·ln(1/δ)/(n²ε²) makes the iterates of Algorithm 1 (ε, δ)-private if and only if c is at least the value shown, whatever G, T and n; a record is replaced, so that a gradient moves by 2G/n.",
			"No c serves all ε: the curves grow like 2ε/ln(1/δ). For ε ≤ ln(1/δ), c = 2(1+√2)² = 11.66 suffices.",
		},
	}, nil
}

func stepThreeStart(context.Context, Options) (Task, error) {
	return Task{
		XLabel: "privacy level ε", YLabel: "least δ over the claimed δ", LogX: true, LogY: true, Least: 0, Most: math.Inf(1), Repeats: 2,
		Units: curves(func(epsilon, delta float64) (float64, error) {
			const steps, records = 1, 2
			sigma, err := nonconvex.NoiseStep3(nonconvex.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: records, Lipschitz: 1})
			if err != nil {
				return 0, err
			}
			ratio := math.Exp(accountant.GDP{Mu: 2 / (records * sigma)}.LogDelta(epsilon)) / delta
			return math.Max(ratio, leastShown), nil
		}),
		Config: "exact Gaussian mechanism",
		Notes: []string{
			fmt.Sprintf("The iterates are private where the curve is at most 1. Values below %g are shown as that. σ² = 2L²T/(n²ρ²) with L read as the Lipschitz constant; T and n cancel.", leastShown),
			"The noise is enough as long as ρ ≤ 1, that is ε ≤ 1 + 2√ln(1/δ), and there it is more than is needed by 1/√ρ; beyond a larger ε it is too little. With ρ in the place of ρ² the curve never passes 1.",
		},
	}, nil
}

// leastShown keeps the logarithmic axis in sight.
const leastShown = 1e-6
