package privacy

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify/inputs"
)

// inputPlace is an input of a pair.
type inputPlace struct {
	Pair int
	AtB  bool
}

// Side returns 0 for A and 1 for B.
func (p inputPlace) Side() int {
	if p.AtB {
		return 1
	}
	return 0
}

// Label returns the side as a letter.
func (p inputPlace) Label() string { return string("ab"[p.Side()]) }

// comparePlaces orders by pair, then A before B.
func comparePlaces(p, q inputPlace) int {
	return cmp.Or(cmp.Compare(p.Pair, q.Pair), cmp.Compare(p.Side(), q.Side()))
}

// inputSharing records which places have a common input. An input is identified by the first of its places. The
// zero value has no common inputs.
type inputSharing struct {
	first  map[inputPlace]inputPlace   // for a shared input
	all    map[inputPlace][]inputPlace // by the first place
	pooled int64
}

// shareInputs finds the common inputs of pairs. A search stores the rows of at most pooled places of an input. It
// halves pooled while more than `most` samples would be stored in total, and shares nothing if even one per input
// is too many.
func shareInputs[D any](pairs []inputs.Pair[D], pooled, most int64) inputSharing {
	s := inputSharing{map[inputPlace]inputPlace{}, map[inputPlace][]inputPlace{}, pooled}
	var have [][]inputPlace // places of each input
	for i, numbers := range inputs.DistinctInputs(pairs) {
		for side, k := range numbers {
			if k == len(have) {
				have = append(have, nil)
			}
			have[k] = append(have[k], inputPlace{i, side == 1})
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
	return inputSharing{}
}

// Input returns the input at a place.
func (s inputSharing) Input(p inputPlace) inputPlace {
	if first, ok := s.first[p]; ok {
		return first
	}
	return p
}

// Shared returns the inputs of several pairs in order.
func (s inputSharing) Shared() []inputPlace {
	return slices.SortedFunc(maps.Keys(s.all), comparePlaces)
}

// Uses returns the number of places of an input.
func (s inputSharing) Uses(input inputPlace) int64 { return int64(max(1, len(s.all[input]))) }

// Pooled returns the places whose rows a search uses for a shared input.
func (s inputSharing) Pooled(input inputPlace) []inputPlace {
	return s.all[input][:min(s.pooled, int64(len(s.all[input])))]
}

// drawnSamples holds the numbers of samples drawn of an input, per pair that has it.
type drawnSamples struct {
	inputSharing
	Searched   int64 // in each of the two folds of the search
	Shard      int64 // in each shard, for the chosen pairs
	Shards     int64
	Certifying int64 // in one fold and all shards
	All        int64 // in all folds and shards
}

// SearchedOf returns the number of search rows of an input in a fold.
func (d drawnSamples) SearchedOf(input inputPlace) int64 {
	return d.Searched * int64(max(1, len(d.Pooled(input))))
}

// ShardOf returns the number of samples of an input per shard: the samples of all its pairs that are not searched.
func (d drawnSamples) ShardOf(input inputPlace) int64 {
	uses := d.Uses(input)
	if uses == 1 {
		return d.Shard
	}
	return max(uses*d.Shard, (uses*d.All-2*d.SearchedOf(input))/d.Shards)
}

// CertifyingOf returns the number of samples of an input that a test can count.
func (d drawnSamples) CertifyingOf(input inputPlace) int64 {
	if d.Uses(input) == 1 {
		return d.Certifying
	}
	return d.SearchedOf(input) + d.ShardOf(input)*d.Shards
}

// pooledTest holds the places of a test of one or more pairs, by side.
type pooledTest [2][]inputPlace

// Sides returns the number of samples per side, given the number of samples of each input. The scarcest input
// limits it, if each pair gets an equal share on average.
func (s inputSharing) Sides(test pooledTest, have func(input inputPlace) int64) (n [2]int64) {
	uses := make(map[inputPlace]int64)
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

// allottedSamples draws the pair of each sample at random and returns the number of samples per pair.
func allottedSamples(r *rand.Rand, pairs int, all int64) []int64 {
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

// rowPart is a range of an input's samples in which a pair of a test counts on a side.
type rowPart struct {
	Choice, Side  int // position in the test
	At, Input     inputPlace
	From, Samples int64
}

// Parts divides the samples of the inputs of a test among its places, given their numbers of samples. Parts are
// disjoint.
func (s inputSharing) Parts(test pooledTest, times [2][]int64) (out []rowPart) {
	next := make(map[inputPlace]int64)
	for side, places := range test {
		for i, p := range places {
			input, samples := s.Input(p), times[side][i]
			out = append(out, rowPart{i, side, p, input, next[input], samples})
			next[input] += samples
		}
	}
	return out
}

// Within returns the range of the part among the given number of rows.
func (p rowPart) Within(rows int) (from, to int) {
	return int(min(int64(rows), p.From)), int(min(int64(rows), p.From+p.Samples))
}

// searchRows holds the search rows of both folds for the shared inputs.
type searchRows map[inputPlace]*[2]*distinguisher.Rows

// Draw draws the search rows in parallel. The function draw returns the rows of a place in a fold.
func (s inputSharing) Draw(ctx context.Context, slots *empirical.Pool,
	draw func(ctx context.Context, p inputPlace, fold int) (*distinguisher.Rows, error)) (searchRows, error) {
	type task struct {
		place inputPlace
		into  **distinguisher.Rows
		fold  int
		rows  *distinguisher.Rows
	}
	out := make(searchRows, len(s.all))
	var tasks []task
	for _, input := range s.Shared() {
		out[input] = new([2]*distinguisher.Rows)
		for _, p := range s.Pooled(input) {
			for fold := range 2 {
				tasks = append(tasks, task{place: p, into: &out[input][fold], fold: fold})
			}
		}
	}
	_, err := empirical.Each(ctx, slots, len(tasks), func(ctx context.Context, i int) (err error) {
		tasks[i].rows, err = draw(ctx, tasks[i].place, tasks[i].fold)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := make(map[**distinguisher.Rows][]*distinguisher.Rows)
	for _, t := range tasks {
		parts[t.into] = append(parts[t.into], t.rows)
	}
	for _, t := range tasks {
		if *t.into == nil {
			*t.into = distinguisher.Join(parts[t.into]...)
			delete(parts, t.into)
		}
	}
	return out, nil
}

// Of returns the rows of an input in a fold, or nil if the input is not shared.
func (r searchRows) Of(input inputPlace, fold int) *distinguisher.Rows {
	if pool := r[input]; pool != nil {
		return pool[fold]
	}
	return nil
}
