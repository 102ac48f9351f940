package nonconvex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Config is what all learners have in common.
type Config struct {
	Loss       erm.Loss
	Iterations int       // T ≥ 1
	Start      []float64 // x_1, copied; p finite entries, in the constraint set
	// Sigma is the deviation σ ≥ 0 of the noise on each coordinate of a gradient; 0 is
	// the algorithm without privacy. FrankWolfeVertices has noise of its own and
	// wants 0.
	Sigma float64
	// StepSize is γ_k > 0 for k = 1, …, T; see Constant.
	StepSize func(k int) float64
	// Observe, unless nil, is called after each step k with x_k, the gradient
	// ∇F(x_k) without noise, and x_{k+1}, none of which it may keep or change. What
	// it sees is not private.
	Observe func(k int, x, gradient, next []float64)
	// Watch, unless nil, sees every draw, as one by which gradients of this ℓ2 sensitivity are released.
	Watch       primitive.Watch
	Sensitivity float64
}

// Constant returns the step size γ at every step, as in the paper's theorems.
func Constant(gamma float64) func(int) float64 { return func(int) float64 { return gamma } }

// Result is the output of a learner.
type Result struct {
	X []float64 // x_R
	R int       // uniform on 1, …, T
	// Next is x_{R+1}, of which Theorems 2 and 5 make g_R = (x_R - x_{R+1})/γ_R. The
	// algorithms do not return it.
	Next []float64
	// Gamma is γ_R, as it was used.
	Gamma float64
}

func (c Config) check(data *dataset.Dataset, dim int) error {
	if data == nil {
		return fmt.Errorf("nonconvex: no data")
	}
	if err := erm.CheckLoss(c.Loss); err != nil {
		return fmt.Errorf("nonconvex: %w", err)
	}
	if c.Iterations < 1 {
		return fmt.Errorf("nonconvex: Iterations is %d: need at least 1", c.Iterations)
	}
	if !(c.Sigma >= 0 && c.Sigma <= math.MaxFloat64) {
		return fmt.Errorf("nonconvex: Sigma is %v: need a finite number from 0", c.Sigma)
	}
	if c.StepSize == nil {
		return fmt.Errorf("nonconvex: no step size: set StepSize, say to Constant(0.5)")
	}
	if dim != data.Dim() {
		return fmt.Errorf("nonconvex: the set has dimension %d, the rows have %d", dim, data.Dim())
	}
	if len(c.Start) != data.Dim() {
		return fmt.Errorf("nonconvex: Start has length %d: the rows have dimension %d", len(c.Start), data.Dim())
	}
	for k, v := range c.Start {
		if !finite(v) {
			return fmt.Errorf("nonconvex: Start[%d] is %v: need a finite number", k, v)
		}
	}
	return nil
}

// membership is the tolerance, relative to the largest member, within which the first
// point must be in the set.
const membership = 1e-9

func (c Config) inside(set erm.Set) error {
	if !set.Contains(c.Start, membership*set.MaxNorm()) {
		return fmt.Errorf("nonconvex: Start is outside %s: project it first", set.Name())
	}
	return nil
}

// run is the loop that all learners share.
type run struct {
	Config
	data *dataset.Dataset

	noise *primitive.Noise
	err   error // of the noise of a step

	x, next  []float64
	gradient []float64 // ∇F(x_k)
	noisy    []float64 // what the step sees
}

func newRun(r *rand.Rand, data *dataset.Dataset, c Config) *run {
	s := &run{Config: c, data: data, noise: primitive.Watched(r, c.Watch)}
	for _, v := range []*[]float64{&s.x, &s.next, &s.gradient, &s.noisy} {
		*v = make([]float64, data.Dim())
	}
	copy(s.x, c.Start)
	return s
}

// addNoise writes the gradient with N(0, σ²) on each entry to noisy.
func (s *run) addNoise() {
	copy(s.noisy, s.gradient)
	if s.Sigma == 0 {
		return
	}
	call := primitive.Call{Kind: primitive.Gaussian, Value: s.noisy, Scale: s.Sigma, Sensitivity: s.Sensitivity,
		Norm: primitive.L2}
	noisy, sigma := s.noisy, s.Sigma
	s.err = s.noise.Release(call, noisy, func(r *rand.Rand) error {
		for j := range noisy {
			noisy[j] += sigma * noise.Normal(r)
		}
		return nil
	})
}

// learn makes T steps. step leaves x_{k+1} in next for the gradient in noisy, and
// returns the step size it used.
func (s *run) learn(ctx context.Context, step func(gamma float64) (used float64)) (*Result, error) {
	steps, chosen := s.Iterations, make([]float64, 1)
	if err := s.noise.Public(chosen, func(r *rand.Rand) { chosen[0] = float64(r.IntN(steps)) }); err != nil {
		return nil, err
	}
	result := &Result{R: 1 + int(chosen[0])}
	for k := 1; k <= s.Iterations; k++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		gamma := s.StepSize(k)
		if !(gamma > 0 && gamma <= math.MaxFloat64) {
			return nil, fmt.Errorf("nonconvex: step %d has the size %v: need a finite number above 0", k, gamma)
		}
		Gradient(s.Loss, s.data, s.x, s.gradient)
		if gamma = step(gamma); s.err != nil {
			return nil, s.err
		}
		for j, v := range s.next {
			if !finite(v) {
				return nil, fmt.Errorf("nonconvex: step %d makes entry %d of x %v: lower StepSize or Sigma", k, j, v)
			}
		}
		if s.Observe != nil {
			s.Observe(k, s.x, s.gradient, s.next)
		}
		if k == result.R {
			result.X, result.Next, result.Gamma = append([]float64(nil), s.x...), append([]float64(nil), s.next...), gamma
		}
		s.x, s.next = s.next, s.x
	}
	return result, nil
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
