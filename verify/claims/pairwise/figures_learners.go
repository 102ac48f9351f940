package pairwise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
)

// soundAlpha is the α of [fallsInEpsilon]; with rows of norm 1 and WarmupContraction it gives T₁ = 4.
const soundAlpha = 8

// paperLambda is λ of the experiments, which is the α of the algorithms for strongly convex losses.
const paperLambda = 1e-3

// task is AUC maximization or metric learning.
type task struct {
	loss erm.PairLoss
	set  func(d int) (erm.Set, error)
}

var (
	aucTask    = task{erm.AUC{Phi: erm.Logistic{}}, func(d int) (erm.Set, error) { return erm.NewL2Ball(d, 1) }}
	metricTask = task{erm.Metric{Phi: erm.Logistic{}}, func(d int) (erm.Set, error) { return erm.NewFrobeniusBall(d, 1) }}
)

// problem returns the task on rows of norm 1 with a ridge.
func (t task) problem(data *dataset.Dataset, ridge float64) (pairwise.Problem, error) {
	set, err := t.set(data.Dim())
	return pairwise.Stated(t.loss, set, ridge, 1), err
}

// setting holds the parameters of a learner: α as a function of n, and the warm-up.
type setting struct {
	alpha  func(n int) float64
	warmup pairwise.Warmup
	origin bool    // w₀ = 0, and outputs kept apart; else w₀ is drawn, and they are fed back
	high   float64 // the ε held against 0.5
	sizes  []int
}

var (
	literal = setting{func(n int) float64 { return 1 / math.Sqrt(float64(n)) }, pairwise.WarmupPaper, false, 2.5,
		[]int{90, 350}}
	ownSetting = setting{func(int) float64 { return 0.5 }, pairwise.WarmupContraction, true, 1e9, []int{50}}
)

// options returns the training options of a setting.
func (s setting) options(set erm.Set) pairwise.Options {
	o := pairwise.Options{Warmup: s.warmup}
	if s.origin {
		o.Feedback, o.Center = pairwise.FeedbackNone, make([]float64, set.Dim())
	}
	return o
}

func privacyAt(epsilon float64, n int) pairwise.Privacy {
	return pairwise.Privacy{Epsilon: epsilon, Delta: 1 / float64(n)}
}

// learner returns the name of the online learner: OnPairStrC for strongly convex losses, else OnPairC.
func learner(strongly bool) string {
	if strongly {
		return "OnPairStrC"
	}
	return "OnPairC"
}

// run trains a learner of the setting and returns its last output and the objective value of it.
func (s setting) run(ctx context.Context, r *rand.Rand, of task, train *dataset.Dataset, strongly bool,
	epsilon float64) (*pairwise.Result, float64, error) {
	plain, err := of.problem(train, 0)
	if err != nil {
		return nil, 0, err
	}
	n, o := train.Len(), s.options(plain.Set)
	var result *pairwise.Result
	if strongly {
		result, err = pairwise.OnPairStrC(ctx, r, train, pairwise.Stated(of.loss, plain.Set, paperLambda, 1),
			privacyAt(epsilon, n), o)
	} else {
		result, err = pairwise.OnPairC(ctx, r, train, plain, s.alpha(n), privacyAt(epsilon, n), o)
	}
	if err != nil {
		return nil, 0, err
	}
	return result, plain.Risk(result.W, train), nil
}

// nonPrivate trains Pairwise GIGA with λ = 0.1 and T₁ = ⌈L/λ⌉ + 2. The paper states neither; with the T₁ of Algorithm
// 1 it would take no step either.
func (t task) nonPrivate(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error) {
	p, err := t.problem(train, 0.1)
	if err != nil {
		return nil, err
	}
	result, err := pairwise.GIGA(ctx, r, train, p, pairwise.Options{Warmup: pairwise.WarmupContraction})
	if err != nil {
		return nil, err
	}
	return result.W, nil
}

// offline returns OffPairC with the paper's settings. If no run takes a step, its mean AUC is exactly 0.5: ŵ is
// symmetric about 0 for every noise, and AUC(w) + AUC(−w) = 1. A run that takes a step is an error.
func (t task) offline(epsilon float64) learn {
	return func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error) {
		p, err := t.problem(train, 0)
		if err != nil {
			return nil, err
		}
		n := train.Len()
		result, err := pairwise.OffPairC(ctx, r, train, p, literal.alpha(n), privacyAt(epsilon, n), pairwise.Options{})
		if err != nil {
			return nil, err
		}
		if result.Steps > 0 {
			return nil, fmt.Errorf("OffPairC took %d steps at n = %d: its mean AUC is not known by symmetry", result.Steps, n)
		}
		return result.W, nil
	}
}

// offlineItself returns OffPairC for AUC maximization with settings at which it takes steps.
func offlineItself(epsilon float64) learn {
	return func(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error) {
		p, err := aucTask.problem(train, 0)
		if err != nil {
			return nil, err
		}
		n := train.Len()
		result, err := pairwise.OffPairC(ctx, r, train, p, ownSetting.alpha(n), privacyAt(epsilon, n),
			ownSetting.options(p.Set))
		if err != nil {
			return nil, err
		}
		return result.W, nil
	}
}

// online trains OnPairC with the paper's settings at ε = 2.5.
func (t task) online(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error) {
	result, _, err := literal.run(ctx, r, t, train, false, 2.5)
	if err != nil {
		return nil, err
	}
	return result.W, nil
}

// withoutNoise trains OnPairC with settings at which it takes steps, with almost no noise.
func (t task) withoutNoise(ctx context.Context, r *rand.Rand, train *dataset.Dataset) ([]float64, error) {
	result, _, err := ownSetting.run(ctx, r, t, train, false, ownSetting.high)
	if err != nil {
		return nil, err
	}
	return result.W, nil
}
