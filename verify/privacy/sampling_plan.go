package privacy

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// PlannedInput is a distinct input of the pairs, with what is drawn of it.
type PlannedInput struct {
	Pair   int   // the first that has it, from 0
	AtB    bool  // it is the second one of that pair
	Uses   int64 // places among the pairs that have it
	Search int64 // releases that choose events
	Shard  int64 // releases in a shard, if a pair that has it is chosen
}

// SamplingPlan is how an audit divides its samples among distinct inputs.
type SamplingPlan struct {
	Samples int64 // of each input of a pair, search and certification together
	Probe   int64 // releases of the first input, which show what outputs are like
	Rows    int64 // of each input that a search sees
	Folds   int64 // searches of each pair
	Width   int   // numbers in an output
	Inputs  []PlannedInput
	Pairs   [][2]int // places among the inputs
	Shards  int64
	// Certifying are the samples of each input in which the test of one pair counts.
	Certifying int64
	// MayStopEarly says that the audit stops as soon as it refutes: all figures are the most that there can be.
	MayStopEarly bool
	// Sizes computes which violations are going to be seen, the near one the least; NearSeen is false where there is none.
	Sizes func() verify.Sizes
}

// newSamplingPlan plans for pairs, of which so much is drawn, by searches of so many folds after so many rows of each
// input.
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

// Searching are the releases before any event is certified.
func (l SamplingPlan) Searching() int64 {
	sum := l.Probe
	for _, in := range l.Inputs {
		sum += in.Search
	}
	return sum
}

// Certified are the releases of the shards: the least that there are, where one pair is chosen, and the most, where
// all of them are, but for a probability of 10⁻⁶. Bets go on with one pair.
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

// drawnAgain is more than what is drawn, but with a probability of less than 10⁻⁶ a pair, because the pair of each
// sample of a test of several pairs is drawn at random, and some are drawn more often than they have rows.
func (l SamplingPlan) drawnAgain() int64 {
	const deviations, views, sides = 6, 2, 2
	if len(l.Pairs) == 1 || l.Folds < views {
		return 0
	}
	return views * sides * int64(float64(len(l.Pairs))*deviations*math.Sqrt(float64(l.Rows)))
}

// leastEffect is the least effect above 1 that is seen, to a hundredth of what it is beyond 1; 0 where none up to a
// factor
// of a million is. What sees an effect sees those that are larger, up to some that no event can have.
func leastEffect(sees func(effect float64) bool) float64 {
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

// SamplingPlan is how the audit is going to divide its samples: as it begins, by a probe of the mechanism, it is
// planned, and
// nothing is searched.
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

// SamplingPlan is that of the probe of low-order bits, which needs no release to be known.
func (p FloatingPoint[D, O]) SamplingPlan(ctx context.Context, s verify.Settings) (SamplingPlan, error) {
	t, err := p.trial(ctx, s)
	if err != nil {
		return SamplingPlan{}, err
	}
	return t.layout(0, min(diagnosis.ScoutRows, t.searched), 1), nil
}

// layout of searches of so many folds, after so many rows of each input.
func (t *auditTrial[D, O]) layout(probe, scouted, folds int64) SamplingPlan {
	l := newSamplingPlan(t.drawn(), len(t.Pairs), probe, scouted, folds)
	l.Samples, l.Width, l.MayStopEarly = t.total, t.width, t.Anytime
	sees := func(effect float64) bool {
		t.Effect = effect
		return t.seesNear(t.blindNear(), t.total)
	}
	l.Sizes = func() verify.Sizes {
		t.Effect = max(leastEffect(sees), 1)
		t.setLeastMass()
		return t.sizes(t.blindNear())
	}
	return l
}

// layoutOfBets is the most that bets take: nothing is refuted, and nothing lost, before the event is fixed.
func (t *auditTrial[D, O]) layoutOfBets() SamplingPlan {
	learnedOf := t.planBets()
	stream := sequential.New([]sequential.Claim{t.Guarantee.Sequential()}, false)
	a := &anytimeTrial[D, O]{auditTrial: t, spent: t.searched, share: t.settings.Alpha / float64(len(t.Pairs)),
		learning: &learning{stream: stream, won: stream}}
	a.goOn(t.searched, learnedOf)
	return t.layout(0, 0, 1)
}
