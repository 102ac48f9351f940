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
)

// source is a known data set, or the synthetic data if name is empty.
type source struct {
	name     string
	features int // number of features that each permutation picks; 0 keeps all
	rows     int // size of the subsample that each permutation draws; 0 keeps all
}

var (
	mnist     = source{name: "mnist-0-rest", features: 15}
	kddcup    = source{name: "kddcup99", features: 9, rows: 50_000}
	kddcupAll = source{name: "kddcup99", rows: 50_000}
	banknote  = source{name: "banknote"}
	occupancy = source{name: "occupancy"}
	synthetic = source{}
	few       = source{rows: 1_000} // synthetic rows for controls
)

// arm is the configuration of a run with λ = 10⁻⁴, w_0 = 0 and the noise of Algorithm 1 as printed.
type arm struct {
	alpha  float64 // 0 means no privacy
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

// predicate is a statement about the runs on one permutation; last trains an arm and returns its last objective.
type predicate func(x float64, last func(arm) float64) bool

// effect is the relative deviation from a bound that a check need not detect: at the standard budget it accepts no
// share that could be below 0.47.
const effect = 0.05

// permutations is a check of the mean of a measure over permutations, at each x of a grid.
type permutations struct {
	source
	variable   string
	grid       []float64
	replicates int64
	measure    *measure
	note       string // for the method
	// againstBatch plots the last objective against b instead of the objective against the number of updates.
	againstBatch bool
}

// measure is a function of a permutation with values in [lo, hi] and a claimed bound on its mean.
type measure struct {
	quantity string
	sense    verify.Sense
	bound    func(x float64) float64 // above 0
	lo, hi   float64
	effect   float64
	value    func(x float64, last func(arm) float64) float64
	// sentences holds several statements; x is the number of one of them, from 1. See each.
	sentences []sentence
}

// shown returns the share of the permutations in which a predicate is true, with the bound 0.5.
func shown(holds predicate) *measure {
	return &measure{
		quantity: "share of permutations with this order", sense: verify.AtLeast, bound: constantly(0.5), hi: 1,
		effect: effect,
		value: func(x float64, last func(arm) float64) float64 {
			if holds(x, last) {
				return 1
			}
			return 0
		},
	}
}

func constantly(v float64) func(float64) float64 { return func(float64) float64 { return v } }

func (p permutations) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	rows, err := p.load(s)
	if err != nil {
		return nil, err
	}
	m := p.measure
	return checks.OnData(p.name, mean.Rate{
		Quantity: m.quantity, Variable: p.variable, Grid: p.grid, Replicates: p.replicates, Effect: m.effect,
		Note: p.note, Sense: m.sense, Bound: m.bound, Range: func(float64) (lo, hi float64) { return m.lo, m.hi },
		Curves: &mean.ExtraCurves{
			Variable: p.curveAlong(), Quantity: "objective", Replicates: 10,
			Run: func(ctx context.Context, r *rand.Rand, x float64, curves *verify.CurveRecorder) (float64, error) {
				return p.permute(ctx, r, rows, x, curves)
			},
		},
	}).Prepare(ctx, s)
}

// load reads the rows and divides each by its norm.
func (f source) load(s verify.Settings) (*dataset.Dataset, error) {
	if f.name == "" {
		data, _, err := dataset.Sphere(s.Stream("rows"), 10_000, 5, 0.001)
		return data, err
	}
	data, _, err := checks.Open(s, f.name)
	if err != nil {
		return nil, err
	}
	return laplacesgd.Preprocess(s.Stream("rows", f.name), data, 0, laplacesgd.PickDistinct)
}

// draw picks the subsample and the features of one permutation.
func (f source) draw(r *rand.Rand, rows *dataset.Dataset) (*dataset.Dataset, error) {
	var err error
	if f.rows > 0 && f.rows < rows.Len() {
		if rows, err = rows.Subset(r.Perm(rows.Len())[:f.rows]); err != nil {
			return nil, err
		}
	}
	if f.features > 0 {
		return rows.Columns(r.Perm(rows.Dim())[:f.features])
	}
	return rows, nil
}

// permute draws rows and features, trains the arms and returns the value of the measure.
func (p permutations) permute(ctx context.Context, r *rand.Rand, rows *dataset.Dataset, x float64,
	curves *verify.CurveRecorder) (float64, error) {
	rows, err := p.draw(r, rows)
	if err != nil {
		return 0, err
	}
	observer := func(a arm) func(int, func() float64) { return p.observer(a, rows.Len(), curves) }
	value := p.measure.value(x, training(ctx, r, rows, observer, &err))
	return value, err
}

// training returns a function that trains an arm on the given rows and returns its last objective. If that fails, it
// stores the error in failed and returns NaN. observer returns the observer of an arm's updates, or nil.
func training(ctx context.Context, r *rand.Rand, rows *dataset.Dataset,
	observer func(arm) func(t int, objective func() float64), failed *error) func(arm) float64 {
	return func(a arm) float64 {
		objective, err := a.last(ctx, r, rows, observer(a))
		if err != nil {
			*failed, objective = err, math.NaN()
		}
		return objective
	}
}

// curveAlong returns the x-axis of the curves.
func (p permutations) curveAlong() string {
	if p.againstBatch {
		return "batch size b"
	}
	return "number of updates"
}

// observer returns a function that records the objective after 1, 2, 5, 10, 20, … updates and after the last one. If
// the batch size is the axis, it records only the last one. Without curves it returns nil.
func (p permutations) observer(a arm, rows int, curves *verify.CurveRecorder) func(t int, objective func() float64) {
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

// name describes an arm by its privacy, rate and number of passes.
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

// last trains an arm and returns the objective (2) at the last w. It calls observe, unless nil, after each update.
func (a arm) last(ctx context.Context, r *rand.Rand, rows *dataset.Dataset,
	observe func(t int, objective func() float64)) (float64, error) {
	c := laplacesgd.Config{Lambda: paperLambda, Rate: a.rate, Batch: a.batch, Epochs: a.epochs}
	value := func(w []float64) float64 { return laplacesgd.Objective(paperLambda).Value(w, rows) }
	if observe != nil {
		c.Observe = func(t int, w []float64) { observe(t, func() float64 { return value(w) }) }
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

// across is the check that a figure of one data set is above that of another in at least half of the pairs of
// permutations.
type across struct {
	sets       [2]source
	replicates int64
	figure     func(last func(arm) float64) float64
}

func (c across) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	var rows [2]*dataset.Dataset
	for k, set := range c.sets {
		var err error
		if rows[k], err = set.load(s); err != nil {
			return nil, err
		}
	}
	files := checks.Files(c.sets[0].name) + ", " + checks.Files(c.sets[1].name)
	return checks.OnFile(files, mean.Rate{
		Quantity: "share of pairs of permutations with this order", Variable: "b", Grid: []float64{1},
		Replicates: c.replicates,
		Effect:     effect, Sense: verify.AtLeast, Bound: func(float64) float64 { return 0.5 },
		Range: func(float64) (lo, hi float64) { return 0, 1 },
		Run: func(ctx context.Context, r *rand.Rand, _ float64) (float64, error) {
			var figures [2]float64
			for k, set := range c.sets {
				drawn, err := set.draw(r, rows[k])
				if err != nil {
					return 0, err
				}
				unseen := func(arm) func(int, func() float64) { return nil }
				if figures[k] = c.figure(training(ctx, r, drawn, unseen, &err)); err != nil {
					return 0, err
				}
			}
			if figures[0] > figures[1] {
				return 1, nil
			}
			return 0, nil
		},
	}).Prepare(ctx, s)
}
