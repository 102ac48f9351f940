package localsgd

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Premise says what a run does with a gradient g outside the premise of
// Proposition 1, which needs 0 < ‖g‖ ≤ L: the first branch's probability
// 1/2 + ‖g‖/2L exceeds 1 above L, and g/‖g‖ has no value at 0.
type Premise int

const (
	// PremiseError ends the run with an error at the first such gradient: the
	// proposition read literally says nothing about it. The default.
	PremiseError Premise = iota
	// PremiseClip replaces g by L·g/‖g‖, and by a uniform direction where g = 0 (the
	// limit of the law as ‖g‖ → 0), and counts it. The update stays ε-private;
	// unbiasedness is lost where g was clipped.
	PremiseClip
	// PremiseSkip leaves the update out and counts it; t does not advance. The
	// missing update tells that the premise failed, which is not private.
	PremiseSkip
)

// Step is a schedule of step sizes η_t, t = 1, 2, …; N is the norm bound of the
// vector that is subtracted: B in DJW, L in SGD, to which the paper gives no step size.
type Step int

const (
	// StepPaper is η_t = R/(λN√t), as in Algorithm 1. The default. In DJW a step then has
	// length R/(λ√t): for λ < 1 the first 1/λ² are longer than the ball's radius.
	StepPaper Step = iota
	// StepBall is η_t = R/(N√t), the usual schedule for projected subgradient descent.
	StepBall
	// StepInverse is η_t = 1/(λt), the usual schedule for λ-strongly convex objectives.
	StepInverse
)

// size returns η_t as a function of t.
func (s Step) size(c Config, bound float64) func(t int) float64 {
	switch s {
	case StepInverse:
		return func(t int) float64 { return 1 / (c.Lambda * float64(t)) }
	case StepBall:
		return func(t int) float64 { return c.Radius / (bound * math.Sqrt(float64(t))) }
	default:
		return func(t int) float64 { return c.Radius / (c.Lambda * bound * math.Sqrt(float64(t))) }
	}
}

// Config is what SGD, DJW and PRESTIGE have in common.
type Config struct {
	Loss   erm.Loss
	Lambda float64 // λ > 0 of (λ/2)‖w‖²
	Radius float64 // R > 0 of the ball that holds w
	// Lipschitz is L > 0, the bound on the norm of a gradient. Private sampling
	// needs it. erm.Objective.Lipschitz computes it for w in the ball.
	Lipschitz float64
	Epochs    int // Tmax ≥ 1 passes over the data, each in a new random order
	// Batch is how many successive records an update has; 0 means 1, the last of
	// an epoch may be shorter. The paper names sizes 1, 5 and 10 and prints no rule
	// (Sect. 4.1): here the records of a batch meet the same w, each gradient is
	// privatized by itself, as local privacy asks, and their mean is subtracted.
	Batch int

	// Step is the schedule of step sizes.
	Step Step
	// Project brings w back to the ball ‖w‖ ≤ R after every update. Algorithm 1
	// read literally does not, although its statement asks for w in the ball.
	Project bool
	// Init is the first w, copied, of any finite value. Nil draws it uniformly
	// from the ball: the paper's "randomly" without saying how.
	Init []float64
	// Average also returns the mean of w^(1), …, w^(T) (Theorem 1), which the
	// algorithm itself does not return.
	Average bool
	// Watch, unless nil, sees every draw of gradients, labels and orders.
	Watch primitive.Watch
}

// Privacy is what DJW and PRESTIGE have besides.
type Privacy struct {
	Epsilon float64 // ε_s > 0 of one gradient; a record takes part in Tmax updates
	Bound   float64 // B > 0, the norm of every privatized gradient; handed in, never computed here
	Premise Premise
}

// Curriculum is what PRESTIGE has besides DJW.
type Curriculum struct {
	Epsilon float64 // ε_r > 0 of one perturbation of a label
	// Bias is b of the curriculum z = (⟨w, x⟩ + b)ỹ, finite. Algorithm 1 takes it
	// as an input, never updates it, and prints it nowhere else: the loss does not
	// see it.
	Bias float64
	// Threshold is D_th in the first epoch, finite or -Inf, which selects every
	// record. The paper asks for more than 1 and takes 1.5.
	Threshold float64
	// Decrease is μ ≥ 0: after epoch T, D_th falls by μ√T. The paper takes 1.
	Decrease float64
	// Memoize draws the perturbed label of a record once for the whole run.
	// Algorithm 1 read literally draws it anew in every epoch.
	Memoize bool
}

func (c Config) check(data *dataset.Dataset) error {
	if data == nil {
		return fmt.Errorf("localsgd: no data")
	}
	if c.Loss == nil {
		return fmt.Errorf("localsgd: no loss: set Loss, say to erm.Hinge{}")
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"Lambda", c.Lambda}, {"Radius", c.Radius}, {"Lipschitz", c.Lipschitz}} {
		if err := positive(p.name, p.value); err != nil {
			return err
		}
	}
	if c.Epochs < 1 {
		return fmt.Errorf("localsgd: Epochs is %d: need at least 1", c.Epochs)
	}
	if c.Batch < 0 {
		return fmt.Errorf("localsgd: Batch is %d: need at least 1, or 0 for 1", c.Batch)
	}
	if c.Step < StepPaper || c.Step > StepInverse {
		return fmt.Errorf("localsgd: Step %d is unknown", c.Step)
	}
	if c.Init == nil {
		return nil
	}
	if len(c.Init) != data.Dim() {
		return fmt.Errorf("localsgd: Init has length %d: the rows have dimension %d", len(c.Init), data.Dim())
	}
	for k, v := range c.Init {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("localsgd: Init[%d] is %v: need a finite number", k, v)
		}
	}
	return nil
}

func (p Privacy) check() error {
	if p.Premise < PremiseError || p.Premise > PremiseSkip {
		return fmt.Errorf("localsgd: Premise %d is unknown", p.Premise)
	}
	return nil // the sampler checks the rest
}

func (q Curriculum) check() error {
	if math.IsNaN(q.Bias) || math.IsInf(q.Bias, 0) {
		return fmt.Errorf("localsgd: Bias is %v: need a finite number", q.Bias)
	}
	if !(q.Threshold <= math.MaxFloat64) {
		return fmt.Errorf("localsgd: Threshold is %v: need a finite number or -Inf", q.Threshold)
	}
	if !(q.Decrease >= 0 && q.Decrease <= math.MaxFloat64) {
		return fmt.Errorf("localsgd: Decrease is %v: need a finite number from 0", q.Decrease)
	}
	return nil // randomized response checks Epsilon
}

func positive(name string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("localsgd: %s is %v: need a finite number above 0", name, v)
	}
	return nil
}
