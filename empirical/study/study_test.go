package study

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
)

func wdbc(t *testing.T) *dataset.Dataset {
	t.Helper()
	s, err := dataset.Load(filepath.Join("..", "..", "testdata", "data", "wdbc.csv"), dataset.Options{Header: dataset.HeaderDetect})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// small is a run of a fraction of a second.
func small(t *testing.T) Options {
	return Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 4, Epochs: 2, Epsilons: []float64{0.5, 8}, Budgets: []float64{1}}
}

func runSmall(t *testing.T, o Options) []Result {
	t.Helper()
	results, err := runFig4(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// The results do not depend on the number of workers, and do on the seed.
func TestFig4IsAFunctionOfTheSeed(t *testing.T) {
	o := small(t)
	want := runSmall(t, o)
	for _, workers := range []int{1, 2, 7} {
		o.Pool = empirical.NewPool(workers)
		if diff := cmp.Diff(want, runSmall(t, o)); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
	o.Seed = empirical.NewSeed(2)
	if cmp.Diff(want, runSmall(t, o)) == "" {
		t.Error("seed 2 gives the results of seed 1")
	}
}

// A level's values do not depend on which other levels are asked for.
func TestFig4PointsStandAlone(t *testing.T) {
	o := small(t)
	all := runSmall(t, o)
	o.Epsilons, o.Budgets = []float64{8}, nil
	alone := runSmall(t, o)
	for k := range alone[0].Series {
		if a, b := all[1].Series[k].Mean[1], alone[0].Series[k].Mean[0]; a != b {
			t.Errorf("%s at ε = 8: %v among others, %v alone", alone[0].Series[k].Name, a, b)
		}
	}
}

func TestFig4Shape(t *testing.T) {
	results := runSmall(t, small(t))
	if len(results) != 2 || results[0].Name != "prestige/fig-4/total" || results[1].Name != "prestige/fig-4/per-update" {
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
				if !(0 <= s.Lower[i] && s.Lower[i] <= s.Mean[i] && s.Mean[i] <= s.Upper[i] && s.Upper[i] <= 1 && s.SD[i] >= 0) {
					t.Errorf("%s, %s at %v: mean %v, sd %v, interval [%v, %v]", result.Name, s.Name, s.X[i], s.Mean[i], s.SD[i], s.Lower[i], s.Upper[i])
				}
			}
		}
	}
}

// On real data SGD learns, and projected DJW gains from ε. The seed is fixed, so there is no
// false alarm. The limits are not fitted to it: seeds 2 to 41 gave SGD at most 0.052, and
// DJW 0.337 to 0.606 at ε = 1e-3 and 0.042 to 0.091 at 4.
func TestFig4Learns(t *testing.T) {
	o := Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 10, Epsilons: []float64{1e-3, 4}}
	series := runSmall(t, o)[0].Series
	sgd, djw := series[0], series[2]
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
		change       func(*Options)
	}{
		{"no data", "no training set", func(o *Options) { o.Train = nil }},
		{"one repeat has no deviation", "repeats", func(o *Options) { o.Repeats = 1 }},
		{"ε = 0", "privacy level", func(o *Options) { o.Epsilons = []float64{0} }},
		{"NaN", "privacy level", func(o *Options) { o.Budgets = []float64{math.NaN()} }},
		{"negative λ", "Lambda", func(o *Options) { o.Lambda = -1 }},
		{"a test set of other columns", "test set", func(o *Options) { o.Test = narrow }},
		{"a training row that cannot be split", "split", func(o *Options) { o.Train = narrow }},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			o := small(t)
			c.change(&o)
			if _, err := runFig4(context.Background(), o); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

func TestProgressAndCancellation(t *testing.T) {
	o := small(t)
	o.Pool = empirical.NewPool(2)
	calls, last, total := 0, 0, 0
	o.Progress = func(done, n int) {
		if done != last+1 {
			t.Errorf("progress went from %d to %d", last, done)
		}
		calls, last, total = calls+1, done, n
	}
	runSmall(t, o)
	// SGD once a repeat; two private arms at two levels and one budget.
	if want := 4 * (1 + 2*3); calls != want || total != want {
		t.Errorf("%d calls of %d, want %d", calls, total, want)
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("interrupted")
	o.Progress = func(int, int) { cancel(stop) }
	if _, err := runFig4(ctx, o); !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause of the cancellation", err)
	}
}

// The first failure is reported, a panic as an error, and not the cancellation that follows.
func TestEachReportsWhatFailed(t *testing.T) {
	broken := errors.New("broken")
	cases := []struct {
		reason string
		f      func(context.Context, int) (int, error)
		says   string
	}{
		{"an error", func(_ context.Context, i int) (int, error) {
			if i == 3 {
				return 0, broken
			}
			return i, nil
		}, "broken"},
		{"a panic", func(_ context.Context, i int) (int, error) {
			if i == 3 {
				panic("broken")
			}
			return i, nil
		}, "broken"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			o := Options{Pool: empirical.NewPool(3)}
			if _, err := each(context.Background(), o, 50, c.f); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

func TestPoint(t *testing.T) {
	var s Series
	s.point(1, []float64{0.1, 0.2, 0.3})
	// sd 0.1; Student's 0.975 quantile at 2 degrees is 4.302653 (any table of it); half width 0.248414 is cut at 0.
	want := Series{X: []float64{1}, Mean: []float64{0.2}, SD: []float64{0.1}, Lower: []float64{0}, Upper: []float64{0.448414}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
	if diff := cmp.Diff(want, s, near); diff != "" {
		t.Error(diff)
	}
}

func TestRegistry(t *testing.T) {
	for _, e := range Registry() {
		if e.Title == "" || e.Source == "" || e.Data == "" || e.Run == nil || !strings.Contains(e.Name, "/") {
			t.Errorf("%q is incomplete: %+v", e.Name, e)
		}
		if found, err := Lookup(e.Name); err != nil || found.Name != e.Name {
			t.Errorf("%q is listed and not found: %v", e.Name, err)
		}
	}
	if _, err := Lookup("prestige/fig-99"); err == nil || !strings.Contains(err.Error(), "prestige/fig-4") {
		t.Errorf("error %v, want one that lists what there is", err)
	}
}
