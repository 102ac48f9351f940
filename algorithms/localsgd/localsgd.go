package localsgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// SGD runs Epochs passes of w ← w - η_t g_t with g_t = λw + loss' and η_t as
// c.Step says, in the paper's schedule R/(λL√t). No privacy.
//
// Cost: O(d) a step, no allocation. The run is a function of r's stream, data
// and c. Errors: values of c outside their domain, values of w that leave the
// range of float64, and ctx ended.
func SGD(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
	if err := c.check(data); err != nil {
		return nil, err
	}
	s := newRun(r, data, c)
	return s.train(ctx, c.Step.size(c, c.Lipschitz), s.plain)
}

// DJW runs Epochs passes of w ← w - η_t G_t, where G_t is g_t = λw + loss' after private
// sampling (Prop. 1) and η_t as c.Step says, in the paper's schedule R/(λB√t):
// Algorithm 1 of Han et al. 2018 without its curriculum. Every update is ε-locally private in its record unless p.Premise skips;
// a record takes part in Epochs updates, so the run is (Epochs·ε)-locally private.
//
// ‖G_t‖ = B, so in the schedules that divide by B the length of a step does not depend on B:
// R/(λ√t) in the paper's. B then does not change the run, up to rounding.
//
// Cost: O(d) a step, no allocation. Errors as SGD, p outside its domain, and a gradient
// outside the premise under PremiseError.
func DJW(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config, p Privacy) (*Result, error) {
	if err := c.check(data); err != nil {
		return nil, err
	}
	if p.Premise < PremiseError || p.Premise > PremiseSkip {
		return nil, fmt.Errorf("localsgd: Premise %d is unknown", p.Premise)
	}
	sampler, err := mechanism.NewPrivateSampling(data.Dim(), p.Epsilon, c.Lipschitz, p.Bound)
	if err != nil {
		return nil, fmt.Errorf("localsgd: %w", err)
	}
	sampler.Zero = mechanism.ZeroUniform // reached under PremiseClip alone
	s := newRun(r, data, c)
	s.released = make([]float64, data.Dim())
	return s.train(ctx, c.Step.size(c, p.Bound), func() ([]float64, error) {
		return s.private(sampler, p.Premise)
	})
}

// run is the state of one training run.
type run struct {
	r         *rand.Rand
	data      *dataset.Dataset
	c         Config
	objective erm.Objective
	w, g      []float64
	released  []float64 // private sampling's output, which must not overlap g
	sum       []float64 // of the iterates; nil unless the mean is asked for
	order     []int
	trace     Trace
}

func newRun(r *rand.Rand, data *dataset.Dataset, c Config) *run {
	s := &run{
		r: r, data: data, c: c,
		objective: erm.Objective{Loss: c.Loss, Reg: erm.L2{Lambda: c.Lambda}},
		w:         make([]float64, data.Dim()),
		g:         make([]float64, data.Dim()),
		order:     make([]int, data.Len()),
	}
	for i := range s.order {
		s.order[i] = i
	}
	if c.Average {
		s.sum = make([]float64, data.Dim())
	}
	if c.Init != nil {
		copy(s.w, c.Init)
	} else {
		uniformBall(r, c.Radius, s.w)
	}
	return s
}

// uniformBall draws a uniform point of the ball: a direction, and a radius
// whose d-th power is uniform.
func uniformBall(r *rand.Rand, radius float64, dst []float64) {
	for {
		for k := range dst {
			dst[k] = r.NormFloat64()
		}
		// Zero in all coordinates gives no direction; with d = 1 it does occur.
		if n := norm(dst); n > 0 {
			scale(dst, radius*math.Pow(1-r.Float64(), 1/float64(len(dst)))/n)
			return
		}
	}
}

// train makes all passes. The vector to subtract is made from the gradient s.g by
// direction; nil leaves the update out.
func (s *run) train(ctx context.Context, eta func(t int) float64, direction func() ([]float64, error)) (*Result, error) {
	for range s.c.Epochs {
		s.r.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		for k, i := range s.order {
			if k%1024 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			s.objective.Gradient(s.w, s.data.Row(i), s.data.Label(i), s.g)
			v, err := direction()
			if err != nil {
				return nil, err
			}
			if v != nil {
				s.trace.Steps++
				s.update(eta(s.trace.Steps), v)
			}
		}
	}
	if !finite(s.w) || !finite(s.sum) {
		return nil, fmt.Errorf("localsgd: after %d updates w has left the range of float64: choose a larger lambda or a smaller radius", s.trace.Steps)
	}
	if s.c.Average {
		if s.trace.Steps == 0 { // every update was skipped: w is still w^(0)
			copy(s.sum, s.w)
		} else {
			scale(s.sum, 1/float64(s.trace.Steps))
		}
	}
	return &Result{W: s.w, Mean: s.sum, Trace: s.trace}, nil
}

// update makes w ← w - ηv, and projects where asked to.
func (s *run) update(eta float64, v []float64) {
	v = v[:len(s.w)]
	for k := range s.w {
		s.w[k] -= eta * v[k]
	}
	if s.c.Project {
		if n := norm(s.w); n > s.c.Radius {
			scale(s.w, s.c.Radius/n)
			s.trace.Projected++
		}
	}
	if s.c.Average {
		for k, x := range s.w {
			s.sum[k] += x
		}
	}
}

// plain gives the gradient itself and notes the premise, which SGD does not need.
func (s *run) plain() ([]float64, error) {
	s.note(norm(s.g))
	return s.g, nil
}

// rounding is the relative excess of ‖g‖ over L that is no violation of the
// premise: rows normalised to norm 1 have it by rounding.
const rounding = 1e-12

// note keeps the trace of a gradient norm, and tells whether it meets the premise.
func (s *run) note(n float64) bool {
	s.trace.MaxNorm = max(s.trace.MaxNorm, n)
	switch {
	case n == 0:
		s.trace.Zero++
	case !(n <= s.c.Lipschitz*(1+rounding)):
		s.trace.Exceeded++
	default:
		return true
	}
	return false
}

// private gives a private sample of the gradient, or nil where the step is skipped.
func (s *run) private(sampler *mechanism.PrivateSampling, premise Premise) ([]float64, error) {
	n := norm(s.g)
	if !s.note(n) {
		switch premise {
		case PremiseError:
			return nil, fmt.Errorf("localsgd: step %d has a gradient of norm %v, outside the premise 0 < norm <= L = %v of private sampling: choose a larger Lipschitz bound, project, or clip", s.trace.Steps+1, n, s.c.Lipschitz)
		case PremiseSkip:
			return nil, nil
		}
	}
	if n > s.c.Lipschitz {
		scale(s.g, s.c.Lipschitz/n)
	}
	if err := sampler.Sample(s.r, s.g, s.released); err != nil {
		return nil, fmt.Errorf("localsgd: step %d: %w", s.trace.Steps+1, err)
	}
	return s.released, nil
}

// norm is ‖v‖, without overflow or underflow on the way.
func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	// Inside these limits no square that matters was lost or has overflowed.
	if sum >= 1e-280 && sum <= 1e300 {
		return math.Sqrt(sum)
	}
	return floats.Norm(v, 2)
}

func scale(v []float64, c float64) {
	for k := range v {
		v[k] *= c
	}
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
