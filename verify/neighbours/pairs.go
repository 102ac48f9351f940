package neighbours

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dpverify/dpverify/verify/internal/words"
)

// Distinct pairs, in the order in which they came. Two are one where they have the same
// syntax, in either order: an audit tries both directions.
type Distinct[D any] struct {
	Seen  map[string]bool
	Pairs []Pair[D]
}

func (d *Distinct[D]) Add(p Pair[D]) {
	if s := Syntax(p); !d.Seen[s] {
		d.Seen[s], d.Seen[Syntax(p.Swapped())] = true, true
		d.Pairs = append(d.Pairs, p)
	}
}

// Syntax is a pair's inputs in Go syntax.
func Syntax[D any](p Pair[D]) string { return fmt.Sprintf("%#v, %#v", p.A, p.B) }

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
	for _, p := range Named(pairs) {
		if reflect.DeepEqual(p.A, p.B) {
			return fmt.Errorf("pair %s has equal inputs, %#v: want two that differ", p.Name, p.A)
		}
	}
	return nil
}

// MergedPairs are the pairs without those that repeat another, in either order since both
// directions are audited, with a word about these; "" where there are none.
func MergedPairs[D any](pairs []Pair[D]) (different []Pair[D], word string) {
	if len(pairs) < 2 {
		return pairs, ""
	}
	kept := make(map[string][]Pair[D], 2*len(pairs))
	for _, p := range pairs {
		if slices.ContainsFunc(kept[Syntax(p)], p.equal) {
			continue
		}
		different = append(different, p)
		for _, p := range []Pair[D]{p, p.Swapped()} {
			kept[Syntax(p)] = append(kept[Syntax(p)], p)
		}
	}
	if repeats := len(pairs) - len(different); repeats > 0 {
		word = fmt.Sprintf("%d of the %d pairs of inputs repeat another one, in the same or the other order, and were "+
			"merged with it: %s audited",
			repeats, len(pairs), words.Counted(len(different), "pair"))
	}
	return different, word
}

// equal inputs in the same order: those of one syntax can still differ in their types.
func (p Pair[D]) equal(q Pair[D]) bool {
	return reflect.DeepEqual(p.A, q.A) && reflect.DeepEqual(p.B, q.B)
}

// Inputs numbers the inputs of pairs, A and B of each, in the order in which they first come: two have
// one number where they are the same value, in syntax and by reflect.DeepEqual. NaN is never.
func Inputs[D any](pairs []Pair[D]) [][2]int {
	type numbered struct {
		input  D
		number int
	}
	out, next := make([][2]int, len(pairs)), 0
	have := make(map[string][]numbered, 2*len(pairs))
	for i, p := range pairs {
		for side, input := range []D{p.A, p.B} {
			text := fmt.Sprintf("%#v", input)
			k := slices.IndexFunc(have[text], func(n numbered) bool { return reflect.DeepEqual(n.input, input) })
			if k < 0 {
				k = len(have[text])
				have[text] = append(have[text], numbered{input, next})
				next++
			}
			out[i][side] = have[text][k].number
		}
	}
	return out
}

// Unchanged runs a mechanism on pairs by f; it is an error if that changes an
// input, for then the rest of the samples are of something else.
func Unchanged[D any](pairs []Pair[D], f func() error) error {
	before := make([]string, len(pairs))
	for i, p := range pairs {
		before[i] = Syntax(p)
	}
	if err := f(); err != nil {
		return err
	}
	for i, p := range pairs {
		if after := Syntax(p); after != before[i] {
			return fmt.Errorf("the mechanism changes its input: pair %s was %s and is now %s; let it work on a copy", p.Name,
				before[i], after)
		}
	}
	return nil
}

// Swapped is the pair in the other order.
func (p Pair[D]) Swapped() Pair[D] { return Pair[D]{Name: p.Name, A: p.B, B: p.A} }

// Named gives every pair a name of its own, by which a message can tell it from the others.
func Named[D any](pairs []Pair[D]) []Pair[D] {
	out := slices.Clone(pairs)
	for i := range out {
		out[i].Name = fmt.Sprintf("%d", i+1)
		if pairs[i].Name != "" {
			out[i].Name += " (" + pairs[i].Name + ")"
		}
	}
	return out
}
