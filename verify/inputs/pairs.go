package inputs

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// DistinctPairs pairs, in the order in which they came. Two are one if their [PairKey] is the same,
// in either order: an audit tries both directions.
type DistinctPairs[D any] struct {
	Seen  map[string]bool // by key
	Pairs []Pair[D]
}

// Add keeps a pair that is not there yet, and reports whether it does.
func (d *DistinctPairs[D]) Add(p Pair[D]) bool {
	a, aIsOpaque := valueKey(p.A)
	b, bIsOpaque := valueKey(p.B)
	if d.Seen[a+", "+b] && !aIsOpaque && !bIsOpaque {
		return false
	}
	d.Seen[a+", "+b], d.Seen[b+", "+a] = true, true
	d.Pairs = append(d.Pairs, p)
	return true
}

// Pair are two inputs that differ in one record, with a name.
type Pair[D any] struct {
	Name string
	A, B D
}

// Input is A, or B.
func (p Pair[D]) Input(atB bool) D {
	if atB {
		return p.B
	}
	return p.A
}

// CheckPairs names a pair that is none: two inputs that are equal.
func CheckPairs[D any](pairs []Pair[D]) error {
	for _, p := range NamedPairs(pairs) {
		if EqualInputs(p.A, p.B) {
			return fmt.Errorf("pair %s has equal inputs, %s: want two that differ", p.Name, InputText(p.A))
		}
	}
	return nil
}

// Edges generates the edges of a space whose inputs differ: one at a time if the space has a method All that generates
// them, and all at once if not.
func Edges[D any](s PairSpace[D]) iter.Seq[Pair[D]] {
	return func(yield func(Pair[D]) bool) {
		var all iter.Seq[Pair[D]]
		if by, ok := s.(interface{ All() iter.Seq[Pair[D]] }); ok {
			all = by.All()
		} else {
			all = slices.Values(s.Edges())
		}
		for p := range all {
			if !EqualInputs(p.A, p.B) && !yield(p) {
				return
			}
		}
	}
}

// CollectPairs returns pairs until ctx ends; the error is then its cause.
func CollectPairs[D any](ctx context.Context, pairs iter.Seq[Pair[D]]) (out []Pair[D], err error) {
	for p := range pairs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out = append(out, p)
	}
	return out, nil
}

// DifferentPairs returns the pairs whose inputs differ: a space or a generator may propose others, which are skipped.
func DifferentPairs[D any](pairs []Pair[D]) (out []Pair[D]) {
	for _, p := range pairs {
		if !EqualInputs(p.A, p.B) {
			out = append(out, p)
		}
	}
	return out
}

// MergedPairs are the pairs without those that repeat another, in either order since both
// directions are audited, with a word about these; "" where there are none.
func MergedPairs[D any](pairs []Pair[D]) (different []Pair[D], word string) {
	if len(pairs) < 2 {
		return pairs, ""
	}
	kept := DistinctPairs[D]{Seen: make(map[string]bool, 2*len(pairs))}
	for _, p := range pairs {
		kept.Add(p)
	}
	different = kept.Pairs
	if repeats := len(pairs) - len(different); repeats > 0 {
		word = fmt.Sprintf("%d of the %d pairs of inputs repeat another one, in the same or the other order, and were "+
			"merged with it: %s audited",
			repeats, len(pairs), verify.Plural(len(different), "pair"))
	}
	return different, word
}

// DistinctInputs numbers the inputs of pairs, A and B of each, in the order in which they first come: two have
// one number if they are the same [InputKey]. One that holds a function or a channel has a number of its own.
func DistinctInputs[D any](pairs []Pair[D]) [][2]int {
	out, next := make([][2]int, len(pairs)), 0
	have := make(map[string]int, 2*len(pairs))
	for i, p := range pairs {
		for side, input := range []D{p.A, p.B} {
			key, opaque := valueKey(input)
			number, known := have[key]
			if !known || opaque {
				number = next
				have[key] = number
				next++
			}
			out[i][side] = number
		}
	}
	return out
}

// Unchanged returns a function that returns an error if an input, or an input of a pair, has another key than now: what
// is sampled after the change is of something else. The subject is what may have changed it: "mechanism".
func Unchanged[C any](subject string, key func(C) string, of ...C) func() error {
	before := make([]string, len(of))
	for i, c := range of {
		before[i] = key(c)
	}
	return func() error {
		for i, c := range of {
			if after := key(c); after != before[i] {
				return fmt.Errorf("the %s changes its input: it was %s and is now %s; let it work on a copy", subject, before[i],
					after)
			}
		}
		return nil
	}
}

// Swapped is the pair in the other order.
func (p Pair[D]) Swapped() Pair[D] { return Pair[D]{Name: p.Name, A: p.B, B: p.A} }

// NamedPairs gives every pair a name of its own, by which a message can tell it from the others.
func NamedPairs[D any](pairs []Pair[D]) []Pair[D] {
	out := slices.Clone(pairs)
	for i := range out {
		out[i].Name = fmt.Sprintf("%d", i+1)
		if pairs[i].Name != "" {
			out[i].Name += " (" + pairs[i].Name + ")"
		}
	}
	return out
}
