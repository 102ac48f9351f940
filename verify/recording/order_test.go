package recording

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The order of the outputs is the one that rand.Perm gives: reports of earlier versions can be repeated.
func TestShuffled(t *testing.T) {
	outputs := []any{"a", "b", "c", "d", "e", "f", "g"}
	order := Shuffled(rand.New(rand.NewPCG(1, 2)), outputs)
	perm := rand.New(rand.NewPCG(1, 2)).Perm(len(outputs))
	if order.Len() != len(outputs) {
		t.Fatalf("%d outputs, want %d", order.Len(), len(outputs))
	}
	var all []any
	for i, o := range order.All() {
		if want := outputs[perm[i]]; o != want || order.At(i) != want {
			t.Errorf("output %d is %v and %v, want %v", i, o, order.At(i), want)
		}
		all = append(all, o)
	}
	part := order.Slice(2, 5)
	for i, o := range part.All() {
		if o != all[i+2] {
			t.Errorf("output %d from 2 on is %v, want %v", i, o, all[i+2])
		}
	}
	if part.Len() != 3 || slices.Equal(all, outputs) {
		t.Errorf("%d outputs of 3, in the order %v", part.Len(), all)
	}
}
