package papers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// Every figure runs on the data set it names, gives finite values, and does not depend on the number of workers.
func TestLaplaceFigures(t *testing.T) {
	o := experiment.Options{Seed: empirical.NewSeed(1), Repeats: 2, Open: func(string) (train, test *dataset.Dataset,
		err error) {
		train, _, err = dataset.Sphere(empirical.NewSeed(3).Rand(), 60, 20, 0.001)
		return train, nil, err
	}}
	for _, f := range laplaceFigs {
		name := "laplace-sgd/fig-" + string(rune('0'+f.number))
		want := runNamed(t, name, o)
		panels := len(f.batches)
		if f.againstBatch {
			panels = 1
		}
		if len(want) != panels {
			t.Errorf("%s: %d panels, want %d", name, len(want), panels)
		}
		for _, r := range want {
			if r.State != result.Finished || len(r.Series) < 2 || len(r.Notes) == 0 {
				t.Errorf("%s: %s, %d series, %q", r.Name, r.State, len(r.Series), r.Reason)
			}
			for _, s := range r.Series {
				for i, mean := range s.Mean {
					if !(mean > 0 && s.SD[i] >= 0 && s.Lower[i] <= mean && mean <= s.Upper[i]) {
						t.Errorf("%s, %s at %v: mean %v, sd %v, [%v, %v]", r.Name, s.Name, s.X[i], mean, s.SD[i], s.Lower[i],
							s.Upper[i])
					}
				}
			}
		}
		again := o
		again.Pool = empirical.NewPool(3)
		if diff := cmp.Diff(want, runNamed(t, name, again)); diff != "" {
			t.Errorf("%s on three workers: %s", name, diff)
		}
	}
}

func TestLaplaceFigureWithoutData(t *testing.T) {
	for _, r := range runNamed(t, "laplace-sgd/fig-4", experiment.Options{}) {
		if r.State != result.NotRun || !strings.Contains(r.Reason, "mnist-0-rest") {
			t.Errorf("%s: %s, %q", r.Name, r.State, r.Reason)
		}
	}
}

func TestCheckpointsEndWithTheLastUpdate(t *testing.T) {
	for _, steps := range []int{1, 2, 11, 1372, 600000} {
		at := checkpoints(steps)
		for k := 1; k < len(at); k++ {
			if at[k] <= at[k-1] {
				t.Errorf("%d updates: %v does not rise", steps, at)
			}
		}
		if at[len(at)-1] != steps {
			t.Errorf("%d updates: %v ends before", steps, at)
		}
	}
}
