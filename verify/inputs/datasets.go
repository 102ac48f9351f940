package inputs

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
)

// PairSpace proposes neighbouring inputs. One order of each pair is enough: an
// audit tries both directions.
type PairSpace[D any] interface {
	// Check names what is wrong with the space's parameters.
	Check() error
	// Edges are the pairs to try first.
	Edges() []Pair[D]
	// Mutate draws a pair that is like p; not ok where p is not of this space.
	Mutate(r *rand.Rand, p Pair[D]) (near Pair[D], ok bool)
	// Smaller are pairs simpler than p, the boldest steps first. Every chain of
	// steps must end. None where p is not of this space.
	Smaller(p Pair[D]) []Pair[D]
}

// PairCombiner is a [PairSpace] that goes on from two pairs.
type PairCombiner[D any] interface {
	// Combine draws a pair of what differs between p and q, of either, or one that goes on from p to q; not ok where
	// either is not of this space.
	Combine(r *rand.Rand, p, q Pair[D]) (joined Pair[D], ok bool)
}

// Adjacency says which datasets are neighbours.
type Adjacency int

const (
	// AddOrRemoveOneRecord makes neighbours of datasets of which one has a record more.
	AddOrRemoveOneRecord Adjacency = iota + 1
	// ReplaceOneRecord makes neighbours of datasets of one size that differ in one record.
	ReplaceOneRecord
)

func (a Adjacency) String() string {
	switch a {
	case AddOrRemoveOneRecord:
		return "add or remove one record"
	case ReplaceOneRecord:
		return "replace one record"
	}
	return fmt.Sprintf("unknown adjacency %d", int(a))
}

// Datasets is the [PairSpace] of datasets of records T, in order. Records are
// compared by reflect.DeepEqual.
type Datasets[T any] struct {
	Adjacency Adjacency
	// Values are records to build datasets from, the simplest first: a violation
	// is shrunk towards it. The extremes of the domain belong here, the first few
	// are used most. At least one, and two different ones under ReplaceOneRecord.
	Values []T
	// MinRecords and Most records of a dataset; Most = 0 means 16, or Least + 1 where
	// that is more.
	MinRecords, MaxRecords int
	// Draw gives further records to the local search; may be nil.
	Draw func(r *rand.Rand) T
}

const defaultMost = 16

// room is the least and the largest number of records that neighbours share.
func (d Datasets[T]) room() (least, most int) {
	most = d.MaxRecords
	if most == 0 {
		most = max(defaultMost, d.MinRecords+1)
	}
	if d.Adjacency == ReplaceOneRecord {
		return max(d.MinRecords, 1) - 1, most - 1
	}
	return d.MinRecords, most - 1
}

// Sizes are the least and the largest number of records of the larger of two neighbours.
func (d Datasets[T]) Sizes() (least, most int) {
	least, most = d.room()
	return least + 1, most + 1
}

// Check names the parameter that is out of its domain.
func (d Datasets[T]) Check() error {
	if d.Adjacency != AddOrRemoveOneRecord && d.Adjacency != ReplaceOneRecord {
		return errors.New("datasets: no adjacency: want AddRemoveOne or ReplaceOne")
	}
	if least, most := d.room(); d.MinRecords < 0 || d.MaxRecords < 0 || least > most {
		return fmt.Errorf("datasets of %d to %d records have no neighbours by %s", d.MinRecords, d.MaxRecords, d.Adjacency)
	}
	if len(d.Values) == 0 {
		return errors.New("datasets: no values: want the records to build them from")
	}
	if d.Adjacency == ReplaceOneRecord && len(d.different()) == 1 {
		return errors.New("datasets: one value alone: want at least two different ones to replace one by another")
	}
	return nil
}

// rank of a record: its place among the values, or their number.
func (d Datasets[T]) rank(v T) int {
	if i := slices.IndexFunc(d.Values, func(w T) bool { return reflect.DeepEqual(v, w) }); i >= 0 {
		return i
	}
	return len(d.Values)
}

// different values, each once.
func (d Datasets[T]) different() (out []T) {
	for i, v := range d.Values {
		if d.rank(v) == i {
			out = append(out, v)
		}
	}
	return out
}

// SplitPair is a pair of datasets taken apart: the first is the shared records with A put in at a
// place; the second the same with B, or the shared records alone under AddOrRemoveOneRecord.
type SplitPair[T any] struct {
	Shared []T
	At     int // from 0 to the number of shared records
	A, B   T
}

// Join is the pair of a split.
func (d Datasets[T]) Join(s SplitPair[T]) Pair[[]T] {
	p := Pair[[]T]{A: inserted(s.Shared, s.At, s.A), B: slices.Clone(s.Shared)}
	if d.Adjacency == ReplaceOneRecord {
		p.B = inserted(s.Shared, s.At, s.B)
	}
	if p.B == nil {
		p.B = []T{}
	}
	p.Name = fmt.Sprintf("datasets of %d and %d records", len(p.A), len(p.B))
	return p
}

// inserted is a copy of s with v put in at a place.
func inserted[T any](s []T, at int, v T) []T { return slices.Insert(slices.Clone(s), at, v) }

// without is a copy of s that lacks s[from:to].
func without[T any](s []T, from, to int) []T {
	return slices.Concat(s[:from:from], s[to:])
}

// SplitPair takes a pair apart; not ok where it is no pair of neighbours of the space.
func (d Datasets[T]) Split(p Pair[[]T]) (s SplitPair[T], ok bool) {
	a, b := p.A, p.B
	if len(a) < len(b) {
		a, b = b, a
	}
	same := 0
	for same < len(b) && reflect.DeepEqual(a[same], b[same]) {
		same++
	}
	if same == len(a) {
		return s, false
	}
	s = SplitPair[T]{Shared: without(a, same, same+1), At: same, A: a[same]}
	rest := b[same:]
	if d.Adjacency == ReplaceOneRecord {
		if len(a) != len(b) {
			return s, false
		}
		s.B, rest = b[same], b[same+1:]
	} else if len(a) != len(b)+1 {
		return s, false
	}
	least, most := d.room()
	equal := slices.EqualFunc(rest, a[same+1:], func(v, w T) bool { return reflect.DeepEqual(v, w) })
	return s, equal && len(s.Shared) >= least && len(s.Shared) <= most
}

// edgeValues are as many values as are used in every position.
const edgeValues = 6

// Edges are the least datasets with every value (the empty one against single
// records, where the empty one is allowed), then datasets of one record more, of
// three more and of the most records: equal records, and all values in turn.
func (d Datasets[T]) Edges() []Pair[[]T] {
	least, most := d.room()
	d.Values = d.different()
	out := DistinctPairs[[]T]{Seen: map[string]bool{}}
	for i, n := range []int{least, least + 1, least + 3, most} {
		if n > most {
			continue
		}
		places := []int{n}
		values := d.Values[:min(2, len(d.Values))]
		switch {
		case i == 0:
			values = d.Values[:min(edgeValues, len(d.Values))]
		case n == most:
			places = []int{n, 0}
		}
		for _, shared := range d.patterns(n) {
			for _, at := range places {
				d.differences(values, func(a, b T) { out.Add(d.Join(SplitPair[T]{shared, at, a, b})) })
			}
		}
	}
	return out.Pairs
}

// differences calls use with what two neighbours differ in.
func (d Datasets[T]) differences(values []T, use func(a, b T)) {
	for i, a := range values {
		if d.Adjacency == AddOrRemoveOneRecord {
			use(a, a)
			continue
		}
		for _, b := range values[:i] {
			use(a, b)
		}
	}
}

// patterns are datasets of n records: all equal to the first value, all equal to
// the second, and all values in turn.
func (d Datasets[T]) patterns(n int) [][]T {
	v := d.Values
	out := [][]T{slices.Repeat(v[:1], n)}
	if len(v) > 1 {
		out = append(out, slices.Repeat(v[1:2], n), slices.Repeat(v, n/len(v)+1)[:n])
	}
	return out
}

// Mutate changes, adds, removes or moves one thing.
func (d Datasets[T]) Mutate(r *rand.Rand, p Pair[[]T]) (Pair[[]T], bool) {
	s, ok := d.Split(p)
	if !ok {
		return p, false
	}
	least, most := d.room()
	switch move := r.IntN(5); {
	case move == 0 && len(s.Shared) < most:
		s.Shared = inserted(s.Shared, r.IntN(len(s.Shared)+1), d.draw(r))
	case move == 1 && len(s.Shared) > least:
		i := r.IntN(len(s.Shared))
		s.Shared = without(s.Shared, i, i+1)
	case move == 2 && len(s.Shared) > 0:
		s.Shared = slices.Clone(s.Shared)
		s.Shared[r.IntN(len(s.Shared))] = d.draw(r)
	case move == 3:
		s.At = r.IntN(len(s.Shared) + 1)
	default:
		if s.A = d.draw(r); r.IntN(2) == 0 {
			s.B = d.draw(r)
		}
	}
	s.At = min(s.At, len(s.Shared))
	return d.Join(s), d.Adjacency == AddOrRemoveOneRecord || !reflect.DeepEqual(s.A, s.B)
}

// draw takes a record from the values, or from Draw half of the time.
func (d Datasets[T]) draw(r *rand.Rand) T {
	if d.Draw != nil && r.IntN(2) == 0 {
		return d.Draw(r)
	}
	return d.Values[r.IntN(len(d.Values))]
}

// Smaller removes shared records, half of them at first and one at a time in the
// end, then puts simpler values in the place of records.
func (d Datasets[T]) Smaller(p Pair[[]T]) []Pair[[]T] {
	out := DistinctPairs[[]T]{Seen: map[string]bool{PairKey(p): true}}
	for q := range d.Steps(p) {
		out.Add(q)
	}
	return out.Pairs
}

// Steps generates the pairs of Smaller, one at a time. One may come twice.
func (d Datasets[T]) Steps(p Pair[[]T]) iter.Seq[Pair[[]T]] {
	return func(yield func(Pair[[]T]) bool) {
		if s, ok := d.Split(p); ok && d.fewer(s, yield) {
			d.simpler(s, yield)
		}
	}
}

// fewer reports whether more pairs are wanted.
func (d Datasets[T]) fewer(s SplitPair[T], yield func(Pair[[]T]) bool) bool {
	least, _ := d.room()
	n := len(s.Shared)
	for size := n - least; size > 0; size /= 2 {
		for from := 0; from+size <= n; from += size {
			t := s
			t.Shared = without(s.Shared, from, from+size)
			if s.At > from {
				t.At = max(from, s.At-size)
			}
			if !yield(d.Join(t)) {
				return false
			}
		}
	}
	return true
}

func (d Datasets[T]) simpler(s SplitPair[T], yield func(Pair[[]T]) bool) {
	first := d.Values[0]
	if slices.ContainsFunc(s.Shared, func(v T) bool { return d.rank(v) > 0 }) {
		t := s
		t.Shared = slices.Repeat(d.Values[:1], len(s.Shared))
		if !yield(d.Join(t)) {
			return
		}
	}
	for _, v := range d.Values[:d.rank(s.A)] {
		if t := s; d.Adjacency == AddOrRemoveOneRecord || !reflect.DeepEqual(v, s.B) {
			t.A = v
			if !yield(d.Join(t)) {
				return
			}
		}
	}
	if d.Adjacency == ReplaceOneRecord {
		for _, v := range d.Values[:d.rank(s.B)] {
			if t := s; !reflect.DeepEqual(v, s.A) {
				t.B = v
				if !yield(d.Join(t)) {
					return
				}
			}
		}
	}
	for i, v := range s.Shared {
		if d.rank(v) > 0 {
			t := s
			t.Shared = slices.Clone(s.Shared)
			t.Shared[i] = first
			if !yield(d.Join(t)) {
				return
			}
		}
	}
}
