package privacy

import (
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// untestedReason says why an audit tested no event.
type untestedReason string

const (
	untestedWeakClaim untestedReason = "weak-claim" // no bet can be lost on it
	untestedNoNumbers untestedReason = "no-numbers" // the outputs have no low-order bits
	untestedNoEvent   untestedReason = "no-event"   // the low-order bits look the same under both inputs
)

// untestedStatistics is what the evidence of an audit follows from that tested no event.
type untestedStatistics struct {
	Reason    untestedReason      `json:"reason"`
	Guarantee guarantee.Guarantee `json:"guarantee"`
	Total     int64               `json:"total"`
	Odd       []string            `json:"odd,omitempty"`
	Unseeded  bool                `json:"unseeded,omitempty"`
}

// betStatistics are what the evidence of an audit that bets follows from: the wealth that was won while the event was
// learned,
// and the counts of the event in the blocks that were bet on afterwards.
type betStatistics struct {
	Guarantee guarantee.Guarantee `json:"guarantee"`
	Effect    float64             `json:"effect"`
	Mass      float64             `json:"mass"`
	Pairs     int                 `json:"pairs"`
	Total     int64               `json:"total"` // samples of each input of a pair
	Event     eventStatistics     `json:"event"`
	Seen      [2]float64          `json:"seen"`   // shares of the event in the samples that it was learned from
	Scores    int                 `json:"scores"` // that the search went through
	Learned   int64               `json:"learned"`
	Least     int64               `json:"least"` // samples that each pair was learned from, at the least
	Spent     int64               `json:"spent"` // and at the most
	Pilot     confidence.Pilot    `json:"pilot"`
	// Wealth against each parameter that was bet against, as logarithms: in the end, and at the most.
	Wealth [][2]verify.Number `json:"wealth"`
	// samples after which each level was passed while learning
	Passed   [len(sequential.Levels)]int64 `json:"passed"`
	Rounded  string                        `json:"rounded,omitempty"` // an atom that the search rounds and that differs
	Blocks   sequential.Blocks             `json:"blocks"`
	Odd      []string                      `json:"odd,omitempty"`
	Unseeded bool                          `json:"unseeded,omitempty"`
}

// Check names what is out of its domain.
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
		return fmt.Errorf("effect %v, mass %v, an event of masses %v and %v: want a factor above 1, and probabilities",
			f.Effect, f.Mass, e.P, e.Q)
	case f.Learned < 1 || f.Learned > f.Spent || f.Least > f.Learned || f.Least < 0 || f.Total < 1:
		return fmt.Errorf("%d samples taught, between %d and %d: want them in order", f.Learned, f.Least, f.Spent)
	case len(f.Wealth) != len(rungs):
		return fmt.Errorf("wealth against %d parameters: want %d", len(f.Wealth), len(rungs))
	}
	for _, w := range f.Wealth {
		if !(w[0].X <= w[1].X) {
			return fmt.Errorf("a log wealth of %v in the end and %v at the most: want the second one no smaller", w[0].X, w[1].X)
		}
	}
	for _, b := range f.Blocks {
		if b.N < 1 || b.X < 0 || b.X > b.N || b.Y < 0 || b.Y > b.N {
			return fmt.Errorf("a block with %d and %d of %d samples: want counts of them", b.X, b.Y, b.N)
		}
	}
	p := f.Pilot
	if p.N1 < 1 || p.N2 < 1 || p.X < 0 || p.X > p.N1 || p.Y < 0 || p.Y > p.N2 {
		return errors.New("a pilot whose counts are not of its samples")
	}
	return nil
}
