package laplacesgd

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Rate is the schedule of learning rates η_t, t = 1, 2, … over all passes. The thesis does not state where its
// steps w_t → w_{t+1} start; 1/√t needs t ≥ 1.
type Rate struct {
	// Scale is c > 0 in η_t = c/√t; the thesis uses 1 and 10.
	Scale float64
	// Inverse selects η_t = 1/(λt), which needs λ > 0, instead. Scale is then not used.
	Inverse bool
}

func (r Rate) at(lambda float64, t int) float64 {
	if r.Inverse {
		return 1 / (lambda * float64(t))
	}
	return r.Scale / math.Sqrt(float64(t))
}

// Short selects the treatment of the last batch of a pass if b does not divide n, as with the Banknote and
// Occupancy data. The thesis does not state it.
type Short int

const (
	// ShortPrinted is the literal eq. (8): sum and noise are divided by b, however few records the batch has. The
	// update stays α-DP. This is the default.
	ShortPrinted Short = iota
	// ShortMean averages over the batch's b' records, with noise Z/b. The average moves by 2/b', so the update is
	// only (b/b')α-DP.
	ShortMean
	// ShortScaled divides sum and noise by the batch's number of records. The update stays α-DP.
	ShortScaled
	// ShortDrop omits the batch, as the thesis's program does.
	ShortDrop
)

// Divisors returns the divisors of the sum of the gradients and of the noise, for a batch with size ≤ b records.
// Both are 0 if the batch is omitted.
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

// Order selects the records of a batch.
type Order int

const (
	// OrderEachPass draws a permutation for every pass. This is the default.
	OrderEachPass Order = iota
	// OrderOnce draws one permutation for all passes, as the thesis's program does.
	OrderOnce
	// OrderGiven keeps the order of the data.
	OrderGiven
	// OrderBatches draws every batch from all records: the "randomly chosen batch" of eq. (5) without the
	// permutations of Sect. 4.2. A pass has the same number of batches, but a record may be in several of them or
	// in none, so one pass is not α-DP.
	OrderBatches
)

// Config holds the parameters of both forms.
type Config struct {
	Lambda float64 // λ ≥ 0 in (2); above 0 if Rate.Inverse is set
	Rate   Rate
	Batch  int // b ≥ 1; 1 is single-point SGD
	Epochs int // ≥ 1 passes
	Short  Short
	Order  Order
	// Radius, unless 0, is the radius of a ball onto which w is projected after every update. The thesis prints no
	// projection; its program uses 1/λ.
	Radius float64
	// Init is w_0, copied. nil is the origin. The thesis has "an initial point"; its program draws it from N(0,
	// I).
	Init []float64
	// Observe, unless nil, is called with w after each update t = 1, 2, …. It must not keep w.
	Observe func(t int, w []float64)
	// Watch, unless nil, observes every draw of noise and batches.
	Watch primitive.Watch
}

// Privacy holds the further parameters of the private form.
type Privacy struct {
	Alpha        float64      // α > 0, privacy loss of one update
	Distribution Distribution // distribution of Z_t
}

func (c Config) check(data *dataset.Dataset) error {
	switch {
	case data == nil:
		return fmt.Errorf("laplacesgd: no data")
	case !(c.Lambda >= 0 && c.Lambda <= math.MaxFloat64):
		return fmt.Errorf("laplacesgd: Lambda is %v: need a finite number of at least 0", c.Lambda)
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
