package laplacesgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Objective returns eq. (2): the logistic loss with the regularizer (λ/2)‖w‖².
func Objective(lambda float64) erm.Objective {
	return erm.Objective{Loss: erm.Logistic{}, Reg: erm.L2{Lambda: lambda}}
}

// Result is the outcome of a run.
type Result struct {
	W     []float64 // the last w
	Steps int       // number of updates
}

// SGD runs the updates (3) for Batch 1 and (5) for larger batches. It is not private.
//
// It takes time O(d) per record and does not allocate. The run is a function of r's stream, data and c.
//
// Errors: values of c outside their domain, a w outside the range of float64, or the context's error.
func SGD(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
	if err := c.check(data); err != nil {
		return nil, err
	}
	return newRun(r, data, c).train(ctx)
}

// Private runs the updates (8), which equal (6) for Batch 1. With the noise of DistributionDensity, every update
// given the previous w is α-DP for data sets that differ in the value of one record.
//
// It takes time O(d) per record and one noise vector per update, and does not allocate. Errors are as for SGD, and
// values of p outside their domain.
func Private(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config, p Privacy) (*Result, error) {
	if err := c.check(data); err != nil {
		return nil, err
	}
	s := newRun(r, data, c)
	var err error
	if s.noise, err = NewNoise(p.Distribution, data.Dim(), p.Alpha); err != nil {
		return nil, err
	}
	s.z, s.alpha = make([]float64, data.Dim()), p.Alpha
	return s.train(ctx)
}

// BatchGradient writes (1/divisor) Σ ∇ℓ(w, x_i, y_i) over the given rows to dst, by the second form of (4). w and
// dst have the rows' dimension and do not overlap. divisor > 0.
func BatchGradient(data *dataset.Dataset, rows []int, w []float64, divisor float64, dst []float64) {
	clear(dst)
	for _, i := range rows {
		x, y := data.Row(i), data.Label(i)
		x.AddTo(dst, y*erm.Logistic{}.Derivative(y*x.Dot(w))/divisor)
	}
}

// run is the state of one training.
type run struct {
	draws *primitive.Noise
	data  *dataset.Dataset
	c     Config
	noise *Noise // nil without privacy
	alpha float64
	w, g  []float64
	z     []float64
	order []int
	steps int
}

func newRun(r *rand.Rand, data *dataset.Dataset, c Config) *run {
	s := &run{draws: primitive.Watched(r, c.Watch), data: data, c: c,
		w: make([]float64, data.Dim()), g: make([]float64, data.Dim()), order: make([]int, data.Len())}
	copy(s.w, c.Init)
	for i := range s.order {
		s.order[i] = i
	}
	return s
}

func (s *run) train(ctx context.Context) (*Result, error) {
	for epoch := range s.c.Epochs {
		if s.c.Order == OrderEachPass || s.c.Order == OrderOnce && epoch == 0 {
			if err := s.draws.Permute(s.order); err != nil {
				return nil, err
			}
		}
		if err := s.pass(ctx); err != nil {
			return nil, err
		}
	}
	for _, v := range s.w {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return nil, fmt.Errorf("laplacesgd: after %d updates w is outside the range of float64: choose a smaller "+
				"learning rate or a larger Alpha", s.steps)
		}
	}
	return &Result{W: s.w, Steps: s.steps}, nil
}

// pass makes the batches of one pass. The last one may be short.
func (s *run) pass(ctx context.Context) error {
	n, b := len(s.order), s.c.Batch
	for k := 0; k < n; k += min(b, n-k) {
		if s.steps&1023 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		size := min(b, n-k)
		sum, noise := s.c.Short.Divisors(b, size)
		if sum == 0 {
			continue
		}
		rows := s.order[k : k+size]
		if s.c.Order == OrderBatches {
			var err error
			if rows, err = s.draw(size); err != nil {
				return err
			}
		}
		if err := s.step(rows, sum, noise); err != nil {
			return err
		}
	}
	return nil
}

// draw returns a uniform sample of distinct records by the first steps of a shuffle.
func (s *run) draw(size int) ([]int, error) {
	for i := range size {
		j, err := s.draws.Index(len(s.order) - i)
		if err != nil {
			return nil, err
		}
		s.order[i], s.order[i+j] = s.order[i+j], s.order[i]
	}
	return s.order[:size], nil
}

// step makes one update, (3), (5), (6) or (8).
func (s *run) step(rows []int, sum, noise float64) error {
	s.steps++
	BatchGradient(s.data, rows, s.w, sum, s.g)
	if s.noise != nil {
		if err := s.perturb(noise); err != nil {
			return err
		}
	}
	eta := s.c.Rate.at(s.c.Lambda, s.steps)
	for k, w := range s.w {
		s.w[k] = w - eta*(s.c.Lambda*w+s.g[k])
	}
	if s.c.Radius > 0 {
		if length := floats.Norm(s.w, 2); length > s.c.Radius {
			floats.Scale(s.c.Radius/length, s.w)
		}
	}
	if s.c.Observe != nil {
		s.c.Observe(s.steps, s.w)
	}
	return nil
}

// perturb adds Z/divisor to the gradient. In the thesis Z has density ∝ exp(-(α/2)‖z‖), for a sum of gradients
// with sensitivity 2.
func (s *run) perturb(divisor float64) error {
	call := primitive.Call{Kind: primitive.L2Laplace, Value: s.g, Scale: 2 / (s.alpha * divisor),
		Sensitivity: 2 / divisor, Norm: primitive.L2}
	noise, g, z := s.noise, s.g, s.z
	return s.draws.Release(call, g, func(r *rand.Rand) error {
		err := noise.Draw(r, z)
		floats.AddScaled(g, 1/divisor, z)
		return err
	})
}
