package prestige

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

// arm is a training algorithm with the parameters of an experiment.
type arm struct {
	name    string
	learner method
	loss    erm.Loss
	// epsilon is the ε of one update; PRESTIGE divides it 1 : 4 between label and gradient.
	epsilon        float64
	batch          int
	lambda, radius float64
	labelEpsilon   float64 // ε_r; 0 means a fifth of epsilon
}

type method int

const (
	sgd method = iota
	djw
	prestige
)

// The search grid for parameters that the paper does not fix: λ in the paper's range, and R from below to above the
// size at which scores of rows of norm 1 exceed D_th = 1.5.
var (
	openLambdas = localsgd.Lambdas
	openRadii   = []float64{1, 10, 100}
)

// Default parameters of runs without a search.
const (
	usualLambda = 1e-3
	usualRadius = 10
)

func (a arm) config(train *dataset.Dataset) localsgd.Config {
	c := localsgd.Config{Loss: a.loss, Lambda: a.lambda, Radius: a.radius, Epochs: paper.PrestigeEpochs, Batch: a.batch,
		Step: localsgd.StepBall, Project: true}
	c.Lipschitz = erm.Objective{Loss: a.loss, Reg: erm.L2{Lambda: a.lambda}}.Lipschitz(train.MaxNorm(), a.radius)
	return c
}

// errs returns the testing error rate of one run.
func (a arm) errs(ctx context.Context, r *rand.Rand, train, test *dataset.Dataset) (float64, error) {
	w, err := a.train(ctx, r, train)
	if err != nil {
		return math.NaN(), err
	}
	return erm.ErrorRate(w, test), nil
}

// agrees returns the share of the test rows that get the more frequent answer of one run's classifier; a classifier
// that ignores its input has 1.
func (a arm) agrees(ctx context.Context, r *rand.Rand, train, test *dataset.Dataset) (float64, error) {
	w, err := a.train(ctx, r, train)
	if err != nil {
		return math.NaN(), err
	}
	positive := 0
	for i := range test.Len() {
		if test.Row(i).Dot(w) >= 0 {
			positive++
		}
	}
	return float64(max(positive, test.Len()-positive)) / float64(test.Len()), nil
}

// train returns the weights of one run.
func (a arm) train(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error) {
	c := a.config(train)
	p := localsgd.Privacy{Epsilon: a.epsilon, Premise: localsgd.PremiseClip}
	label := a.labelEpsilon
	if a.learner == prestige && label == 0 {
		p.Epsilon, label = (1-paper.PrestigeLabelShare)*a.epsilon, paper.PrestigeLabelShare*a.epsilon
	}
	var result *localsgd.Result
	var err error
	if a.learner == sgd {
		result, err = localsgd.SGD(ctx, r, train, c)
	} else if p.Bound, err = bounds.PrivateSamplingBound(train.Dim(), p.Epsilon, c.Lipschitz); err == nil {
		if a.learner == djw {
			result, err = localsgd.DJW(ctx, r, train, c, p)
		} else {
			result, err = localsgd.PRESTIGE(ctx, r, train, c, p,
				localsgd.Curriculum{Epsilon: label, Threshold: paper.PrestigeFirstThreshold,
					Decrease: paper.PrestigeDecrease})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	return result.W, nil
}

// tuned returns the arm with the λ, and for PRESTIGE the R, that have the least error on the test rows in pilot runs.
// Tuning on the test rows favors the arm more than cross-validation does, so that a large error is not due to the
// parameters. One run per candidate selects three finalists, three further runs select among these. The quick budget
// keeps the default values.
func (a arm) tuned(ctx context.Context, s verify.Settings, train, test *dataset.Dataset) (arm, error) {
	a.lambda, a.radius = usualLambda, usualRadius
	if s.Budget == verify.Quick {
		return a, nil
	}
	radii := []float64{usualRadius}
	if a.learner == prestige {
		radii = openRadii
	}
	type candidate struct {
		arm
		rate float64 // mean error of its pilot runs
	}
	pilot := func(a arm, round string, runs int) (mean float64, err error) {
		r := s.Stream("pilot", a.name, round, fmt.Sprint(a.lambda, a.radius))
		for range runs {
			rate, err := a.errs(ctx, r, train, test)
			if err != nil {
				return mean, err
			}
			mean += rate / float64(runs)
		}
		return mean, nil
	}
	order := func(x, y candidate) int { return cmp.Compare(x.rate, y.rate) }
	var all []candidate
	for _, a.radius = range radii {
		for _, a.lambda = range openLambdas {
			rate, err := pilot(a, "first", 1)
			if err != nil {
				return a, err
			}
			all = append(all, candidate{a, rate})
		}
	}
	slices.SortStableFunc(all, order)
	all = all[:3]
	for i, c := range all {
		var err error
		if all[i].rate, err = pilot(c.arm, "second", 3); err != nil {
			return a, err
		}
	}
	return slices.MinFunc(all, order).arm, nil
}

// rows are the training and test rows of a check.
type rows struct {
	train, test *dataset.Dataset
	files       string
}

// a7a reads A7A and divides each row by its norm.
func a7a(s verify.Settings) (rows, error) {
	const name = "a7a"
	train, test, err := checks.Open(s, name)
	if err != nil {
		return rows{}, err
	}
	fitted, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(train)
	if err != nil {
		return rows{}, err
	}
	if train, err = fitted.Apply(train); err != nil {
		return rows{}, err
	}
	test, err = fitted.Apply(test)
	return rows{train, test, checks.Files(name)}, err
}

// sphere draws two classes that a hyperplane separates, for controls, which must run without data files.
func sphere(s verify.Settings) (rows, error) {
	all, _, err := dataset.Sphere(s.Stream("sphere"), 400, 5, 0.2)
	if err != nil {
		return rows{}, err
	}
	train, test, err := all.Split(s.Stream("split"), 0.5)
	return rows{train: train, test: test}, err
}

// race compares the errors of arms and of fixed values.
type race struct {
	rows   func(verify.Settings) (rows, error)
	arms   func(n int) []arm // n is the number of training rows
	tune   bool
	fixed  []fixed
	orders []mean.Order // claimed orders; indices count the arms first, then the fixed values
	runs   int64
	// alike compares the shares of test rows with the same answer instead of the errors.
	alike bool
}

type fixed struct {
	name  string
	value float64
	err   error // reason for a missing value
}

func (c race) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	data, err := c.rows(s)
	if err != nil {
		return nil, err
	}
	arms := c.arms(data.train.Len())
	var names []string
	for i := range arms {
		if c.tune {
			if arms[i], err = arms[i].tuned(ctx, s, data.train, data.test); err != nil {
				return nil, err
			}
		}
		names = append(names, fmt.Sprintf("%s (ε=%.3g, λ=%g, R=%g)", arms[i].name, arms[i].epsilon, arms[i].lambda,
			arms[i].radius))
	}
	for _, f := range c.fixed {
		if f.err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, f.err)
		}
		names = append(names, f.name)
	}
	quantity := "testing error rate"
	measure := arm.errs
	if c.alike {
		quantity, measure = "share of the test rows that get the more frequent answer", arm.agrees
	}
	return mean.Compare{
		Quantity: quantity, Names: names, Orders: c.orders, Replicates: c.runs, Data: data.files,
		Note: fmt.Sprintf("%d training rows of norm 1, %d test rows, d = %d, %d epochs", data.train.Len(), data.test.Len(),
			data.train.Dim(), paper.PrestigeEpochs),
		Run: func(ctx context.Context, r *rand.Rand) (values []float64, err error) {
			for _, a := range arms {
				rate, err := measure(a, ctx, r, data.train, data.test)
				if err != nil {
					return nil, err
				}
				values = append(values, rate)
			}
			for _, f := range c.fixed {
				values = append(values, f.value)
			}
			return values, nil
		},
	}.Prepare(ctx, s)
}

// usualArms returns the arms with the default λ, R and loss.
func usualArms(arms ...arm) []arm {
	arms = slices.Clone(arms)
	for i := range arms {
		arms[i].lambda, arms[i].radius = usualLambda, usualRadius
		if arms[i].loss == nil {
			arms[i].loss = erm.Hinge{}
		}
	}
	return arms
}

// Places of the arms of Fig. 4.
const (
	atSGD = iota
	atDJW
	atPRESTIGE
)

var (
	// paperOrder is the order of Fig. 4, measuredOrder the measured one.
	paperOrder = []mean.Order{{Less: atSGD, More: atPRESTIGE}, {Less: atPRESTIGE, More: atDJW},
		{Less: atSGD, More: atDJW}}
	measuredOrder = []mean.Order{{Less: atSGD, More: atDJW}, {Less: atDJW, More: atPRESTIGE},
		{Less: atSGD, More: atPRESTIGE}}
)

// fig4Race compares the methods of Fig. 4 on A7A at the largest budget. If the ε of one update is small, the errors
// vary too much for a decision at the standard budget, so that only the thorough budget has enough runs.
func fig4Race(update func(rows float64) float64, orders []mean.Order) race {
	runs := int64(40)
	if update(1) < 1 {
		runs = 20
	}
	return race{rows: a7a, tune: true, orders: orders, runs: runs, arms: func(n int) []arm {
		e := maxBudget() * update(float64(n))
		return usualArms(arm{name: "SGD"}, arm{name: "DJW", learner: djw, epsilon: e},
			arm{name: "PRESTIGE", learner: prestige, epsilon: e})
	}}
}

func perUpdate(float64) float64 { return 1 }

// twinRace compares DJW at ε = 0.01 with PRESTIGE at ε_r = ε_s = 8, which then errs less.
func twinRace(orders []mean.Order) race {
	return race{rows: sphere, orders: orders, runs: 3200, arms: func(int) []arm {
		return usualArms(arm{name: "SGD"}, arm{name: "DJW", learner: djw, epsilon: 0.01},
			arm{name: "PRESTIGE", learner: prestige, epsilon: 8, labelEpsilon: 8})
	}}
}
