package privacy

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// PlannedInput is a distinct input of the pairs with its numbers of releases.
type PlannedInput struct {
	Pair   int   // index of the first pair that has it
	AtB    bool  // it is input B of that pair
	Uses   int64 // number of places that have this input
	Search int64 // releases that choose events
	Shard  int64 // releases per shard if a pair with this input is chosen
}

// SamplingPlan is the division of an audit's samples among distinct inputs.
type SamplingPlan struct {
	Samples int64 // per input of a pair, for search and certification together
	Probe   int64 // releases of the first input that show the form of outputs
	Rows    int64 // search rows per input
	Folds   int64 // searches per pair
	Width   int   // number of values in an output
	Inputs  []PlannedInput
	Pairs   [][2]int // indices into Inputs
	Shards  int64
	// Certifying is the number of samples per input that the test of one pair counts.
	Certifying int64
	// MayStopEarly reports whether the audit stops as soon as it refutes. All figures are then maxima.
	MayStopEarly bool
	// Sizes computes the detectable violations. Its small violation is the smallest detectable one;
	// SmallDetected is false if there is none.
	Sizes func() verify.Sizes
}

// newSamplingPlan plans an audit of pairs with the given numbers of samples, searched in folds after scouted rows
// per input.
func newSamplingPlan(d drawnSamples, pairs int, probe, scouted, folds int64) SamplingPlan {
	l := SamplingPlan{Probe: probe, Rows: d.Searched, Folds: folds, Shards: d.Shards, Certifying: d.Certifying}
	places := make(map[inputPlace]int)
	for i := range pairs {
		var of [2]int
		for side := range of {
			in := d.Input(inputPlace{Pair: i, AtB: side == 1})
			if _, known := places[in]; !known {
				places[in] = len(l.Inputs)
				l.Inputs = append(l.Inputs, PlannedInput{Pair: in.Pair, AtB: in.AtB, Uses: d.Uses(in),
					Search: scouted + folds*d.SearchedOf(in), Shard: d.ShardOf(in)})
			}
			of[side] = places[in]
		}
		l.Pairs = append(l.Pairs, of)
	}
	return l
}

// Searching returns the number of releases before any event is certified.
func (l SamplingPlan) Searching() int64 {
	sum := l.Probe
	for _, in := range l.Inputs {
		sum += in.Search
	}
	return sum
}

// Certified returns bounds on the number of releases in the shards: the minimum, if one pair is chosen, and the
// maximum, if all are, up to a probability of 10⁻⁶. A sequential audit continues with one pair.
func (l SamplingPlan) Certified() (least, most int64) {
	least = math.MaxInt64
	for _, p := range l.Pairs {
		one := l.Shards * (l.Inputs[p[0]].Shard + l.Inputs[p[1]].Shard)
		least, most = min(least, one), max(most, one)
	}
	if l.MayStopEarly {
		return least, most
	}
	most = 0
	for _, in := range l.Inputs {
		most += l.Shards * in.Shard
	}
	return least, most + l.drawnAgain()
}

// drawnAgain returns an upper bound on the number of additional draws, up to a probability of 10⁻⁶ per pair. The
// pair of each sample in a test of several pairs is drawn at random, so some inputs are drawn more often than they
// have rows.
func (l SamplingPlan) drawnAgain() int64 {
	const deviations, views, sides = 6, 2, 2
	if len(l.Pairs) == 1 || l.Folds < views {
		return 0
	}
	return views * sides * int64(float64(len(l.Pairs))*deviations*math.Sqrt(float64(l.Rows)))
}

// minEffect returns the smallest detectable effect above 1, to a relative precision of 0.01 of effect − 1, or 0
// if none up to 1e6 is detectable. If an effect is detectable, larger ones are too, up to those that no event can
// have.
func minEffect(sees func(effect float64) bool) float64 {
	low, high := 0.0, 1e-6
	for ; !sees(1 + high); high *= 2 {
		if low = high; high > 1e6 {
			return 0
		}
	}
	for low > 0 && high > 1.01*low {
		if mid := math.Sqrt(low * high); sees(1 + mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return 1 + high
}

// SamplingPlan returns the division of the audit's samples. It draws the probe of the mechanism but does not
// search.
func (a Audit[D, O]) SamplingPlan(ctx context.Context, s verify.Settings) (SamplingPlan, error) {
	t, err := a.trial(ctx, s)
	if err == nil && t.Anytime {
		return t.layoutOfBets(), nil
	}
	if err == nil {
		t.alpha /= 2
		err = t.plan(ctx)
	}
	if err != nil {
		return SamplingPlan{}, err
	}
	return t.layout(probeRows, 0, 2), nil
}

// SamplingPlan returns the division of the samples of the low-order bits check. It draws no releases except to test
// for repeatability.
func (p FloatingPoint[D, O]) SamplingPlan(ctx context.Context, s verify.Settings) (SamplingPlan, error) {
	t, err := p.trial(ctx, s)
	if err != nil {
		return SamplingPlan{}, err
	}
	return t.layout(0, min(diagnosis.ScoutRows, t.searched), 1), nil
}

// layout returns the plan for the given numbers of folds, probe rows and scouted rows per input.
func (t *auditTrial[D, O]) layout(probe, scouted, folds int64) SamplingPlan {
	l := newSamplingPlan(t.drawn(), len(t.Pairs), probe, scouted, folds)
	l.Samples, l.Width, l.MayStopEarly = t.total, t.width, t.Anytime
	sees := func(effect float64) bool {
		t.Effect = effect
		return t.detectsSmall(t.unknownSmallViolation(), t.total)
	}
	l.Sizes = func() verify.Sizes {
		t.Effect = max(minEffect(sees), 1)
		t.setMinProbability()
		return t.sizes(t.unknownSmallViolation())
	}
	return l
}

// layoutOfBets returns the maximum plan of a sequential audit: no refutation and no losses before the event is
// fixed.
func (t *auditTrial[D, O]) layoutOfBets() SamplingPlan {
	learnedOf := t.planBets()
	stream := sequential.New([]sequential.Claim{t.Guarantee.Sequential()}, false)
	a := &anytimeTrial[D, O]{auditTrial: t, spent: t.searched, share: t.settings.Alpha / float64(len(t.Pairs)),
		learning: &learning{stream: stream, won: stream}}
	a.divideRest(t.searched, learnedOf)
	return t.layout(0, 0, 1)
}
