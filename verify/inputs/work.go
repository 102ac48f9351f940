package inputs

import (
	"iter"
)

const (
	// mostNumbers bounds the numbers in all pairs that a space proposes without a search. A pair that exceeds the
	// remaining budget is skipped; smaller pairs after it are still proposed.
	mostNumbers = 4_000_000
	// mostSmaller bounds the numbers in all pairs that are proposed to shrink one pair.
	mostSmaller = 8_000_000
)

// work is the remaining budget of numbers in proposed values.
type work struct {
	left int
	some bool // a value was proposed
}

// take reserves n numbers of the budget, or returns false if too few are left. The first value may have any size.
func (w *work) take(n int) bool {
	if n > w.left && w.some {
		return false
	}
	w.left -= n
	return true
}

// size returns the number of numbers in a value. A list counts as one more, a string as one per eight characters.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return 1 + len(v)/8
	case []any:
		n, last := 1, 0
		for i, x := range v {
			if i == 0 || !sameMemory(x, v[i-1]) { // lists at the edges repeat one record
				last = size(x)
			}
			n += last
		}
		return n
	case map[string]any:
		n := 1
		for _, x := range v {
			n += size(x)
		}
		return n
	}
	return 1
}

// sameMemory reports whether two values are the same slice in memory.
func sameMemory(v, w any) bool {
	a, aIsList := v.([]any)
	b, bIsList := w.([]any)
	return aIsList && bIsList && sameSlice(a, b)
}

func sizeOf(p Pair[any]) int { return size(p.A) + size(p.B) }

// smallerWithin returns the first distinct pairs within the budget.
func smallerWithin(w work, p Pair[any], smaller iter.Seq[Pair[any]]) []Pair[any] {
	out := DistinctPairs[any]{Seen: map[string]bool{PairKey(p): true}}
	for q := range smaller {
		if !w.take(sizeOf(q)) {
			break
		}
		w.some = true
		out.Add(q)
	}
	return out.Pairs
}

// upTo returns the first values within the budget.
func upTo(w *work, values iter.Seq[any]) (out []any) {
	for v := range values {
		if !w.take(size(v)) {
			break
		}
		w.some = true
		out = append(out, v)
	}
	return out
}

// movable reports whether a number of the type can move by a change of at most the radius.
func movable(t Type, radius float64) bool {
	switch t := t.(type) {
	case stringType, enumType:
		return false
	case intType:
		return t.lo < t.hi && radius >= 1
	case floatType:
		return t.lo < t.hi
	case listType:
		return t.most > 0 && movable(t.record, radius)
	case productType:
		for i, p := range t.parts {
			if (i == 0 || !sameType(p, t.parts[i-1])) && movable(p, radius) {
				return true
			}
		}
		return false
	}
	return true
}
