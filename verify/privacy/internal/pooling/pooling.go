// Package pooling is for audits of pairs of inputs that have some in common: what is drawn of an input
// for all of its pairs serves each. The package tells which inputs these are, how many samples there
// are of each, and divides them among the pairs and sides of a test, so that none counts twice.
package pooling

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/verify/neighbours"
)

// Place is an input of a pair.
type Place struct {
	Pair int
	AtB  bool
}

// Side is 0 for A, 1 for B.
func (p Place) Side() int {
	if p.AtB {
		return 1
	}
	return 0
}

// Label is the side as a letter.
func (p Place) Label() string { return string("ab"[p.Side()]) }

// Order is by pairs, and A before B.
func Order(p, q Place) int {
	return cmp.Or(cmp.Compare(p.Pair, q.Pair), cmp.Compare(p.Side(), q.Side()))
}

// Sharing tells which places have an input in common. An input is named by the first of its places. The
// zero value is for none in common.
type Sharing struct {
	first  map[Place]Place   // of a shared input
	all    map[Place][]Place // by the first
	pooled int64
}

// New finds what pairs have in common. A search keeps the rows of pooled of the places of an input, or of
// fewer if more than most such samples would be kept in all; nothing is shared where one of each input is more.
func New[D any](pairs []neighbours.Pair[D], pooled, most int64) Sharing {
	s := Sharing{map[Place]Place{}, map[Place][]Place{}, pooled}
	var have [][]Place // of each input
	for i, numbers := range neighbours.Inputs(pairs) {
		for side, k := range numbers {
			if k == len(have) {
				have = append(have, nil)
			}
			have[k] = append(have[k], Place{i, side == 1})
		}
	}
	for _, places := range have {
		if len(places) > 1 {
			s.all[places[0]] = places
			for _, p := range places {
				s.first[p] = places[0]
			}
		}
	}
	for ; s.pooled > 0; s.pooled /= 2 {
		var kept int64
		for input := range s.all {
			kept += int64(len(s.Pooled(input)))
		}
		if kept <= most {
			return s
		}
	}
	return Sharing{}
}

// Input at a place.
func (s Sharing) Input(p Place) Place {
	if first, ok := s.first[p]; ok {
		return first
	}
	return p
}

// Shared are the inputs that several pairs have, in order.
func (s Sharing) Shared() []Place { return slices.SortedFunc(maps.Keys(s.all), Order) }

// Uses are how many places have an input.
func (s Sharing) Uses(input Place) int64 { return int64(max(1, len(s.all[input]))) }

// Pooled are the places whose rows a search sees of an input that is shared.
func (s Sharing) Pooled(input Place) []Place {
	return s.all[input][:min(s.pooled, int64(len(s.all[input])))]
}

// Drawn is how many samples are drawn of an input, each figure for every pair that has it.
type Drawn struct {
	Sharing
	Searched   int64 // in each of the two folds of the search
	Shard      int64 // in each of the shards, for the pairs that were chosen
	Shards     int64
	Certifying int64 // in those of a fold and of the shards
	All        int64 // in all folds and shards
}

// SearchedOf is how many rows of an input the search of a fold has.
func (d Drawn) SearchedOf(input Place) int64 {
	return d.Searched * int64(max(1, len(d.Pooled(input))))
}

// ShardOf is how many samples of an input a shard has: what was not searched of all that its pairs are
// to draw.
func (d Drawn) ShardOf(input Place) int64 {
	uses := d.Uses(input)
	if uses == 1 {
		return d.Shard
	}
	return max(uses*d.Shard, (uses*d.All-2*d.SearchedOf(input))/d.Shards)
}

// CertifyingOf is how many samples of an input a test can count in.
func (d Drawn) CertifyingOf(input Place) int64 {
	if d.Uses(input) == 1 {
		return d.Certifying
	}
	return d.SearchedOf(input) + d.ShardOf(input)*d.Shards
}

// Test are the places of a test of one or several pairs, on either side.
type Test [2][]Place

// Sides are how many samples of either side there are where there are have of each input: as many as its
// scarcest input allows, if each pair has its share of them on average.
func (s Sharing) Sides(test Test, have func(input Place) int64) (n [2]int64) {
	uses := make(map[Place]int64)
	for _, p := range slices.Concat(test[0], test[1]) {
		uses[s.Input(p)]++
	}
	for side, places := range test {
		n[side] = math.MaxInt64
		for _, p := range places {
			input := s.Input(p)
			n[side] = min(n[side], int64(len(places))*have(input)/uses[input])
		}
	}
	return n
}

// Allotted is how many of all samples are of each of so many pairs: the pair of each is drawn at random.
func Allotted(r *rand.Rand, pairs int, all int64) []int64 {
	times := make([]int64, pairs)
	if pairs == 1 {
		times[0] = all
		return times
	}
	for range all {
		times[r.IntN(pairs)]++
	}
	return times
}

// Part is a run of an input's samples: those in which a pair of a test counts on a side.
type Part struct {
	Choice, Side  int // the place in the test
	At, Input     Place
	From, Samples int64
}

// Parts divides the samples of the inputs of a test among its places, of which each has so many. None is
// in two parts.
func (s Sharing) Parts(test Test, times [2][]int64) (out []Part) {
	next := make(map[Place]int64)
	for side, places := range test {
		for i, p := range places {
			input, samples := s.Input(p), times[side][i]
			out = append(out, Part{i, side, p, input, next[input], samples})
			next[input] += samples
		}
	}
	return out
}

// Within is the part of so many rows.
func (p Part) Within(rows int) (from, to int) {
	return int(min(int64(rows), p.From)), int(min(int64(rows), p.From+p.Samples))
}
