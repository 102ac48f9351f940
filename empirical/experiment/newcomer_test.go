package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// The code from here to the end of newcomerUnit is a complete new experiment, except for its entry in the registry.
// It estimates the mean of n fair coins with Laplace noise.
var newcomer = Experiment{
	About: result.About{
		Name:   "example/fig-1",
		Title:  "Error of a noisy mean against the number of records",
		Source: "Nobody 1999, Fig. 1",
		Data:   "none: the data is drawn",
	},
	Panels: func(Options) ([]Panel, error) {
		return []Panel{{Name: "example/fig-1", Title: "Fair coins", Start: newcomerStart}}, nil
	},
}

func newcomerStart(_ context.Context, o Options) (Task, error) {
	var units []Unit
	for _, epsilon := range []float64{0.1, 1} {
		for i, n := range []float64{10, 100, 1000} {
			printed := []float64{math.NaN(), 0.04, 0.01}[i] // the paper's figures, where it prints any
			units = append(units, newcomerUnit(n, epsilon, printed))
		}
	}
	return Task{
		XLabel: "number of records n", YLabel: "absolute error of the mean", LogX: true, LogY: true,
		Min: 0, Max: math.Inf(1), Repeats: o.Pick(10, 100, 1000), Units: units,
		Notes: []string{"The noise has scale 1/(nε)."},
		Finish: func(r *result.Result, outcomes []Outcome) error {
			if least := r.Series[1].Upper[2]; least < r.Series[0].Lower[2] {
				r.Findings = append(r.Findings, "At n = 1000 the error is smaller at the larger ε.")
			}
			return nil
		},
	}, nil
}

func newcomerUnit(n, epsilon, printed float64) Unit {
	return Unit{
		Series: fmt.Sprintf("ε = %g", epsilon), X: []float64{n}, Reported: []float64{printed},
		Run: func(_ context.Context, d Draw) ([]float64, error) {
			heads := 0.0
			for range int(n) {
				heads += float64(d.Rand.IntN(2))
			}
			return []float64{math.Abs(heads/n + newcomerLaplace(d.Rand)/(n*epsilon) - 0.5)}, nil
		},
	}
}

func newcomerLaplace(r *rand.Rand) float64 { return r.ExpFloat64() - r.ExpFloat64() }

// The experiment gives two series of three points with the paper's values, and the finding of Finish. The seed is
// fixed. The mean error is about 0.017 at ε = 0.1 and n = 1000, and about 0.013 at ε = 1, with standard deviations
// 0.013 and 0.01. The finding is therefore uncertain with 100 repeats and reliable with 1000.
func TestNewcomer(t *testing.T) {
	results, err := newcomer.Run(context.Background(), Options{Seed: empirical.NewSeed(1), Budget: empirical.Thorough, Pool: empirical.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	if r.State != result.Finished || len(r.Series) != 2 || len(r.Series[0].X) != 3 || r.Series[0].Reported[1] != 0.04 || r.Series[1].N[0] != 1000 || len(r.Findings) != 1 {
		t.Errorf("%+v", r)
	}
}
