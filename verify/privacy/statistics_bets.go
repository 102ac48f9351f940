package privacy

import (
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// untestedReason states why an audit tested no event.
type untestedReason string

const (
	untestedWeakClaim untestedReason = "weak-claim" // samples cannot refute the claim
	untestedNoNumbers untestedReason = "no-numbers" // the outputs have no low-order bits
	untestedNoEvent   untestedReason = "no-event"   // no event of the low-order bits distinguishes the inputs
)

// untestedStatistics holds the statistics of an audit that tested no event.
type untestedStatistics struct {
	Reason    untestedReason      `json:"reason"`
	Guarantee guarantee.Guarantee `json:"guarantee"`
	Total     int64               `json:"total"`
	Odd       []string            `json:"odd,omitempty"`
	Unseeded  bool                `json:"unseeded,omitempty"`
}

// betStatistics holds the sufficient statistics of a sequential audit: the wealth from learning the event, and the
// counts of the event in the blocks that were bet on afterwards.
type betStatistics struct {
	Guarantee guarantee.Guarantee `json:"guarantee"`
	Effect    float64             `json:"effect"`
	Mass      float64             `json:"mass"`
	Pairs     int                 `json:"pairs"`
	Total     int64               `json:"total"` // samples per input of a pair
	Event     eventStatistics     `json:"event"`
	Seen      [2]float64          `json:"seen"`   // shares of the event in the learning samples
	Scores    int                 `json:"scores"` // number of searched scores
	Learned   int64               `json:"learned"`
	Least     int64               `json:"least"` // minimum number of learning samples of a pair
	Spent     int64               `json:"spent"` // maximum number
	Pilot     confidence.Pilot    `json:"pilot"`
	// Wealth holds the log wealth against each parameter: at the end, and its maximum.
	Wealth [][2]verify.Number `json:"wealth"`
	// Passed holds the number of learning samples after which each level was passed.
	Passed   [len(sequential.Levels)]int64 `json:"passed"`
	Rounded  string                        `json:"rounded,omitempty"` // see auditStatistics
	Blocks   sequential.Blocks             `json:"blocks"`
	Odd      []string                      `json:"odd,omitempty"`
	Unseeded bool                          `json:"unseeded,omitempty"`
}

// Check returns an error that names the field outside its domain.
func (f betStatistics) Check() error {
	if err := f.Guarantee.Check(); err != nil {
		return err
	}
	rungs, _ := anytimeRungs(f.Guarantee)
	e := f.Event
	switch {
	case f.Pairs < 1 || f.Pairs > mostPairs || e.Pair < 0 || e.Pair >= f.Pairs:
		return fmt.Errorf("pair %d of %d: want one of 1 to %d", e.Pair, f.Pairs, mostPairs)
	case !(f.Effect > 1) || !(f.Mass >= 0 && f.Mass < 1) || !(e.P >= 0 && e.P <= 1 && e.Q >= 0 && e.Q <= 1):
		return fmt.Errorf("effect %v, mass %v, event probabilities %v and %v: want a factor above 1 and probabilities",
			f.Effect, f.Mass, e.P, e.Q)
	case f.Learned < 1 || f.Learned > f.Spent || f.Least > f.Learned || f.Least < 0 || f.Total < 1:
		return fmt.Errorf("%d learning samples, between %d and %d: want increasing numbers", f.Learned, f.Least, f.Spent)
	case len(f.Wealth) != len(rungs):
		return fmt.Errorf("wealth against %d parameters: want %d", len(f.Wealth), len(rungs))
	}
	for _, w := range f.Wealth {
		if !(w[0].X <= w[1].X) {
			return fmt.Errorf("log wealth %v at the end and at most %v: want a maximum of at least the end", w[0].X, w[1].X)
		}
	}
	for _, b := range f.Blocks {
		if b.N < 1 || b.X < 0 || b.X > b.N || b.Y < 0 || b.Y > b.N {
			return fmt.Errorf("block with counts %d and %d of %d samples: want counts in [0, samples]", b.X, b.Y, b.N)
		}
	}
	p := f.Pilot
	if p.N1 < 1 || p.N2 < 1 || p.X < 0 || p.X > p.N1 || p.Y < 0 || p.Y > p.N2 {
		return errors.New("pilot counts outside the range of its samples")
	}
	return nil
}
