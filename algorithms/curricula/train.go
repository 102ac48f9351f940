package curricula

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/rng"
)

// Model is f(·; θ) with its loss. A Model has its own scratch memory, so two goroutines must not use it at the
// same time.
type Model interface {
	Params() int // length of θ
	Dim() int    // length of x
	Classes() int
	Init(r *rand.Rand, theta []float64)
	// Gradient adds ∇L(θ; x, y) to g and returns the loss.
	Gradient(theta, x []float64, y int, g []float64) float64
	// Loss returns −log p_y, eq. (1) and (2).
	Loss(theta, x []float64, y int) float64
	// Predict returns the class with the largest logit, the first one in a tie.
	Predict(theta, x []float64) int
}

// Result is the trained model and statistics of the training.
type Result struct {
	Theta       []float64
	Multipliers []float64 // F(t) of each epoch; nil without noise
	Steps       int       // number of steps
	Clipped     int       // number of gradients (of batches or samples) longer than C
	Gradients   int       // number of gradients compared with C
}

// Train runs Algorithm 1, or Algorithm 2 if c.Order comes from [Order]. It draws θ₀, the batches and the noise
// from r and is deterministic given r. A step does not allocate.
//
// Errors: data that do not fit the model or are not finite, a configuration outside its domain, a θ that is not
// finite, and the context's error.
func Train(ctx context.Context, r *rand.Rand, m Model, data Data, c Config) (*Result, error) {
	if err := checkData(data, m); err != nil {
		return nil, err
	}
	if err := c.validate(data.Len()); err != nil {
		return nil, err
	}
	t := newTrainer(m, data, c)
	t.noise = primitive.Watched(r, c.Watch)
	theta := t.Theta
	if err := t.noise.Public(theta, func(r *rand.Rand) { m.Init(r, theta) }); err != nil {
		return nil, err
	}
	if c.Schedule.F != nil {
		t.Multipliers = c.Schedule.Multipliers(c.Epochs, c.Index)
	}
	for epoch := range c.Epochs {
		if err := t.epoch(ctx, epoch); err != nil {
			return nil, err
		}
	}
	return &t.Result, nil
}

type trainer struct {
	Result
	model   Model
	data    Data
	c       Config
	noise   *primitive.Noise
	order   []int // D′, divided into batches in turn
	batch   []int // batch of Poisson sampling
	x       []float64
	g, each []float64 // gradients of the batch and of one sample
}

func newTrainer(m Model, data Data, c Config) *trainer {
	n, p := data.Len(), m.Params()
	t := &trainer{model: m, data: data, c: c, x: make([]float64, data.Dim()), g: make([]float64, p)}
	t.Theta = make([]float64, p)
	t.order = make([]int, n)
	for i := range t.order {
		t.order[i] = i
	}
	if c.Order != nil {
		copy(t.order, c.Order)
	}
	if c.Sampling == SamplePoisson {
		t.batch = make([]int, 0, n)
	}
	if c.Clipping == ClipExample {
		t.each = make([]float64, p)
	}
	return t
}

func (t *trainer) epoch(ctx context.Context, epoch int) error {
	if t.c.Sampling == SampleShuffled {
		if err := t.noise.Permute(t.order); err != nil {
			return err
		}
	}
	for first := 0; first < len(t.order); first += t.c.Batch {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t.c.Steps > 0 && t.Steps == t.c.Steps {
			return nil
		}
		multiplier := 0.0
		if t.Multipliers != nil {
			multiplier = t.Multipliers[epoch]
		}
		members, err := t.members(first)
		if err == nil {
			err = t.step(members, multiplier)
		}
		if err != nil {
			return err
		}
		if math.IsNaN(floats.Sum(t.Theta) * 0) { // 0·∞ and 0·NaN are NaN
			return fmt.Errorf("curricula: θ is not finite after step %d, in epoch %d: take a smaller Rate or clip", t.Steps,
				epoch+1)
		}
	}
	return nil
}

// members returns the batch that begins at position first of the epoch.
func (t *trainer) members(first int) ([]int, error) {
	if t.c.Sampling != SamplePoisson {
		return t.order[first:min(first+t.c.Batch, len(t.order))], nil
	}
	q := float64(t.c.Batch) / float64(len(t.order))
	var err error
	if t.batch, err = t.noise.Poisson(len(t.order), q, t.batch[:0]); err != nil {
		return nil, err
	}
	for k, i := range t.batch {
		t.batch[k] = t.order[i]
	}
	return t.batch, nil
}

// step performs the body of the inner loop.
func (t *trainer) step(batch []int, multiplier float64) error {
	t.gradient(batch)
	if deviation := t.deviation(multiplier); deviation != 0 {
		call := primitive.Call{Kind: primitive.Gaussian, Value: t.g, Scale: deviation, Sensitivity: t.c.Sensitivity,
			Norm: primitive.L2}
		g := t.g
		err := t.noise.Release(call, g, func(r *rand.Rand) error {
			for j := range g {
				g[j] += deviation * rng.Normal(r)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if t.c.Observe != nil {
		t.c.Observe(t.g)
	}
	floats.AddScaled(t.Theta, -t.c.Rate, t.g)
	t.Steps++
	return nil
}

func (t *trainer) deviation(multiplier float64) float64 {
	switch {
	case multiplier == 0:
		return 0
	case t.c.Scale == ScaleMean:
		return math.Abs(multiplier) * t.c.Clip / float64(t.c.Batch)
	}
	return math.Abs(multiplier) * t.c.Clip
}

// gradient computes the clipped mean gradient of the batch. An empty batch, which only Poisson sampling can draw,
// has gradient 0.
func (t *trainer) gradient(batch []int) {
	clear(t.g)
	size := len(batch)
	if t.c.Sampling == SamplePoisson {
		size = t.c.Batch
	}
	for _, i := range batch {
		y := t.data.Load(i, t.x)
		if t.c.Clipping == ClipBatch {
			t.model.Gradient(t.Theta, t.x, y, t.g)
			continue
		}
		clear(t.each)
		t.model.Gradient(t.Theta, t.x, y, t.each)
		floats.AddScaled(t.g, t.shrink(t.each), t.each)
	}
	if size > 0 {
		floats.Scale(1/float64(size), t.g)
	}
	if t.c.Clipping == ClipBatch {
		floats.Scale(t.shrink(t.g), t.g)
	}
}

// shrink returns 1/max(1, ‖g‖/C).
func (t *trainer) shrink(g []float64) float64 {
	t.Gradients++
	norm := math.Sqrt(floats.Dot(g, g))
	if math.IsInf(norm, 1) { // the squares may overflow although the entries are finite
		norm = floats.Norm(g, 2)
	}
	if !(norm > t.c.Clip) {
		return 1
	}
	t.Clipped++
	return t.c.Clip / norm
}

// Accuracy returns the share of samples, in [0, 1], whose class the model predicts.
func Accuracy(m Model, theta []float64, data Data) float64 {
	x, right := make([]float64, data.Dim()), 0
	for i := range data.Len() {
		if y := data.Load(i, x); m.Predict(theta, x) == y {
			right++
		}
	}
	return float64(right) / float64(data.Len())
}
