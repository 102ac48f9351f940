// Package layout has what an audit of sampled privacy draws, known before anything is searched.
package layout

import (
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/pooling"
)

// Input is a distinct input of the pairs, with what is drawn of it.
type Input struct {
	Pair   int   // the first that has it, from 0
	AtB    bool  // it is the second one of that pair
	Uses   int64 // places among the pairs that have it
	Search int64 // releases that choose events
	Shard  int64 // releases in a shard, if a pair that has it is chosen
}

// Layout is how an audit divides its samples among distinct inputs.
type Layout struct {
	Samples int64 // of each input of a pair, search and certification together
	Probe   int64 // releases of the first input, which show what outputs are like
	Rows    int64 // of each input that a search sees
	Folds   int64 // searches of each pair
	Width   int   // numbers in an output
	Inputs  []Input
	Pairs   [][2]int // places among the inputs
	Shards  int64
	// Certifying are the samples of each input in which the test of one pair counts.
	Certifying int64
	// AtMost says that the audit stops as soon as it refutes: all figures are the most that there can be.
	AtMost bool
	// Sizes computes which violations are going to be seen, the near one the least; NearSeen is false where there is none.
	Sizes func() verify.Sizes
}

// Of pairs, of which so much is drawn, by searches of so many folds after so many rows of each input.
func Of(d pooling.Drawn, pairs int, probe, scouted, folds int64) Layout {
	l := Layout{Probe: probe, Rows: d.Searched, Folds: folds, Shards: d.Shards, Certifying: d.Certifying}
	places := make(map[pooling.Place]int)
	for i := range pairs {
		var of [2]int
		for side := range of {
			in := d.Input(pooling.Place{Pair: i, AtB: side == 1})
			if _, known := places[in]; !known {
				places[in] = len(l.Inputs)
				l.Inputs = append(l.Inputs, Input{Pair: in.Pair, AtB: in.AtB, Uses: d.Uses(in),
					Search: scouted + folds*d.SearchedOf(in), Shard: d.ShardOf(in)})
			}
			of[side] = places[in]
		}
		l.Pairs = append(l.Pairs, of)
	}
	return l
}

// Searching are the releases before any event is certified.
func (l Layout) Searching() int64 {
	sum := l.Probe
	for _, in := range l.Inputs {
		sum += in.Search
	}
	return sum
}

// Certified are the releases of the shards: the least that there are, where one pair is chosen, and the most, where
// all of them are, but for a probability of 10⁻⁶. Bets go on with one pair.
func (l Layout) Certified() (least, most int64) {
	least = math.MaxInt64
	for _, p := range l.Pairs {
		one := l.Shards * (l.Inputs[p[0]].Shard + l.Inputs[p[1]].Shard)
		least, most = min(least, one), max(most, one)
	}
	if l.AtMost {
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
func (l Layout) drawnAgain() int64 {
	const deviations, views, sides = 6, 2, 2
	if len(l.Pairs) == 1 || l.Folds < views {
		return 0
	}
	return views * sides * int64(float64(len(l.Pairs))*deviations*math.Sqrt(float64(l.Rows)))
}

// Least is the least effect above 1 that is seen, to a hundredth of what it is beyond 1; 0 where none up to a factor
// of a million is. What sees an effect sees those that are larger, up to some that no event can have.
func Least(sees func(effect float64) bool) float64 {
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
