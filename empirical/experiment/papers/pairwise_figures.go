package papers

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// pairFigure is one of Figures 1 to 6 of Huai et al. 2020: a learner, its measured quantity, and the data sets with
// the sizes n.
type pairFigure struct {
	number  int
	learner string // name in the paper
	measure string // label of the vertical axis
	metric  bool   // metric learning; else AUC maximization
	offline bool
	strong  bool // for strongly convex losses, λ = 1e-3; else the regularizer α below
	sets    []string
	sizes   []int
}

var (
	smallSizes = []int{40, 50, 60, 70, 80, 90}
	largeSizes = []int{50, 100, 150, 200, 250, 300, 350}
)

func pairwiseFigures() (all []experiment.Experiment) {
	small, large := []string{"hepatitis", "cancer"}, []string{"pima", "retinopathy"}
	for _, f := range []pairFigure{
		{number: 1, learner: "OnPairStrC", measure: "objective value", strong: true, sets: small, sizes: smallSizes},
		{number: 2, learner: "OnPairC", measure: "objective value", sets: large, sizes: largeSizes},
		{number: 3, learner: "OffPairStrC", measure: "objective value", offline: true, strong: true, sets: small,
			sizes: smallSizes},
		{number: 4, learner: "OffPairC", measure: "AUC", offline: true, sets: large, sizes: largeSizes},
		{number: 5, learner: "OnPairC", measure: "objective value", metric: true, sets: large, sizes: largeSizes},
		{number: 6, learner: "OffPairC", measure: "classification accuracy", metric: true, offline: true, sets: large,
			sizes: largeSizes},
	} {
		all = append(all, experiment.Experiment{
			About: result.About{
				Name:   fmt.Sprintf("pairwise/fig-%d", f.number),
				Title:  fmt.Sprintf("The %s of %s against the training size, %s", f.measure, f.learner, f.task()),
				Source: fmt.Sprintf("Huai et al. 2020, Experiments, Fig. %d", f.number),
				Data:   fmt.Sprintf("%s and %s", f.sets[0], f.sets[1]),
				Takes:  []result.Knob{result.Given, result.Totals},
			},
			Panels: f.panels,
		})
	}
	return all
}

func (f pairFigure) task() string {
	if f.metric {
		return "metric learning"
	}
	return "AUC maximisation"
}

// pairSetting is a choice of settings: the paper's, or settings for which the learners take steps.
type pairSetting struct {
	name     string
	title    string
	alpha    func(n int) float64 // α of the regularizer; λ if it is fixed
	options  pairwise.Options
	origin   bool // w₀ = 0; else drawn at random
	epsilons []float64
}

const (
	pairLambda = 1e-3 // the paper's λ
	// α that leaves T₁ = ⌈L/α⌉ + 2 at 5, for rows of norm 1, with noise that is small beside w at the largest ε
	pairSound   = 2
	pairPlain   = 0.1 // λ of NonPrivate
	pairRepeats = 20  // the paper's permutations
)

// settings returns the settings in panel order. The paper states neither α of OnPairC and OffPairC nor how to read
// step 13.
func (f pairFigure) settings() []pairSetting {
	printed := pairSetting{name: "printed", title: "the paper's settings",
		alpha: func(n int) float64 { return 1 / math.Sqrt(float64(n)) }, epsilons: []float64{0.5, 1.5, 2.5}}
	if f.strong {
		printed.alpha = func(int) float64 { return pairLambda }
	}
	return []pairSetting{printed, {
		name: "itself", title: "settings that take steps", alpha: func(int) float64 { return pairSound }, origin: true,
		epsilons: []float64{0.5, 1.5, 2.5, 25, 2500},
		options:  pairwise.Options{Warmup: pairwise.WarmupContraction, Feedback: pairwise.FeedbackNone},
	}}
}

// panels returns a panel for each data set and setting; --total-epsilon sets other ε.
func (f pairFigure) panels(o experiment.Options) ([]experiment.Panel, error) {
	var panels []experiment.Panel
	for _, set := range o.Sets(f.sets...) {
		for _, s := range f.settings() {
			if len(o.Totals) > 0 {
				s.epsilons = o.Totals
			}
			title := fmt.Sprintf("%s of %s", f.measure, f.learner)
			if set != "" {
				title += ", " + set
			}
			title += ", " + s.title
			panels = append(panels, experiment.Panel{
				Name: experiment.PanelName(fmt.Sprintf("pairwise/fig-%d", f.number), set, s.name), Title: title,
				Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) { return f.start(o, set, s) },
			})
		}
	}
	return panels, nil
}

// pairPanel is a panel with all its settings.
type pairPanel struct {
	pairFigure
	pairSetting
	data    *dataset.Dataset // as in the file
	prepare dataset.Preparation
	loss    erm.PairLoss
	set     erm.Set
}

func (f pairFigure) start(o experiment.Options, name string, s pairSetting) (experiment.Task, error) {
	data, err := o.AllRows(name)
	if err != nil {
		return experiment.Task{}, err
	}
	p := &pairPanel{pairFigure: f, pairSetting: s, data: data, prepare: pairwise.Preparation(name)}
	// Rows that cannot be prepared are rejected before any training.
	if data, _, err = p.prepare.Both(data, data); err != nil {
		return experiment.Task{}, err
	}
	d := data.Dim()
	if f.metric {
		p.loss = erm.Metric{Phi: erm.Logistic{}}
		p.set, err = erm.NewFrobeniusBall(d, 1)
	} else {
		p.loss = erm.AUC{Phi: erm.Logistic{}}
		p.set, err = erm.NewL2Ball(d, 1)
	}
	if err != nil {
		return experiment.Task{}, err
	}
	var sizes []int
	for _, n := range f.sizes {
		if n < data.Len() {
			sizes = append(sizes, n)
		}
	}
	if len(sizes) == 0 {
		return experiment.Task{}, &experiment.InputError{Err: fmt.Errorf("%d rows: want more than %d", data.Len(),
			f.sizes[0])}
	}
	most := math.Inf(1)
	if f.measure != "objective value" {
		most = 1
	}
	return experiment.Task{
		XLabel: "training size n", YLabel: f.measure, Min: 0, Max: most,
		Repeats: o.Pick(3, pairRepeats, 100),
		Units:   p.units(sizes), Config: fmt.Sprintf("%s, α = %g, λ = %g, %+v", s.name, s.alpha(sizes[0]), pairPlain,
			s.options), Notes: p.notes(sizes),
	}, nil
}

// units returns NonPrivate and each ε at all sizes. All units of a repeat use the same order of the rows.
func (p *pairPanel) units(sizes []int) []experiment.Unit {
	x := make([]float64, len(sizes))
	for i, n := range sizes {
		x[i] = float64(n)
	}
	over := func(learn func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) (*pairwise.Result,
		error)) func(context.Context, experiment.Draw) ([]float64, error) {
		return func(ctx context.Context, d experiment.Draw) ([]float64, error) {
			order := d.Shared.Perm(p.data.Len())
			values := make([]float64, len(sizes))
			for i, n := range sizes {
				train, test, err := p.prepare.Split(p.data, order, n)
				if err != nil {
					return nil, err
				}
				result, err := learn(ctx, d.Rand, train)
				if err != nil {
					return nil, err
				}
				if values[i], err = p.value(result.W, train, test); err != nil {
					return nil, err
				}
			}
			return values, nil
		}
	}
	units := []experiment.Unit{{Series: "NonPrivate", Key: "NonPrivate", X: x,
		Run: over(func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) (*pairwise.Result, error) {
			return pairwise.GIGA(ctx, r, train, pairwise.Stated(p.loss, p.set, pairPlain, 1),
				pairwise.Options{Warmup: pairwise.WarmupContraction})
		})}}
	for _, epsilon := range p.epsilons {
		name := fmt.Sprintf("ε = %g", epsilon)
		units = append(units, experiment.Unit{Series: name, Key: name, X: x,
			Run: over(func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) (*pairwise.Result, error) {
				return p.private(ctx, r, train, epsilon)
			})})
	}
	return units
}

// private runs the figure's learner with δ = 1/n.
func (p *pairPanel) private(ctx context.Context, r *rand.Rand, train *dataset.Dataset,
	epsilon float64) (*pairwise.Result, error) {
	n := train.Len()
	v := pairwise.Privacy{Epsilon: epsilon, Delta: 1 / float64(n)}
	alpha, o := p.alpha(n), p.options
	if p.strong {
		problem := pairwise.Stated(p.loss, p.set, alpha, 1)
		if p.offline {
			return pairwise.OffPairStrC(ctx, r, train, problem, v, o)
		}
		return pairwise.OnPairStrC(ctx, r, train, problem, v, o)
	}
	if p.origin {
		o.Center = make([]float64, p.set.Dim())
	}
	problem := pairwise.Stated(p.loss, p.set, 0, 1)
	if p.offline {
		return pairwise.OffPairC(ctx, r, train, problem, alpha, v, o)
	}
	return pairwise.OnPairC(ctx, r, train, problem, alpha, v, o)
}

// value returns the measured quantity of w: the objective on the training rows without regularizer, other measures
// on the test rows.
func (p *pairPanel) value(w []float64, train, test *dataset.Dataset) (float64, error) {
	switch {
	case p.measure == "objective value":
		return pairwise.Stated(p.loss, p.set, 0, 1).Risk(w, train), nil
	case p.metric:
		return pairwise.NearestNeighborAccuracy(w, train, test, 3)
	}
	return pairwise.AUC(w, test), nil
}

// notes describes the panel's data and settings, and the number of steps of its runs.
func (p *pairPanel) notes(sizes []int) []string {
	n := sizes[len(sizes)-1]
	alpha := p.alpha(n)
	t1 := pairwise.WarmupSteps(p.options.Warmup, p.loss.Smoothness(1, p.set.MaxNorm())+alpha, alpha)
	steps := fmt.Sprintf("At n = %d, T₁ = %d of the parameters are random and %d are gradient steps.", n, t1, max(0,
		n-t1))
	if t1 >= n {
		steps += " The output is drawn without a look at the data, and so is a line of the figure: it shows neither n " +
			"nor ε."
	}
	prepared := fmt.Sprintf("%d rows of dimension %d; the first n of a random order train, the others test. Rows are "+
		"standardised by the training rows' means and deviations and scaled to norm 1; the paper does not state how its "+
		"rows "+
		"were prepared. δ = 1/n.", p.data.Len(), p.data.Dim())
	setting := fmt.Sprintf("The paper's settings: α = %.3g at n = %d, T₁ = max(⌈16L²/α²⌉, 7), the noisy output fed "+
		"back. The paper does not state α for OnPairC and OffPairC: 1/√n is taken.", alpha, n)
	if p.name == "itself" {
		setting = fmt.Sprintf("Settings under which the learner takes steps: α = %g about the origin, T₁ = ⌈L/α⌉ + 2, the "+
			"noisy output not fed back. These are not the paper's.", alpha)
	}
	return []string{
		prepared, setting, steps,
		fmt.Sprintf("NonPrivate is Pairwise GIGA with λ = %g and T₁ = ⌈L/λ⌉ + 2, which the paper does not state; with the "+
			"T₁ of Algorithm 1 it would take no step either. Objective values are without a regulariser, at the "+
			"last output.", pairPlain),
	}
}
