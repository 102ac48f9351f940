package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/internal/rng"
)

// Settings of Wang & Xu 2019, and choices that the paper does not state: the distributions of θ* and of the rows,
// the initial point (here a random unit vector), the step size (here 1/(2L) of Theorem 2; TFOCS chooses it from the
// data, which is not private), and the class of Covertype that is +1 (here 2).
const (
	wangDelta     = 1e-3
	wangLambda    = 0.01 // λ of (λ/2)‖θ‖₁
	wangRecords   = 10000
	wangDim       = 100
	wangSteps     = 200
	wangEpsilon   = 2
	covertypeSize = 200000
)

func nonconvexFigures() (all []experiment.Experiment) {
	for _, f := range []wangFigure{
		{number: 1, title: "Norm of the projected gradient against ε", arms: wangLosses, label: "privacy level ε",
			values: wangEpsilons(0.1, 0.5, 2, 5),
			at:     func(x float64, n int) wangRun { return wangRun{n, wangSteps, x} }},
		{number: 2, title: "Norm of the projected gradient against the number of steps", arms: wangOurs, label: "steps T",
			values: func(experiment.Options, int) []float64 { return []float64{50, 100, 200, 400, 800} },
			at:     func(x float64, n int) wangRun { return wangRun{n, int(x), wangEpsilon} },
			note:   "The paper's text does not state the values of T in Fig. 2."},
		{number: 3, title: "Norm of the projected gradient against the number of records", arms: wangOurs, label: "records n",
			values: func(_ experiment.Options, n int) []float64 {
				return []float64{float64(n / 16), float64(n / 8), float64(n / 4), float64(n / 2), float64(n)}
			},
			at:   func(x float64, _ int) wangRun { return wangRun{int(x), 2 * wangSteps, wangEpsilon} },
			note: "The paper's text does not state the values of n in Fig. 3."},
		{number: 4, title: "Norm of the projected gradient of different methods", arms: wangMethods, label: "privacy level ε",
			values: wangEpsilons(0.5, 2),
			at:     func(x float64, n int) wangRun { return wangRun{n, wangSteps, x} },
			note: "The paper's Fig. 4 has Covertype only. The paper does not describe the algorithms of Wang, Ye & Xu and of " +
				"Zhang et al.: only the noise of a series is theirs. All series take every record in each step. They differ " +
				"in the noise and in the step, proximal or subgradient."},
	} {
		all = append(all, f.experiment())
	}
	return all
}

// wangEpsilons returns the function that selects the values of ε in a figure: --total-epsilon, by default the
// paper's.
func wangEpsilons(paper ...float64) func(experiment.Options, int) []float64 {
	return func(o experiment.Options, _ int) []float64 {
		if len(o.Totals) > 0 {
			return o.Totals
		}
		return paper
	}
}

// wangArm is one line of a figure.
type wangArm struct {
	name    string
	key     string // names the random streams; the default is the name
	loss    erm.Loss
	noise   func(nonconvex.Budget) (float64, error)
	descend bool // uses the subgradient of the regularizer, like the baselines
}

func wangOurs() []wangArm {
	return []wangArm{{name: "closed form", loss: erm.Sigmoid{Falling: true}, noise: nonconvex.NoiseConcentrated}}
}

func wangLosses() []wangArm {
	none := func(nonconvex.Budget) (float64, error) { return 0, nil }
	return append(wangOurs(),
		wangArm{name: "line 3 as printed", loss: erm.Sigmoid{Falling: true}, noise: nonconvex.NoiseStep3},
		wangArm{name: "loss as printed", loss: erm.Sigmoid{}, noise: nonconvex.NoiseConcentrated},
		wangArm{name: "no noise", loss: erm.Sigmoid{Falling: true}, noise: none})
}

func wangMethods() []wangArm {
	falling := erm.Sigmoid{Falling: true}
	zhang := func(withSteps bool) func(nonconvex.Budget) (float64, error) {
		return func(b nonconvex.Budget) (float64, error) { return nonconvex.NoiseZhang(b, withSteps) }
	}
	return append(wangOurs(),
		wangArm{name: "line 3 as printed", loss: falling, noise: nonconvex.NoiseStep3},
		wangArm{name: "subgradient descent, noise of Wang, Ye & Xu", key: "Wang, Ye & Xu", loss: falling,
			noise: nonconvex.NoiseMoments, descend: true},
		wangArm{name: "subgradient descent, noise of Zhang et al. with T", key: "Zhang et al., with T", loss: falling,
			noise: zhang(true), descend: true},
		wangArm{name: "subgradient descent, noise of Zhang et al. as printed", key: "Zhang et al., as printed", loss: falling,
			noise: zhang(false), descend: true})
}

// wangRun is the result of one training.
type wangRun struct {
	records, steps int
	epsilon        float64
}

// wangFigure is one of the four figures.
type wangFigure struct {
	number       int
	title, label string
	arms         func() []wangArm
	values       func(o experiment.Options, records int) []float64
	at           func(x float64, records int) wangRun
	note         string // what the paper does not state
}

func (f wangFigure) experiment() experiment.Experiment {
	name := fmt.Sprintf("nonconvex/fig-%d", f.number)
	e := experiment.Experiment{
		About: result.About{
			Name: name, Title: f.title, Source: fmt.Sprintf("Wang & Xu 2019, Fig. %d", f.number),
			Data: "none for the synthetic rows; " +
				"covtype.data.gz of the UCI repository, or LIBSVM's covtype.libsvm.binary.gz, for the other panel",
		},
		Panels: func(experiment.Options) ([]experiment.Panel, error) {
			var panels []experiment.Panel
			for _, set := range []string{"synthetic", "covertype"} {
				panels = append(panels, experiment.Panel{
					Name: experiment.PanelName(name, set), Title: f.title + ", " + set,
					Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) { return f.start(o, set) },
				})
			}
			return panels, nil
		},
	}
	if f.number == 1 || f.number == 4 {
		e.Takes = []result.Knob{result.Totals}
	}
	return e
}

func (f wangFigure) start(o experiment.Options, set string) (experiment.Task, error) {
	data, err := wangRows(o, set)
	if err != nil {
		return experiment.Task{}, err
	}
	var units []experiment.Unit
	for _, arm := range f.arms() {
		for _, x := range f.values(o, data.Len()) {
			units = append(units, experiment.Unit{Series: arm.name, X: []float64{x}, Aside: 1,
				Key: cmp.Or(arm.key, arm.name) + " at " + strconv.FormatFloat(x, 'g', -1, 64),
				Run: func(ctx context.Context, d experiment.Draw) ([]float64, error) {
					norm, rate, err := arm.train(ctx, d.Rand, data, f.at(x, data.Len()))
					return []float64{norm, rate}, err
				}})
		}
	}
	zero, err := wangAtZero(data)
	if err != nil {
		return experiment.Task{}, err
	}
	return experiment.Task{
		XLabel: f.label, YLabel: "mean norm of the projected gradient", LogX: true, LogY: true, Min: 0, Max: math.Inf(1),
		Repeats: o.Pick(3, 10, 30), Units: units,
		Config: fmt.Sprintf("%s %d×%d δ=%g λ=%g", set, data.Len(), data.Dim(), wangDelta, wangLambda),
		Notes:  f.notes(set, data, zero),
		Finish: wangAccuracy,
	}, nil
}

// notes explains how to read a panel and how it differs from the paper; zero is the norm at θ = 0.
func (f wangFigure) notes(set string, data *dataset.Dataset, zero float64) []string {
	notes := []string{
		fmt.Sprintf("%d rows of dimension %d, each divided by its norm; δ = %g, regulariser (λ/2)‖θ‖₁ with λ = %g, x_1 a "+
			"random unit vector. The step size is γ = 1/(2L); the paper's is that of TFOCS, which depends on the data.",
			data.Len(), data.Dim(), wangDelta, wangLambda),
		"The noise is calibrated to G = 0.25, the smallest Lipschitz constant of the loss on rows of norm 1, and so is the " +
			"smallest noise that each formula allows. The paper normalises the data \"so that the loss function is " +
			"1-Lipschitz\" and does not say how. Noise for G = 1 would be four times larger.",
		"The norm is that of the projected gradient at ∇F(x_k), without noise, averaged over k = 1, …, T: the mean " +
			"of the norm at x_R. The loss is 1/(1+exp(y⟨θ, x⟩)), unless a series is marked as printed.",
		fmt.Sprintf("For comparison: the norm is %.3g at θ = 0, which takes no data, and %.3g if "+
			"noise has driven every margin so far that the loss is flat and only the regularizer has a gradient.", zero,
			wangLambda/2*math.Sqrt(float64(data.Dim()))),
		"The repeats are on the same rows: intervals cover the first point and the noise, not the choice of rows.",
	}
	if set == "covertype" {
		notes = append(notes, fmt.Sprintf("The paper has %d rows, and does not say which class is +1: here cover type 2.",
			covertypeSize))
	}
	if f.note != "" {
		notes = append(notes, f.note)
	}
	return notes
}

// wangAtZero returns the norm of the projected gradient at θ = 0.
func wangAtZero(data *dataset.Dataset) (float64, error) {
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, err
	}
	step, err := erm.NewProximal(space, wangLambda/2)
	if err != nil {
		return 0, err
	}
	loss, zero := erm.Sigmoid{Falling: true}, make([]float64, data.Dim())
	next, g := make([]float64, data.Dim()), make([]float64, data.Dim())
	nonconvex.Gradient(loss, data, zero, g)
	erm.ProjectedGradient(step, zero, g, 1/(2*loss.Smoothness(math.Inf(1))), next, g)
	return floats.Norm(g, 2), nil
}

// wangRows returns the rows of a data set, each divided by its norm. The paper normalizes the data "so that the
// loss function is 1-Lipschitz"; it does not standardize columns.
func wangRows(o experiment.Options, set string) (*dataset.Dataset, error) {
	var data *dataset.Dataset
	var err error
	r := o.Seed.Derive("nonconvex", set).Common()
	if set == "synthetic" {
		data, _, err = dataset.Planted(r, wangRecords, wangDim, dataset.PlantedSign)
	} else {
		data, err = wangCovertype(o, r)
	}
	if err != nil {
		return nil, err
	}
	fitted, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, err
	}
	return fitted.Apply(data)
}

// wangCovertype draws as many rows as in the paper, a tenth at the quick budget.
func wangCovertype(o experiment.Options, r *rand.Rand) (*dataset.Dataset, error) {
	data, err := o.AllRows("covertype")
	if errors.Is(err, fs.ErrNotExist) {
		if other, otherErr := o.AllRows("covertype-libsvm"); !errors.Is(otherErr, fs.ErrNotExist) {
			data, err = other, otherErr
		}
	}
	if err != nil {
		return nil, err
	}
	size := min(o.Pick(covertypeSize/10, covertypeSize, covertypeSize), data.Len())
	return data.Subset(r.Perm(data.Len())[:size])
}

// train runs DP-GD. It returns the mean norm of the projected gradient and the error rate of x_R on the training
// rows. If the data has more rows than requested, it uses the first ones.
func (a wangArm) train(ctx context.Context, r *rand.Rand, data *dataset.Dataset,
	run wangRun) (norm, rate float64, err error) {
	if run.records < data.Len() {
		rows := make([]int, run.records)
		for i := range rows {
			rows[i] = i
		}
		if data, err = data.Subset(rows); err != nil {
			return 0, 0, err
		}
	}
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, 0, err
	}
	step, err := erm.NewProximal(space, wangLambda/2)
	if err != nil {
		return 0, 0, err
	}
	sigma, err := a.noise(nonconvex.Budget{Epsilon: run.epsilon, Delta: wangDelta, Steps: run.steps, Records: data.Len(),
		Lipschitz: a.loss.Lipschitz(math.Inf(1))})
	if err != nil {
		return 0, 0, err
	}
	start, next, g := make([]float64, data.Dim()), make([]float64, data.Dim()), make([]float64, data.Dim())
	for j := range start {
		start[j] = rng.Normal(r)
	}
	floats.Scale(1/floats.Norm(start, 2), start)
	gamma, sum := 1/(2*a.loss.Smoothness(math.Inf(1))), 0.0
	c := nonconvex.Config{
		Loss: a.loss, Iterations: run.steps, Start: start, Sigma: sigma, StepSize: nonconvex.Constant(gamma),
		Observe: func(_ int, x, gradient, _ []float64) {
			erm.ProjectedGradient(step, x, gradient, gamma, next, g)
			sum += floats.Norm(g, 2)
		},
	}
	var result *nonconvex.Result
	if a.descend {
		result, err = nonconvex.GD(ctx, r, data, erm.L1{Lambda: wangLambda / 2}, c)
	} else {
		result, err = nonconvex.PGD(ctx, r, data, space, wangLambda/2, c)
	}
	if err != nil {
		return 0, 0, err
	}
	return sum / float64(run.steps), erm.ErrorRate(result.X, data), nil
}

// wangAccuracy adds a finding for each series with its mean error rates.
func wangAccuracy(r *result.Result, outcomes []experiment.Outcome) error {
	words := make(map[string][]string)
	for _, o := range outcomes {
		if rates := o.Over(1); len(rates) > 0 {
			words[o.Unit.Series] = append(words[o.Unit.Series], fmt.Sprintf("%.3f at %g", stat.Mean(rates, nil), o.Unit.X[0]))
		}
	}
	for _, s := range r.Series {
		if len(words[s.Name]) > 0 {
			r.Findings = append(r.Findings,
				fmt.Sprintf("%s: the mean error rate of x_R is %s.", s.Name, strings.Join(words[s.Name], ", ")))
		}
	}
	return nil
}
