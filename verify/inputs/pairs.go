package inputs

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// DistinctPairs collects pairs in order of arrival. Pairs with equal [PairKey] in either order count as one, since an
// audit tests both directions.
type DistinctPairs[D any] struct {
	Seen  map[string]bool // by key
	Pairs []Pair[D]
}

// Add appends a pair unless an equal one is present, and reports whether it did.
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

// Pair holds two neighboring inputs and a name.
type Pair[D any] struct {
	Name string
	A, B D
}

// Input returns B if atB is set, and A otherwise.
func (p Pair[D]) Input(atB bool) D {
	if atB {
		return p.B
	}
	return p.A
}

// CheckPairs returns an error for a pair whose inputs are equal.
func CheckPairs[D any](pairs []Pair[D]) error {
	for _, p := range NamedPairs(pairs) {
		if EqualInputs(p.A, p.B) {
			return fmt.Errorf("pair %s has equal inputs, %s: want two that differ", p.Name, InputText(p.A))
		}
	}
	return nil
}

// Edges generates the edges of a space whose inputs differ. If the space has a method All, edges are generated one at a
// time.
func Edges[D any](s PairSpace[D]) iter.Seq[Pair[D]] {
	return func(yield func(Pair[D]) bool) {
		var all iter.Seq[Pair[D]]
		if lazy, ok := s.(interface{ All() iter.Seq[Pair[D]] }); ok {
			all = lazy.All()
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

// CollectPairs returns the pairs, or the cause of ctx if it ends first.
func CollectPairs[D any](ctx context.Context, pairs iter.Seq[Pair[D]]) (out []Pair[D], err error) {
	for p := range pairs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out = append(out, p)
	}
	return out, nil
}

// DifferentPairs returns the pairs whose inputs differ. Spaces and generators may propose equal inputs.
func DifferentPairs[D any](pairs []Pair[D]) (out []Pair[D]) {
	for _, p := range pairs {
		if !EqualInputs(p.A, p.B) {
			out = append(out, p)
		}
	}
	return out
}

// MergedPairs removes pairs that repeat another one in either order, since both directions are audited. The note says
// how many were removed, and is "" if none were.
func MergedPairs[D any](pairs []Pair[D]) (different []Pair[D], note string) {
	if len(pairs) < 2 {
		return pairs, ""
	}
	kept := DistinctPairs[D]{Seen: make(map[string]bool, 2*len(pairs))}
	for _, p := range pairs {
		kept.Add(p)
	}
	different = kept.Pairs
	if repeats := len(pairs) - len(different); repeats > 0 {
		note = fmt.Sprintf("%d of the %d pairs of inputs repeat another one, in the same or the other order, and were "+
			"merged with it: %s audited",
			repeats, len(pairs), verify.Plural(len(different), "pair"))
	}
	return different, note
}

// DistinctInputs numbers the distinct inputs A and B of the pairs in order of first occurrence. Inputs with equal
// [InputKey] share a number, except those that contain a function or a channel.
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

// Unchanged returns a function that returns an error if the key of an input has changed since the call: later samples
// would belong to another input. The subject names the code that may have changed it, for example "mechanism".
func Unchanged[C any](subject string, key func(C) string, inputs ...C) func() error {
	before := make([]string, len(inputs))
	for i, c := range inputs {
		before[i] = key(c)
	}
	return func() error {
		for i, c := range inputs {
			if after := key(c); after != before[i] {
				return fmt.Errorf("the %s changes its input: it was %s and is now %s; let it work on a copy", subject, before[i],
					after)
			}
		}
		return nil
	}
}

// Swapped returns the pair in the other order.
func (p Pair[D]) Swapped() Pair[D] { return Pair[D]{Name: p.Name, A: p.B, B: p.A} }

// NamedPairs returns the pairs with unique names for messages.
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
