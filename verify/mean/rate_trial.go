package mean

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// rateTrial holds what Prepare chose. A shard is a block of replicates at one point,
// since points differ in cost; the last point, often the dearest, comes first.
type rateTrial struct {
	Rate
	settings verify.Settings
	points   []ratePoint
	outside  []string // points that are no instance, in words
	blocks   int64    // shards of each point
	perShard int64
	watches  dependence.Set[watched] // of the replicates at each point
}

func (t *rateTrial) replicates() int64 { return t.blocks * t.perShard }

// share is the part of alpha of one limit: two a point.
func (t *rateTrial) share() float64 { return t.settings.Alpha / float64(2*len(t.points)) }

func (t *rateTrial) Plan() empirical.Plan {
	p := empirical.Plan{Shards: len(t.points) * int(t.blocks), SamplesPerShard: t.perShard}
	switch {
	case t.Exact:
	case t.Bound != nil && t.valuesPlanned():
		p.Effect, p.Power = t.effect(), verify.TargetPower
	case t.Bound == nil && t.slopePlanned():
		p.Effect, p.Power = t.resolution(), verify.TargetPower
	}
	return p
}

// valuesPlanned tells whether each interval is going to be narrow enough: half its
// width (that of confidence.MeanInterval for many samples, a tenth more for a spread
// that the pilot put too low) and what a mean strays with probability 0.99.
func (t *rateTrial) valuesPlanned() bool {
	n := float64(t.replicates())
	for _, p := range t.points {
		reach := 1.1*math.Sqrt(2*math.Log(1/t.share())) + normal99
		if !(p.spread/math.Sqrt(n)*reach <= t.effect()*p.bound) {
			return false
		}
	}
	return true
}

// normal99 is the quantile of the standard normal law at 0.99 (math.Erfc(2.3264/√2)/2
// = 0.01).
const normal99 = 2.3264

// slopePlanned fits the claimed law itself with the pilot's errors, or in a finite range the
// limits to expect by Bernstein's inequality: half the width of that interval, and as much
// again for what its centre strays.
func (t *rateTrial) slopePlanned() bool {
	points := make([]confidence.SlopePoint, len(t.points))
	for i, p := range t.points {
		if !(p.mean > 0) {
			return false
		}
		law := math.Pow(p.x/t.points[0].x, t.Exponent)
		n := float64(t.replicates())
		points[i] = confidence.SlopePoint{X: p.x, Mean: law, StdErr: law * p.spread / p.mean / math.Sqrt(n), Freedom: n - 1}
		if far := math.Max(p.hi-p.mean, p.mean-p.lo); !math.IsInf(far, 1) {
			points[i].Limits = func(alpha float64) (lower, upper float64, err error) {
				rate := -math.Log(alpha) / n
				half := law / p.mean * (1.1*p.spread*math.Sqrt(2*rate) + far*rate/3)
				return law - half, law + half, nil
			}
		}
	}
	fit, err := confidence.FitSlope(points, t.settings.Alpha, t.resolution())
	return err == nil && fit.Upper-fit.Lower <= t.resolution()
}

// rateTally has a part for each point, nil where nothing was counted, as in shards of
// other points.
type rateTally struct {
	trial  *rateTrial
	counts []*rateCount
	curves *verify.CurveRecorder // nil where nothing is noted beside
}

// rateCount counts the values at a point: their moments, and what the two betting
// limits rest on. A value beyond the far end of a grid is moved to that end, which
// moves the mean to the safe side: down for the lower limit, up for the upper one.
type rateCount struct {
	Moments      *confidence.Moments
	Below, Above *confidence.MeanTally // nil where the range has no such end
}

// top and bottom are the far ends of the grids of Below and Above.
func (p *ratePoint) top() float64    { return math.Min(p.hi, p.mean+rateReach*p.spread) }
func (p *ratePoint) bottom() float64 { return math.Max(p.lo, p.mean-rateReach*p.spread) }

func (t *rateTrial) newCount(p *ratePoint) (*rateCount, error) {
	c := &rateCount{Moments: &confidence.Moments{}}
	var err error
	if !t.Exact && !math.IsInf(p.lo, 0) {
		if c.Below, err = confidence.NewMeanTally(p.lo, p.top(), rateCells); err != nil {
			return nil, err
		}
	}
	if !t.Exact && !math.IsInf(p.hi, 0) {
		if c.Above, err = confidence.NewMeanTally(p.bottom(), p.hi, rateCells); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (t *rateTrial) NewTally() empirical.Tally { return t.newTally() }

func (t *rateTrial) newTally() *rateTally {
	tally := &rateTally{trial: t, counts: make([]*rateCount, len(t.points))}
	if t.Curves != nil {
		tally.curves = &verify.CurveRecorder{}
	}
	return tally
}

func (t *rateTally) Merge(other empirical.Tally) error {
	o, ok := other.(*rateTally)
	if !ok || len(o.counts) != len(t.counts) || (o.curves == nil) != (t.curves == nil) {
		return fmt.Errorf("rate tally: cannot merge %T of another shape", other)
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

// MarshalJSON writes the counts, and the curves after them where there are any to note.
func (t *rateTally) MarshalJSON() ([]byte, error) {
	if t.curves == nil {
		return json.Marshal(t.counts)
	}
	return json.Marshal(rateTallyJSON[[]*rateCount]{t.counts, t.curves})
}

// UnmarshalJSON fills a tally from NewTally, whose grids must be those of the data.
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
		return fmt.Errorf("rate tally: %d points where %d are expected", len(raw), len(t.counts))
	}
	for i, part := range raw {
		if string(part) == "null" {
			continue
		}
		count, err := t.trial.newCount(&t.trial.points[i])
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

// read fills an empty count; all its parts must have counted the same values.
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
			return errors.New("counts over another range, or of other values than the moments")
		}
	}
	*c = read
	return nil
}

func (t *rateTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	i := len(t.points) - 1 - shard.Index/int(t.blocks)
	p := &t.points[i]
	count, err := t.newCount(p)
	if err != nil {
		return nil, fmt.Errorf("at %s: %w", t.at(p.x), err)
	}
	r := shard.Seed.Rand()
	tally := t.newTally()
	before := int64(shard.Index) % t.blocks * t.perShard // replicates of the blocks before
	curves := func(k int64) *verify.CurveRecorder {
		if before+k >= t.Curves.Replicates {
			return nil
		}
		return tally.curves
	}
	err = t.runs(ctx, r, p, t.watches.Of(watched{point: i}), shard.Samples, curves,
		func(v float64) error { return count.add(r, p, v) })
	if err != nil {
		return nil, fmt.Errorf("at %s: %w", t.at(p.x), err)
	}
	tally.counts[i] = count
	return tally, nil
}

func (c *rateCount) add(r *rand.Rand, p *ratePoint, v float64) error {
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
