package inputs

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
)

// PairSpace proposes neighboring inputs of a mechanism. It need not propose both orders of a pair, since an audit tests
// both directions.
type PairSpace[D any] interface {
	// Check returns an error if a parameter of the space is invalid.
	Check() error
	// Edges returns the pairs to try first.
	Edges() []Pair[D]
	// Mutate draws a pair close to p. It returns false if p does not belong to this space.
	Mutate(r *rand.Rand, p Pair[D]) (near Pair[D], ok bool)
	// Smaller returns pairs simpler than p, largest simplification first, or none if p does not belong to this space.
	// Every chain of such steps must end.
	Smaller(p Pair[D]) []Pair[D]
}

// PairCombiner is a [PairSpace] that can combine two pairs.
type PairCombiner[D any] interface {
	// Combine draws a pair that mixes the parts in which p and q differ, or extrapolates from p to q. It returns false if
	// p or q does not belong to this space.
	Combine(r *rand.Rand, p, q Pair[D]) (joined Pair[D], ok bool)
}

// Adjacency is the neighbor relation of datasets.
type Adjacency int

const (
	// AddOrRemoveOneRecord: one dataset has one more record.
	AddOrRemoveOneRecord Adjacency = iota + 1
	// ReplaceOneRecord: the datasets have equal size and differ in one record.
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

// Datasets is the [PairSpace] of ordered datasets with records of type T. Records are compared by reflect.DeepEqual.
type Datasets[T any] struct {
	Adjacency Adjacency
	// Values are the records that build datasets, the simplest first; counterexamples are shrunk towards it. Include the
	// extremes of the domain; the first few values are used most. At least one value is required, and two different ones
	// under ReplaceOneRecord.
	Values []T
	// MinRecords and MaxRecords bound the size of a dataset. MaxRecords = 0 means the larger of 16 and MinRecords + 1.
	MinRecords, MaxRecords int
	// Draw draws further records for the local search; may be nil.
	Draw func(r *rand.Rand) T
}

const defaultMost = 16

// room returns the minimum and maximum number of records that two neighbors share.
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

// Sizes returns the minimum and maximum number of records of the larger neighbor.
func (d Datasets[T]) Sizes() (least, most int) {
	least, most = d.room()
	return least + 1, most + 1
}

// Check returns an error that names the parameter outside its domain.
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
		return errors.New("datasets: one value: want at least two different ones to replace one by another")
	}
	return nil
}

// rank returns the index of a record among the values, or their number if it is not one of them.
func (d Datasets[T]) rank(v T) int {
	if i := slices.IndexFunc(d.Values, func(w T) bool { return reflect.DeepEqual(v, w) }); i >= 0 {
		return i
	}
	return len(d.Values)
}

// different returns the values without repetitions.
func (d Datasets[T]) different() (out []T) {
	for i, v := range d.Values {
		if d.rank(v) == i {
			out = append(out, v)
		}
	}
	return out
}

// SplitPair represents a pair of datasets. The first dataset has the shared records with A inserted at index At. The
// second has B there instead, or only the shared records under AddOrRemoveOneRecord.
type SplitPair[T any] struct {
	Shared []T
	At     int // between 0 and len(Shared)
	A, B   T
}

// Join returns the pair that a split represents.
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

// inserted returns a copy of s with v inserted at an index.
func inserted[T any](s []T, at int, v T) []T { return slices.Insert(slices.Clone(s), at, v) }

// without returns a copy of s without s[from:to].
func without[T any](s []T, from, to int) []T {
	return slices.Concat(s[:from:from], s[to:])
}

// Split returns the representation of a pair, or false if the pair does not consist of neighbors in this space.
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

// edgeValues is the number of values that are added to the smallest datasets.
const edgeValues = 6

// Edges returns the smallest datasets with each value added or replaced (the empty dataset against single records if it
// is allowed). Datasets with one and three more records and the largest datasets follow, with equal records and with
// all values in turn.
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

// differences calls use with the records in which two neighbors can differ.
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

// patterns returns datasets of n records: all the first value, all the second value, and all values in turn.
func (d Datasets[T]) patterns(n int) [][]T {
	v := d.Values
	out := [][]T{slices.Repeat(v[:1], n)}
	if len(v) > 1 {
		out = append(out, slices.Repeat(v[1:2], n), slices.Repeat(v, n/len(v)+1)[:n])
	}
	return out
}

// Mutate changes, adds, removes or moves one record.
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

// draw returns one of the values, or a record from Draw with probability 0.5.
func (d Datasets[T]) draw(r *rand.Rand) T {
	if d.Draw != nil && r.IntN(2) == 0 {
		return d.Draw(r)
	}
	return d.Values[r.IntN(len(d.Values))]
}

// Smaller removes shared records, first half of them and finally one at a time, then replaces records by simpler
// values.
func (d Datasets[T]) Smaller(p Pair[[]T]) []Pair[[]T] {
	out := DistinctPairs[[]T]{Seen: map[string]bool{PairKey(p): true}}
	for q := range d.Steps(p) {
		out.Add(q)
	}
	return out.Pairs
}

// Steps generates the pairs of Smaller one at a time. A pair may occur twice.
func (d Datasets[T]) Steps(p Pair[[]T]) iter.Seq[Pair[[]T]] {
	return func(yield func(Pair[[]T]) bool) {
		if s, ok := d.Split(p); ok && d.fewer(s, yield) {
			d.simpler(s, yield)
		}
	}
}

// fewer proposes pairs with fewer shared records. It reports whether to continue.
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
