package premises

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// MembershipMethod names the statistics of the membership premise.
var MembershipMethod = verify.RegisterStatistics[membershipStatistics]("premises/membership")

// membershipStatistics holds the counts of the batches from which the evidence on the membership follows.
type membershipStatistics struct {
	Sampling Sampling `json:"sampling"`
	Rate     float64  `json:"rate,omitempty"`
	Batch    int      `json:"batch,omitempty"`
	Records  int      `json:"records"`
	Steps    int      `json:"steps"`
	Members  int64    `json:"members"` // of all batches

	Broken       *breach      `json:"broken,omitempty"` // impossible under the claim; the other counts are then absent
	Sizes        [2]extreme   `json:"sizes"`            // smallest and largest batch, with the step
	SizeSpread   float64      `json:"size_spread,omitempty"`
	Inclusions   [2]extreme   `json:"inclusions,omitzero"` // fewest and most steps with a record, with its position
	RecordSpread float64      `json:"record_spread,omitempty"`
	Unseen       int64        `json:"unseen,omitempty"`    // pairs of a record and a window that does not include it
	Overlaps     [2]overlap   `json:"overlaps,omitzero"`   // lags that deviate most below and above their means
	Neighbors    int64        `json:"neighbors,omitempty"` // positions 2i and 2i+1 that are both in a batch
	Epochs       *epochCounts `json:"epochs,omitempty"`    // shuffled and fixed sampling
}

// extreme is a count and its place: a step from 1, or the position of a record from 0.
type extreme struct {
	Count int64 `json:"count"`
	At    int   `json:"at"`
}

// overlap counts the records that steps at a lag have in common. If two batches together have more members than there
// are records, it counts the records in neither batch instead. That count has the same deviation from its mean.
type overlap struct {
	Lag    int     `json:"lag"`
	Common int64   `json:"common"`
	Trials int64   `json:"trials"` // largest possible count
	Mean   float64 `json:"mean"`   // under independent batches of these sizes
}

// add adds two independent batches of sizes a and b to the trials. Common is the number of their common records before.
func (o *overlap) add(records, a, b int) {
	if surplus := a + b - records; surplus > 0 {
		o.Common -= int64(surplus)
		a, b = records-a, records-b
	}
	o.Trials += int64(min(a, b))
	o.Mean += float64(a) / float64(records) * float64(b)
}

// breach is an event that is impossible under the claimed sampling.
type breach struct {
	Kind   breachKind `json:"kind"`
	Step   int        `json:"step"`
	Other  int        `json:"other,omitempty"` // earlier step
	Record int        `json:"record,omitempty"`
	Size   int        `json:"size,omitempty"`
	Want   int        `json:"want,omitempty"`
}

type breachKind string

const (
	recordTwice    breachKind = "record twice in a batch"
	otherSize      breachKind = "batch size"
	twiceInAnEpoch breachKind = "record twice in an epoch"
	otherOrder     breachKind = "other batch than an epoch before"
)

// rate returns the probability that a step includes a record.
func (f membershipStatistics) rate() float64 {
	if f.Sampling == Poisson {
		return f.Rate
	}
	return math.Min(1, float64(f.Batch)/float64(f.Records))
}

// certain reports whether the claim leaves nothing to chance: each step includes each record.
func (f membershipStatistics) certain() bool { return f.rate() == 1 }

// window returns the length of the windows, one epoch rounded down, and their number.
func (f membershipStatistics) window() (length, windows int) {
	epoch := math.Floor(1/f.rate() + 1e-9)
	length = int(math.Max(1, math.Min(epoch, float64(f.Steps))))
	return length, f.Steps / length
}

// lags returns the largest lag between compared steps: two epochs of the observed batches.
func (f membershipStatistics) lags() int {
	const largest = 4096
	if f.Members == 0 {
		return 0
	}
	epoch := math.Ceil(float64(f.Records) * float64(f.Steps) / float64(f.Members))
	return int(math.Min(float64(f.Steps-1), math.Min(largest, 2*epoch)))
}

func (f membershipStatistics) sizeSquares() squares { return newSquares(int64(f.Records), f.rate()) }

func (f membershipStatistics) recordSquares() squares { return newSquares(int64(f.Steps), f.rate()) }

// Check returns an error that names the figure outside its domain.
func (f membershipStatistics) Check() error {
	t := Training{Sampling: f.Sampling, Rate: f.Rate, Batch: f.Batch, ClippingNorm: 1, NoiseMultiplier: 1, Divisor: 1,
		Steps: f.Steps}
	if err := t.Check(); err != nil {
		return err
	}
	n, steps := int64(f.Records), int64(f.Steps)
	switch {
	case f.Records < 1 || f.Records > math.MaxInt32 || f.Steps > math.MaxInt32:
		return fmt.Errorf("%d records and %d steps: want numbers from 1 to %d", f.Records, f.Steps, math.MaxInt32)
	case !possible(f.Sizes, math.MaxInt32, 1, f.Steps) || f.Members < steps*f.Sizes[0].Count ||
		f.Members > steps*f.Sizes[1].Count:
		return fmt.Errorf("%d members in %d batches of sizes %v: want a sum of possible sizes", f.Members, steps, f.Sizes)
	case f.Broken != nil:
		return f.Broken.check(f)
	case f.Sizes[1].Count > n || f.certain() && f.Sizes[0].Count < n:
		return fmt.Errorf("batches of sizes %v of %d records: want possible sizes", f.Sizes, n)
	case f.certain():
		return nil
	case (f.Epochs != nil) != (f.Sampling == Shuffled || f.Sampling == Fixed):
		return errors.New("counts of epochs: want them for shuffled and fixed batches only")
	case f.Epochs != nil:
		return f.Epochs.check(f)
	}
	return f.checkSteps()
}

// checkSteps returns an error unless the counts of independent steps are possible.
func (f membershipStatistics) checkSteps() error {
	n, steps := int64(f.Records), int64(f.Steps)
	_, windows := f.window()
	switch {
	case !possible(f.Inclusions, steps, 0, f.Records-1) || f.Members < n*f.Inclusions[0].Count ||
		f.Members > n*f.Inclusions[1].Count:
		return fmt.Errorf("%d members, and records in %v steps: want possible numbers", f.Members, f.Inclusions)
	case !within(f.SizeSpread, float64(steps)*f.sizeSquares().limit) ||
		!within(f.RecordSpread, float64(n)*f.recordSquares().limit):
		return fmt.Errorf("sums of squares %v and %v: want possible numbers", f.SizeSpread, f.RecordSpread)
	case f.Unseen < 0 || f.Unseen > n*int64(windows) || f.Neighbors < 0 || f.Neighbors > n/2*steps:
		return fmt.Errorf("%d records outside windows, %d neighbors: want possible numbers", f.Unseen, f.Neighbors)
	}
	for _, o := range f.Overlaps {
		if err := o.check(f.lags()); err != nil {
			return err
		}
	}
	return nil
}

func (o overlap) check(lags int) error {
	if o.Lag < 0 || o.Lag > lags || o.Common < 0 || o.Common > o.Trials || !within(o.Mean, float64(o.Trials)) {
		return fmt.Errorf("%+v: want at most as many common records as trials, at a lag of at most %d", o, lags)
	}
	return nil
}

func (b breach) check(f membershipStatistics) error {
	known := b.Kind == recordTwice || b.Kind == otherSize && b.Size != b.Want && b.Size >= 0 && b.Want >= 0 ||
		(b.Kind == twiceInAnEpoch || b.Kind == otherOrder) && b.Other >= 1 && b.Other < b.Step
	if !known || b.Step < 1 || b.Step > f.Steps || b.Record < 0 || b.Record >= f.Records {
		return fmt.Errorf("%+v is not a violation in a log of %d steps and %d records", b, f.Steps, f.Records)
	}
	return nil
}

func (c epochCounts) check(f membershipStatistics) error {
	full := f.Records / f.Batch
	switch {
	case c.Length < 1 || c.Length < full || c.Length > full+1:
		return fmt.Errorf("%d steps in an epoch: want %d, or one more", c.Length, full)
	case c.Epochs < 0 || c.Epochs > f.Steps || c.Neighbors < 0 || c.Neighbors > int64(c.Epochs)*int64(f.Records/2):
		return fmt.Errorf("%d neighbors in %d epochs: want possible numbers", c.Neighbors, c.Epochs)
	case c.Common < 0 || c.Common > int64(f.Batch) || c.Pairs < 0 || c.Step < 0 || c.Step > f.Steps || c.Other < 0:
		return fmt.Errorf("%d records in common to batches of %d, %d pairs: want possible numbers", c.Common, f.Batch,
			c.Pairs)
	}
	return c.Halves.check(c.Length)
}

// possible reports whether the counts are ordered and from 0 to limit, at places from low to high.
func possible(ends [2]extreme, limit int64, low, high int) bool {
	for _, x := range ends {
		if x.Count < 0 || x.Count > limit || x.At < low || x.At > high {
			return false
		}
	}
	return ends[0].Count <= ends[1].Count
}

func within(x, limit float64) bool { return x >= 0 && x <= limit*(1+1e-9) }
