package papers

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func wdbc(t *testing.T) *dataset.Dataset {
	t.Helper()
	s, err := dataset.Load("../../../testdata/data/wdbc.csv", dataset.Options{Header: dataset.HeaderDetect})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small returns options for a run that takes a fraction of a second.
func small(t *testing.T) experiment.Options {
	return experiment.Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 4, Epochs: 2, Epsilons: []float64{0.5,
		8}, Totals: []float64{1}}
}

func runFig4(t *testing.T, o experiment.Options) ([]result.Result, error) {
	t.Helper()
	e, err := Lookup("prestige/fig-4")
	if err != nil {
		t.Fatal(err)
	}
	return e.Run(context.Background(), o)
}

// The results depend on the seed but not on the number of workers.
func TestFig4IsAFunctionOfTheSeed(t *testing.T) {
	o := small(t)
	want := runNamed(t, "prestige/fig-4", o)
	for _, workers := range []int{1, 2, 7} {
		o.Pool = empirical.NewPool(workers)
		if diff := cmp.Diff(want, runNamed(t, "prestige/fig-4", o)); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
	o.Seed = empirical.NewSeed(2)
	if cmp.Diff(want, runNamed(t, "prestige/fig-4", o)) == "" {
		t.Error("seed 2 gives the results of seed 1")
	}
}

// The values at a level do not depend on the other requested levels.
func TestFig4PointsStandAlone(t *testing.T) {
	o := small(t)
	all := runNamed(t, "prestige/fig-4", o)
	o.Epsilons, o.Totals = []float64{8}, nil
	alone := runNamed(t, "prestige/fig-4", o)
	for k := range alone[0].Series {
		if a, b := all[2].Series[k].Mean[1], alone[0].Series[k].Mean[0]; a != b {
			t.Errorf("%s at ε = 8: %v among others, %v alone", alone[0].Series[k].Name, a, b)
		}
	}
}

func TestFig4Shape(t *testing.T) {
	results := runNamed(t, "prestige/fig-4", small(t))
	if len(results) != 3 || results[0].Name != "prestige/fig-4/total" || results[1].Name != "prestige/fig-4/per-record" || results[2].Name != "prestige/fig-4/per-update" {
		t.Fatalf("panels %+v", results)
	}
	for _, result := range results {
		if result.Title == "" || result.XLabel == "" || result.YLabel == "" || len(result.Notes) == 0 {
			t.Errorf("%s lacks a title, a label or notes", result.Name)
		}
		if len(result.Series) != len(fig4Arms) {
			t.Errorf("%s has %d series, want %d", result.Name, len(result.Series), len(fig4Arms))
		}
		for _, s := range result.Series {
			for i := range s.X {
				if !(0 <= s.Lower[i] && s.Lower[i] <= s.Mean[i] && s.Mean[i] <= s.Upper[i] && s.Upper[i] <= 1 && s.SD[i] >= 0 && s.N[i] == 4) {
					t.Errorf("%s, %s at %v: mean %v, sd %v, interval [%v, %v], %d repeats", result.Name, s.Name, s.X[i],
						s.Mean[i], s.SD[i], s.Lower[i], s.Upper[i], s.N[i])
				}
			}
		}
	}
}

// On real data SGD learns, and projected DJW improves with ε. The seed is fixed. The limits were not fitted to it:
// with forty other seeds SGD gave at most 0.052, and DJW gave 0.337 to 0.606 at ε = 1e-3 and 0.042 to 0.091 at 4.
func TestFig4Learns(t *testing.T) {
	o := experiment.Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 10, Epsilons: []float64{1e-3, 4}}
	series := runNamed(t, "prestige/fig-4", o)[0].Series
	sgd, djw := series[0], series[3]
	if !(sgd.Mean[0] < 0.1) {
		t.Errorf("SGD errs on %v of the test rows, want below 0.1", sgd.Mean[0])
	}
	if !(djw.Mean[1] < 0.15 && djw.Mean[0] > 0.25) {
		t.Errorf("DJW errs on %v at ε = 1e-3 and %v at 4, want above 0.25 and below 0.15", djw.Mean[0], djw.Mean[1])
	}
}

func TestFig4Errors(t *testing.T) {
	narrow, err := dataset.NewDense(2, []float64{1, 2}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		reason, says string
		change       func(*experiment.Options)
	}{
		{"one repeat has no deviation", "repeats", func(o *experiment.Options) { o.Repeats = 1 }},
		{"ε = 0", "privacy level", func(o *experiment.Options) { o.Epsilons = []float64{0} }},
		{"NaN", "privacy level", func(o *experiment.Options) { o.Totals = []float64{math.NaN()} }},
		{"negative λ", "Lambda", func(o *experiment.Options) { o.Lambda = -1 }},
		{"R is not a number", "Radius", func(o *experiment.Options) { o.Radius = math.NaN() }},
		{"an unknown budget", "budget", func(o *experiment.Options) { o.Budget = "lavish" }},
		{"a test set of other columns", "test set", func(o *experiment.Options) { o.Test = narrow }},
		{"a training row that cannot be split", "split", func(o *experiment.Options) { o.Train = narrow }},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			o := small(t)
			c.change(&o)
			if _, err := runFig4(t, o); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

// Without rows and data sets no panel runs, and each reports what is missing.
func TestFig4WithoutData(t *testing.T) {
	results := runNamed(t, "prestige/fig-4", experiment.Options{})
	if len(results) != 6 {
		t.Fatalf("%d panels, want three readings of two data sets", len(results))
	}
	for _, r := range results {
		if r.State != result.NotRun || !strings.Contains(r.Reason, "data set") {
			t.Errorf("%s: %s, %q", r.Name, r.State, r.Reason)
		}
	}
}
