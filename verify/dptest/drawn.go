package dptest

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/verify/inputs"
)

// drawn are pairs of a generator of rapid, with the words that each was drawn from. As rapid does, a pair is
// shrunk by its words: fewer and lower ones make simpler values, and whatever they make is a pair that the
// generator may draw.
type drawn[D any] struct {
	pairs *rapid.Generator[inputs.Pair[D]]

	mu    sync.Mutex
	words map[string][]uint64 // by the key of the pair
}

func drawnBy[D any](pairs *rapid.Generator[inputs.Pair[D]]) *drawn[D] {
	return &drawn[D]{pairs: pairs, words: make(map[string][]uint64)}
}

const (
	// leastWords to draw a pair from, and mostWords: four times as many where the former are too few.
	leastWords, mostWords = 64, 1 << 14
	// mostShrunk words are made fewer and lower one by one; mostSmaller pairs are proposed in a step.
	mostShrunk, mostSmaller = 512, 256
)

// draw a pair from random words, or from a seed where no number of words will do: a generator may refuse most of
// them.
func (d *drawn[D]) draw(r *rand.Rand) inputs.Pair[D] {
	seed := int(r.Uint64())
	var words []uint64
	for n := leastWords; n <= mostWords; n *= 4 {
		for len(words) < n {
			words = append(words, r.Uint64())
		}
		if p, ok := d.from(words); ok {
			d.keep(p, words)
			return p
		}
	}
	return d.pairs.Example(seed)
}

// keep the words of a pair, those that it needs.
func (d *drawn[D]) keep(p inputs.Pair[D], words []uint64) {
	text := inputs.PairKey(p)
	needed := 1
	for needed < len(words) {
		if q, ok := d.from(words[:needed]); ok && inputs.PairKey(q) == text {
			break
		}
		needed *= 2
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.words[text] = slices.Clone(words[:min(needed, len(words))])
}

// from draws a pair from words, as a fuzz test of rapid does; not ok where they are too few, or the generator
// refuses them.
func (d *drawn[D]) from(words []uint64) (p inputs.Pair[D], ok bool) {
	var input []byte
	for _, w := range words {
		input = binary.LittleEndian.AppendUint64(input, w)
	}
	done := make(chan struct{})
	go func() { // which rapid ends where it skips
		defer close(done)
		defer func() { _ = recover() }() // a generator that panics draws nothing
		rapid.MakeFuzz(func(t *rapid.T) {
			p = d.pairs.Draw(t, "pair")
			ok = true
		})(new(testing.T), input)
	}()
	<-done
	return p, ok
}

// smaller are pairs simpler than p, evenly from the boldest step to the smallest, and then those between; none
// of a pair that was not drawn here.
func (d *drawn[D]) smaller(p inputs.Pair[D]) []inputs.Pair[D] {
	d.mu.Lock()
	words, ok := d.words[inputs.PairKey(p)]
	d.mu.Unlock()
	if !ok {
		return nil
	}
	found := make(map[string]inputs.Pair[D])
	by := make(map[string][]uint64)
	for _, w := range simplerWords(words) {
		q, ok := d.from(w)
		if !ok || inputs.ComparePairs(q, p) >= 0 || inputs.CheckPairs([]inputs.Pair[D]{q}) != nil {
			continue
		}
		if text := inputs.PairKey(q); len(by[text]) == 0 || len(w) < len(by[text]) {
			found[text], by[text] = q, w
		}
	}
	out := make([]inputs.Pair[D], 0, len(found))
	for _, q := range found {
		out = append(out, q)
	}
	slices.SortFunc(out, inputs.ComparePairs[D])
	out = coarseToFine(out)
	out = out[:min(len(out), mostSmaller)]
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range out {
		d.words[inputs.PairKey(q)] = by[inputs.PairKey(q)]
	}
	return out
}

// coarseToFine puts the first, the middle, the quarters and so on before those between.
func coarseToFine[T any](all []T) (out []T) {
	step := 1
	for step < len(all) {
		step *= 2
	}
	for ; step > 0 && len(out) < len(all); step /= 2 {
		for i := 0; i < len(all); i += step {
			if i%(2*step) != 0 || len(out) == 0 {
				out = append(out, all[i])
			}
		}
	}
	return out
}

// simplerWords are fewer words, and lower ones.
func simplerWords(words []uint64) (out [][]uint64) {
	n := min(len(words), mostShrunk)
	for size := n; size > 0; size /= 2 {
		for from := 0; from+size <= n; from += size {
			out = append(out, slices.Concat(words[:from], words[from+size:]))
			low := slices.Clone(words)
			clear(low[from : from+size])
			out = append(out, low)
		}
	}
	for i, w := range words[:n] {
		for _, shift := range []int{1, 8, 32, 48, 56, 60} {
			low := slices.Clone(words)
			low[i] = w >> shift
			out = append(out, low)
		}
		if w > 0 {
			low := slices.Clone(words)
			low[i] = w - 1
			out = append(out, low)
		}
	}
	return out
}
