package privacy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify/neighbours"
)

// Pairs that have an input in common share its releases: what is drawn of it for all of them
// serves each. A hub of many pairs is then known better than the other input of each,
// and the variance of the log ratio of an event's frequencies falls from that of two samples to little
// more than that of one.
//
// The releases of an input are divided by fold first, for all pairs alike: the rows in which a fold
// chooses pairs and events, those of the other fold, and the shards. No view counts in any row of the
// fold that chose it, whichever pair the row was drawn for. Within a view every release counts once,
// for one pair and on one side: its two counts are independent, and each is binomial.

const (
	// maxPooled is how many times the rows of a pair a search sees at most of an input that is shared,
	// and maxPooledRepeats where outputs repeat, so that more rows are no more different ones. The last
	// add little, as the other input has one. What is not searched certifies.
	maxPooled        = 2
	maxPooledRepeats = 8
	// maxPooledValues bounds the values of the searched rows that are kept for several pairs.
	maxPooledValues = 1 << 27
)

// place is an input of a pair.
type place struct {
	pair int
	atB  bool
}

// sharing tells which places have an input in common. The zero value is for none.
type sharing struct {
	first map[place]place   // of a shared input
	all   map[place][]place // by the first
	// pooled is how many times the rows of a pair a search sees of one at most.
	pooled int64
}

// newSharing finds the inputs that pairs have in common.
func newSharing[D any](pairs []neighbours.Pair[D], pooled int64) sharing {
	s := sharing{map[place]place{}, map[place][]place{}, pooled}
	var have [][]place // of each input
	for i, numbers := range neighbours.Inputs(pairs) {
		for side, k := range numbers {
			if k == len(have) {
				have = append(have, nil)
			}
			have[k] = append(have[k], place{i, side == 1})
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
	return s
}

// input is the first place that has the same input.
func (s sharing) input(p place) place {
	if first, ok := s.first[p]; ok {
		return first
	}
	return p
}

// uses are how many places have an input.
func (s sharing) uses(input place) int64 { return int64(max(1, len(s.all[input]))) }

// pools are how many times the rows of a pair a search sees of an input.
func (s sharing) pools(input place) int64 {
	if uses := s.uses(input); uses > 1 {
		return min(s.pooled, uses)
	}
	return 1
}

// shared are the inputs that several pairs have, in order.
func (s sharing) shared() (inputs []place) {
	for first := range s.all {
		inputs = append(inputs, first)
	}
	slices.SortFunc(inputs, place.order)
	return inputs
}

func (p place) order(q place) int {
	return cmp.Or(cmp.Compare(p.pair, q.pair), cmp.Compare(p.index(), q.index()))
}

// at is where the choice counts on a side of the view; the inverse of side.
func (c choice) at(side int) place { return place{c.pair, (side == 1) != c.witness.Swapped} }

// sides are how many samples of either side of a view there are where there are have of each input: as
// many as its scarcest input allows, if each chosen pair has its share of them on average.
func (s sharing) sides(chosen []choice, have func(input place) int64) (n [2]int64) {
	uses := make(map[place]int64, 2*len(chosen))
	for _, c := range chosen {
		for side := range n {
			uses[s.input(c.at(side))]++
		}
	}
	for side := range n {
		n[side] = math.MaxInt64
		for _, c := range chosen {
			input := s.input(c.at(side))
			n[side] = min(n[side], int64(len(chosen))*have(input)/uses[input])
		}
	}
	return n
}

// part is a run of an input's samples: those in which a choice counts on a side of its view.
type part struct {
	choice
	side          int
	input         place
	from, samples int64
}

// parts divides the samples of the inputs of a view among its pairs, of which each has so many on
// either side. None is in two parts.
func (s sharing) parts(v view, times [2]map[int]int64) (out []part) {
	next := make(map[place]int64)
	for side := range times {
		for _, c := range v.chosen {
			input, samples := s.input(c.at(side)), times[side][c.pair]
			out = append(out, part{c, side, input, next[input], samples})
			next[input] += samples
		}
	}
	return out
}

// within is the part of so many rows.
func (p part) within(rows int) (from, to int) {
	return int(min(int64(rows), p.from)), int(min(int64(rows), p.from+p.samples))
}

// pooledRows are the rows of an input that the search of a fold has.
func (t *auditTrial[D, O]) pooledRows(input place) int64 {
	return t.searched * t.sharing.pools(input)
}

// shardOf is how many samples of an input a shard has: what was not searched of all that its pairs
// are to draw.
func (t *auditTrial[D, O]) shardOf(input place) int64 {
	uses := t.sharing.uses(input)
	if uses == 1 {
		return t.perShard
	}
	return max(uses*t.perShard, (uses*(t.total-probeRows)-2*t.pooledRows(input))/auditShards)
}

// n is the number of samples of either side of a view.
func (t *auditTrial[D, O]) n(v view) [2]int64 {
	return t.samplesOf(v.chosen, v.heldOutN)
}

// samplesOf choices are those of the shards and so many before.
func (t *auditTrial[D, O]) samplesOf(chosen []choice, before [2]int64) [2]int64 {
	shard := t.sharing.sides(chosen, t.shardOf)
	return [2]int64{before[0] + shard[0]*auditShards, before[1] + shard[1]*auditShards}
}

// certifyingOf is how many samples of an input a view can count in.
func (t *auditTrial[D, O]) certifyingOf(input place) int64 {
	if t.sharing.uses(input) == 1 {
		return t.certifying
	}
	return t.pooledRows(input) + t.shardOf(input)*auditShards
}

// expectedSides are the samples of either side of a view of choices, as the search takes them.
func (t *auditTrial[D, O]) expectedSides(chosen []choice) [2]float64 {
	n := t.sharing.sides(chosen, t.certifyingOf)
	return [2]float64{float64(n[0]), float64(n[1])}
}

// share finds what the pairs have in common, where it is of use: rows of a known
// likelihood ratio are those of their pair alone. A search sees so many times the rows of a pair, each of
// so many values.
func (t *auditTrial[D, O]) share(pooled, rows, width int64) {
	if t.LogLikelihood != nil || len(t.Pairs) == 1 {
		return
	}
	for s := newSharing(t.Pairs, pooled); s.pooled > 0; s.pooled /= 2 {
		var values int64
		for input := range s.all {
			values += 2 * s.pools(input) * rows * width
		}
		if values <= maxPooledValues {
			t.sharing = s
			return
		}
	}
}

// pools are the searched rows, of both folds, of the inputs that pairs share.
type pools map[place]*[2]*witness.Rows

// drawPools draws them: each part on the stream of a pair that has the input, as that pair by itself would.
func (t *auditTrial[D, O]) drawPools(ctx context.Context, rows int) (pools, error) {
	type draw struct {
		place
		input place
		fold  int
		rows  *witness.Rows
	}
	var draws []draw
	for _, input := range t.sharing.shared() {
		for _, p := range t.sharing.all[input][:t.sharing.pools(input)] {
			draws = append(draws, draw{p, input, 0, nil}, draw{p, input, 1, nil})
		}
	}
	i, err := empirical.Each(ctx, t.settings.Pool, len(draws), func(ctx context.Context, i int) (err error) {
		d := &draws[i]
		d.rows, err = t.searchRows(ctx, d.place, d.fold, rows)
		return err
	})
	if err != nil && i < len(draws) {
		err = fmt.Errorf("pair %s: %w", t.Pairs[draws[i].pair].Name, err)
	}
	if err != nil {
		return nil, err
	}
	out := make(pools, len(t.sharing.all))
	for i, d := range draws {
		if out[d.input] == nil {
			out[d.input] = new([2]*witness.Rows)
		}
		of := &out[d.input][d.fold]
		*of = witness.Join(*of, d.rows)
		draws[i].rows = nil
	}
	return out, nil
}

// ownRows are those of the rows of a pair which are not pooled.
func (t *auditTrial[D, O]) ownRows(drawn pools, pair int, rows [2]*witness.Rows) [2]*witness.Rows {
	for side := range rows {
		if drawn[t.sharing.input(place{pair, side == 1})] != nil {
			rows[side] = nil
		}
	}
	return rows
}

// foldRows are the rows of a fold's search at a place.
func (t *auditTrial[D, O]) foldRows(ctx context.Context, drawn pools, at place, fold, rows int) (*witness.Rows,
	error) {
	if pool := drawn[t.sharing.input(at)]; pool != nil {
		return pool[fold], nil
	}
	return t.searchRows(ctx, at, fold, rows)
}

// searchRows draws rows of a fold's search at a place.
func (t *auditTrial[D, O]) searchRows(ctx context.Context, at place, fold, rows int) (*witness.Rows, error) {
	r := t.settings.Stream("search", strconv.Itoa(at.pair), strconv.Itoa(fold), at.label())
	return t.sampleRows(ctx, r, t.Pairs[at.pair], t.inputAt(at), rows)
}

// index of the side: 0 is A.
func (p place) index() int {
	if p.atB {
		return 1
	}
	return 0
}

// label of the side.
func (p place) label() string { return string("ab"[p.index()]) }

func (t *auditTrial[D, O]) inputAt(p place) D {
	if p.atB {
		return t.Pairs[p.pair].B
	}
	return t.Pairs[p.pair].A
}
