package papers

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

var curriculaExperiments = []string{"curricula/table-2", "curricula/table-3", "curricula/table-4", "curricula/fig-4"}

// Without data the panels report what is missing and do not fail.
func TestCurriculaWithoutData(t *testing.T) {
	for _, name := range curriculaExperiments {
		for _, dir := range []string{"", t.TempDir()} {
			results := runNamed(t, name, experiment.Options{Seed: empirical.NewSeed(1), Budget: empirical.Quick, Dir: dir})
			if len(results) != 1 || results[0].State != result.NotRun || results[0].Reason == "" {
				t.Errorf("%s in %q: %+v: want one panel that is not run, with a reason", name, dir, results)
			}
		}
	}
}

// Two epochs of Table 3 on MNIST give both series and a finding for each label.
func TestCurriculaTable3(t *testing.T) {
	dir := os.Getenv("DPVERIFY_DATA")
	if dir == "" {
		t.Skip("needs MNIST: set DPVERIFY_DATA to its directory")
	}
	r := runNamed(t, "curricula/table-3", experiment.Options{Seed: empirical.NewSeed(1), Budget: empirical.Quick,
		Dir: dir, Epochs: 2, Pool: empirical.NewPool(2)})[0]
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

// The constant multiplier with the ε of the linear schedule agrees with Table 3.
func TestCurriculaConstant(t *testing.T) {
	c, err := curriculaConstant(curricula.DecreasingLinear, curriculaEpochs)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.F(0, 0); math.Abs(got-1.54) > 0.005 {
		t.Errorf("multiplier %v, Table 3 prints 1.54", got)
	}
}

// One L is used by all runs of a task, and an error from one run's context is not cached. The order depends only on
// the seed.
func TestCurriculaSampleOrder(t *testing.T) {
	images := &dataset.Images{Rows: 2, Cols: 2, Pixels: make([]uint8, 4*300), Labels: make([]uint8, 300)}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range images.Pixels {
		images.Pixels[i] = uint8(r.IntN(256))
		images.Labels[i/4] = images.Pixels[i/4*4] / 64
	}
	start := func(seed uint64) *curriculaData {
		return &curriculaData{train: curricula.Images{Images: images}, seed: empirical.NewSeed(seed)}
	}
	d := start(1)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.sampleOrder(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	first, err := d.sampleOrder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.sampleOrder(stopped); err != nil || &again[0] != &first[0] {
		t.Errorf("L was trained again (error %v)", err)
	}
	for seed, same := range map[uint64]bool{1: true, 2: false} {
		if other, err := start(seed).sampleOrder(t.Context()); err != nil || slices.Equal(other, first) != same {
			t.Errorf("seed %d, error %v: equal orders %t, want %t", seed, err, !same, same)
		}
	}
}

// A run of the sorted arm uses the order of its task: it fails if this order is out of range.
func TestCurriculaRunTakesSampleOrder(t *testing.T) {
	labels := make([]uint8, 200)
	for i := range labels {
		labels[i] = uint8(i % 2)
	}
	images := curricula.Images{Images: &dataset.Images{Rows: 1, Cols: 1, Pixels: make([]uint8, 200), Labels: labels}}
	order := rand.New(rand.NewPCG(1, 2)).Perm(200)
	d := &curriculaData{train: images, test: images, epochs: 2, order: order}
	draw := experiment.Draw{Rand: rand.New(rand.NewPCG(3, 4))}
	if _, err := d.accuracy(t.Context(), draw, curriculaArm{sorted: true}); err != nil {
		t.Fatal(err)
	}
	order[0] = 200
	if _, err := d.accuracy(t.Context(), draw, curriculaArm{sorted: true}); err == nil {
		t.Error("the run does not take the order of its task")
	}
}
