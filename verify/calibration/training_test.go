package calibration

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dpsgd"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// smallTraining returns a training algorithm with few steps on few records, and its true account.
func smallTraining(t *testing.T, rate, sigma float64, steps int) TrainingSubject {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	data := curricula.Samples{K: 2}
	for i := range 40 {
		data.X, data.Y = append(data.X, []float64{r.Float64(), float64(i % 2)}), append(data.Y, i%2)
	}
	return TrainingSubject{
		Assumed: accounting.Release{Event: event.Repeat(int64(steps), event.Poisson(rate, event.Gaussian(sigma)))},
		Delta:   1e-5,
		Train: func(a dpsgd.Attack, f dpsgd.Fault) (dpsgd.Training, error) {
			d := &dpsgd.DPSGD{Model: func() curricula.Model {
				m, err := curricula.NewSoftmax(2, 2)
				if err != nil {
					panic(err) // the arguments are constants
				}
				return m
			}, Data: data, SamplingRate: rate, Steps: steps, Clip: 1, NoiseMultiplier: sigma, LearningRate: 0.5, Length: 10,
				Attack: a, Fault: f}
			return d, d.Check()
		},
	}
}

func measuredTraining(t *testing.T, s TrainingSubject, o TrainingOptions) []results.TrainingRow {
	t.Helper()
	o.Seed, o.Pool, o.Alpha = empirical.NewSeed(1), empirical.NewPool(2), 0.05
	rows, err := Training(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Both designs find each fault with white-box canaries, and do not refute the sound algorithm. The tests may refute a
// fraction alpha of the sound runs. The bounds are so loose that they refute none of 20, or of 200 in the long form.
func TestFaultsAreFound(t *testing.T) {
	o := TrainingOptions{Attacks: []dpsgd.Attack{dpsgd.WhiteBox}, Options: Options{Runs: 1}, Canaries: 200, Trainings: 40, Sound: 20,
		Faults: []dpsgd.Fault{dpsgd.NoClip, dpsgd.ClipPerBatch, dpsgd.NoiseOnce}}
	if testutil.Asked() {
		o.Canaries, o.Trainings, o.Runs, o.Sound, o.Faults = 3200, 800, 5, 200, dpsgd.Faults()
		o.Attacks = append(o.Attacks, dpsgd.BlackBox)
	}
	for _, row := range measuredTraining(t, smallTraining(t, 0.25, 3, 16), o) {
		switch {
		case row.Fault == "":
			if row.OneRun.Seeds > 0 || row.Runs.Seeds > 0 {
				t.Errorf("%s: the sound algorithm is refuted in %d and in %d of %d", row.Attack, row.OneRun.Seeds, row.Runs.Seeds, row.Seeds)
			}
		case row.Attack == string(dpsgd.WhiteBox) && (row.OneRun.Seeds == 0 && row.Fault != "half-scale" || row.Runs.Seeds == 0):
			t.Errorf("%s is found in %d and in %d of %d seeds", row.Fault, row.OneRun.Seeds, row.Runs.Seeds, row.Seeds)
		}
	}
}

// Sound algorithms at the edges of the domain are not refuted.
func TestSoundAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		reason      string
		rate, sigma float64
		steps       int
		canaries    int
	}{
		{"two canaries, whose inclusion bits may be equal", 1, 3, 5, 2},
		{"one step, all records", 1, 1, 1, 200},
		{"one step, little noise", 1, 0.2, 1, 200},
		{"one step, almost only noise", 1, 50, 1, 200},
		{"an odd number of steps", 1, 3, 5, 200},
		{"batches that are often empty", 0.05, 3, 16, 200},
	} {
		s := smallTraining(t, c.rate, c.sigma, c.steps)
		o := TrainingOptions{Attacks: []dpsgd.Attack{dpsgd.WhiteBox, dpsgd.BlackBox}, Options: Options{Runs: 1}, Canaries: c.canaries, Trainings: 6, Sound: 2}
		if testutil.Asked() {
			o.Trainings, o.Sound = 200, 40
		}
		for _, row := range measuredTraining(t, s, o) {
			if row.OneRun.Seeds > 0 || row.Runs.Seeds > 0 {
				t.Errorf("%s, %s: refuted in %d and in %d of %d", c.reason, row.Attack, row.OneRun.Seeds, row.Runs.Seeds, row.Seeds)
			}
		}
	}
}
