package mean

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// rateTrial runs the replicates. A shard is a block of replicates at one point, since points differ in cost. The last
// point comes first, since it is often the most expensive.
type rateTrial struct {
	Rate
	judge    rateJudge
	blocks   int64 // shards of each point
	perShard int64
	watches  dependence.Set[watched] // dependence of the replicates at each point
}

func (t *rateTrial) Plan() empirical.Plan {
	p := empirical.Plan{Shards: len(t.judge.Points) * int(t.blocks), SamplesPerShard: t.perShard}
	switch {
	case t.Exact:
	case t.Bound != nil && t.judge.valuesPlanned():
		p.Effect, p.Power = t.judge.effect(), verify.TargetPower
	case t.Bound == nil && t.judge.slopePlanned():
		p.Effect, p.Power = t.judge.resolution(), verify.TargetPower
	}
	return p
}

// rateTally has a count for each point. Points without replicates, as in shards of other points, have nil.
type rateTally struct {
	trial  *rateTrial
	counts []*rateCount
	curves *verify.CurveRecorder // nil if no curves are recorded
}

// rateCount counts the values at a point: their moments, and the tallies for the two betting limits. A value beyond the
// far end of a grid is moved to that end. This is conservative: it moves the mean down for the lower limit, and up for
// the upper limit.
type rateCount struct {
	Moments *confidence.Moments   `json:"moments"`
	Below   *confidence.MeanTally `json:"below,omitempty"` // for the lower limit; nil if the range has no lower end
	Above   *confidence.MeanTally `json:"above,omitempty"` // for the upper limit; nil if the range has no upper end
}

// top returns the upper end of the grid of Below.
func (p *pointStatistics) top() float64 {
	return math.Min(p.Range[1].X, p.Pilot[0]+rateReach*p.Pilot[1])
}

// bottom returns the lower end of the grid of Above.
func (p *pointStatistics) bottom() float64 {
	return math.Max(p.Range[0].X, p.Pilot[0]-rateReach*p.Pilot[1])
}

// newCount returns an empty count. For exact values it holds only moments.
func (p *pointStatistics) newCount(exact bool) (*rateCount, error) {
	c := &rateCount{Moments: &confidence.Moments{}}
	var err error
	if lower := p.Range[0].X; !exact && !math.IsInf(lower, 0) {
		if c.Below, err = confidence.NewMeanTally(lower, p.top(), rateCells); err != nil {
			return nil, err
		}
	}
	if upper := p.Range[1].X; !exact && !math.IsInf(upper, 0) {
		if c.Above, err = confidence.NewMeanTally(p.bottom(), upper, rateCells); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (t *rateTrial) NewTally() empirical.Tally { return t.newTally() }

func (t *rateTrial) newTally() *rateTally {
	tally := &rateTally{trial: t, counts: make([]*rateCount, len(t.judge.Points))}
	if t.Curves != nil {
		tally.curves = &verify.CurveRecorder{}
	}
	return tally
}

func (t *rateTally) Merge(other empirical.Tally) error {
	o, ok := other.(*rateTally)
	if !ok || len(o.counts) != len(t.counts) || (o.curves == nil) != (t.curves == nil) {
		return fmt.Errorf("rate tally: cannot merge a %T of another trial", other)
	}
	for i, c := range o.counts {
		switch {
		case c == nil:
		case t.counts[i] == nil:
			t.counts[i] = c
		default:
			if err := t.counts[i].merge(c); err != nil {
				return fmt.Errorf("rate tally: point %d: %w", i, err)
			}
		}
	}
	if t.curves == nil {
		return nil
	}
	return t.curves.Merge(o.curves)
}

func (c *rateCount) merge(o *rateCount) error {
	if (c.Below == nil) != (o.Below == nil) || (c.Above == nil) != (o.Above == nil) {
		return errors.New("cannot merge counts over another range")
	}
	if c.Below != nil {
		if err := c.Below.Merge(o.Below); err != nil {
			return err
		}
	}
	if c.Above != nil {
		if err := c.Above.Merge(o.Above); err != nil {
			return err
		}
	}
	return c.Moments.Merge(o.Moments)
}

type rateTallyJSON[C any] struct {
	Counts C                     `json:"counts"`
	Curves *verify.CurveRecorder `json:"curves"`
}

// MarshalJSON writes the counts, and the curves if they are recorded.
func (t *rateTally) MarshalJSON() ([]byte, error) {
	if t.curves == nil {
		return json.Marshal(t.counts)
	}
	return json.Marshal(rateTallyJSON[[]*rateCount]{t.counts, t.curves})
}

// UnmarshalJSON fills a tally from NewTally. The data must have the same grids.
func (t *rateTally) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	var err error
	if t.curves == nil {
		err = json.Unmarshal(data, &raw)
	} else {
		var both rateTallyJSON[[]json.RawMessage]
		if err = json.Unmarshal(data, &both); err == nil && both.Curves == nil {
			err = errors.New("no curves")
		}
		raw, t.curves = both.Counts, both.Curves
	}
	if err != nil {
		return fmt.Errorf("rate tally: %w", err)
	}
	if len(raw) != len(t.counts) {
		return fmt.Errorf("rate tally: %d points: want %d", len(raw), len(t.counts))
	}
	for i, part := range raw {
		if string(part) == "null" {
			continue
		}
		count, err := t.trial.judge.Points[i].newCount(t.trial.Exact)
		if err == nil {
			err = count.read(part)
		}
		if err != nil {
			return fmt.Errorf("rate tally: point %d: %w", i, err)
		}
		t.counts[i] = count
	}
	return nil
}

// read fills an empty count. Both tallies and the moments must have the same number of values.
func (c *rateCount) read(data []byte) error {
	read := *c
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if read.Moments == nil || read.Moments.N() < 1 {
		return errors.New("no values")
	}
	for _, part := range [][2]*confidence.MeanTally{{c.Below, read.Below}, {c.Above, read.Above}} {
		if (part[0] == nil) != (part[1] == nil) || part[1] != nil && part[1].N() != read.Moments.N() {
			return errors.New("the counts have another range or another number of values than the moments")
		}
	}
	*c = read
	return nil
}

func (t *rateTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	i := len(t.judge.Points) - 1 - shard.Index/int(t.blocks)
	p := &t.judge.Points[i]
	count, err := p.newCount(t.Exact)
	if err != nil {
		return nil, fmt.Errorf("at %s: %w", t.judge.at(p.X), err)
	}
	r := shard.Seed.Rand()
	tally := t.newTally()
	before := int64(shard.Index) % t.blocks * t.perShard // number of replicates in earlier blocks of the point
	curves := func(k int64) *verify.CurveRecorder {
		if before+k >= t.Curves.Replicates {
			return nil
		}
		return tally.curves
	}
	err = t.runs(ctx, r, p, t.watches.Of(watched{point: i}), shard.Samples, curves,
		func(v float64) error { return count.add(r, p, v) })
	if err != nil {
		return nil, fmt.Errorf("at %s: %w", t.judge.at(p.X), err)
	}
	tally.counts[i] = count
	return tally, nil
}

func (c *rateCount) add(r *rand.Rand, p *pointStatistics, v float64) error {
	if c.Below != nil {
		if err := c.Below.Add(r, math.Min(v, p.top())); err != nil {
			return err
		}
	}
	if c.Above != nil {
		if err := c.Above.Add(r, math.Max(v, p.bottom())); err != nil {
			return err
		}
	}
	return c.Moments.Add(v)
}

// Judge adds the tally to the statistics and judges them.
func (t *rateTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	tally, ok := merged.(*rateTally)
	if !ok || len(tally.counts) != len(t.judge.Points) {
		return verify.Evidence{}, fmt.Errorf("rate: the tally belongs to another trial: %T", merged)
	}
	f := t.judge.rateStatistics
	f.Points = slices.Clone(f.Points)
	for i, c := range tally.counts {
		if c == nil || c.Moments.N() == 0 {
			return verify.Evidence{}, fmt.Errorf("at %s: no replicates", f.at(f.Points[i].X))
		}
		f.Points[i].rateCount = *c
	}
	if t.Curves != nil {
		f.Beside = &verify.PlottedCurves{Variable: t.Curves.Variable, Quantity: t.Curves.Quantity, Recorder: *tally.curves}
	}
	return verify.JudgeStatistics(RateMethod, f, t.judge.settings)
}
