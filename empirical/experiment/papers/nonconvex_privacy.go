package papers

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func nonconvexPrivacy() (all []experiment.Experiment) {
	all = append(all, experiment.Experiment{
		About: result.About{
			Name: "nonconvex/thm-1", Title: "Least constant c of eq. (3)", Source: "Wang & Xu 2019, Theorem 1",
			Data: "none: it is computed",
		},
		Panels: func(experiment.Options) ([]experiment.Panel, error) {
			return []experiment.Panel{{Name: "nonconvex/thm-1", Title: "Least constant c of eq. (3)",
				Start: leastConstantStart}}, nil
		},
	})
	all = append(all, experiment.Experiment{
		About: result.About{
			Name: "nonconvex/step-3", Title: "Noise of line 3 of Algorithm 1 over the least private noise",
			Source: "Wang & Xu 2019, Algorithm 1", Data: "none: it is computed",
		},
		Panels: func(experiment.Options) ([]experiment.Panel, error) {
			return []experiment.Panel{{Name: "nonconvex/step-3",
				Title: "Noise of line 3 as printed over the least private noise",
				Start: stepThreeStart}}, nil
		},
	})
	return all
}

var (
	privacyDeltas   = []float64{1e-8, 1e-5, 1e-3, 0.1}
	privacyEpsilons = []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}
)

// curves returns a curve over ε for each δ.
func curves(f func(epsilon, delta float64) (float64, error)) (units []experiment.Unit) {
	for _, delta := range privacyDeltas {
		units = append(units, experiment.Unit{Series: fmt.Sprintf("δ = %g", delta), X: privacyEpsilons, Once: true,
			Run: func(context.Context, experiment.Draw) (values []float64, err error) {
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

func leastConstantStart(context.Context, experiment.Options) (experiment.Task, error) {
	return experiment.Task{
		XLabel: "privacy level ε", YLabel: "least c", LogX: true, LogY: true, Min: 0, Max: math.Inf(1), Repeats: 2,
		Units: curves(func(epsilon, delta float64) (float64, error) {
			sigma, err := accountant.GaussianSigma(epsilon, delta, 2)
			return sigma.Estimate * sigma.Estimate * epsilon * epsilon / math.Log(1/delta), err
		}),
		Config: "exact Gaussian mechanism",
		Notes: []string{
			"σ² = cG²T·ln(1/δ)/(n²ε²) makes the iterates of Algorithm 1 (ε, δ)-private if and only if c is at least the " +
				"value shown, for all G, T and n; a record is replaced, so that a gradient moves by 2G/n.",
			"No c suffices for all ε: the curves grow like 2ε/ln(1/δ). For ε ≤ ln(1/δ), c = 2(1+√2)² = 11.66 suffices.",
		},
	}, nil
}

func stepThreeStart(context.Context, experiment.Options) (experiment.Task, error) {
	return experiment.Task{
		XLabel: "privacy level ε", YLabel: "σ of line 3 over the least private σ", LogX: true, LogY: true, Min: 0,
		Max: math.Inf(1), Repeats: 2,
		Units:  curves(stepThreeExcess),
		Config: "exact Gaussian mechanism",
		Notes: []string{
			"The iterates are private if the curve is at least 1. σ² = 2L²T/(n²ρ²) with L read as the Lipschitz constant; " +
				"T and n cancel. The least σ is the exact one of the Gaussian mechanism.",
			"The noise is enough if ρ ≤ 1, that is ε ≤ 1 + 2√ln(1/δ). It is then 1/√ρ times the noise of the closed form; " +
				"for larger ε it soon is too small.",
		},
		Finish: func(r *result.Result, _ []experiment.Outcome) error {
			for _, delta := range privacyDeltas {
				low, high := 0.05, 1000.0
				for range 60 {
					middle := math.Sqrt(low * high)
					excess, err := stepThreeExcess(middle, delta)
					if err != nil {
						return err
					}
					if excess >= 1 {
						low = middle
					} else {
						high = middle
					}
				}
				r.Findings = append(r.Findings, fmt.Sprintf("At δ = %g, the noise of line 3 as printed is sufficient for "+
					"(ε, δ)-privacy up to ε = %.4g.", delta, low))
			}
			return nil
		},
	}, nil
}

// stepThreeExcess returns σ of line 3 divided by the smallest σ that makes the iterates private.
func stepThreeExcess(epsilon, delta float64) (float64, error) {
	const steps, records = 1, 2
	sigma, err := nonconvex.NoiseStep3(nonconvex.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: records,
		Lipschitz: 1})
	if err != nil {
		return 0, err
	}
	least, err := accountant.GaussianSigma(epsilon, delta, 2.0/records)
	return sigma / least.Estimate, err
}
