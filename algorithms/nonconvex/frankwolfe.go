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

// Overstep selects the treatment of a Frank–Wolfe step with γ > 1, for which x_t + γ(v_t - x_t) is outside C. The
// step sizes of Theorems 4 and 6 exceed 1 on small sets and small data.
type Overstep int

const (
	// OverstepError ends the run with an error, because x must be in C by Definition 1. This is the default.
	OverstepError Overstep = iota
	// OverstepCap uses γ = 1.
	OverstepCap
)

func (o Overstep) size(gamma float64) (float64, error) {
	switch {
	case gamma <= 1:
		return gamma, nil
	case o == OverstepCap:
		return 1, nil
	}
	return 0, fmt.Errorf("nonconvex: a step of size %v leaves the set: lower StepSize or choose an Overstep", gamma)
}

func (o Overstep) check() error {
	if o < OverstepError || o > OverstepCap {
		return fmt.Errorf("nonconvex: Overstep %d is unknown", o)
	}
	return nil
}

// limited returns a Config whose step sizes respect o. It stores the error of a step size that o does not allow in
// failure.
func (c Config) limited(o Overstep, failure *error) Config {
	size := c.StepSize
	c.StepSize = func(k int) float64 {
		gamma := size(k)
		used, err := o.size(gamma)
		if err != nil {
			*failure = err
			return math.NaN()
		}
		return used
	}
	return c
}

// FrankWolfe runs DP-FW-L2, Algorithm 2: T steps
//
//	v_t = argmax over v in C of ⟨v, -(∇F(x_t) + ε_t)⟩,  x_{t+1} = x_t + γ_t(v_t - x_t)
//
// with ε_t ~ N(0, σ²I). It returns x_R for a uniform R. Line 2 prints ∇F(x), which is read as ∇F(x_t). Cost and
// errors are as for PGD, with the set's linear oracle. o selects the treatment of γ > 1.
func FrankWolfe(ctx context.Context, r *rand.Rand, data *dataset.Dataset, set erm.Set, o Overstep,
	c Config) (*Result, error) {
	if set == nil {
		return nil, fmt.Errorf("nonconvex: no set")
	}
	if err := c.checkFrankWolfe(data, set, o); err != nil {
		return nil, err
	}
	var failure error
	s := newRun(r, data, c.limited(o, &failure))
	result, err := s.learn(ctx, func(gamma float64) float64 {
		s.addNoise()
		set.Linear(s.noisy, s.next)
		s.towards(gamma)
		return gamma
	})
	if failure != nil {
		return nil, failure
	}
	return result, err
}

func (c Config) checkFrankWolfe(data *dataset.Dataset, set erm.Set, o Overstep) error {
	if err := c.check(data, set.Dim()); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	return c.inside(set)
}

// towards replaces the vertex in next by (1-γ)x + γ·next.
func (s *run) towards(gamma float64) {
	for j, v := range s.next {
		s.next[j] = (1-gamma)*s.x[j] + gamma*v
	}
}

// Selection selects a vertex in line 2 of Algorithm 4.
type Selection struct {
	// Epsilon is ε > 0 of one selection, and Sensitivity is Δu > 0 of the score; see StepEpsilon and
	// ScoreSensitivity. Epsilon = +Inf selects the best vertex.
	Epsilon, Sensitivity float64
	// NoisyMax adds Laplace noise of scale 2Δu/ε to every score and selects the largest ("Report-Noisy-Max", after
	// Corollary 1), instead of the exponential mechanism, P ∝ exp(εu/(2Δu)).
	NoisyMax bool
}

func (q Selection) check() error {
	if !(q.Epsilon > 0) {
		return fmt.Errorf("nonconvex: Selection.Epsilon is %v: need a number above 0", q.Epsilon)
	}
	if !(q.Sensitivity > 0 && q.Sensitivity <= math.MaxFloat64) {
		return fmt.Errorf("nonconvex: Selection.Sensitivity is %v: need a finite number above 0", q.Sensitivity)
	}
	return nil
}

// call describes the selection as a call of a primitive.
func (q Selection) call(scores []float64) primitive.Call {
	kind := primitive.Exponential
	if q.NoisyMax {
		kind = primitive.NoisyMax
	}
	return primitive.Call{Kind: kind, Value: scores, Scale: 2 * q.Sensitivity / q.Epsilon, Sensitivity: q.Sensitivity,
		Norm: primitive.LInf}
}

// pick returns the index of the selected score. A score with standard Gumbel noise is the largest with probability
// ∝ exp(score), which is the exponential mechanism without its sum.
func (q Selection) pick(r *rand.Rand, scores []float64) int {
	best, largest := 0, math.Inf(-1)
	scale := 2 * q.Sensitivity / q.Epsilon
	for i, u := range scores {
		switch {
		case scale == 0:
		case q.NoisyMax:
			u += scale * noise.Laplace(r)
		default:
			e := noise.Exponential(r)
			// −log e ≤ 1/e − 1: this bound, one division, rules out most scores.
			if u+scale*(1/e-0.999) < largest {
				continue
			}
			u -= scale * math.Log(e)
		}
		if u > largest {
			best, largest = i, u
		}
	}
	return best
}

// FrankWolfeVertices runs DP-FW-L1, Algorithm 4: T steps x_{t+1} = (1-γ_t)x_t + γ_t·x̃_t, where x̃_t is a vertex
// selected by the score -⟨v, ∇F(x_t)⟩. It returns x_R for a uniform R.
//
// A step takes time O(stored values + scores); the scores of an ℓ1 ball or simplex take O(p). Errors are as for
// FrankWolfe.
func FrankWolfeVertices(ctx context.Context, r *rand.Rand, data *dataset.Dataset, hull Hull, q Selection, o Overstep,
	c Config) (*Result, error) {
	if hull.set == nil {
		return nil, fmt.Errorf("nonconvex: no hull: make one by HullOf")
	}
	if err := c.checkFrankWolfe(data, hull.set, o); err != nil {
		return nil, err
	}
	if c.Sigma != 0 {
		return nil, fmt.Errorf("nonconvex: Sigma is %v: DP-FW-L1 adds noise only by its selection, set Sigma to 0", c.Sigma)
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	var failure error
	s := newRun(r, data, c.limited(o, &failure))
	scores, index := make([]float64, hull.Len()), make([]float64, 1)
	result, err := s.learn(ctx, func(gamma float64) float64 {
		hull.scores(s.gradient, scores)
		if s.err = s.noise.Release(q.call(scores), index, func(r *rand.Rand) error {
			index[0] = float64(q.pick(r, scores))
			return nil
		}); s.err != nil {
			return gamma
		}
		hull.write(int(index[0]), s.next)
		s.towards(gamma)
		return gamma
	})
	if failure != nil {
		return nil, failure
	}
	return result, err
}
