package inputs

import (
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
)

// anyTwo proposes pairs of any two values of a type.
type anyTwo struct{ values Type }

const (
	// mostListed is the largest number of values for which all pairs are edges: these have fewer pairs than mostEdges.
	mostListed = 90
	// mostExtremes bounds the number of values whose pairs are edges if the type has more than mostListed values.
	mostExtremes = 48
)

// ordered returns the pair of two values in an order that does not depend on the arguments' order, so that a search
// tries only one order of each pair. It returns false if both values are equal.
func ordered(a, b any) (Pair[any], bool) {
	x, y := JSONText(a), JSONText(b)
	if len(y) < len(x) || len(y) == len(x) && y < x {
		a, b = b, a
	}
	return Pair[any]{A: a, B: b}, x != y
}

// chosen yields distinct pairs within a budget.
type chosen struct {
	pairs  DistinctPairs[any]
	w      *work
	yield  func(Pair[any]) bool
	volume int // total size of the pairs so far
}

// add yields the pair of two values unless it was yielded before, its values are equal, or it exceeds the budget. It
// reports whether to continue.
func (c *chosen) add(a, b any) bool {
	p, ok := ordered(a, b)
	if !ok || !c.w.take(sizeOf(p)) {
		return true
	}
	if c.volume >= mostVolume {
		return false
	}
	c.w.some = true
	c.volume += sizeOf(p)
	return !c.pairs.Add(p) || c.yield(p)
}

// edges generates the pairs of the first extreme values, then all pairs of a small type or the pairs of further extreme
// values. Within these, pairs at equal distance in the list follow each other, so that a few pairs already use every
// value.
func (t anyTwo) edges(w *work) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		const ahead = 4
		values := distinctText(append(extremes(t.values), t.values.corners()...))
		out := chosen{pairs: DistinctPairs[any]{Seen: map[string]bool{}}, w: w, yield: yield}
		for j := range min(ahead, len(values)) {
			for i := range j {
				if !out.add(values[i], values[j]) {
					return
				}
			}
		}
		if all, ok := listed(t.values, mostListed); ok {
			values = distinctText(append(values, all...))
		} else {
			values = values[:min(len(values), mostExtremes)]
		}
		for apart := 1; apart <= len(values)/2; apart++ {
			for i := range values {
				if len(out.pairs.Pairs) >= mostEdges || !out.add(values[i], values[(i+apart)%len(values)]) {
					return
				}
			}
		}
	}
}

// Tries returns the number of candidates with which a search covers every pair of neighbors. It returns false if the
// space is too large to list all pairs, or if its relation is not [AnyTwo].
func (s Space) Tries() (tries int, ok bool) {
	if !s.Neighbors.anyTwo {
		return 0, false
	}
	all, ok := listed(s.Values, mostListed)
	n := len(distinctText(all))
	pairs := n * (n - 1) / 2
	edges := 0
	for range (anyTwo{s.Values}).edges(&work{left: mostNumbers}) {
		edges++
	}
	return TriesFor(pairs, 0), ok && edges == pairs
}

// patterns pairs values whose numbers are at opposite ends of their ranges, by [directions]: one number, all numbers,
// two halves, alternating.
func (t anyTwo) patterns(w *work) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		out := chosen{pairs: DistinctPairs[any]{Seen: map[string]bool{}}, w: w, yield: yield}
		for _, v := range extremes(t.values) {
			n := 0
			t.values.replaced(v, func(x number) any { n++; return x.value })
			if n == 0 {
				continue
			}
			for _, d := range directions(n) {
				if !out.add(t.atEnds(v, d, 1), t.atEnds(v, d, -1)) {
					return
				}
			}
		}
	}
}

// atEnds returns v with each number moved to the upper or lower end of its range, by the sign of the direction.
func (t anyTwo) atEnds(v any, steps direction, sign float64) any {
	i := -1
	return t.values.replaced(v, func(x number) any {
		i++
		switch d := sign * steps(i); {
		case d > 0:
			return x.mixed(1)
		case d < 0:
			return x.mixed(0)
		}
		return x.value
	})
}

// near mutates one or both values, or replaces one by a value close to the other.
func (t anyTwo) near(r *rand.Rand, p Pair[any]) (Pair[any], bool) {
	if r.IntN(2) == 0 {
		p = p.Swapped()
	}
	switch r.IntN(8) {
	case 0:
		p.A, p.B = t.values.near(r, p.A), t.values.near(r, p.B)
	case 1:
		p.A = t.values.near(r, p.B)
	case 2:
		p.A = crossed(r, t.values, p.A, p.B)
	case 3:
		p.A = t.values.onward(r, p.B, p.A)
	case 4:
		p.A = t.values.draw(r)
	default:
		p.A = t.values.near(r, p.A)
	}
	return ordered(p.A, p.B)
}

func (t anyTwo) joined(r *rand.Rand, p, q Pair[any]) (Pair[any], bool) {
	return ordered(joined(r, t.values, p.A, q.A), joined(r, t.values, p.B, q.B))
}

// smaller simplifies what both values share, then one value at a time. No step makes a value less simple, so repeated
// simplification ends.
func (t anyTwo) smaller(p Pair[any]) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		add := func(a, b any) bool {
			q, ok := ordered(a, b)
			return !ok || yield(q)
		}
		if !together(t.values, p.A, p.B, add) {
			return
		}
		for a := range t.values.simpler(p.A) {
			if !add(a, p.B) {
				return
			}
		}
		for b := range t.values.simpler(p.B) {
			if !add(p.A, b) {
				return
			}
		}
	}
}

// together calls use with both values simplified in the same way: with the same records removed from lists of equal
// length, or with an equal record or part simplified in both. It stops and returns false when use does.
func together(t Type, a, b any, use func(a, b any) bool) bool {
	switch t := t.(type) {
	case listType:
		from, ok := a.([]any)
		to, also := b.([]any)
		if !ok || !also || len(from) != len(to) {
			return true
		}
		for size := len(from) - t.least; size > 0; size /= 2 {
			for at := 0; at+size <= len(from); at += size {
				if !use(slices.Delete(slices.Clone(from), at, at+size), slices.Delete(slices.Clone(to), at, at+size)) {
					return false
				}
			}
		}
		return togetherIn(func(int) Type { return t.record }, from, to, func(from, to []any) bool { return use(from, to) })
	case productType:
		from, ok := t.taken(a)
		to, also := t.taken(b)
		if ok && also {
			return togetherIn(func(i int) Type { return t.parts[i] }, from, to,
				func(from, to []any) bool { return use(t.joined(from), t.joined(to)) })
		}
	}
	return true
}

func togetherIn(typeAt func(i int) Type, from, to []any, use func(from, to []any) bool) bool {
	for i := range from {
		with := func(x, y any) bool {
			a, b := slices.Clone(from), slices.Clone(to)
			a[i], b[i] = x, y
			return use(a, b)
		}
		if !reflect.DeepEqual(from[i], to[i]) {
			if !together(typeAt(i), from[i], to[i], with) {
				return false
			}
			continue
		}
		for x := range typeAt(i).simpler(from[i]) {
			if !with(x, x) {
				return false
			}
		}
	}
	return true
}

// extremes returns the values whose parts are all at a corner.
func extremes(t Type) (out []any) {
	switch t := t.(type) {
	case listType:
		for _, v := range extremes(t.record) {
			out = append(out, slices.Repeat([]any{v}, t.most))
		}
		return distinctText(append(out, slices.Repeat([]any{t.record.corners()[0]}, t.least)))
	case productType:
		of, most := make([][]any, len(t.parts)), 0
		for i, p := range t.parts {
			of[i] = extremes(p)
			most = max(most, len(of[i]))
		}
		for k := range min(most, mostCorners) {
			all := make([]any, len(t.parts))
			for i := range all {
				all[i] = of[i][min(k, len(of[i])-1)]
			}
			out = append(out, t.joined(all))
		}
		return distinctText(out)
	}
	return t.corners()
}

// listed returns all values of a type if there are at most most of them.
func listed(t Type, most int) (out []any, ok bool) {
	switch t := t.(type) {
	case enumType:
		return t.values, len(t.values) <= most
	case intType:
		if uint64(t.hi)-uint64(t.lo) >= uint64(most) {
			return nil, false
		}
		for i := range t.hi - t.lo + 1 {
			out = append(out, t.lo+i)
		}
		return out, true
	case stringType:
		letters := make([]any, len(t.alphabet))
		for i, c := range t.alphabet {
			letters[i] = string(c)
		}
		for n := t.least; n <= t.most; n++ {
			words, ok := rows(slices.Repeat([][]any{letters}, n), most-len(out))
			if !ok {
				return nil, false
			}
			for _, w := range words {
				text := ""
				for _, c := range w {
					text += c.(string)
				}
				out = append(out, text)
			}
		}
		return out, true
	case listType:
		records, ok := listed(t.record, most)
		for n := t.least; ok && n <= t.most; n++ {
			var lists [][]any
			lists, ok = rows(slices.Repeat([][]any{records}, n), most-len(out))
			for _, l := range lists {
				out = append(out, l)
			}
		}
		return out, ok
	case productType:
		of := make([][]any, len(t.parts))
		for i, p := range t.parts {
			if of[i], ok = listed(p, most); !ok {
				return nil, false
			}
		}
		all, ok := rows(of, most)
		for _, parts := range all {
			out = append(out, t.joined(parts))
		}
		return out, ok
	case floatType:
		return t.corners(), t.lo == t.hi
	}
	return nil, false
}

// rows returns the Cartesian product of the columns if it has at most most rows.
func rows(columns [][]any, most int) ([][]any, bool) {
	out := [][]any{{}}
	for _, column := range columns {
		var longer [][]any
		for _, row := range out {
			for _, v := range column {
				longer = append(longer, append(slices.Clone(row), v))
			}
			if len(longer) > most {
				return nil, false
			}
		}
		out = longer
	}
	return out, len(out) <= most
}
