package dptest

import (
	"math/rand/v2"
	"strconv"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Inputs are the pairs of neighbouring inputs of an audit, or the way to find them.
type Inputs[D any] struct {
	given []inputs.Pair[D]
	draw  []func(empirical.Seed) []inputs.Pair[D]
	space inputs.PairSpace[D]

	drawn []*drawn[D] // of each generator
}

// Pair is one pair of neighbours. Both directions are tried.
func Pair[D any](a, b D) Inputs[D] { return Pairs(inputs.Pair[D]{A: a, B: b}) }

// Pairs are given pairs of neighbours: all are audited, in both directions. That
// they are neighbours is for the caller to know.
func Pairs[D any](pairs ...inputs.Pair[D]) Inputs[D] { return Inputs[D]{given: pairs} }

// Generated pairs come from a space, such as [inputs.Datasets]: its edge pairs, and
// those a local search finds near them. A violation is shrunk within the space.
func Generated[D any](space inputs.PairSpace[D]) Inputs[D] { return Inputs[D]{space: space} }

// RandomPairs are n pairs drawn by a generator, n ≥ 1: the most promising of them are
// audited. rapid serves as the source of examples alone: the test
// is one audit whose error probability covers all pairs, not a property that is checked, and
// retried, many times. The examples depend on the seed of the audit only. A violation is shrunk to simpler
// pairs that the generator may draw, each judged on fresh samples within the same error probability.
func RandomPairs[D any](n int, pairs *rapid.Generator[inputs.Pair[D]]) Inputs[D] {
	by := drawnBy(pairs)
	several := func(seed empirical.Seed) []inputs.Pair[D] {
		var out []inputs.Pair[D]
		for i := range n {
			// A generator may draw two equal inputs: they are no neighbours.
			pair := by.draw(seed.Derive("drawn", strconv.Itoa(i)).Rand())
			if !inputs.EqualInputs(pair.A, pair.B) {
				out = append(out, pair)
			}
		}
		return out
	}
	return Inputs[D]{draw: []func(empirical.Seed) []inputs.Pair[D]{several}, drawn: []*drawn[D]{by}}
}

// RandomDatasets is [RandomPairs] for datasets whose records come from a generator, joined
// with the space itself: its edge pairs are tried too, its local search
// draws from the generator, and a violation is shrunk within it.
func RandomDatasets[T any](n int, space inputs.Datasets[T], record *rapid.Generator[T]) Inputs[[]T] {
	if space.Draw == nil {
		space.Draw = func(r *rand.Rand) T { return record.Example(int(r.Uint64())) }
	}
	drawn := RandomPairs(n, DatasetPairs(space, record))
	return drawn.And(Generated(space))
}

// DatasetPairs generates neighbouring datasets of a space with records from a
// generator.
func DatasetPairs[T any](space inputs.Datasets[T],
	record *rapid.Generator[T]) *rapid.Generator[inputs.Pair[[]T]] {
	return rapid.Custom(func(t *rapid.T) inputs.Pair[[]T] {
		least, most := space.Sizes()
		n := rapid.IntRange(least, most).Draw(t, "records")
		a := rapid.SliceOfN(record, n, n).Draw(t, "dataset")
		at := rapid.IntRange(0, n-1).Draw(t, "place")
		b := append([]T{}, a[:at]...)
		if space.Adjacency == inputs.ReplaceOneRecord {
			b = append(b, record.Draw(t, "replacement"))
		}
		return inputs.Pair[[]T]{Name: "drawn", A: a, B: append(b, a[at+1:]...)}
	})
}

// And joins two sorts of inputs; a space of i comes before that of more.
func (i Inputs[D]) And(more Inputs[D]) Inputs[D] {
	out := Inputs[D]{
		given: append(i.given[:len(i.given):len(i.given)], more.given...),
		draw:  append(i.draw[:len(i.draw):len(i.draw)], more.draw...),
		space: i.space,

		drawn: append(i.drawn[:len(i.drawn):len(i.drawn)], more.drawn...),
	}
	if out.space == nil {
		out.space = more.space
	}
	return out
}

// smaller are pairs simpler than one that was drawn.
func (i Inputs[D]) smaller(p inputs.Pair[D]) (out []inputs.Pair[D]) {
	for _, by := range i.drawn {
		out = append(out, by.smaller(p)...)
	}
	return out
}

// proposed are the pairs of all generators.
func (i Inputs[D]) proposed(seed empirical.Seed) []inputs.Pair[D] {
	var out []inputs.Pair[D]
	for k, draw := range i.draw {
		out = append(out, draw(seed.Derive("generator", strconv.Itoa(k)))...)
	}
	return out
}
