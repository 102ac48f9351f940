package laplacesgd

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Rate is the schedule of learning rates η_t, t = 1, 2, … over all passes. The thesis counts
// its steps w_t → w_{t+1} without saying from where: 1/√t needs t ≥ 1.
type Rate struct {
	// Scale is c > 0 of η_t = c/√t; the thesis takes 1 and 10.
	Scale float64
	// Inverse is η_t = 1/(λt) instead, which needs λ > 0; Scale is then not used.
	Inverse bool
}

func (r Rate) at(lambda float64, t int) float64 {
	if r.Inverse {
		return 1 / (lambda * float64(t))
	}
	return r.Scale / math.Sqrt(float64(t))
}

// Short says what becomes of the last batch of a pass where b does not divide n, as with
// the Banknote and Occupancy data. The thesis does not say.
type Short int

const (
	// ShortPrinted is eq. (8) to the letter: sum and noise divided by b, however few
	// records there are. The update stays α-private. The default.
	ShortPrinted Short = iota
	// ShortMean averages over the records that there are, with noise Z/b: the average
	// of b' records moves by 2/b', so that the update is (b/b')α-private only.
	ShortMean
	// ShortScaled divides sum and noise by the number of records there are; the
	// update stays α-private.
	ShortScaled
	// ShortDrop leaves the batch out, as the program does that the thesis refers to.
	ShortDrop
)

// Divisors returns what the sum of the gradients and the noise are divided by, for a batch
// of size ≤ b records; gradient is 0 where the batch is left out.
func (s Short) Divisors(b, size int) (gradient, noise float64) {
	switch {
	case size == b || s == ShortPrinted:
		return float64(b), float64(b)
	case s == ShortMean:
		return float64(size), float64(b)
	case s == ShortScaled:
		return float64(size), float64(size)
	}
	return 0, 0
}

// Order says which records a batch has.
type Order int

const (
	// OrderEachPass draws a permutation for every pass. The default.
	OrderEachPass Order = iota
	// OrderOnce draws one permutation for all passes, as the thesis's program does.
	OrderOnce
	// OrderGiven takes the records as they come.
	OrderGiven
	// OrderBatches draws every batch anew from all records, the "randomly chosen
	// batch" of eq. (5) read without Sect. 4.2's permutations. A pass has as many
	// batches as otherwise, but a record may be in several of them or in none, and one
	// pass is then not α-private.
	OrderBatches
)

// Config is what both forms have in common.
type Config struct {
	Lambda float64 // λ ≥ 0 of (2); above 0 where Rate.Inverse
	Rate   Rate
	Batch  int // b ≥ 1; 1 is single-point SGD
	Epochs int // ≥ 1 passes
	Short  Short
	Order  Order
	// Radius, unless 0, is the radius of a ball that w is brought back to after every
	// update. The thesis prints no projection; its program takes 1/λ.
	Radius float64
	// Init is w_0, copied; nil is the origin. The thesis speaks of "an initial point";
	// its program draws it from N(0, I).
	Init []float64
	// Observe, unless nil, sees w after each update t = 1, 2, …; it must not keep w.
	Observe func(t int, w []float64)
	// Watch, unless nil, sees every draw of noise and batches.
	Watch primitive.Watch
}

// Privacy is what the private form has besides.
type Privacy struct {
	Alpha        float64      // α > 0 of one update
	Distribution Distribution // of Z_t
}

func (c Config) check(data *dataset.Dataset) error {
	switch {
	case data == nil:
		return fmt.Errorf("laplacesgd: no data")
	case !(c.Lambda >= 0 && c.Lambda <= math.MaxFloat64):
		return fmt.Errorf("laplacesgd: Lambda is %v: need a finite number from 0", c.Lambda)
	case c.Rate.Inverse && c.Lambda == 0:
		return fmt.Errorf("laplacesgd: the rate 1/(λt) needs a Lambda above 0")
	case !c.Rate.Inverse && !(c.Rate.Scale > 0 && c.Rate.Scale <= math.MaxFloat64):
		return fmt.Errorf("laplacesgd: Rate.Scale is %v: need a finite number above 0", c.Rate.Scale)
	case c.Batch < 1 || c.Epochs < 1:
		return fmt.Errorf("laplacesgd: Batch %d, Epochs %d: need at least 1", c.Batch, c.Epochs)
	case c.Short < ShortPrinted || c.Short > ShortDrop:
		return fmt.Errorf("laplacesgd: Short %d is unknown", c.Short)
	case c.Order < OrderEachPass || c.Order > OrderBatches:
		return fmt.Errorf("laplacesgd: Order %d is unknown", c.Order)
	case !(c.Radius >= 0 && c.Radius <= math.MaxFloat64):
		return fmt.Errorf("laplacesgd: Radius is %v: need a finite number above 0, or 0 for no projection", c.Radius)
	case c.Init != nil && len(c.Init) != data.Dim():
		return fmt.Errorf("laplacesgd: Init has length %d: the rows have dimension %d", len(c.Init), data.Dim())
	}
	for k, v := range c.Init {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return fmt.Errorf("laplacesgd: Init[%d] is %v: need a finite number", k, v)
		}
	}
	return nil
}
