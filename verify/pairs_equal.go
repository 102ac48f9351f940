package verify

import (
	"fmt"
	"reflect"
	"slices"
)

// checkPairs names a pair that is none: two inputs that are equal.
func checkPairs[D any](pairs []Neighbours[D]) error {
	for _, p := range named(pairs) {
		if reflect.DeepEqual(p.A, p.B) {
			return fmt.Errorf("pair %s has equal inputs, %#v: want two that differ", p.Name, p.A)
		}
	}
	return nil
}

// mergedPairs are the pairs without those that repeat another, in either order since both
// directions are audited, with a word about these; "" where there are none.
func mergedPairs[D any](pairs []Neighbours[D]) (different []Neighbours[D], word string) {
	if len(pairs) < 2 {
		return pairs, ""
	}
	kept := make(map[string][]Neighbours[D], 2*len(pairs))
	for _, p := range pairs {
		if slices.ContainsFunc(kept[syntax(p)], p.equal) {
			continue
		}
		different = append(different, p)
		for _, p := range []Neighbours[D]{p, p.swapped()} {
			kept[syntax(p)] = append(kept[syntax(p)], p)
		}
	}
	if repeats := len(pairs) - len(different); repeats > 0 {
		word = fmt.Sprintf("%d of the %d pairs of inputs repeat another one, in the same or the other order, and were merged with it: %s audited",
			repeats, len(pairs), counted(len(different), "pair"))
	}
	return different, word
}

// equal inputs in the same order: those of one syntax can still differ in their types.
func (p Neighbours[D]) equal(q Neighbours[D]) bool {
	return reflect.DeepEqual(p.A, q.A) && reflect.DeepEqual(p.B, q.B)
}

// swapped is the pair in the other order.
func (p Neighbours[D]) swapped() Neighbours[D] { return Neighbours[D]{Name: p.Name, A: p.B, B: p.A} }
