package pairwise

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Result is the result of a run. All vectors are members of the set.
type Result struct {
	// W is the last output w_n of an online run, or the released ŵ of an offline run.
	W []float64
	// Mean is w̄ = (w_1 + … + w_{n-1})/(n-1), the mean of an online run's outputs (eq. (6)), or w_1 for n = 1. For
	// an offline run it is ŵ.
	Mean []float64
	// Warmup is the number of random parameters, min(T₁, n). Steps = n - Warmup is the number of gradient steps.
	Warmup, Steps int
	// Penalty is Σ L̂_t(w_{t-1}, D_t) over t = 2, …, n (eq. (4)), at the outputs of an online run and at the
	// iterates of an offline run. It is 0 unless Options.Penalties is set.
	Penalty float64
}

// GIGA runs Pairwise GIGA, the baseline NonPrivate: Algorithm 1 without steps 12 and 13. It is not private.
//
// Errors: no data, a problem outside its domain, or the context's error.
func GIGA(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, o Options) (*Result, error) {
	s, err := newRun(r, data, p, o)
	if err != nil {
		return nil, err
	}
	return s.online(ctx, nil)
}

// OnPairStrC runs Algorithm 1. The problem's loss is Alpha-strongly convex.
//
// Errors: as for GIGA, and privacy parameters outside their domain.
func OnPairStrC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, v Privacy,
	o Options) (*Result, error) {
	s, err := newRun(r, data, p, o)
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	rho, n := Budget(v.Epsilon, v.Delta), data.Len()
	return s.online(ctx, func(t int) float64 { return OnlineStdDev(p.G, p.Alpha, rho, t, n, s.t1) })
}

// OnPairC runs Algorithm 2: Algorithm 1 on the loss with (α/2)‖w - w₀‖² added, with w₀ = Options.Center and α > 0.
// p.Ridge and p.Alpha must be 0.
//
// Errors: as for OnPairStrC.
func OnPairC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, alpha float64, v Privacy,
	o Options) (*Result, error) {
	p, err := regularized(primitive.Watched(r, o.Watch), p, alpha, o.Center)
	if err != nil {
		return nil, err
	}
	return OnPairStrC(ctx, r, data, p, v, o)
}

// OffPairStrC runs Algorithm 3. It releases the mean of all n iterates of Pairwise GIGA with noise.
// Options.Feedback has no effect.
//
// Errors: as for OnPairStrC.
func OffPairStrC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, v Privacy,
	o Options) (*Result, error) {
	s, err := newRun(r, data, p, o)
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	return s.offline(ctx, OfflineStdDev(p.G, p.Alpha, v.Epsilon, v.Delta, data.Len()))
}

// OffPairC runs Algorithm 4: Algorithm 3 on the loss with (α/2)‖w - w₀‖² added, with w₀ = Options.Center and α >
// 0. p.Ridge and p.Alpha must be 0.
//
// Errors: as for OnPairStrC.
func OffPairC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, alpha float64, v Privacy,
	o Options) (*Result, error) {
	p, err := regularized(primitive.Watched(r, o.Watch), p, alpha, o.Center)
	if err != nil {
		return nil, err
	}
	return OffPairStrC(ctx, r, data, p, v, o)
}

// regularized returns the problem of step 4 of Algorithms 2 and 4. It draws w₀ if center is nil.
func regularized(n *primitive.Noise, p Problem, alpha float64, center []float64) (Problem, error) {
	if p.Set == nil {
		return p, fmt.Errorf("pairwise: no constraint set")
	}
	if center == nil {
		center = make([]float64, p.Set.Dim())
		if err := n.Public(center, func(r *rand.Rand) { draw(r, p.Set, center) }); err != nil {
			return p, err
		}
	}
	return p.Regularized(alpha, center)
}
