package recording

import (
	"iter"
	"math/rand/v2"
)

// Order is outputs in an order drawn at random. It holds their places only: four bytes for each output.
type Order struct {
	outputs []any
	places  []uint32
}

// Shuffled returns at most 2³² outputs in an order drawn at random.
func Shuffled(r *rand.Rand, outputs []any) Order {
	return Order{outputs: outputs, places: permutation(r, len(outputs))}
}

// permutation returns r.Perm(n) in half the memory.
func permutation(r *rand.Rand, n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = uint32(i)
	}
	r.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Len returns the number of outputs.
func (o Order) Len() int { return len(o.places) }

// At returns output i of the order, from 0 on.
func (o Order) At(i int) any { return o.outputs[o.places[i]] }

// Slice returns the outputs from one place up to another.
func (o Order) Slice(from, to int) Order { return Order{outputs: o.outputs, places: o.places[from:to]} }

// All returns the outputs with their places in the order.
func (o Order) All() iter.Seq2[int, any] {
	return func(yield func(int, any) bool) {
		for i := range o.places {
			if !yield(i, o.At(i)) {
				return
			}
		}
	}
}
