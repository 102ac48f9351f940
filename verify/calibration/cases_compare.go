package calibration

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/mean"
)

// compareCases returns comparisons of quantities. In true claims, neither of two quantities is below the other in
// more than half of the runs, although their means may differ. Other cases train on a few synthetic rows, so that
// errors are often tied.
func compareCases() []Case {
	plain, private := learners()
	half := func(p float64) verify.Check {
		return ordered(func(_ context.Context, r *rand.Rand) ([]float64, error) {
			if r.Float64() < p {
				return []float64{0, 1}, nil
			}
			return []float64{1, 0}, nil
		}, mean.Order{Less: 0, More: 1})
	}
	skewed := func(_ context.Context, r *rand.Rand) ([]float64, error) {
		return []float64{math.Exp(3 * rng.Normal(r)), math.Exp(rng.Normal(r))}, nil
	}
	three := func(_ context.Context, r *rand.Rand) ([]float64, error) {
		return []float64{rng.Normal(r), rng.Normal(r), rng.Normal(r)}, nil
	}
	first := mean.Order{Less: 0, More: 1}
	return []Case{
		{Name: "in exactly half of the runs", isTrue: true, check: half(0.5)},
		{Name: "equal medians, skewed", isTrue: true, check: ordered(skewed, first)},
		{Name: "three alike, all orders", isTrue: true,
			check: ordered(three, first, mean.Order{Less: 1, More: 2}, mean.Order{Less: 0, More: 2})},
		{Name: "two trainings of one learner, ties", isTrue: true, check: ordered(duel(plain, plain), first)},
		{Name: "in 49.9 % of the runs", isTrue: false, event: results.Confirmed, check: half(0.499)},
		{Name: "in a quarter of the runs", isTrue: false, check: half(0.25)},
		{Name: "a private learner errs less than a plain one", isTrue: false, check: ordered(duel(private, plain), first)},
		{Name: "a plain learner errs less than a private one", isTrue: true, event: results.Confirmed,
			check: ordered(duel(plain, private), first)},
	}
}

// ordered returns a check of orders among the values of a run, over 100 runs.
func ordered(run func(context.Context, *rand.Rand) ([]float64, error), orders ...mean.Order) verify.Check {
	names := []string{"a", "b", "c"}[:2]
	for _, o := range orders {
		names = []string{"a", "b", "c"}[:max(len(names), o.Less+1, o.More+1)]
	}
	return mean.Compare{Quantity: "error", Names: names, Orders: orders, Run: run, Replicates: 100}
}

// learner trains once and returns the error rate on the test rows.
type learner func(context.Context, *rand.Rand) (float64, error)

// learners returns two training algorithms of a hinge-loss classifier in one pass, without privacy and with local
// privacy.
func learners() (plain, private learner) {
	data, _, err := dataset.Sphere(rand.New(rand.NewPCG(1, 2)), 40, 3, 0.1)
	train, test, err2 := must(data, err).Split(rand.New(rand.NewPCG(3, 4)), 0.5)
	must(train, err2)
	c := localsgd.Config{Loss: erm.Hinge{}, Lambda: 0.01, Radius: 2, Epochs: 1, Step: localsgd.StepBall, Project: true}
	c.Lipschitz = erm.Objective{Loss: c.Loss, Reg: erm.L2{Lambda: c.Lambda}}.Lipschitz(1, c.Radius)
	const epsilon = 0.1
	privacy := localsgd.Privacy{Epsilon: epsilon, Premise: localsgd.PremiseClip,
		Bound: must(bounds.PrivateSamplingBound(train.Dim(), epsilon, c.Lipschitz))}
	rate := func(result *localsgd.Result, err error) (float64, error) {
		if err != nil {
			return 0, err
		}
		return erm.ErrorRate(result.W, test), nil
	}
	return func(ctx context.Context, r *rand.Rand) (float64, error) { return rate(localsgd.SGD(ctx, r, train, c)) },
		func(ctx context.Context, r *rand.Rand) (float64, error) {
			return rate(localsgd.DJW(ctx, r, train, c, privacy))
		}
}

// duel returns a run that trains once with each learner and returns both error rates.
func duel(a, b learner) func(context.Context, *rand.Rand) ([]float64, error) {
	return func(ctx context.Context, r *rand.Rand) ([]float64, error) {
		x, err := a(ctx, r)
		if err != nil {
			return nil, err
		}
		y, err := b(ctx, r)
		return []float64{x, y}, err
	}
}
