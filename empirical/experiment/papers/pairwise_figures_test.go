package papers

import (
	"fmt"
	"math/rand/v2"
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
	return runNamed(t, fmt.Sprintf("pairwise/fig-%d", number), o)
}

// Both panels have all series at all sizes, for any number of workers. At the paper's settings ε has no effect: no
// line is below the baseline.
func TestPairFigures(t *testing.T) {
	for _, number := range []int{1, 3} {
		o := experiment.Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 6}
		results := pairFigureOn(t, number, o)
		if len(results) != 2 || !strings.HasSuffix(results[0].Name, "/printed") || !strings.HasSuffix(results[1].Name,
			"/itself") {
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

// At the paper's settings the AUC equals the AUC of a random direction at every ε. If steps are taken and the noise
// is small, it is the AUC of a classifier. The test uses six repeats and a fixed seed.
func TestPairFigure4(t *testing.T) {
	results := pairFigureOn(t, 4, experiment.Options{Seed: empirical.NewSeed(1), Train: wdbc(t), Repeats: 6})
	end := len(largeSizes) - 1
	if baseline := results[0].Series[0].Mean[end]; !(baseline > 0.95) {
		t.Errorf("NonPrivate has an AUC of %v", baseline)
	}
	if !strings.Contains(strings.Join(results[0].Notes, " "), "does not depend on the data") {
		t.Errorf("the notes do not say that the output does not depend on the data: %q", results[0].Notes)
	}
	itself := results[1].Series
	if least := itself[len(itself)-1].Mean[end]; !(least > 0.95) {
		t.Errorf("at the largest ε the AUC is %v", least)
	}
}

// Rows after the first 50 of the order change neither the weights learned from the first 50 nor their objective
// value.
func TestPairTestRowsDoNotTrain(t *testing.T) {
	shared := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	isTest := make([]bool, 60)
	for _, i := range shared().Perm(60)[50:] {
		isTest[i] = true
	}
	value := func(shift float64) float64 {
		values, labels := make([]float64, 120), make([]float64, 60)
		for i := range labels {
			values[2*i], values[2*i+1], labels[i] = float64(i%7), float64(i%11), float64(1-2*(i%2))
			if isTest[i] {
				values[2*i] += shift
			}
		}
		data, err := dataset.NewDense(2, values, labels)
		if err != nil {
			t.Fatal(err)
		}
		f := pairFigure{number: 2, measure: "objective value", sizes: largeSizes}
		task, err := f.start(experiment.Options{Train: data}, "", f.settings()[0])
		if err != nil {
			t.Fatal(err)
		}
		v, err := task.Units[0].Run(t.Context(), experiment.Draw{Rand: rand.New(rand.NewPCG(3, 4)), Shared: shared()})
		if err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	if a, b := value(0), value(100); a != b {
		t.Errorf("objective value %v, and %v after the test rows are shifted", a, b)
	}
}
