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
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/rng"
)

// run is the state of one training run.
type run struct {
	noise    *primitive.Noise
	data     *dataset.Dataset
	c        Config
	reg      erm.L2
	w, g     []float64
	epsilon  float64   // privacy loss of one gradient
	released []float64 // private sampling's output, which must not overlap g
	mean     []float64 // mean of a batch; nil for batches of one record
	sum      []float64 // sum of the iterates; nil unless Average is set
	order    []int
	trace    Trace
	epoch    *Epoch // the current one, in the trace
}

// learner holds the functions in which the algorithms differ.
type learner struct {
	// record returns the vector to subtract for record i, or nil to omit the record.
	record func(i int) ([]float64, error)
	// open and close are called at the start and the end of an epoch, counted from 1. They may be nil.
	open  func(*Epoch)
	close func(epoch int)
}

func newRun(r *rand.Rand, data *dataset.Dataset, c Config) (s *run, err error) {
	c.Batch = max(c.Batch, 1)
	s = &run{
		noise: primitive.Watched(r, c.Watch), data: data, c: c,
		reg:   erm.L2{Lambda: c.Lambda},
		w:     make([]float64, data.Dim()),
		g:     make([]float64, data.Dim()),
		order: make([]int, data.Len()),
		trace: Trace{Epochs: make([]Epoch, 0, min(c.Epochs, 1024))},
	}
	for i := range s.order {
		s.order[i] = i
	}
	if c.Batch > 1 {
		s.mean = make([]float64, data.Dim())
	}
	if c.Average {
		s.sum = make([]float64, data.Dim())
	}
	if c.Init != nil {
		copy(s.w, c.Init)
	} else {
		w := s.w
		err = s.noise.Public(w, func(r *rand.Rand) { uniformBall(r, c.Radius, w) })
	}
	return s, err
}

// uniformBall draws a uniform point of the ball: a uniform direction, and a radius whose d-th power is uniform.
func uniformBall(r *rand.Rand, radius float64, dst []float64) {
	for {
		for k := range dst {
			dst[k] = rng.Normal(r)
		}
		// A zero vector has no direction. With d = 1 it does occur.
		if n := norm(dst); n > 0 {
			scale(dst, radius*math.Pow(1-r.Float64(), 1/float64(len(dst)))/n)
			return
		}
	}
}

// train makes all passes.
func (s *run) train(ctx context.Context, eta func(t int) float64, l learner) (*Result, error) {
	for epoch := 1; epoch <= s.c.Epochs; epoch++ {
		s.trace.Epochs = append(s.trace.Epochs, Epoch{Threshold: math.Inf(-1)})
		s.epoch = &s.trace.Epochs[epoch-1]
		if l.open != nil {
			l.open(s.epoch)
		}
		if err := s.pass(ctx, eta, l); err != nil {
			return nil, err
		}
		if l.close != nil {
			l.close(epoch)
		}
	}
	if !finite(s.w) || !finite(s.sum) {
		return nil, fmt.Errorf("localsgd: after %d updates w is outside the range of float64: choose a larger lambda or "+
			"a smaller radius", s.trace.Steps)
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

// pass makes one epoch.
func (s *run) pass(ctx context.Context, eta func(t int) float64, l learner) error {
	if err := s.noise.Permute(s.order); err != nil {
		return err
	}
	for k := 0; k < len(s.order); k += s.c.Batch {
		if k&1023 < s.c.Batch && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := s.batch(s.order[k:min(k+s.c.Batch, len(s.order))], l.record)
		if err != nil {
			return err
		}
		if v != nil {
			s.trace.Steps++
			s.update(eta(s.trace.Steps), v)
		}
	}
	return nil
}

// batch returns the mean of the vectors of the records that take part, or nil if none does.
func (s *run) batch(rows []int, record func(i int) ([]float64, error)) ([]float64, error) {
	if s.mean == nil {
		return record(rows[0])
	}
	clear(s.mean)
	count := 0
	for _, i := range rows {
		v, err := record(i)
		if err != nil {
			return nil, err
		}
		if v != nil {
			floats.Add(s.mean, v)
			count++
		}
	}
	if count == 0 {
		return nil, nil
	}
	scale(s.mean, 1/float64(count))
	return s.mean, nil
}

// selected counts a record that takes part and whether its score agrees with the label in use.
func (s *run) selected(score, y float64) {
	s.epoch.Selected++
	if (score >= 0) == (y > 0) {
		s.epoch.Agreeing++
	}
}

// gradient computes g = λw + loss' at row x under label y, given the score ⟨w, x⟩, and returns its norm.
func (s *run) gradient(x dataset.Row, y, score float64) float64 {
	s.reg.Gradient(s.w, s.g)
	if slope := s.c.Loss.Derivative(y * score); slope != 0 {
		x.AddTo(s.g, slope*y)
		s.epoch.Carrying++
	}
	n := norm(s.g)
	s.trace.MaxNorm = max(s.trace.MaxNorm, n)
	if n == 0 {
		s.trace.Zero++
	} else if !s.within(n) {
		s.trace.Exceeded++
	}
	return n
}

// rounding is the relative excess of ‖g‖ over L that counts as rounding and does not violate the premise. Rows
// normalized to norm 1 can have it.
const rounding = 1e-12

func (s *run) within(n float64) bool { return n <= s.c.Lipschitz*(1+rounding) }

// private returns a private sample of the gradient, whose norm is n, or nil if the step is skipped.
func (s *run) private(n float64, sampler *mechanism.PrivateSampling, premise Premise) ([]float64, error) {
	if n == 0 || !s.within(n) {
		switch premise {
		case PremiseError:
			return nil, fmt.Errorf("localsgd: step %d has a gradient of norm %v, outside the premise 0 < norm <= L = %v "+
				"of private sampling: choose a larger Lipschitz bound, project, or clip", s.trace.Steps+1, n, s.c.Lipschitz)
		case PremiseSkip:
			return nil, nil
		}
	}
	if n > s.c.Lipschitz {
		scale(s.g, s.c.Lipschitz/n)
	}
	if err := s.noise.Sample(sampler, s.epsilon, s.c.Lipschitz, s.g, s.released); err != nil {
		return nil, fmt.Errorf("localsgd: step %d: %w", s.trace.Steps+1, err)
	}
	return s.released, nil
}

// update performs w ← w - ηv and projects w if Project is set.
func (s *run) update(eta float64, v []float64) {
	v = v[:len(s.w)]
	for k := range s.w {
		s.w[k] -= eta * v[k]
	}
	if s.c.Project {
		if n := norm(s.w); n > s.c.Radius {
			toSphere(s.w, n, s.c.Radius)
			s.trace.Projected++
		}
	}
	if s.c.Average {
		floats.Add(s.sum, s.w)
	}
}

// norm returns ‖v‖ without overflow or underflow in intermediate results.
func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	// Within these limits no square has overflowed or lost relevant digits.
	if sum >= 1e-280 && sum <= 1e300 {
		return math.Sqrt(sum)
	}
	return floats.Norm(v, 2)
}

// toSphere scales v from norm n to norm radius. In dimension 1 the result is exactly ±radius on every machine: a
// loss may have its kink there, where the last bit would choose the side.
func toSphere(v []float64, n, radius float64) {
	for k := range v {
		v[k] = v[k] / n * radius
	}
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
