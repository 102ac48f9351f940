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

// compareCases have pairs of quantities of which neither is below the other in more than
// half of the runs, whatever their means, and trainings on few synthetic rows, whose
// errors are often tied.
func compareCases() ([]Case, error) {
	data, _, err := dataset.Sphere(rand.New(rand.NewPCG(1, 2)), 40, 3, 0.1)
	if err != nil {
		return nil, err
	}
	train, test, err := data.Split(rand.New(rand.NewPCG(3, 4)), 0.5)
	if err != nil {
		return nil, err
	}
	plain := learner{train: train, test: test}
	private, err := plain.privately(0.1)
	if err != nil {
		return nil, err
	}
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
		{Name: "in exactly half of the runs", True: true, Check: half(0.5)},
		{Name: "equal medians, skewed", True: true, Check: ordered(skewed, first)},
		{Name: "three alike, all orders", True: true,
			Check: ordered(three, first, mean.Order{Less: 1, More: 2}, mean.Order{Less: 0, More: 2})},
		{Name: "two trainings of one learner, ties", True: true, Check: ordered(duel(plain, plain), first)},
		{Name: "in 49.9 % of the runs", True: false, Counted: results.Confirmed, Check: half(0.499)},
		{Name: "in a quarter of the runs", True: false, Check: half(0.25)},
		{Name: "a private learner errs less than a plain one", True: false, Check: ordered(duel(private, plain), first)},
		{Name: "a plain learner errs less than a private one", True: true, Counted: results.Confirmed,
			Check: ordered(duel(plain, private), first)},
	}, nil
}

// ordered claims orders among the values of a run, of 100 runs.
func ordered(run func(context.Context, *rand.Rand) ([]float64, error), orders ...mean.Order) verify.Check {
	names := []string{"a", "b", "c"}[:2]
	for _, o := range orders {
		names = []string{"a", "b", "c"}[:max(len(names), o.Less+1, o.More+1)]
	}
	return mean.Compare{Quantity: "error", Names: names, Orders: orders, Run: run, Replicates: 100}
}

// learner trains a hinge-loss classifier by one pass, plainly or locally privately.
type learner struct {
	train, test *dataset.Dataset
	privacy     *localsgd.Privacy // nil without
}

func (l learner) config() localsgd.Config {
	c := localsgd.Config{Loss: erm.Hinge{}, Lambda: 0.01, Radius: 2, Epochs: 1, Step: localsgd.StepBall, Project: true}
	c.Lipschitz = erm.Objective{Loss: c.Loss, Reg: erm.L2{Lambda: c.Lambda}}.Lipschitz(1, c.Radius)
	return c
}

func (l learner) privately(epsilon float64) (learner, error) {
	bound, err := bounds.PrivateSamplingBound(l.train.Dim(), epsilon, l.config().Lipschitz)
	l.privacy = &localsgd.Privacy{Epsilon: epsilon, Bound: bound, Premise: localsgd.PremiseClip}
	return l, err
}

// errs is the error rate on the test rows after one training.
func (l learner) errs(ctx context.Context, r *rand.Rand) (float64, error) {
	var result *localsgd.Result
	var err error
	if l.privacy == nil {
		result, err = localsgd.SGD(ctx, r, l.train, l.config())
	} else {
		result, err = localsgd.DJW(ctx, r, l.train, l.config(), *l.privacy)
	}
	if err != nil {
		return 0, err
	}
	return erm.ErrorRate(result.W, l.test), nil
}

// duel is one training of each learner.
func duel(a, b learner) func(context.Context, *rand.Rand) ([]float64, error) {
	return func(ctx context.Context, r *rand.Rand) ([]float64, error) {
		x, err := a.errs(ctx, r)
		if err != nil {
			return nil, err
		}
		y, err := b.errs(ctx, r)
		return []float64{x, y}, err
	}
}
