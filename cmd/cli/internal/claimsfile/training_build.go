package claimsfile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/dpsgd"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/calibration"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// mnistName selects the MNIST images in the directory of public data sets.
const mnistName = "mnist"

// Subject returns the training with its account. MNIST is read from dir, which may be "".
func (f *TrainingFile) Subject(dir string) (s calibration.TrainingSubject, err error) {
	c := f.fields
	s.Delta = *c.Guarantee.Delta
	if !(s.Delta >= 0 && s.Delta < 1) {
		return s, f.errorf("guarantee.delta", "delta %v: want a number of at least 0 and below 1", s.Delta)
	}
	if e := c.Guarantee.Epsilon; e != nil {
		if !(*e >= 0) {
			return s, f.errorf("guarantee.epsilon", "epsilon %v: want a number of at least 0", *e)
		}
		s.Claimed = e
	}
	if s.Train, err = f.trainings(dir); err != nil {
		return s, err
	}
	if _, err := s.Train(f.Attacks[0], dpsgd.Sound); err != nil {
		return s, f.errorf("", "%w", err)
	}
	if f.Named {
		for _, fault := range f.Faults {
			if _, err := s.Train(f.Attacks[0], fault); err != nil {
				return s, f.errorf("fault", "%w", err)
			}
		}
	}
	s.Assumed = f.assumedRelease()
	return s, nil
}

// assumedRelease returns the release that the accountant assumes: Poisson samples of the records under
// add-or-remove-one, or passes that are private by themselves under replace-one.
func (f *TrainingFile) assumedRelease() accounting.Release {
	c := f.fields
	if c.Algorithm == softmaxAlgorithm || c.Algorithm == cnnAlgorithm {
		step := event.Poisson(*c.SamplingRate, event.Gaussian(*c.NoiseMultiplier))
		if *c.SamplingRate == 1 {
			step = event.Gaussian(*c.NoiseMultiplier)
		}
		return accounting.Release{Event: event.Repeat(*c.Steps, step)}
	}
	return accounting.Release{Event: event.Repeat(*c.Epochs, event.Pure(*c.EpsilonPerPass)), Adjacency: event.ReplaceOne}
}

// Words names the training and the release that the accountant assumes.
func (f *TrainingFile) Words() string {
	return fmt.Sprintf("The training is %s on %s; the accountant assumes %s", f.fields.Algorithm,
		filepath.ToSlash(filepath.Base(f.fields.Data)), f.assumedRelease())
}

// length returns the norm of a canary's gradient.
func (f *TrainingFile) length() float64 {
	if f.fields.CanaryLength != nil {
		return *f.fields.CanaryLength
	}
	return usualLength
}

// trainings returns a constructor of the training with a fault, observed by an attack.
func (f *TrainingFile) trainings(dir string) (func(dpsgd.Attack, dpsgd.Fault) (dpsgd.Training, error), error) {
	c := f.fields
	switch c.Algorithm {
	case softmaxAlgorithm, cnnAlgorithm:
		data, err := f.classes(dir)
		if err != nil {
			return nil, err
		}
		model := func() curricula.Model { return curricula.NewCNN() }
		if c.Algorithm == softmaxAlgorithm {
			if _, err := curricula.NewSoftmax(data.Dim(), data.Classes()); err != nil {
				return nil, f.errorf("data", "%w", err)
			}
			model = func() curricula.Model {
				m, _ := curricula.NewSoftmax(data.Dim(), data.Classes()) // NewSoftmax succeeded with these arguments above
				return m
			}
		}
		return func(attack dpsgd.Attack, fault dpsgd.Fault) (dpsgd.Training, error) {
			t := &dpsgd.DPSGD{Model: model, Data: data, SamplingRate: *c.SamplingRate, Steps: int(*c.Steps), Clip: *c.Clip,
				NoiseMultiplier: *c.NoiseMultiplier, LearningRate: *c.LearningRate, Length: f.length(), Attack: attack,
				Fault: fault}
			return t, t.Check()
		}, nil
	}
	data, err := f.rows(dataset.Preparation{Standardize: true, Scale: dataset.ScaleRows})
	if err != nil {
		return nil, err
	}
	return func(_ dpsgd.Attack, fault dpsgd.Fault) (dpsgd.Training, error) {
		if c.Algorithm == localSGDAlgorithm {
			t := &dpsgd.Local{Data: data, Epsilon: *c.EpsilonPerPass, Epochs: int(*c.Epochs), Fault: fault}
			return t, t.Check()
		}
		t := &dpsgd.Laplace{Data: data, Epsilon: *c.EpsilonPerPass, Batch: int(*c.Batch), Epochs: int(*c.Epochs),
			LearningRate: *c.LearningRate, Length: f.length(), Fault: fault}
		return t, t.Check()
	}, nil
}

// classes returns the records for a training of package curricula.
func (f *TrainingFile) classes(dir string) (curricula.Data, error) {
	c := f.fields
	if c.Data == mnistName {
		if dir == "" {
			return nil, f.errorf("data", "mnist needs the directory of its files: name it with --data or DPVERIFY_DATA")
		}
		images, _, err := dataset.OpenMNIST(dir)
		if err != nil {
			return nil, f.errorf("data", "%w", err)
		}
		m := curricula.Images{Images: images}
		if c.Records != nil {
			if *c.Records < 1 || *c.Records > int64(images.Len()) {
				return nil, f.errorf("records", "records %d: want 1 to %d", *c.Records, images.Len())
			}
			m.N = int(*c.Records)
		}
		return m, nil
	}
	if c.Algorithm == cnnAlgorithm {
		return nil, f.errorf("data", "%s is a network for images of 28 × 28: want mnist", cnnAlgorithm)
	}
	data, err := f.rows(dataset.Preparation{Standardize: true})
	if err != nil {
		return nil, err
	}
	const classes = 2
	samples := curricula.Samples{K: classes}
	for i := range data.Len() {
		x := make([]float64, data.Dim())
		data.Row(i).AddTo(x, 1)
		y := 0
		if data.Label(i) > 0 {
			y = 1
		}
		samples.X, samples.Y = append(samples.X, x), append(samples.Y, y)
	}
	return samples, nil
}

// rows returns the prepared records of two classes.
func (f *TrainingFile) rows(how dataset.Preparation) (*dataset.Dataset, error) {
	if f.fields.Data == mnistName {
		return nil, f.errorf("data", "%s takes records of two classes: want a CSV or LIBSVM file", f.fields.Algorithm)
	}
	path := f.resolve(f.fields.Data)
	o := dataset.Options{}
	if filepath.Ext(path) == ".csv" {
		o.Header = dataset.HeaderDetect
	}
	data, err := dataset.Load(path, o)
	if err != nil {
		return nil, f.errorf("data", "%w", err)
	}
	if n := f.fields.Records; n != nil {
		if *n < 1 || *n > int64(data.Len()) {
			return nil, f.errorf("records", "records %d: want 1 to %d", *n, data.Len())
		}
		first := make([]int, *n)
		for i := range first {
			first[i] = i
		}
		if data, err = data.Subset(first); err != nil {
			return nil, f.errorf("records", "%w", err)
		}
	}
	if data.Missing() > 0 {
		return nil, f.errorf("data", "%w", errors.New("values are missing: fill them, or leave their records out"))
	}
	fitted, err := how.Fit(data)
	if err != nil {
		return nil, f.errorf("data", "%w", err)
	}
	return fitted.Apply(data)
}

// Measure audits the training and its faults. It fills in the options that the file gives.
func (f *TrainingFile) Measure(ctx context.Context, dir string,
	o calibration.TrainingOptions) ([]results.TrainingRow, error) {
	s, err := f.Subject(dir)
	if err != nil {
		return nil, err
	}
	o.Attacks, o.Faults, o.Canaries, o.Trainings, o.Alpha = f.Attacks, f.Faults, f.Canaries, f.Runs, f.Alpha
	rows, err := calibration.Training(ctx, s, o)
	if err != nil {
		return nil, f.errorf("", "%w", err)
	}
	return rows, nil
}

// Command returns the command that repeats the table.
func (f *TrainingFile) Command(runs, sound int, seed uint64) string {
	words := []string{"dpverify", "experiment", "canary", "--train", filepath.ToSlash(f.path)}
	if f.fields.Data == mnistName {
		words = append(words, "--data", reports.DataDir)
	}
	return reports.Shell(append(words, "--runs", fmt.Sprint(runs), "--sound", fmt.Sprint(sound), "--seed",
		fmt.Sprint(seed))...)
}
