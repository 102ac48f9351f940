package inputs

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
)

// records proposes lists that differ in one record. The list is the whole input or a field of an object.
type records struct {
	Datasets[any]
	list   listType
	whole  Type
	object productType
	at     int // index of the list's field; −1 if the list is the whole input
}

type split = SplitPair[any]

// input returns the input with the given list. others holds the other fields; its value at index d.at is ignored.
func (d *records) input(list, others []any) any {
	if d.at < 0 {
		return list
	}
	parts := slices.Clone(others)
	parts[d.at] = list
	return d.object.joined(parts)
}

func (d *records) pair(s split, others []any) Pair[any] {
	p := d.Join(s)
	return Pair[any]{A: d.input(p.A, others), B: d.input(p.B, others)}
}

// taken splits a pair, or returns false if it does not belong to this space.
func (d *records) taken(p Pair[any]) (s split, others []any, ok bool) {
	lists := [2][]any{}
	for i, input := range []any{p.A, p.B} {
		list, isList := input.([]any)
		if d.at >= 0 {
			parts, whole := d.object.taken(input)
			if !whole {
				return s, nil, false
			}
			list, isList = parts[d.at].([]any)
			parts[d.at] = nil
			if i == 1 && !reflect.DeepEqual(parts, others) {
				return s, nil, false
			}
			others = parts
		}
		if !isList {
			return s, nil, false
		}
		lists[i] = list
	}
	s, ok = d.Split(Pair[[]any]{A: lists[0], B: lists[1]})
	return s, others, ok
}

// settings returns values of the other fields, the simplest first.
func (d *records) settings() (out [][]any) {
	if d.at < 0 {
		return [][]any{nil}
	}
	rest := d.object
	rest.parts = slices.Clone(rest.parts)
	rest.parts[d.at] = Enum(nil)
	for _, v := range rest.corners() {
		parts, _ := rest.taken(v)
		out = append(out, parts)
	}
	return out
}

// room returns the minimum and maximum number of records that two neighbors share.
func (d *records) room() (least, most int) {
	least, most = d.Sizes()
	return least - 1, most - 1
}

// some is the number of values that the edges combine with one another.
const some = 6

// with returns the splits that add v at an index, or that replace v by up to two other values.
func (d *records) with(shared []any, at int, v any) (out []split) {
	at = min(at, len(shared))
	if d.Adjacency == AddOrRemoveOneRecord {
		return []split{{Shared: shared, At: at, A: v, B: v}}
	}
	for _, w := range d.Values[:min(some, len(d.Values))] {
		if !reflect.DeepEqual(v, w) && len(out) < 2 {
			out = append(out, split{Shared: shared, At: at, A: v, B: w})
		}
	}
	return out
}

// splits interleaves the families of edges.
func (d *records) splits() (splits []split) {
	families := [][]split{d.atLeast(), d.sizes(), d.duplicates(), d.absent(), d.outliers(), d.ordered(), d.atMost()}
	share := []int{1, 2, 1, 1, 1, 1, 1} // there are many sizes
	for more := true; more; {
		more = false
		for i, f := range families {
			n := min(share[i], len(f))
			splits, families[i] = append(splits, f[:n]...), f[n:]
			more = more || len(families[i]) > 0
		}
	}
	return splits
}

const (
	// mostEdges bounds the pairs that a space proposes without a search, and mostVolume their records; see also
	// mostNumbers.
	mostEdges, mostVolume = 4096, 250_000
	// fewRecords is the size up to which records are simplified one at a time.
	fewRecords = 64
)

// edges combines the splits with the settings of the other fields, diagonally: by increasing sum of their indices.
func (d *records) edges(w *work) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		splits, settings, volume := d.splits(), d.settings(), 0
		out := DistinctPairs[any]{Seen: map[string]bool{}}
		for sum := 0; sum < len(splits)+len(settings)-1; sum++ {
			for j := range min(sum+1, len(settings)) {
				i := sum - j
				if i >= len(splits) || len(out.Pairs) >= mostEdges || volume >= mostVolume {
					continue
				}
				p := d.pair(splits[i], settings[j])
				if !w.take(sizeOf(p)) {
					continue
				}
				volume += len(splits[i].Shared)
				w.some = true
				if out.Add(p) && !yield(p) {
					return
				}
			}
		}
	}
}

// fit returns a list cut or filled to a size that neighbors may share.
func (d *records) fit(list []any, fill any) []any {
	least, most := d.room()
	list = slices.Clone(list[:min(len(list), most)])
	for len(list) < least {
		list = append(list, fill)
	}
	return list
}

func (d *records) equal(n int, v any) []any { return d.fit(slices.Repeat([]any{v}, n), v) }

// atLeast adds each value to the smallest dataset.
func (d *records) atLeast() (out []split) {
	shared := d.equal(0, d.Values[0])
	for _, v := range d.Values {
		out = append(out, d.with(shared, len(shared), v)...)
	}
	return out
}

// atMost returns the largest datasets with equal records.
func (d *records) atMost() (out []split) {
	_, most := d.room()
	for _, v := range d.Values[:min(some, len(d.Values))] {
		out = append(out, d.with(d.equal(most, v), most, v)...)
	}
	return out
}

// sizes returns datasets of every size up to 64 and then in steps of n/8. Under AddOrRemoveOneRecord each pair covers
// two sizes, so the step is at least 2.
func (d *records) sizes() (out []split) {
	least, most := d.room()
	step := 1
	if d.Adjacency == AddOrRemoveOneRecord {
		step = 2
	}
	other := d.Values[min(1, len(d.Values)-1)]
	for n := least + 1; n <= most; n += max(step, n/8*boolean(n > 64)) {
		out = append(out, d.with(d.equal(n, d.Values[0]), n, other)...)
	}
	return out
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// duplicates returns datasets of a few equal records.
func (d *records) duplicates() (out []split) {
	for n := 1; n <= 5; n += 2 {
		for _, v := range d.Values {
			out = append(out, d.with(d.equal(n, v), n, v)...)
		}
	}
	return out
}

// absent returns datasets with every value except the one that is added.
func (d *records) absent() (out []split) {
	for turns := 1; turns <= 3; turns += 2 {
		for i, v := range d.Values {
			rest := slices.Concat(d.Values[:i], d.Values[i+1:])
			if len(rest) == 0 {
				return out
			}
			out = append(out, d.with(d.fit(slices.Repeat(rest, turns), rest[0]), 0, v)...)
		}
	}
	return out
}

// outliers returns equal records with one record of another value.
func (d *records) outliers() (out []split) {
	values := d.Values[:min(some, len(d.Values))]
	for _, n := range []int{4, 1, 12} {
		for i, v := range values {
			for j, w := range values {
				if i != j {
					shared := d.equal(n, v)
					out = append(out, d.with(shared, len(shared), w)...)
				}
			}
		}
	}
	return out
}

// ladder returns n records that rise from the lower to the upper ends of their ranges, or take all values in turn.
func (d *records) ladder(n int) []any {
	out := make([]any, n)
	for i := range out {
		share := float64(i) / float64(max(1, n-1))
		out[i] = d.list.record.replaced(d.Values[i*len(d.Values)/n], func(x number) any {
			return x.mixed(share)
		})
	}
	slices.SortStableFunc(out, inOrder)
	return out
}

// inOrder compares records numerically if possible, and otherwise as text.
func inOrder(a, b any) int {
	x, aIsWhole := a.(int64)
	y, bIsWhole := b.(int64)
	if aIsWhole && bIsWhole {
		return cmp.Compare(x, y)
	}
	u, aIs := a.(float64)
	v, bIs := b.(float64)
	if aIs && bIs {
		return cmp.Compare(u, v)
	}
	p, aIsList := parts(a)
	q, bIsList := parts(b)
	if aIsList && bIsList {
		return slices.CompareFunc(p, q, inOrder)
	}
	return cmp.Compare(JSONText(a), JSONText(b))
}

// parts returns the values of a list, or of an object in key order.
func parts(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case map[string]any:
		var out []any
		for _, key := range sortedKeys(v) {
			out = append(out, v[key])
		}
		return out, true
	}
	return nil, false
}

// ordered returns rising and falling datasets, with a record added that continues or breaks the order.
func (d *records) ordered() (out []split) {
	_, most := d.room()
	for _, n := range []int{3, 8, 20} {
		up := d.fit(d.ladder(min(n, most)), d.Values[0])
		if len(up) < 2 {
			return out
		}
		down := slices.Clone(up)
		slices.Reverse(down)
		top, bottom := down[0], up[0]
		for _, s := range [][]split{d.with(up, len(up), top), d.with(down, 0, top), d.with(up, len(up), bottom),
			d.with(down, len(down), bottom), d.with(up, 0, bottom), d.with(down, 0, bottom)} {
			out = append(out, s...)
		}
	}
	return out
}

// patternLengths are the lengths in the StatDP and DP-Sniper papers.
var patternLengths = []int{5, 10}

// patterns returns the StatDP patterns for several pairs of values, below and above. The other fields are at their
// simplest, since the papers have none.
func (d *records) patterns(w *work) iter.Seq[Pair[any]] {
	_, most := d.room()
	var splits []split
	values := d.Values[:min(3, len(d.Values))]
	for _, length := range patternLengths {
		n := min(length-1, most)
		for i, below := range values {
			for j, above := range values {
				if i == j && len(values) > 1 {
					continue
				}
				half := append(slices.Repeat([]any{below}, n/2), slices.Repeat([]any{above}, n-n/2)...)
				for _, shared := range [][]any{slices.Repeat([]any{below}, n), half} {
					splits = append(splits, split{Shared: d.fit(shared, below), At: 0, A: above, B: below})
				}
			}
		}
	}
	if d.Adjacency == ReplaceOneRecord {
		splits = slices.DeleteFunc(splits, func(s split) bool { return reflect.DeepEqual(s.A, s.B) })
	}
	return func(yield func(Pair[any]) bool) {
		out := DistinctPairs[any]{Seen: map[string]bool{}}
		others := d.settings()[0]
		for _, s := range splits {
			p := d.pair(s, others)
			if !w.take(sizeOf(p)) {
				continue
			}
			w.some = true
			if out.Add(p) && !yield(p) {
				return
			}
		}
	}
}

// smaller proposes fewer records, then simpler values of the other fields, then simpler records.
func (d *records) smaller(p Pair[any]) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		s, others, ok := d.taken(p)
		if !ok {
			return
		}
		add := func(t split) (goOn bool) {
			none := d.Adjacency == ReplaceOneRecord && reflect.DeepEqual(t.A, t.B)
			return none || yield(d.pair(t, others))
		}
		if !d.fewer(s, others, add, yield) {
			return
		}
		for i := range others {
			if i == d.at {
				continue
			}
			for v := range d.object.parts[i].simpler(others[i]) {
				if !yield(d.pair(s, with(others, i, v))) {
					return
				}
			}
		}
		d.simpler(s, add)
	}
}

// fewer proposes fewer records and reports whether to continue.
func (d *records) fewer(s split, others []any, add func(split) bool, yield func(Pair[any]) bool) bool {
	if len(s.Shared) > fewRecords {
		return d.coarser(s, add)
	}
	fewer := d.Datasets
	fewer.Values = d.Values[:1] // beyond the first, the corners are not ordered by simplicity
	for q := range fewer.Steps(d.Join(s)) {
		if !yield(Pair[any]{A: d.input(q.A, others), B: d.input(q.B, others)}) {
			return false
		}
	}
	return true
}

// simpler simplifies the records in which the neighbors differ, then the shared records, one at a time.
func (d *records) simpler(s split, add func(split) bool) {
	for v := range d.list.record.simpler(s.A) {
		if !add(split{Shared: s.Shared, At: s.At, A: v, B: s.B}) {
			return
		}
	}
	if d.Adjacency == ReplaceOneRecord {
		for v := range d.list.record.simpler(s.B) {
			if !add(split{Shared: s.Shared, At: s.At, A: s.A, B: v}) {
				return
			}
		}
	}
	for i, v := range s.Shared[:min(len(s.Shared), fewRecords)] {
		for w := range d.list.record.simpler(v) {
			if !add(split{Shared: with(s.Shared, i, w), At: s.At, A: s.A, B: s.B}) {
				return
			}
		}
	}
}

// coarser removes large blocks of records, then replaces all records by the simplest. It reports whether to continue.
func (d *records) coarser(s split, add func(split) bool) bool {
	least, _ := d.room()
	n := len(s.Shared)
	for size := n - least; size > n/fewRecords; size /= 2 {
		for from := 0; from+size <= n; from += size {
			t := s
			t.Shared = slices.Concat(s.Shared[:from:from], s.Shared[from+size:])
			if s.At > from {
				t.At = max(from, s.At-size)
			}
			if !add(t) {
				return false
			}
		}
	}
	t := s
	t.Shared = d.equal(n, d.Values[0])
	return reflect.DeepEqual(t.Shared, s.Shared) || add(t)
}
