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

// Config holds the parameters that all algorithms share.
type Config struct {
	Loss       erm.Loss
	Iterations int       // T ≥ 1
	Start      []float64 // x_1, with p finite entries, in the constraint set; copied
	// Sigma is the standard deviation σ ≥ 0 of the noise on each coordinate of a gradient. 0 is the algorithm
	// without privacy. FrankWolfeVertices has its own noise and requires 0.
	Sigma float64
	// StepSize is γ_k > 0 for k = 1, …, T; see Constant.
	StepSize func(k int) float64
	// Observe, unless nil, is called after each step k with x_k, the gradient ∇F(x_k) without noise, and x_{k+1}.
	// It must not keep or change them. They are not private.
	Observe func(k int, x, gradient, next []float64)
	// Watch, unless nil, observes every draw. A noise call states Sensitivity as its ℓ2 sensitivity.
	Watch       primitive.Watch
	Sensitivity float64
}

// Constant returns the step size γ for every step, as in the paper's theorems.
func Constant(gamma float64) func(int) float64 { return func(int) float64 { return gamma } }

// Result is the output of an algorithm.
type Result struct {
	X []float64 // x_R
	R int       // uniform on 1, …, T
	// Next is x_{R+1}, from which Theorems 2 and 5 define g_R = (x_R - x_{R+1})/γ_R. The paper's algorithms do not
	// return it.
	Next []float64
	// Gamma is the step size γ_R in use.
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
		return fmt.Errorf("nonconvex: Sigma is %v: need a finite number of at least 0", c.Sigma)
	}
	if c.StepSize == nil {
		return fmt.Errorf("nonconvex: no step size: set StepSize, for example to Constant(0.5)")
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

// membership is the tolerance, relative to the largest member's norm, within which the first point must be in the
// set.
const membership = 1e-9

func (c Config) inside(set erm.Set) error {
	if !set.Contains(c.Start, membership*set.MaxNorm()) {
		return fmt.Errorf("nonconvex: Start is outside %s: project it first", set.Name())
	}
	return nil
}

// run is the loop that all algorithms share.
type run struct {
	Config
	data *dataset.Dataset

	noise *primitive.Noise
	err   error // error of a step's noise call

	x, next  []float64
	gradient []float64 // ∇F(x_k)
	noisy    []float64 // the gradient with noise, which the step uses
}

func newRun(r *rand.Rand, data *dataset.Dataset, c Config) *run {
	s := &run{Config: c, data: data, noise: primitive.Watched(r, c.Watch)}
	for _, v := range []*[]float64{&s.x, &s.next, &s.gradient, &s.noisy} {
		*v = make([]float64, data.Dim())
	}
	copy(s.x, c.Start)
	return s
}

// addNoise writes the gradient plus N(0, σ²) noise on each entry to noisy.
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

// learn makes T steps. step computes x_{k+1} from the gradient in noisy, writes it to next, and returns the step
// size in use.
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
