package pairwise

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Result is what a run leaves behind. All vectors are members of the set.
type Result struct {
	// W is the last output w_n of an online run, the released ŵ of an offline one.
	W []float64
	// Mean is w̄ = (w_1 + … + w_{n-1})/(n-1) of the outputs of an online run (eq. (6)), w_1
	// for n = 1; and ŵ again of an offline one.
	Mean []float64
	// Warmup is the number of random parameters, min(T₁, n); Steps = n - Warmup that of
	// gradient steps.
	Warmup, Steps int
	// Penalty is Σ L̂_t(w_{t-1}, D_t) over t = 2, …, n (eq. (4)), at the outputs for an
	// online run and at the iterates for an offline one; 0 unless asked for.
	Penalty float64
}

// GIGA returns Pairwise GIGA, the baseline NonPrivate: Algorithm 1 without steps 12 and 13.
// It is not private.
//
// Errors: no data, a problem out of its domain, ctx ended.
func GIGA(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, o Options) (*Result, error) {
	s, err := newRun(r, data, p, o)
	if err != nil {
		return nil, err
	}
	return s.online(ctx, nil)
}

// OnPairStrC returns Algorithm 1. The problem's loss is Alpha-strongly convex.
//
// Errors: as GIGA, and privacy parameters out of their domain.
func OnPairStrC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, v Privacy, o Options) (*Result, error) {
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

// OnPairC returns Algorithm 2: Algorithm 1 on the loss with (α/2)‖w - w₀‖² added, w₀ of
// Options.Center, α > 0. p.Ridge and p.Alpha are 0.
//
// Errors: as OnPairStrC.
func OnPairC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, alpha float64, v Privacy, o Options) (*Result, error) {
	p, err := regularized(primitive.Watched(r, o.Watch), p, alpha, o.Center)
	if err != nil {
		return nil, err
	}
	return OnPairStrC(ctx, r, data, p, v, o)
}

// OffPairStrC returns Algorithm 3: the mean of all n iterates of Pairwise GIGA, once perturbed.
// Options.Feedback has no bearing on it.
//
// Errors: as OnPairStrC.
func OffPairStrC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, v Privacy, o Options) (*Result, error) {
	s, err := newRun(r, data, p, o)
	if err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return nil, err
	}
	return s.offline(ctx, OfflineStdDev(p.G, p.Alpha, v.Epsilon, v.Delta, data.Len()))
}

// OffPairC returns Algorithm 4: Algorithm 3 on the loss with (α/2)‖w - w₀‖² added, w₀ of
// Options.Center, α > 0. p.Ridge and p.Alpha are 0.
//
// Errors: as OnPairStrC.
func OffPairC(ctx context.Context, r *rand.Rand, data *dataset.Dataset, p Problem, alpha float64, v Privacy, o Options) (*Result, error) {
	p, err := regularized(primitive.Watched(r, o.Watch), p, alpha, o.Center)
	if err != nil {
		return nil, err
	}
	return OffPairStrC(ctx, r, data, p, v, o)
}

// regularized makes the problem of step 4 of Algorithms 2 and 4, with w₀ drawn unless given.
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
