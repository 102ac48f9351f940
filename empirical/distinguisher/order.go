package distinguisher

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// radixSorter sorts numbers and reuses its memory for the next list. The zero value is ready for use.
type radixSorter struct {
	words, other []uint64
	places       []int32
	counts       [digits][1 << width]uint32
	few          few
}

// A word holds the first bits in which the keys differ, above the index of the number. As many bits are kept as
// fit. Unequal numbers rarely agree in all of them.
const (
	keyBits = 32
	width   = 11
	digits  = (keyBits + width - 1) / width
)

// Of returns the indices of numbers in ascending order, without NaN. Equal numbers, and the two zeros, keep their
// order. The result is valid until the next call.
func (s *radixSorter) Of(numbers []float64) []int32 {
	if s.few.count(numbers) {
		s.places = s.few.order(s.places)
		return s.places
	}
	var first, differ uint64
	s.words = slices.Grow(s.words[:0], len(numbers))
	for i, v := range numbers {
		if math.IsNaN(v) {
			continue
		}
		if len(s.words) == 0 {
			first = sortKey(v)
		}
		differ |= sortKey(v) ^ first
		s.words = append(s.words, uint64(i))
	}
	drop := max(0, bits.Len64(differ)-keyBits) // number of low bits that do not fit
	for i, word := range s.words {
		s.words[i] = sortKey(numbers[word])>>drop<<keyBits | word
	}
	s.sort(min(keyBits, bits.Len64(differ)))
	if differ&(1<<drop-1) != 0 {
		s.refine(numbers)
	}
	s.places = slices.Grow(s.places[:0], len(s.words))[:len(s.words)]
	for i, word := range s.words {
		s.places[i] = int32(uint32(word))
	}
	return s.places
}

// sortKey returns bits that are ordered like the numbers.
func sortKey(v float64) uint64 {
	b := math.Float64bits(v)
	if b == 1<<63 { // −0
		b = 0
	}
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// sort sorts the words by their keys, which differ only in the given number of low bits. It is a radix sort, last
// digit first.
func (s *radixSorter) sort(differing int) {
	const few = 512
	if len(s.words) < few {
		slices.Sort(s.words)
		return
	}
	used := (differing + width - 1) / width
	clear(s.counts[:used])
	for _, word := range s.words {
		for d := range used {
			s.counts[d][word>>(keyBits+width*d)&(1<<width-1)]++
		}
	}
	s.other = slices.Grow(s.other[:0], len(s.words))[:len(s.words)]
	for d := range used {
		counts, shift := &s.counts[d], keyBits+width*d
		if int(counts[s.words[0]>>shift&(1<<width-1)]) == len(s.words) { // all words have this digit
			continue
		}
		var at uint32
		for i, n := range counts {
			counts[i], at = at, at+n
		}
		for _, word := range s.words {
			next := &counts[word>>shift&(1<<width-1)]
			s.other[*next] = word
			*next++
		}
		s.words, s.other = s.other, s.words
	}
}

// refine sorts words with equal keys by their numbers.
func (s *radixSorter) refine(numbers []float64) {
	for from := 0; from < len(s.words); {
		to := from + 1
		for to < len(s.words) && s.words[to]>>keyBits == s.words[from]>>keyBits {
			to++
		}
		if to > from+1 {
			slices.SortFunc(s.words[from:to], func(v, w uint64) int {
				return cmp.Or(cmp.Compare(sortKey(numbers[uint32(v)]), sortKey(numbers[uint32(w)])), cmp.Compare(v, w))
			})
		}
		from = to
	}
}
