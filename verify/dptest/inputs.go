package dptest

import (
	"math/rand/v2"
	"strconv"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Inputs holds the pairs of neighboring inputs of a test, or the generators and the space from which the test takes
// them.
type Inputs[D any] struct {
	given []inputs.Pair[D]
	draw  []func(empirical.Seed) []inputs.Pair[D]
	space inputs.PairSpace[D]

	drawn []*drawn[D] // one per generator
}

// Pair returns one pair of neighbors. An audit tests both directions.
func Pair[D any](a, b D) Inputs[D] { return Pairs(inputs.Pair[D]{A: a, B: b}) }

// Pairs returns the given pairs of neighbors. An audit tests all of them in both directions. The caller must make
// sure that the inputs of a pair are neighbors.
func Pairs[D any](pairs ...inputs.Pair[D]) Inputs[D] { return Inputs[D]{given: pairs} }

// Generated takes pairs from a space, such as [inputs.Datasets]: the edge pairs of the space and pairs that a local
// search finds near them. A violating pair is shrunk within the space.
func Generated[D any](space inputs.PairSpace[D]) Inputs[D] { return Inputs[D]{space: space} }

// RandomPairs draws n ≥ 1 pairs from a generator and audits the most promising of them. The generator is only a
// source of examples. Rapid does not repeat the test: one audit has one error probability for all pairs. The
// examples depend only on the seed of the audit. A violating pair is shrunk to simpler pairs that the generator can
// draw. Each is tested on new samples within the same error probability.
func RandomPairs[D any](n int, pairs *rapid.Generator[inputs.Pair[D]]) Inputs[D] {
	source := drawnBy(pairs)
	drawAll := func(seed empirical.Seed) []inputs.Pair[D] {
		var out []inputs.Pair[D]
		for i := range n {
			// A generator may draw two equal inputs. They are not neighbors.
			pair := source.draw(seed.Derive("drawn", strconv.Itoa(i)).Rand())
			if !inputs.EqualInputs(pair.A, pair.B) {
				out = append(out, pair)
			}
		}
		return out
	}
	return Inputs[D]{draw: []func(empirical.Seed) []inputs.Pair[D]{drawAll}, drawn: []*drawn[D]{source}}
}

// RandomDatasets is like [RandomPairs] for datasets with records from a generator. It also uses the space: the
// audit tests the edge pairs of the space, the local search draws records from the generator, and a violating pair
// is shrunk within the space.
func RandomDatasets[T any](n int, space inputs.Datasets[T], record *rapid.Generator[T]) Inputs[[]T] {
	if space.Draw == nil {
		space.Draw = func(r *rand.Rand) T { return record.Example(int(r.Uint64())) }
	}
	drawn := RandomPairs(n, DatasetPairs(space, record))
	return drawn.And(Generated(space))
}

// DatasetPairs returns a generator of neighboring datasets of the space, with records from the given generator.
func DatasetPairs[T any](space inputs.Datasets[T],
	record *rapid.Generator[T]) *rapid.Generator[inputs.Pair[[]T]] {
	return rapid.Custom(func(t *rapid.T) inputs.Pair[[]T] {
		minRecords, maxRecords := space.Sizes()
		n := rapid.IntRange(minRecords, maxRecords).Draw(t, "records")
		a := rapid.SliceOfN(record, n, n).Draw(t, "dataset")
		index := rapid.IntRange(0, n-1).Draw(t, "place")
		b := append([]T{}, a[:index]...)
		if space.Adjacency == inputs.ReplaceOneRecord {
			b = append(b, record.Draw(t, "replacement"))
		}
		return inputs.Pair[[]T]{Name: "drawn", A: a, B: append(b, a[index+1:]...)}
	})
}

// And joins two sets of inputs. If both have a space, the result has the space of i.
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

// smaller returns pairs that are simpler than p, from the generators that drew p.
func (i Inputs[D]) smaller(p inputs.Pair[D]) (out []inputs.Pair[D]) {
	for _, source := range i.drawn {
		out = append(out, source.smaller(p)...)
	}
	return out
}

// proposed draws the pairs of all generators.
func (i Inputs[D]) proposed(seed empirical.Seed) []inputs.Pair[D] {
	var out []inputs.Pair[D]
	for k, draw := range i.draw {
		out = append(out, draw(seed.Derive("generator", strconv.Itoa(k)))...)
	}
	return out
}
