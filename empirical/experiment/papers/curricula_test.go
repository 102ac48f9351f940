package papers

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

var curriculaExperiments = []string{"curricula/table-2", "curricula/table-3", "curricula/table-4", "curricula/fig-4"}

// Without data the panels say what is missing, and none fails.
func TestCurriculaWithoutData(t *testing.T) {
	for _, name := range curriculaExperiments {
		e, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"", t.TempDir()} {
			results, err := e.Run(context.Background(), experiment.Options{Seed: empirical.NewSeed(1), Budget: empirical.Quick, Dir: dir})
			if err != nil || len(results) != 1 || results[0].State != result.NotRun || results[0].Reason == "" {
				t.Errorf("%s in %q: %+v, %v: want one panel that is not run, with a reason", name, dir, results, err)
			}
		}
	}
}

// Two epochs of table 3 on MNIST: both series, a finding for each label.
func TestCurriculaTable3(t *testing.T) {
	dir := os.Getenv("DPVERIFY_DATA")
	if dir == "" {
		t.Skip("needs MNIST: set DPVERIFY_DATA to its directory")
	}
	e, err := Lookup("curricula/table-3")
	if err != nil {
		t.Fatal(err)
	}
	results, err := e.Run(context.Background(), experiment.Options{Seed: empirical.NewSeed(1), Budget: empirical.Quick, Dir: dir, Epochs: 2, Pool: empirical.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	r := results[0]
	if r.State != result.Finished || len(r.Series) != 2 || len(r.Findings) != 4 {
		t.Fatalf("%s (%s), %d series, %d findings", r.State, r.Reason, len(r.Series), len(r.Findings))
	}
	for _, s := range r.Series {
		for i, a := range s.Mean {
			if !(a > 0.15 && a < 1) {
				t.Errorf("%s at %v: accuracy %v, where chance is 0.1", s.Name, s.X[i], a)
			}
		}
	}
}

// The constant multiplier of equal ε for the linear schedule is that of Table 3.
func TestCurriculaConstant(t *testing.T) {
	c, err := curriculaConstant(curricula.DecreasingLinear, curriculaEpochs)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.F(0, 0); math.Abs(got-1.54) > 0.005 {
		t.Errorf("multiplier %v, Table 3 prints 1.54", got)
	}
}
