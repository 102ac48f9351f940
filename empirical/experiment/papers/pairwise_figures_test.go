package papers

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func pairFigureOn(t *testing.T, number int, o experiment.Options) []result.Result {
	t.Helper()
	e, err := Lookup(fmt.Sprintf("pairwise/fig-%d", number))
	if err != nil {
		t.Fatal(err)
	}
	results, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Both panels have all series at all sizes; workers do not matter, and at the paper's settings
// ε does not either: no line is below the baseline's.
func TestPairFigures(t *testing.T) {
	for _, number := range []int{1, 3} {
		o := experiment.Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 6}
		results := pairFigureOn(t, number, o)
		if len(results) != 2 || !strings.HasSuffix(results[0].Name, "/printed") || !strings.HasSuffix(results[1].Name, "/itself") {
			t.Fatalf("panels %+v", results)
		}
		o.Pool = empirical.NewPool(3)
		if diff := cmp.Diff(results, pairFigureOn(t, number, o)); diff != "" {
			t.Errorf("figure %d on 3 workers: %s", number, diff)
		}
		for _, r := range results {
			baseline := r.Series[0]
			if baseline.Name != "NonPrivate" || len(r.Series) < 4 {
				t.Fatalf("%s has series %+v", r.Name, r.Series)
			}
			last := len(smallSizes) - 1
			for _, s := range r.Series {
				if len(s.X) != len(smallSizes) || !(s.Mean[last] > 0) {
					t.Errorf("%s, %s: %d points, mean %v", r.Name, s.Name, len(s.X), s.Mean)
				}
			}
			for _, s := range r.Series[1:4] {
				if !(s.Mean[last] > baseline.Mean[last]) {
					t.Errorf("%s: %v at %s, %v without noise", r.Name, s.Mean[last], s.Name, baseline.Mean[last])
				}
			}
		}
	}
}

// The AUC of a run at the paper's settings is that of a random direction, whatever ε; where steps
// are taken and noise is small it is that of a classifier. Six repeats, a fixed seed: no false alarm.
func TestPairFigure4(t *testing.T) {
	results := pairFigureOn(t, 4, experiment.Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 6})
	end := len(largeSizes) - 1
	if baseline := results[0].Series[0].Mean[end]; !(baseline > 0.95) {
		t.Errorf("NonPrivate has an AUC of %v", baseline)
	}
	if !strings.Contains(strings.Join(results[0].Notes, " "), "without a look at the data") {
		t.Errorf("the notes do not say that no step is taken: %q", results[0].Notes)
	}
	itself := results[1].Series
	if least := itself[len(itself)-1].Mean[end]; !(least > 0.95) {
		t.Errorf("at the largest ε the AUC is %v", least)
	}
}

// The first n rows train; the other rows do not change the means and deviations.
func TestPairSplitFitsTrainingRows(t *testing.T) {
	order := []int{0, 1, 2, 3}
	split := func(test float64) (train, rest *dataset.Dataset) {
		data, err := dataset.NewDense(1, []float64{1, 3, 2, test}, []float64{1, -1, 1, -1})
		if err != nil {
			t.Fatal(err)
		}
		p := &pairPanel{data: data, prepare: dataset.Preparation{Standardize: true}}
		if train, rest, err = p.split(order, 3); err != nil {
			t.Fatal(err)
		}
		return train, rest
	}
	train, _ := split(100)
	other, rest := split(5)
	for i, want := range []float64{-math.Sqrt(1.5), math.Sqrt(1.5), 0} { // of 1, 3 and 2
		for _, d := range []*dataset.Dataset{train, other} {
			if got := d.Row(i).Values[0]; math.Abs(got-want) > 1e-12 {
				t.Errorf("training row %d: %v, want %v", i, got, want)
			}
		}
	}
	if got, want := rest.Row(0).Values[0], 3*math.Sqrt(1.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("test row: %v, want %v", got, want)
	}
}
