package localsgd

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Premise selects the treatment of a gradient g outside the premise of Proposition 1, 0 < ‖g‖ ≤ L. Above L the
// first branch's probability 1/2 + ‖g‖/2L exceeds 1, and at 0 the direction g/‖g‖ is undefined.
type Premise int

const (
	// PremiseError ends the run with an error at the first such gradient, because the literal proposition does not
	// apply to it. This is the default.
	PremiseError Premise = iota
	// PremiseClip counts such gradients. It replaces g by L·g/‖g‖ above L, and by a uniform direction at 0, the
	// limit distribution as ‖g‖ → 0. The update stays ε-private, but is biased if g was clipped.
	PremiseClip
	// PremiseSkip counts and omits the update; t does not advance. The missing update reveals that the premise
	// failed, which is not private.
	PremiseSkip
)

// Step is a schedule of step sizes η_t, t = 1, 2, …. N is the norm bound of the subtracted vector: B in DJW and L
// in SGD, for which the paper states no step size.
type Step int

const (
	// StepPaper is η_t = R/(λN√t), as in Algorithm 1. This is the default. In DJW a step then has length R/(λ√t);
	// for λ < 1 the first 1/λ² steps are longer than the ball's radius.
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

// Config holds the parameters that SGD, DJW and PRESTIGE share.
type Config struct {
	Loss   erm.Loss
	Lambda float64 // λ > 0 in (λ/2)‖w‖²
	Radius float64 // R > 0, radius of the ball of w
	// Lipschitz is L > 0, the bound on the norm of a gradient, which private sampling needs.
	// erm.Objective.Lipschitz computes it for w in the ball.
	Lipschitz float64
	Epochs    int // Tmax ≥ 1 passes over the data, each in a new random order
	// Batch is the number of successive records per update; 0 means 1. The last batch of an epoch may be shorter.
	// The paper names sizes 1, 5 and 10 without a rule (Sect. 4.1). Here the gradients of a batch are taken at the
	// same w, each is privatized separately, as local privacy requires, and their mean is subtracted.
	Batch int

	// Step is the schedule of step sizes.
	Step Step
	// Project projects w onto the ball ‖w‖ ≤ R after every update. The literal Algorithm 1 does not, although its
	// statement requires w in the ball.
	Project bool
	// Init is the first w, copied, with finite entries. nil draws it uniformly from the ball; the paper says
	// "randomly" without a distribution.
	Init []float64
	// Average requests the mean of w^(1), …, w^(T) (Theorem 1), which the algorithm itself does not return.
	Average bool
	// Watch, unless nil, observes every draw of gradients, labels and orders.
	Watch primitive.Watch
}

// Privacy holds the further parameters of DJW and PRESTIGE.
type Privacy struct {
	Epsilon float64 // ε_s > 0, privacy loss of one gradient; a record takes part in Tmax updates
	Bound   float64 // B > 0, the norm of every privatized gradient; stated by the caller
	Premise Premise
}

// Curriculum holds the parameters that PRESTIGE adds to DJW.
type Curriculum struct {
	Epsilon float64 // ε_r > 0, privacy loss of one perturbation of a label
	// Bias is b in the curriculum z = (⟨w, x⟩ + b)ỹ, finite. Algorithm 1 has it as an input, never updates it, and
	// uses it nowhere else; the loss does not depend on it.
	Bias float64
	// Threshold is D_th in the first epoch, finite or -Inf, which selects every record. The paper requires more
	// than 1 and uses 1.5.
	Threshold float64
	// Decrease is μ ≥ 0: after epoch T, D_th decreases by μ√T. The paper uses 1.
	Decrease float64
	// Memoize draws the perturbed label of a record once for the whole run. The literal Algorithm 1 draws it again
	// in every epoch.
	Memoize bool
}

func (c Config) check(data *dataset.Dataset) error {
	if data == nil {
		return fmt.Errorf("localsgd: no data")
	}
	if c.Loss == nil {
		return fmt.Errorf("localsgd: no loss: set Loss, for example to erm.Hinge{}")
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
		return fmt.Errorf("localsgd: Decrease is %v: need a finite number of at least 0", q.Decrease)
	}
	return nil // randomized response checks Epsilon
}

func positive(name string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("localsgd: %s is %v: need a finite number above 0", name, v)
	}
	return nil
}
