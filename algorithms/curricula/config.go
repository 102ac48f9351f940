package curricula

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Clipping selects which gradient is clipped to norm C.
type Clipping int

const (
	// ClipBatch clips the mean gradient of a batch, as the line of Algorithm 1 does. One sample can change it from
	// C to −C, so its sensitivity is 2C.
	ClipBatch Clipping = iota
	// ClipExample clips the gradient of each sample before the mean is taken, as Abadi et al. 2016 do, which the
	// paper follows.
	ClipExample
)

// Sampling selects how an epoch is divided into batches.
type Sampling int

const (
	// SampleFixed divides D′ in its order into ⌈n/Batch⌉ batches, the same in every epoch: Algorithm 1's "in
	// default sample ordering", and Algorithm 2.
	SampleFixed Sampling = iota
	// SampleShuffled draws a permutation in each epoch and divides it: "sample ordering for each epoch is random
	// according to default SGD setting" (Section 4.1).
	SampleShuffled
	// SamplePoisson makes ⌈n/Batch⌉ batches that contain each sample independently with probability Batch/n, the
	// sampling in Section 3.2's accounting. The mean divides by Batch.
	SamplePoisson
)

// Scale selects the gradient to which the noise is added.
type Scale int

const (
	// ScalePrinted adds N(0, F²C²I) to the mean gradient: the line of Algorithm 1.
	ScalePrinted Scale = iota
	// ScaleMean adds N(0, F²C²I) to the sum and divides by Batch, as Abadi et al. 2016 and the usual libraries do.
	// The standard deviation on the mean is FC/Batch.
	ScaleMean
)

// Config holds the inputs of Algorithm 1 and the choices that it leaves open.
type Config struct {
	Epochs   int      // T ≥ 1
	Batch    int      // batch size, 1 ≤ Batch ≤ n; the last batch of an epoch may be smaller
	Rate     float64  // η > 0, finite
	Clip     float64  // C > 0; +Inf does not clip and requires an empty Schedule
	Schedule Schedule // F; no noise if F is nil

	Index    Index
	Clipping Clipping
	Sampling Sampling
	Scale    Scale
	Order    []int // D′: a permutation of the sample indices; nil is the order of the data
	Steps    int   // unless 0, the number of steps after which training ends, also within an epoch

	// Observe, unless nil, is called with every noisy gradient in turn, of length Model.Params. These are all
	// values that the adversary of Section 3.2's accounting sees. Observe must not keep or change g.
	Observe func(g []float64)

	// Watch, unless nil, observes every draw of noise and batches. A noise call states Sensitivity as its ℓ2
	// sensitivity.
	Watch       primitive.Watch
	Sensitivity float64
}

func (c Config) validate(n int) error {
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("curricula: Epochs %d: want at least 1", c.Epochs)
	case c.Steps < 0:
		return fmt.Errorf("curricula: Steps %d: want at least 1, or 0 for complete epochs", c.Steps)
	case c.Batch < 1 || c.Batch > n:
		return fmt.Errorf("curricula: Batch %d: want 1 to the number of samples, %d", c.Batch, n)
	case !(c.Rate > 0 && c.Rate <= math.MaxFloat64):
		return fmt.Errorf("curricula: Rate %v: want a finite number above 0", c.Rate)
	case !(c.Clip > 0):
		return fmt.Errorf("curricula: Clip %v: want a number above 0", c.Clip)
	case c.Schedule.F != nil && math.IsInf(c.Clip, 1):
		return errors.New("curricula: noise relative to an infinite Clip")
	case c.Index != FromOne && c.Index != FromZero, c.Clipping != ClipBatch && c.Clipping != ClipExample,
		c.Sampling < SampleFixed || c.Sampling > SamplePoisson, c.Scale != ScalePrinted && c.Scale != ScaleMean:
		return fmt.Errorf("curricula: unknown choice among Index %d, Clipping %d, Sampling %d, Scale %d", c.Index,
			c.Clipping, c.Sampling, c.Scale)
	}
	if c.Schedule.F != nil {
		for t, f := range c.Schedule.Multipliers(c.Epochs, c.Index) {
			if !(math.Abs(f) <= math.MaxFloat64) {
				return fmt.Errorf("curricula: schedule %q has the multiplier %v in epoch %d of %d: want a finite one",
					c.Schedule.Name, f, t+1, c.Epochs)
			}
		}
	}
	return checkOrder(c.Order, n)
}

func checkOrder(order []int, n int) error {
	if order == nil {
		return nil
	}
	if len(order) != n {
		return fmt.Errorf("curricula: an Order of %d for %d samples", len(order), n)
	}
	seen := make([]bool, n)
	for _, i := range order {
		if i < 0 || i >= n || seen[i] {
			return fmt.Errorf("curricula: Order has %d twice or outside [0, %d)", i, n)
		}
		seen[i] = true
	}
	return nil
}
