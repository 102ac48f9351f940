package distinguisher

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// radixSorter keeps its memory from one list to the next. The zero value is ready for use.
type radixSorter struct {
	words, other []uint64
	places       []int32
	counts       [digits][1 << width]uint32
	few          few
}

// A word is the first bits in which keys differ, above the place of the number: as many as fit, which hardly
// any two numbers have in common unless they are equal.
const (
	keyBits = 32
	width   = 11
	digits  = (keyBits + width - 1) / width
)

// Of returns the places of numbers, ascending; NaN has no place. Equal numbers, and the two
// zeros, keep their order. The result is valid up to the next call.
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
	drop := max(0, bits.Len64(differ)-keyBits) // the bits after those that fit
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

// sortKey is ordered as its number is.
func sortKey(v float64) uint64 {
	b := math.Float64bits(v)
	if b == 1<<63 { // the other zero
		b = 0
	}
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// sort sorts the words, whose keys differ in the last bits of them alone. They are distributed by each
// digit, the last first.
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
		if int(counts[s.words[0]>>shift&(1<<width-1)]) == len(s.words) { // all have this digit
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

// refine sorts words of one key by their numbers.
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
