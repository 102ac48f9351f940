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

// DPSGD is noisy gradient descent on Poisson samples with the gradient of each record clipped, [curricula.Train] as
// Abadi et al. 2016 have it. It must not be copied once it has been trained.
type DPSGD struct {
	Model func() curricula.Model // a fresh one for each training, which needs scratch of its own
	Data  curricula.Data

	SamplingRate    float64 // in (0, 1], as the accountant is told; the training's is the next multiple of 1/records below
	Steps           int     // ≥ 1
	Clip            float64 // > 0
	NoiseMultiplier float64 // > 0, of the noise on the sum, relative to Clip
	LearningRate    float64 // > 0
	// Length is how many times longer than Clip the gradient of a canary is, ≥ 1.
	Length float64

	Attack Attack
	Fault  Fault

	once      sync.Once
	wrong     []mislabelled // canaries of a black-box attack
	reference []float64     // the losses of those in a model that has none of them and no noise
	failed    error
}

// Check returns an error that names what is out of its domain, or the fault that such a training cannot have.
func (d *DPSGD) Check() error {
	switch {
	case !(d.SamplingRate > 0 && d.SamplingRate <= 1):
		return fmt.Errorf("sampling-rate %v: want one above 0, and at most 1", d.SamplingRate)
	case d.Steps < 1 || d.Steps > 1_000_000:
		return fmt.Errorf("steps %d: want 1 to 1000000", d.Steps)
	case !(d.NoiseMultiplier > 0 && d.NoiseMultiplier <= 1e6):
		return fmt.Errorf("noise-multiplier %v: want one above 0, and at most 1e6", d.NoiseMultiplier)
	case !(d.Clip > 0 && d.Clip <= 1e6):
		return fmt.Errorf("clip %v: want one above 0, and at most 1e6", d.Clip)
	case !(d.LearningRate > 0 && d.LearningRate <= 1e6):
		return fmt.Errorf("learning-rate %v: want one above 0, and at most 1e6", d.LearningRate)
	case !(d.Length >= 1 && d.Length <= 1e6):
		return fmt.Errorf("canary-length %v: want how many times longer than clip the gradient of a canary is, 1 to 1e6",
			d.Length)
	case (d.Fault == NoClip || d.Fault == ClipPerBatch) && d.Length == 1 && d.Attack == WhiteBox:
		return fmt.Errorf("fault %s: canaries whose gradient is of the clipping norm cannot see it: want a canary-length above 1",
			d.Fault)
	case (d.Fault == NoiseOnce || d.Fault == SameSeed) && d.Steps < 2:
		return fmt.Errorf("fault %s: a training of one step draws once: want at least 2 steps", d.Fault)
	case d.Fault == WrongRate && RateFactor*d.SamplingRate > 1:
		return fmt.Errorf("fault %s: a sampling-rate of %v cannot be %d times as large: want at most %v", d.Fault,
			d.SamplingRate, RateFactor, 1.0/RateFactor)
	}
	return nil
}

// MaxCanaries is as many mislabelled canaries as there are records, or as many as memory allows.
func (d *DPSGD) MaxCanaries() int {
	if d.Attack == BlackBox {
		return d.Data.Len()
	}
	return mostCanaries
}

// Scores are, of a white-box attack, the sum over the steps of ± the released sum of gradients along the canary, in
// multiples of the clipping norm; of a black-box attack how far the loss of the canary is below that in a model which
// never saw it.
func (d *DPSGD) Scores(ctx context.Context, r *rand.Rand, coins []bool) ([]float64, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if len(coins) < 1 || len(coins) > d.MaxCanaries() {
		return nil, fmt.Errorf("%d canaries: want 1 to %d", len(coins), d.MaxCanaries())
	}
	p := &planted{model: d.Model(), data: d.Data, coins: coins, length: d.Length * d.Clip, turn: 1}
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
			floats.AddScaled(scores, p.turn*perClip, g[first:])
			p.turn = -p.turn
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

// config of a training on so many records, with its fault.
func (d *DPSGD) config(records int) (curricula.Config, error) {
	batch := int(d.SamplingRate * float64(records))
	if batch < 1 {
		return curricula.Config{}, fmt.Errorf("sampling-rate %v: of %d records none is sampled: want at least %.3g",
			d.SamplingRate, records, 1/float64(records))
	}
	multiplier := d.NoiseMultiplier
	c := curricula.Config{Epochs: d.Steps, Steps: d.Steps, Batch: batch, Rate: d.LearningRate, Clip: d.Clip,
		Clipping: curricula.ClipExample, Sampling: curricula.SamplePoisson, Scale: curricula.ScaleMean, Watch: d.Fault.watch()}
	switch d.Fault {
	case HalfScale:
		multiplier /= 2
	case NoClip: // a norm that no gradient has, and the noise of the one that was promised
		const never = 1e12
		c.Clip *= never
		multiplier /= never
	case ClipPerBatch:
		c.Clipping = curricula.ClipBatch
	case WrongRate:
		c.Batch *= RateFactor
	}
	c.Schedule = curricula.Constant(multiplier)
	return c, nil
}

// mislabel makes the canaries of a black-box attack: the records with the longest features, each in the next class. Their
// losses are held against those in a model that was trained without any, and without noise.
func (d *DPSGD) mislabel(ctx context.Context) error {
	model := d.Model()
	x := make([]float64, d.Data.Dim())
	norms := make([]float64, d.Data.Len())
	for i := range norms {
		class := d.Data.Load(i, x)
		norms[i] = floats.Norm(x, 2)
		d.wrong = append(d.wrong, mislabelled{i, (class + 1) % model.Classes()})
	}
	slices.SortStableFunc(d.wrong, func(a, b mislabelled) int { return cmp.Compare(norms[b.record], norms[a.record]) })
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

// losses of all mislabelled canaries.
func (d *DPSGD) losses(model curricula.Model, theta []float64) []float64 {
	x, out := make([]float64, d.Data.Dim()), make([]float64, len(d.wrong))
	for i, w := range d.wrong {
		d.Data.Load(w.record, x)
		out[i] = model.Loss(theta[:model.Params()], x, w.class)
	}
	return out
}
