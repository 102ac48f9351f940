package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// Settings shared by the experiments on MNIST of An & Shi 2021 (Sect. 3.3, Tables 2 and 3).
const (
	curriculaRate   = 0.15 // η
	curriculaEpochs = 20   // T
	curriculaSteps  = 100  // batches of 600 out of 60,000 per epoch
	curriculaDelta  = 1e-5
)

// The paper does not state the clipping norm C. The noise as printed, added to the mean gradient, dominates the
// gradient. Common libraries clip each sample and add the noise to the sum, and the experiment does the same.
const curriculaClip = 1

// curriculaData holds the images and the size of the experiment.
type curriculaData struct {
	train, test curricula.Images
	epochs      int
	network     bool // the model is the CNN, else softmax regression

	seed  empirical.Seed // seed of L
	mu    sync.Mutex
	order []int // order of the sample curriculum; nil before the first run that needs it
}

// curriculaStart reads MNIST. The quick budget trains softmax regression on 10,000 images for T epochs, the
// standard budget the CNN for 3 epochs, and the thorough budget the CNN for T epochs.
func curriculaStart(o experiment.Options) (*curriculaData, error) {
	if o.Dir == "" {
		return nil, fmt.Errorf("data set mnist: no data directory is given: %w", fs.ErrNotExist)
	}
	train, test, err := dataset.OpenMNIST(o.Dir)
	if err != nil {
		return nil, err
	}
	if train.Len() < curriculaSteps {
		return nil, &dataset.ParseError{File: o.Dir,
			Err: fmt.Errorf("the training files of MNIST hold %d images: an epoch is "+
				"%d batches, want at least as many", train.Len(), curriculaSteps)}
	}
	d := &curriculaData{
		train: curricula.Images{Images: train, N: o.Pick(10_000, 0, 0)}, test: curricula.Images{Images: test},
		epochs: cmp.Or(o.Epochs, o.Pick(curriculaEpochs, 3, curriculaEpochs)), network: o.Budget != empirical.Quick,
		seed: o.Seed.Derive("study", "curricula", "order"),
	}
	if d.epochs < 2 {
		return nil, errors.New("the schedules divide by T − 1: need at least 2 epochs")
	}
	return d, nil
}

// sampleOrder returns the sample curriculum of one L for all runs of a task. It does not cache errors, because an
// error may come from the context of one run.
func (d *curriculaData) sampleOrder(ctx context.Context) ([]int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.order == nil {
		order, err := curricula.SampleCurriculum(ctx, d.seed.Common(), d.train)
		if err != nil {
			return nil, err
		}
		d.order = order
	}
	return d.order, nil
}

// curriculaArm is one training method.
type curriculaArm struct {
	schedule curricula.Schedule // without F there is no noise
	sorted   bool               // uses the sample curriculum
}

// accuracy trains once and returns the validation accuracy.
func (d *curriculaData) accuracy(ctx context.Context, draw experiment.Draw, arm curriculaArm) (float64, error) {
	var model curricula.Model = curricula.NewCNN()
	if !d.network {
		softmax, err := curricula.NewSoftmax(d.train.Dim(), d.train.Classes())
		if err != nil {
			return 0, err
		}
		model = softmax
	}
	c := curricula.Config{
		Epochs: d.epochs, Batch: d.train.Len() / curriculaSteps, Rate: curriculaRate, Clip: curriculaClip,
		Schedule: arm.schedule,
		Index:    curricula.FromZero, Clipping: curricula.ClipExample, Scale: curricula.ScaleMean,
		Sampling: curricula.SampleShuffled,
	}
	if arm.sorted {
		c.Sampling = curricula.SampleFixed
		var err error
		if c.Order, err = d.sampleOrder(ctx); err != nil {
			return 0, err
		}
	}
	result, err := curricula.Train(ctx, draw.Rand, model, d.train, c)
	if err != nil {
		return 0, err
	}
	return curricula.Accuracy(model, result.Theta, d.test), nil
}

// curriculaUnits collects the runs of a table with the paper's accuracies, and the first error.
type curriculaUnits struct {
	data *curriculaData
	all  []experiment.Unit
	err  error
}

// add adds a run of arm at x, with the paper's accuracy for row and column if there is one.
func (u *curriculaUnits) add(series string, x float64, t printed.Table, row, column string, arm curriculaArm) {
	accuracy, _, err := t.Number(row, column)
	u.err = cmp.Or(u.err, err)
	u.all = append(u.all, experiment.Unit{Series: series, X: []float64{x}, Reported: []float64{accuracy},
		Run: func(ctx context.Context, draw experiment.Draw) ([]float64, error) {
			a, err := u.data.accuracy(ctx, draw, arm)
			return []float64{a}, err
		}})
}

func (d *curriculaData) task(o experiment.Options, xLabel string, labels []string,
	units []experiment.Unit) experiment.Task {
	model := "softmax regression"
	if d.network {
		model = "CNN"
	}
	return experiment.Task{
		XLabel: xLabel, YLabel: "validation accuracy", Labels: labels, Min: 0, Max: 1,
		Repeats: o.Pick(2, 3, 5), Units: units,
		Config: fmt.Sprintf("%s %d %d %d C=%d", model, d.train.Len(), d.test.Len(), d.epochs, curriculaClip),
		Notes: []string{
			fmt.Sprintf("%s on %d images, T = %d, batches of %d, η = %g, C = %d, each sample clipped, noise on the sum, t "+
				"from 0; tested on %d images.",
				model, d.train.Len(), d.epochs, d.train.Len()/curriculaSteps, curriculaRate, curriculaClip, d.test.Len()),
			"The paper prints single runs of its own network over 20 epochs and does not state C; compare signs, not levels.",
			"Repeats are on the same images: intervals cover the first θ, the order of samples and the privacy noise.",
		},
	}
}

// curriculaContrast returns a Finish function. For each label it reports the difference of two series over repeats
// with Student's interval. It also compares the paper's difference of single runs with the chance variation of
// single runs.
func curriculaContrast(first, second string, labels []string) func(*result.Result, []experiment.Outcome) error {
	return func(r *result.Result, outcomes []experiment.Outcome) error {
		at := make(map[string]experiment.Outcome)
		for _, o := range outcomes {
			at[fmt.Sprint(o.Unit.Series, o.Unit.X[0])] = o
		}
		for i, label := range labels {
			a, ok := at[fmt.Sprint(first, float64(i))]
			b, ok2 := at[fmt.Sprint(second, float64(i))]
			if !ok || !ok2 {
				continue
			}
			meanA, sdA := stat.MeanStdDev(a.Over(0), nil)
			meanB, sdB := stat.MeanStdDev(b.Over(0), nil)
			n := float64(len(a.Over(0)))
			single := math.Hypot(sdA, sdB) // standard deviation of the difference of two single runs
			half := distuv.StudentsT{Sigma: 1, Nu: 2*n - 2}.Quantile((1+result.Confidence)/2) * single / math.Sqrt(n)
			finding := fmt.Sprintf("%s: %s minus %s %+.4f, interval [%+.4f, %+.4f]", label, first, second, meanA-meanB,
				meanA-meanB-half, meanA-meanB+half)
			if printed := a.Unit.Reported[0] - b.Unit.Reported[0]; !math.IsNaN(printed) {
				finding += fmt.Sprintf("; printed %+.4f of single runs, whose difference has a deviation of %.4f here", printed,
					single)
			}
			r.Findings = append(r.Findings, finding)
		}
		return nil
	}
}

// curriculaEpsilon returns the ε of Tables 2 and 3, computed for Poisson sampling with Rényi divergences and the
// tighter conversion.
func curriculaEpsilon(multipliers []float64, steps int64) (float64, error) {
	results, err := accountant.Epsilons(event.Schedule(1./curriculaSteps, multipliers, steps), event.AddRemove,
		curriculaDelta, accountant.Options{Methods: []string{"rdp"}})
	if err != nil {
		return 0, err
	}
	return results[len(results)-1].Upper, nil
}

// curriculaConstant returns the constant multiplier with the same ε as a schedule.
func curriculaConstant(s curricula.Schedule, epochs int) (curricula.Schedule, error) {
	epsilon, err := curriculaEpsilon(s.Multipliers(epochs, curricula.FromZero), curriculaSteps)
	if err != nil {
		return curricula.Schedule{}, err
	}
	build := func(noise float64) event.Event {
		return event.Repeat(int64(epochs)*curriculaSteps, event.Poisson(1./curriculaSteps, event.Gaussian(noise)))
	}
	b, err := accountant.Calibrate(build, event.AddRemove, epsilon, curriculaDelta, "rdp")
	if err != nil {
		return curricula.Schedule{}, err
	}
	return curricula.Constant(b.Upper), nil
}
