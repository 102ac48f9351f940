package nonconvex

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// PGD runs DP-PGD, Algorithm 1: T steps
//
//	x_{k+1} = argmin over u in C of ⟨∇F(x_k) + ε_k, u⟩ + ‖u - x_k‖₂²/(2γ_k) + lambda·‖u‖₁
//
// with ε_k ~ N(0, σ²I). It returns x_R for a uniform R. The regularizer (λ/2)‖x‖₁ of the experiments is lambda =
// λ/2. C is the domain; erm.Space is all of R^p.
//
// A step takes time O(stored values) and does not allocate. The run is a function of r's stream and the arguments.
//
// Errors: arguments outside their domain, a point outside the range of float64, or the context's error.
func PGD(ctx context.Context, r *rand.Rand, data *dataset.Dataset, domain erm.L1Prox, lambda float64,
	c Config) (*Result, error) {
	step, err := erm.NewProximal(domain, lambda)
	if err != nil {
		return nil, fmt.Errorf("nonconvex: %w", err)
	}
	return descend(ctx, r, data, step, domain, c)
}

// Domain is the domain of a step: an erm.Set or erm.Space.
type Domain interface{ Dim() int }

// PMD runs DP-PMD, Algorithm 3: PGD with V(u, x_k)/γ_k instead of the squared distance. The step is an erm.Mirror
// on the domain. Line 2 prints V(u, x), which is read as V(u, x_k).
//
// The divergence must have modulus 1 in the Minkowski norm of C. PMD does not check this.
func PMD(ctx context.Context, r *rand.Rand, data *dataset.Dataset, step erm.Step, domain Domain,
	c Config) (*Result, error) {
	if step == nil || domain == nil {
		return nil, fmt.Errorf("nonconvex: no step or no domain: set step, for example to an erm.Mirror, and domain to " +
			"its set")
	}
	return descend(ctx, r, data, step, domain, c)
}

func descend(ctx context.Context, r *rand.Rand, data *dataset.Dataset, step erm.Step, domain Domain,
	c Config) (*Result, error) {
	if err := c.check(data, domain.Dim()); err != nil {
		return nil, err
	}
	if set, ok := domain.(erm.Set); ok {
		if err := c.inside(set); err != nil {
			return nil, err
		}
	}
	s := newRun(r, data, c)
	return s.learn(ctx, func(gamma float64) float64 {
		s.addNoise()
		step.Next(s.x, s.noisy, gamma, s.next)
		return gamma
	})
}

// GD runs the gradient descent of Wang, Ye & Xu 2017 for non-convex losses: T steps x_{k+1} = x_k - γ_k(∇F(x_k) +
// ∂r(x_k) + ε_k) on all of R^p. It returns x_R. The paper assumes a smooth regularizer; for others GD uses a
// subgradient. NoiseMoments computes the noise.
func GD(ctx context.Context, r *rand.Rand, data *dataset.Dataset, reg erm.Regularizer, c Config) (*Result, error) {
	if err := c.checkPlain(data, reg); err != nil {
		return nil, err
	}
	s := newRun(r, data, c)
	sub := make([]float64, data.Dim())
	return s.learn(ctx, func(gamma float64) float64 {
		s.addNoise()
		s.plainStep(reg, sub, gamma)
		return gamma
	})
}

func (s *run) plainStep(reg erm.Regularizer, sub []float64, gamma float64) {
	if reg != nil {
		reg.Gradient(s.x, sub)
	}
	for j := range s.next {
		s.next[j] = s.x[j] - gamma*(s.noisy[j]+sub[j])
	}
}

func (c Config) checkPlain(data *dataset.Dataset, reg erm.Regularizer) error {
	if data == nil {
		return c.check(nil, 0)
	}
	if err := c.check(data, data.Dim()); err != nil {
		return err
	}
	if reg == nil {
		return nil
	}
	if err := reg.Check(); err != nil {
		return fmt.Errorf("nonconvex: %w", err)
	}
	return nil
}
