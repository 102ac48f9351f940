package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// laplaceFig is one of Figs 1-9 of Hardwarsing 2018: objective (2) of private and non-private SGD, mean ± standard
// deviation over 20 permutations. All figures use α = 1 and λ = 10⁻⁴ (Sect. 4.2).
type laplaceFig struct {
	number   int
	title    string
	set      string // name of a data set; empty means synthetic data
	features int    // number of features chosen at random, once for the figure; 0 keeps all
	batches  []int
	rates    []laplacesgd.Rate
	epochs   []int
	// againstBatch plots the last objective against b. Otherwise there is a panel for each batch size with the
	// objective against the number of updates.
	againstBatch bool
}

var (
	laplaceRoot    = laplacesgd.Rate{Scale: 1}
	laplaceLarge   = laplacesgd.Rate{Scale: 10}
	laplaceInverse = laplacesgd.Rate{Inverse: true}
)

var laplaceFigs = []laplaceFig{
	{number: 1, title: "MNIST, 0 against the rest", set: "mnist-0-rest", features: 15, batches: []int{1, 10},
		rates: []laplacesgd.Rate{laplaceRoot}, epochs: []int{1}},
	{number: 2, title: "KDD Cup 99", set: "kddcup99", features: 9, batches: []int{1, 5},
		rates: []laplacesgd.Rate{laplaceRoot}, epochs: []int{1}},
	{number: 3, title: "Banknote", set: "banknote", batches: []int{1, 10}, rates: []laplacesgd.Rate{laplaceRoot},
		epochs: []int{1}},
	{number: 4, title: "MNIST, 0 against the rest", set: "mnist-0-rest", features: 15, batches: []int{1, 2, 5, 10, 20, 50},
		rates: []laplacesgd.Rate{laplaceRoot, laplaceLarge}, epochs: []int{1}, againstBatch: true},
	{number: 5, title: "Occupancy", set: "occupancy", batches: []int{1, 2, 5, 10, 20, 50},
		rates: []laplacesgd.Rate{laplaceRoot, laplaceLarge}, epochs: []int{1}, againstBatch: true},
	{number: 6, title: "synthetic data", batches: []int{5}, rates: []laplacesgd.Rate{laplaceRoot, laplaceInverse},
		epochs: []int{1}},
	{number: 7, title: "MNIST, 0 against the rest", set: "mnist-0-rest", features: 15, batches: []int{1},
		rates: []laplacesgd.Rate{laplaceRoot}, epochs: []int{1, 2, 10}},
	{number: 8, title: "Occupancy", set: "occupancy", batches: []int{1}, rates: []laplacesgd.Rate{laplaceRoot},
		epochs: []int{1, 2, 10}},
	{number: 9, title: "KDD Cup 99, all features", set: "kddcup99", batches: []int{1, 10},
		rates: []laplacesgd.Rate{laplaceRoot}, epochs: []int{1}},
}

// Settings that the thesis states.
const (
	laplaceLambda  = 1e-4
	laplaceAlpha   = 1.0
	laplaceRepeats = 20
	laplaceKDDRows = 50_000
)

func laplaceFigures() (all []experiment.Experiment) {
	for _, f := range laplaceFigs {
		needs := "none: the data is drawn"
		if f.set != "" {
			needs = f.set
		}
		all = append(all, experiment.Experiment{
			About: result.About{
				Name:   fmt.Sprintf("laplace-sgd/fig-%d", f.number),
				Title:  "Objective of SGD with and without differentially private updates: " + f.title,
				Source: fmt.Sprintf("Hardwarsing 2018, Sect. 4.3, Fig. %d", f.number),
				Data:   needs,
				Takes:  []result.Knob{result.Epsilons, result.Lambda},
			},
			Panels: f.panels,
		})
	}
	return all
}

// panels returns one panel if the batch size is the axis or all rates share a batch size, else a panel for each
// batch size.
func (f laplaceFig) panels(experiment.Options) ([]experiment.Panel, error) {
	name, title := fmt.Sprintf("laplace-sgd/fig-%d", f.number), "Objective of SGD, "+f.title
	if f.againstBatch {
		return []experiment.Panel{{Name: name, Title: title,
			Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) { return f.start(o, f.batches) }}}, nil
	}
	var panels []experiment.Panel
	for _, b := range f.batches {
		panels = append(panels, experiment.Panel{
			Name: experiment.PanelName(name, fmt.Sprintf("b-%d", b)), Title: fmt.Sprintf("%s, b = %d", title, b),
			Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) { return f.start(o, []int{b}) },
		})
	}
	return panels, nil
}

func (f laplaceFig) start(o experiment.Options, batches []int) (experiment.Task, error) {
	rows, err := f.rows(o)
	if err != nil {
		return experiment.Task{}, err
	}
	levels := o.Epsilons
	if len(levels) == 0 {
		levels = []float64{laplaceAlpha}
	}
	lambda := cmp.Or(o.Lambda, laplaceLambda)
	task := experiment.Task{
		XLabel: "number of updates", YLabel: "value of the objective", LogX: true, LogY: true,
		Min: 0, Max: math.Inf(1), Repeats: o.Pick(laplaceRepeats/2, laplaceRepeats, 5*laplaceRepeats),
		Config: fmt.Sprintf("λ %v, levels %v, %d rows of dimension %d", lambda, levels, rows.Len(), rows.Dim()),
		Notes:  f.notes(rows, lambda),
	}
	if f.againstBatch {
		task.XLabel = "batch size b"
	}
	for _, rate := range f.rates {
		for _, epochs := range f.epochs {
			for _, alpha := range append([]float64{0}, levels...) {
				if alpha == 0 && epochs < slices.Max(f.epochs) {
					continue // the run with more passes includes this one
				}
				for _, b := range batches {
					c := laplacesgd.Config{Lambda: lambda, Rate: rate, Batch: b, Epochs: epochs}
					task.Units = append(task.Units, f.unit(rows, c, alpha))
				}
			}
		}
	}
	return task, nil
}

// rows reads the rows, divides them by their norms and chooses the features, once for the figure.
func (f laplaceFig) rows(o experiment.Options) (*dataset.Dataset, error) {
	r := o.Seed.Derive("laplace-sgd", f.set).Common()
	if f.set == "" {
		data, _, err := dataset.Sphere(r, 10_000, 5, 0.001)
		return data, err
	}
	data, err := o.AllRows(f.set)
	if err != nil {
		return nil, err
	}
	if f.set == "kddcup99" && data.Len() > laplaceKDDRows {
		if data, err = data.Subset(r.Perm(data.Len())[:laplaceKDDRows]); err != nil {
			return nil, err
		}
	}
	return laplacesgd.Preprocess(r, data, min(f.features, data.Dim()), laplacesgd.PickDistinct)
}

// unit returns one training run: the last objective at x = b, or the objective during the run.
func (f laplaceFig) unit(rows *dataset.Dataset, c laplacesgd.Config, alpha float64) experiment.Unit {
	u := experiment.Unit{Series: f.series(c, alpha)}
	steps := (rows.Len() + c.Batch - 1) / c.Batch * c.Epochs
	seen := checkpoints(steps)
	for _, t := range seen {
		u.X = append(u.X, float64(t))
	}
	if f.againstBatch {
		seen, u.X = []int{steps}, []float64{float64(c.Batch)}
	}
	u.Run = func(ctx context.Context, d experiment.Draw) ([]float64, error) {
		values := make([]float64, 0, len(seen))
		c := c
		c.Observe = func(t int, w []float64) {
			if _, at := slices.BinarySearch(seen, t); at {
				values = append(values, laplacesgd.Objective(c.Lambda).Value(w, rows))
			}
		}
		return values, laplaceTrain(ctx, d.Rand, rows, c, alpha)
	}
	return u
}

func laplaceTrain(ctx context.Context, r *rand.Rand, rows *dataset.Dataset, c laplacesgd.Config, alpha float64) error {
	var err error
	if alpha == 0 {
		_, err = laplacesgd.SGD(ctx, r, rows, c)
	} else {
		_, err = laplacesgd.Private(ctx, r, rows, c, laplacesgd.Privacy{Alpha: alpha})
	}
	return err
}

// checkpoints returns about twelve numbers of updates in equal ratios, including the last.
func checkpoints(steps int) (at []int) {
	const count = 12
	for k := range count {
		t := int(math.Round(math.Pow(float64(steps), float64(k+1)/count)))
		if len(at) == 0 || t > at[len(at)-1] {
			at = append(at, t)
		}
	}
	return at
}

func (f laplaceFig) series(c laplacesgd.Config, alpha float64) string {
	name := "non-private"
	if alpha > 0 {
		name = fmt.Sprintf("private, α = %g", alpha)
	}
	switch {
	case len(f.rates) == 1:
	case c.Rate.Inverse:
		name += ", η = 1/(λt)"
	default:
		name += fmt.Sprintf(", η = %g/√t", c.Rate.Scale)
	}
	switch {
	case len(f.epochs) == 1:
	case c.Epochs == 1:
		name += ", one pass"
	default:
		name += fmt.Sprintf(", %d passes", c.Epochs)
	}
	return name
}

func (f laplaceFig) notes(rows *dataset.Dataset, lambda float64) []string {
	notes := []string{
		fmt.Sprintf("%d rows of dimension %d, each divided by its norm; λ = %g, w_0 = 0 (not stated in the thesis), a new "+
			"permutation for every pass; log 2 = 0.693 is the objective of w = 0.", rows.Len(), rows.Dim(), lambda),
		"Noise is that of Algorithm 1 as printed, v in the unit ball, which is shorter than that of eq. (7) by d/(d+1) on " +
			"average and is not α-differentially private (laplace-sgd/alg-1/privacy).",
		"Deviations and intervals are over permutations and noise, on the same rows and features.",
	}
	if f.set == "mnist-0-rest" {
		notes = append(notes, "The labels are those of the text, 0 against the rest; the thesis's program gives the digit 0 "+
			"no label of its own (laplace-sgd/labels/program), so that its curves are of another problem.")
	}
	if f.features > 0 {
		notes = append(notes, fmt.Sprintf("The %d features were picked at random once; another choice gives other curves.",
			f.features))
	}
	if len(f.epochs) > 1 {
		notes = append(notes, "k passes are kα-differentially private where one is α (Theorem 1).")
	}
	return notes
}
