package localsgd

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// SGD runs Epochs passes of w ← w - η_t g_t with g_t = λw + loss' and η_t from c.Step, in the paper's schedule
// R/(λL√t). It is not private.
//
// It takes time O(d) per record and does not allocate. The run is a function of r's stream, data and c.
//
// Errors: values of c outside their domain, a w outside the range of float64, or the context's error.
func SGD(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
	if err := c.check(data); err != nil {
		return nil, err
	}
	s, err := newRun(r, data, c)
	if err != nil {
		return nil, err
	}
	return s.train(ctx, c.Step.size(c, c.Lipschitz), learner{record: func(i int) ([]float64, error) {
		s.plain(i, data.Label(i))
		return s.g, nil
	}})
}

// DJW runs Epochs passes of w ← w - η_t G_t, where G_t is g_t = λw + loss' after private sampling (Prop. 1) and
// η_t comes from c.Step, in the paper's schedule R/(λB√t). This is Algorithm 1 of Han et al. 2018 without its
// curriculum. Unless p.Premise skips updates, every gradient is ε-locally private in its record. A record takes
// part in Epochs updates, so the run is (Epochs·ε)-locally private.
//
// As ‖G_t‖ = B, in schedules that divide by B the length of a step does not depend on B: it is R/(λ√t) in the
// paper's. B then does not affect the run, up to rounding.
//
// It takes time O(d) per record and does not allocate. Errors are as for SGD, values of p outside their domain,
// and a gradient outside the premise under PremiseError.
func DJW(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config, p Privacy) (*Result, error) {
	s, sampler, err := newPrivateRun(r, data, c, p)
	if err != nil {
		return nil, err
	}
	return s.train(ctx, c.Step.size(c, p.Bound), learner{record: func(i int) ([]float64, error) {
		n := s.plain(i, data.Label(i))
		return s.private(n, sampler, p.Premise)
	}})
}

// newPrivateRun returns a run and the sampler that privatizes its gradients.
func newPrivateRun(r *rand.Rand, data *dataset.Dataset, c Config, p Privacy) (*run, *mechanism.PrivateSampling, error) {
	if err := c.check(data); err != nil {
		return nil, nil, err
	}
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	sampler, err := mechanism.NewPrivateSampling(data.Dim(), p.Epsilon, c.Lipschitz, p.Bound)
	if err != nil {
		return nil, nil, fmt.Errorf("localsgd: %w", err)
	}
	sampler.Zero = mechanism.ZeroUniform // reached only under PremiseClip
	s, err := newRun(r, data, c)
	if err != nil {
		return nil, nil, err
	}
	s.released, s.epsilon = make([]float64, data.Dim()), p.Epsilon
	return s, sampler, nil
}

// plain computes the gradient at row i under label y, counts the record as selected, and returns the gradient's
// norm.
func (s *run) plain(i int, y float64) (norm float64) {
	x := s.data.Row(i)
	score := x.Dot(s.w)
	s.selected(score, y)
	return s.gradient(x, y, score)
}
