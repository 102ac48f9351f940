package dpsgd

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/curricula"
)

// DPSGD is noisy gradient descent on Poisson samples with the gradient of each record clipped: [curricula.Train]
// as Algorithm 1 of Abadi et al. 2016. A DPSGD must not be copied after its first training.
type DPSGD struct {
	Model func() curricula.Model // returns a new model; each training needs its own scratch memory
	Data  curricula.Data

	SamplingRate    float64 // stated rate, in (0, 1]; training rounds it down to a multiple of 1/records
	Steps           int     // ≥ 1
	Clip            float64 // > 0
	NoiseMultiplier float64 // > 0, standard deviation of the noise on the sum, in multiples of Clip
	LearningRate    float64 // > 0
	// Length is the norm of a canary's gradient in multiples of Clip, ≥ 1.
	Length float64

	Attack Attack
	Fault  Fault

	once      sync.Once
	wrong     []mislabeled // canaries of a black-box attack
	reference []float64    // their losses in a model trained without them and without noise
	failed    error
}

// Check returns an error if a field is outside its domain or if this training cannot have the fault.
func (d *DPSGD) Check() error {
	switch {
	case !(d.SamplingRate > 0 && d.SamplingRate <= 1):
		return fmt.Errorf("sampling-rate %v: want a number above 0 and at most 1", d.SamplingRate)
	case d.Steps < 1 || d.Steps > 1_000_000:
		return fmt.Errorf("steps %d: want 1 to 1000000", d.Steps)
	case !(d.NoiseMultiplier > 0 && d.NoiseMultiplier <= 1e6):
		return fmt.Errorf("noise-multiplier %v: want a number above 0 and at most 1e6", d.NoiseMultiplier)
	case !(d.Clip > 0 && d.Clip <= 1e6):
		return fmt.Errorf("clip %v: want a number above 0 and at most 1e6", d.Clip)
	case !(d.LearningRate > 0 && d.LearningRate <= 1e6):
		return fmt.Errorf("learning-rate %v: want a number above 0 and at most 1e6", d.LearningRate)
	case !(d.Length >= 1 && d.Length <= 1e6):
		return fmt.Errorf("canary-length %v: want the norm of a canary's gradient in multiples of clip, 1 to 1e6",
			d.Length)
	case (d.Fault == NoClip || d.Fault == ClipPerBatch) && d.Length == 1 && d.Attack == WhiteBox:
		return fmt.Errorf("fault %s: canaries whose gradient has the clipping norm cannot detect it: want a "+
			"canary-length above 1",
			d.Fault)
	case (d.Fault == NoiseOnce || d.Fault == SameSeed) && d.Steps < 2:
		return fmt.Errorf("fault %s: a training of one step draws once: want at least 2 steps", d.Fault)
	case d.Fault == WrongRate && RateFactor*d.SamplingRate > 1:
		return fmt.Errorf("fault %s: a sampling-rate of %v cannot be %d times as large: want at most %v", d.Fault,
			d.SamplingRate, RateFactor, 1.0/RateFactor)
	}
	return nil
}

// MaxCanaries returns the number of records for a black-box attack. For a white-box attack it returns a bound that
// limits the memory of a training.
func (d *DPSGD) MaxCanaries() int {
	if d.Attack == BlackBox {
		return d.Data.Len()
	}
	return maxCanaries
}

// Scores returns the canaries' scores. In a white-box attack the score is Σ_t (−1)^t · s_t, where s_t is the
// released sum of gradients in step t = 0, 1, … in the canary's coordinate, in multiples of the clipping norm. In
// a black-box attack it is the canary's loss in a reference model that was trained without canaries, minus its
// loss in the trained model.
func (d *DPSGD) Scores(ctx context.Context, r *rand.Rand, coins []bool) ([]float64, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if len(coins) < 1 || len(coins) > d.MaxCanaries() {
		return nil, fmt.Errorf("%d canaries: want 1 to %d", len(coins), d.MaxCanaries())
	}
	p := &planted{model: d.Model(), data: d.Data, coins: coins, length: d.Length * d.Clip, sign: 1}
	if d.Attack == BlackBox {
		d.once.Do(func() { d.failed = d.mislabel(ctx) })
		if d.failed != nil {
			return nil, d.failed
		}
		p.wrong = d.wrong[:len(coins)]
	}
	c, err := d.config(p.Len())
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(coins))
	if d.Attack == WhiteBox {
		first := p.model.Params()
		perClip := float64(c.Batch) / d.Clip
		c.Observe = func(g []float64) {
			floats.AddScaled(scores, p.sign*perClip, g[first:])
			p.sign = -p.sign
		}
	}
	trained, err := curricula.Train(ctx, r, p, p, c)
	if err != nil || d.Attack == WhiteBox {
		return scores, err
	}
	for i, loss := range d.losses(p.model, trained.Theta)[:len(coins)] {
		scores[i] = d.reference[i] - loss
	}
	return scores, nil
}

// config returns the configuration, with its fault, for a training on the given number of records.
func (d *DPSGD) config(records int) (curricula.Config, error) {
	batch := int(d.SamplingRate * float64(records))
	if batch < 1 {
		return curricula.Config{}, fmt.Errorf("sampling-rate %v: a batch of %d records is empty: want at least %.3g",
			d.SamplingRate, records, 1/float64(records))
	}
	multiplier := d.NoiseMultiplier
	c := curricula.Config{Epochs: d.Steps, Steps: d.Steps, Batch: batch, Rate: d.LearningRate, Clip: d.Clip,
		Clipping: curricula.ClipExample, Sampling: curricula.SamplePoisson, Scale: curricula.ScaleMean,
		Watch: d.Fault.watch()}
	switch d.Fault {
	case HalfScale:
		multiplier /= 2
	case NoClip: // a norm that no gradient reaches, with the noise of the stated norm
		const unreachable = 1e12
		c.Clip *= unreachable
		multiplier /= unreachable
	case ClipPerBatch:
		c.Clipping = curricula.ClipBatch
	case WrongRate:
		c.Batch *= RateFactor
	}
	c.Schedule = curricula.Constant(multiplier)
	return c, nil
}

// mislabel selects the canaries of a black-box attack: all records, in order of decreasing norm, each with the
// next class as its label. It computes their losses in a reference model that was trained without canaries and
// without noise.
func (d *DPSGD) mislabel(ctx context.Context) error {
	model := d.Model()
	x := make([]float64, d.Data.Dim())
	norms := make([]float64, d.Data.Len())
	for i := range norms {
		class := d.Data.Load(i, x)
		norms[i] = floats.Norm(x, 2)
		d.wrong = append(d.wrong, mislabeled{i, (class + 1) % model.Classes()})
	}
	slices.SortStableFunc(d.wrong, func(a, b mislabeled) int { return cmp.Compare(norms[b.record], norms[a.record]) })
	c, err := d.config(d.Data.Len())
	if err != nil {
		return err
	}
	c.Clip, c.Clipping, c.Watch, c.Schedule = d.Clip, curricula.ClipExample, nil, curricula.Schedule{}
	trained, err := curricula.Train(ctx, rand.New(rand.NewPCG(1, 1)), model, d.Data, c)
	if err == nil {
		d.reference = d.losses(model, trained.Theta)
	}
	return err
}

// losses returns the losses of all mislabeled canaries.
func (d *DPSGD) losses(model curricula.Model, theta []float64) []float64 {
	x, out := make([]float64, d.Data.Dim()), make([]float64, len(d.wrong))
	for i, w := range d.wrong {
		d.Data.Load(w.record, x)
		out[i] = model.Loss(theta[:model.Params()], x, w.class)
	}
	return out
}
