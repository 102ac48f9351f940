package laplacesgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/series"
)

// source is where the rows come from: a known data set, or the synthetic data where name is
// empty.
type source struct {
	name     string
	features int // picked anew for each permutation; 0 keeps all
	rows     int // a subsample drawn anew; 0 keeps all
}

var (
	mnist     = source{name: "mnist-0-rest", features: 15}
	kddcup    = source{name: "kddcup99", features: 9, rows: 50_000}
	kddcupAll = source{name: "kddcup99", rows: 50_000}
	banknote  = source{name: "banknote"}
	occupancy = source{name: "occupancy"}
	synthetic = source{}
)

// arm is one training: λ = 10⁻⁴, w_0 = 0, noise of Algorithm 1 as printed.
type arm struct {
	alpha  float64 // 0 is without privacy
	batch  int
	rate   laplacesgd.Rate
	epochs int
}

func plain(batch int, rate laplacesgd.Rate) arm { return arm{0, batch, rate, 1} }
func private(batch int, rate laplacesgd.Rate) arm {
	return arm{paperAlpha, batch, rate, 1}
}

var (
	rootRate    = laplacesgd.Rate{Scale: 1}
	largeRate   = laplacesgd.Rate{Scale: 10}
	inverseRate = laplacesgd.Rate{Inverse: true}
)

// The parameters of Sect. 4.2.
const (
	paperLambda = 1e-4
	paperAlpha  = 1.0
)

// question is asked of one permutation, or of several trainings on the same rows: F gives
// the last objective of an arm.
type question func(x float64, last func(arm) float64) bool

// permutations is the statement that the answer is yes in at least half of the
// permutations, at each x of the grid.
type permutations struct {
	source
	variable   string
	grid       []float64
	replicates int64
	ask        question
	measure    *measure // in the place of ask and the share ½; may be nil
	// againstBatch draws the last objective against b, else the curves run along the updates.
	againstBatch bool
}

// measure is a value in [0, 1] of a permutation whose mean has a bound.
type measure struct {
	quantity string
	bound    float64
	value    func(last func(arm) float64) float64
}

// answer is 1 for yes, 0 for no, or the measured value.
func (p permutations) answer(x float64, last func(arm) float64) float64 {
	switch {
	case p.measure != nil:
		return p.measure.value(last)
	case p.ask(x, last):
		return 1
	}
	return 0
}

func (p permutations) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	rows, err := p.load(s)
	if err != nil {
		return nil, err
	}
	m := p.measure
	if m == nil {
		m = &measure{quantity: "share of permutations that show it", bound: 0.5}
	}
	return checks.OnData(p.name, mean.Rate{
		Quantity: m.quantity, Variable: p.variable, Grid: p.grid, Replicates: p.replicates, Effect: 0.33,
		Sense: verify.AtLeast, Bound: func(float64) float64 { return m.bound },
		Range: func(float64) (lo, hi float64) { return 0, 1 },
		Beside: &mean.Beside{
			Along: p.curveAlong(), Quantity: "objective", Replicates: 10,
			Run: func(ctx context.Context, r *rand.Rand, x float64, curves *series.Curves) (float64, error) {
				return p.permute(ctx, r, rows, x, curves)
			},
		},
	}).Prepare(ctx, s)
}

// load reads the rows, each divided by its norm.
func (p permutations) load(s verify.Settings) (*dataset.Dataset, error) {
	if p.name == "" {
		data, _, err := dataset.Sphere(s.Stream("rows"), 10_000, 5, 0.001)
		return data, err
	}
	data, _, err := checks.Open(s, p.name)
	if err != nil {
		return nil, err
	}
	return laplacesgd.Preprocess(s.Stream("rows"), data, 0, laplacesgd.PickDistinct)
}

// permute draws rows and features, trains and asks; a training that fails answers with NaN.
func (p permutations) permute(ctx context.Context, r *rand.Rand, rows *dataset.Dataset, x float64,
	curves *series.Curves) (float64, error) {
	var err error
	if p.rows > 0 && p.rows < rows.Len() {
		if rows, err = rows.Subset(r.Perm(rows.Len())[:p.rows]); err != nil {
			return 0, err
		}
	}
	if p.features > 0 {
		if rows, err = rows.Columns(r.Perm(rows.Dim())[:p.features]); err != nil {
			return 0, err
		}
	}
	value := p.answer(x, func(a arm) float64 {
		objective, failed := a.last(ctx, r, rows, p.seen(a, rows.Len(), curves))
		if failed != nil {
			err, objective = failed, math.NaN()
		}
		return objective
	})
	return value, err
}

// curveAlong is the axis of the figure.
func (p permutations) curveAlong() string {
	if p.againstBatch {
		return "batch size b"
	}
	return "number of updates"
}

// seen notes the objective after 1, 2, 5, 10, 20, … updates and the last one, or after that
// alone where the batch size is the axis. It is nil without curves.
func (p permutations) seen(a arm, rows int, curves *series.Curves) func(t int, objective func() float64) {
	if curves == nil {
		return nil
	}
	steps := (rows + a.batch - 1) / a.batch * a.epochs
	at := map[int]bool{steps: true}
	for power := 1; power <= steps; power *= 10 {
		at[power], at[2*power], at[5*power] = true, true, true
	}
	return func(t int, objective func() float64) {
		switch {
		case p.againstBatch && t == steps:
			curves.Add(a.name(), float64(a.batch), objective())
		case !p.againstBatch && at[t]:
			curves.Add(fmt.Sprintf("%s, b = %d", a.name(), a.batch), float64(t), objective())
		}
	}
}

// name tells an arm from those of other privacy, rate or passes.
func (a arm) name() string {
	name := "without privacy"
	if a.alpha > 0 {
		name = fmt.Sprintf("α = %g", a.alpha)
	}
	switch {
	case a.rate.Inverse:
		name += ", η = 1/(λt)"
	default:
		name += fmt.Sprintf(", η = %g/√t", a.rate.Scale)
	}
	if a.epochs > 1 {
		name += fmt.Sprintf(", %d passes", a.epochs)
	}
	return name
}

// last is the objective (2) after the training; seen, unless nil, is shown it after each update.
func (a arm) last(ctx context.Context, r *rand.Rand, rows *dataset.Dataset,
	seen func(t int, objective func() float64)) (float64, error) {
	c := laplacesgd.Config{Lambda: paperLambda, Rate: a.rate, Batch: a.batch, Epochs: a.epochs}
	value := func(w []float64) float64 { return laplacesgd.Objective(paperLambda).Value(w, rows) }
	if seen != nil {
		c.Observe = func(t int, w []float64) { seen(t, func() float64 { return value(w) }) }
	}
	var result *laplacesgd.Result
	var err error
	if a.alpha == 0 {
		result, err = laplacesgd.SGD(ctx, r, rows, c)
	} else {
		result, err = laplacesgd.Private(ctx, r, rows, c, laplacesgd.Privacy{Alpha: a.alpha})
	}
	if err != nil {
		return 0, err
	}
	return value(result.W), nil
}
