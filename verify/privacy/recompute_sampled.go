package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// SampledMethod is the method of the statistics of [Sampled].
var SampledMethod = verify.RegisterStatistics[sampledStatistics]("privacy/events")

func (t *privacyTrial[D, O]) basis(counts empirical.Counts) sampledStatistics {
	f := sampledStatistics{Effect: t.Effect, Samples: t.samples()}
	for i, c := range t.Cells {
		cell := cellStatistics{At: c.Place, Epsilon: c.Epsilon, Delta: c.Delta}
		n := len(c.Events)
		for k, g := range t.power[i].Events {
			cell.Events = append(cell.Events, givenStatistics{Name: c.Events[k].Name, A: counts[k], B: counts[n+k],
				Mass: g.Mass, NearlySure: g.NearlySure})
		}
		f.Cells, counts = append(f.Cells, cell), counts[2*n:]
	}
	return f
}

func (f sampledStatistics) Check() error {
	if f.Samples < 1 || f.Samples%privacyShards != 0 || !(f.Effect > 1 && f.Effect <= math.MaxFloat64) ||
		len(f.Cells) == 0 {
		return fmt.Errorf("%d samples of %d cells, effect %v: want a multiple of %d, at least one, and a "+
			"finite factor above 1", f.Samples, len(f.Cells), f.Effect, privacyShards)
	}
	return nil
}

// Judge certifies the events by a trial without a mechanism.
func (f sampledStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := &privacyTrial[struct{}, struct{}]{settings: s, perShard: f.Samples / privacyShards}
	t.Effect = f.Effect
	var counts empirical.Counts
	var pilots [][]likelyEvent
	for _, cell := range f.Cells {
		c, pilot, own, err := cellOf(cell, f.Samples)
		if err != nil {
			return verify.Evidence{}, fmt.Errorf("at %s: %w", cell.At, err)
		}
		t.Cells, pilots, counts = append(t.Cells, c), append(pilots, pilot), append(counts, own...)
		t.tests += 2 * len(c.Events)
	}
	for i, c := range t.Cells {
		power := t.powerOf(c, pilots[i])
		t.power, t.sizes = append(t.power, power), append(t.sizes, power.Sizes(t.samples()))
	}
	return t.Judge(counts)
}

// read a cell, with what the pilot knows of its events and their counts under A, then B.
func cellOf(f cellStatistics, samples int64) (c Cell[struct{}, struct{}], pilot []likelyEvent, counts empirical.Counts,
	err error) {
	if len(f.Events) == 0 {
		return c, nil, nil, errors.New("there is no event")
	}
	c.Place, c.Epsilon, c.Delta = f.At, f.Epsilon, f.Delta
	var other empirical.Counts
	for _, e := range f.Events {
		if !(min(e.A, e.B) >= 0 && max(e.A, e.B) <= samples) || !(e.Mass >= 0 && e.Mass <= 1) {
			return c, nil, nil, fmt.Errorf("event %s: %d and %d of %d samples, mass %v: want counts of them and a probability",
				e.Name, e.A, e.B, samples, e.Mass)
		}
		c.Events = append(c.Events, Event[struct{}]{Name: e.Name})
		pilot = append(pilot, likelyEvent{Mass: e.Mass, NearlySure: e.NearlySure})
		counts, other = append(counts, e.A), append(other, e.B)
	}
	return c, pilot, append(counts, other...), checkClaim(f.Epsilon, f.Delta)
}
