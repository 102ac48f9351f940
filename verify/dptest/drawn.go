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

// drawn is a source of random pairs from a rapid generator. It stores the random words that produced each pair,
// because a pair is shrunk as in rapid: fewer and smaller words produce simpler values, and every result is a pair
// that the generator can draw.
type drawn[D any] struct {
	pairs *rapid.Generator[inputs.Pair[D]]

	mu    sync.Mutex
	words map[string][]uint64 // by pair key
}

func drawnBy[D any](pairs *rapid.Generator[inputs.Pair[D]]) *drawn[D] {
	return &drawn[D]{pairs: pairs, words: make(map[string][]uint64)}
}

const (
	// leastWords is the first number of words from which a pair is drawn. If they are too few, the number
	// is multiplied by four, up to mostWords.
	minWords, maxWords = 64, 1 << 14
	// mostShrunk is the maximum number of words that are shrunk one by one. mostSmaller is the maximum
	// number of pairs that one shrinking step proposes.
	maxShrunkWords, maxProposed = 512, 256
)

// draw draws a pair from random words. If no number of words suffices, because the generator rejects most values,
// it draws an example from a seed.
func (d *drawn[D]) draw(r *rand.Rand) inputs.Pair[D] {
	seed := int(r.Uint64())
	var words []uint64
	for n := minWords; n <= maxWords; n *= 4 {
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

// keep stores the shortest prefix of the words, up to a factor of two, that still produces the pair.
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

// from draws a pair from the words, as a rapid fuzz test does. It returns ok = false if there are too few words or
// if the generator rejects them.
func (d *drawn[D]) from(words []uint64) (p inputs.Pair[D], ok bool) {
	var input []byte
	for _, w := range words {
		input = binary.LittleEndian.AppendUint64(input, w)
	}
	done := make(chan struct{})
	go func() { // rapid ends this goroutine if it skips the case
		defer close(done)
		defer func() { _ = recover() }() // a generator that panics draws no pair
		rapid.MakeFuzz(func(t *rapid.T) {
			p = d.pairs.Draw(t, "pair")
			ok = true
		})(new(testing.T), input)
	}()
	<-done
	return p, ok
}

// smaller returns pairs that are simpler than p, at most mostSmaller. The order goes from coarse to fine steps, so
// that a bold step is tried before the steps between. It returns nil if p was not drawn here.
func (d *drawn[D]) smaller(p inputs.Pair[D]) []inputs.Pair[D] {
	d.mu.Lock()
	words, ok := d.words[inputs.PairKey(p)]
	d.mu.Unlock()
	if !ok {
		return nil
	}
	found := make(map[string]inputs.Pair[D])
	wordsByPair := make(map[string][]uint64)
	for _, w := range simplerWords(words) {
		q, ok := d.from(w)
		if !ok || inputs.ComparePairs(q, p) >= 0 || inputs.CheckPairs([]inputs.Pair[D]{q}) != nil {
			continue
		}
		if text := inputs.PairKey(q); len(wordsByPair[text]) == 0 || len(w) < len(wordsByPair[text]) {
			found[text], wordsByPair[text] = q, w
		}
	}
	out := make([]inputs.Pair[D], 0, len(found))
	for _, q := range found {
		out = append(out, q)
	}
	slices.SortFunc(out, inputs.ComparePairs[D])
	out = coarseToFine(out)
	out = out[:min(len(out), maxProposed)]
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range out {
		d.words[inputs.PairKey(q)] = wordsByPair[inputs.PairKey(q)]
	}
	return out
}

// coarseToFine reorders a list: first the first element, then the middle, the quarters and so on.
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

// simplerWords returns variants of the words with some words removed, set to zero, shifted right or decremented.
func simplerWords(words []uint64) (out [][]uint64) {
	n := min(len(words), maxShrunkWords)
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
