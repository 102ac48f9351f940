package pairwise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/rng"
)

// run is the state of one run.
type run struct {
	noise      *primitive.Noise
	err        error // error of a noise call
	data       *dataset.Dataset
	p          Problem
	o          Options
	t1         int       // number of warm-up parameters, at most n
	w          []float64 // start of the next step
	output     []float64 // the latest output; the same slice as w unless both are needed
	g          []float64
	sum        []float64 // sum of the outputs so far
	penaltySum float64
}

func newRun(r *rand.Rand, data *dataset.Dataset, p Problem, o Options) (*run, error) {
	if err := p.check(data); err != nil {
		return nil, err
	}
	if o.Warmup < WarmupPaper || o.Warmup > WarmupNone || o.Draw < DrawEach || o.Draw > DrawOnce ||
		o.Feedback < FeedbackOutput || o.Feedback > FeedbackNone {
		return nil, fmt.Errorf("pairwise: unknown option: warm-up %d, draw %d, feedback %d", o.Warmup, o.Draw, o.Feedback)
	}
	dim := p.Set.Dim()
	s := &run{
		noise: primitive.Watched(r, o.Watch), data: data, p: p, o: o,
		t1: min(WarmupSteps(o.Warmup, p.L, p.Alpha), data.Len()),
		w:  make([]float64, dim), g: make([]float64, dim), sum: make([]float64, dim),
	}
	s.output = s.w
	return s, nil
}

// online runs Algorithm 1 with the given standard deviation of the noise at each step. nil means no noise.
func (s *run) online(ctx context.Context, deviation func(t int) float64) (*Result, error) {
	if deviation != nil && s.o.Feedback == FeedbackNone {
		s.output = make([]float64, len(s.w))
	}
	n := s.data.Len()
	err := s.all(ctx, deviation, func(t int) {
		if t < n || n == 1 {
			floats.Add(s.sum, s.output)
		}
	})
	if err != nil {
		return nil, err
	}
	floats.Scale(1/float64(max(n-1, 1)), s.sum)
	return s.result(s.output, s.sum), nil
}

// offline runs Algorithm 3 with the given standard deviation of the noise on the mean.
func (s *run) offline(ctx context.Context, deviation float64) (*Result, error) {
	if err := s.all(ctx, nil, func(int) { floats.Add(s.sum, s.w) }); err != nil {
		return nil, err
	}
	floats.Scale(1/float64(s.data.Len()), s.sum)
	if s.perturb(s.sum, deviation, s.data.Len()); s.err != nil {
		return nil, s.err
	}
	return s.result(s.sum, s.sum), nil
}

func (s *run) result(w, mean []float64) *Result {
	return &Result{W: w, Mean: mean, Warmup: s.t1, Steps: s.data.Len() - s.t1, Penalty: s.penaltySum}
}

// all computes w_1, …, w_n and calls each after every output.
func (s *run) all(ctx context.Context, deviation func(t int) float64, each func(t int)) error {
	for t := 1; t <= s.data.Len(); t++ {
		if t&15 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.o.Penalties && t >= 2 {
			s.penaltySum += s.p.penalty(s.data, t, s.output)
		}
		if t <= s.t1 {
			s.warmup(t)
		} else {
			s.step(t)
			if deviation != nil {
				s.release(deviation(t), t)
			}
		}
		if s.err != nil {
			return s.err
		}
		each(t)
		if s.o.Each != nil {
			s.o.Each(t, s.output)
		}
	}
	return s.finite()
}

// warmup performs step 6: it draws a parameter that does not depend on the data.
func (s *run) warmup(t int) {
	if t == 1 || s.o.Draw == DrawEach {
		set, w := s.p.Set, s.w
		s.err = s.noise.Public(w, func(r *rand.Rand) { draw(r, set, w) })
	}
	copy(s.output, s.w)
}

// step computes w_t = Π[w_{t-1} - η_t ∇L̂_t(w_{t-1}, D_t)], step 11.
func (s *run) step(t int) {
	s.p.gradient(s.data, t, s.w, s.g)
	floats.AddScaled(s.w, -StepSize(s.p.Alpha, t), s.g)
	s.p.Set.Project(s.w)
}

// release performs steps 12 and 13. If the output is not fed back, w is unchanged.
func (s *run) release(deviation float64, t int) {
	copy(s.output, s.w)
	s.perturb(s.output, deviation, t)
}

// perturb adds Gaussian noise to v and projects it onto the set.
func (s *run) perturb(v []float64, deviation float64, t int) {
	call := primitive.Call{Kind: primitive.Gaussian, Value: v, Scale: deviation, Norm: primitive.L2}
	if s.o.Sensitivity != nil {
		call.Sensitivity = s.o.Sensitivity(t)
	}
	s.err = s.noise.Release(call, v, func(r *rand.Rand) error {
		for k := range v {
			v[k] += deviation * rng.Normal(r)
		}
		return nil
	})
	s.p.Set.Project(v)
}

func (s *run) finite() error {
	for _, v := range [][]float64{s.w, s.output, s.sum} {
		if total := floats.Sum(v); math.IsNaN(total) || math.IsInf(total, 0) {
			return fmt.Errorf("pairwise: w is outside the range of float64 after %d records: choose a smaller set or rows "+
				"of smaller norm", s.data.Len())
		}
	}
	return nil
}

// draw fills dst with a uniform point of the ball of the set's radius, projected onto the set.
func draw(r *rand.Rand, set erm.Set, dst []float64) {
	for {
		for k := range dst {
			dst[k] = rng.Normal(r)
		}
		// A zero vector has no direction. In one dimension it does occur.
		if size := floats.Norm(dst, 2); size > 0 {
			floats.Scale(set.MaxNorm()*math.Pow(1-r.Float64(), 1/float64(len(dst)))/size, dst)
			set.Project(dst)
			return
		}
	}
}
