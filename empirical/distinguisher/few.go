package distinguisher

import (
	"cmp"
	"math"
	"slices"
)

// few sorts numbers of which only a few are different: each is found among these, and distributed by its place there.
type few struct {
	codes []uint8 // of the numbers: the order in which different ones came; none of NaN
	keys  [mostFew]uint64
	times [mostFew]int32
	n     int             // different numbers
	slots [fewSlots]uint8 // codes, plus one; 0 is free
}

const (
	mostFew  = 64
	fewBits  = 8
	fewSlots = 1 << fewBits
	noPlace  = math.MaxUint8
)

// count finds the different numbers; false where they are more than a few.
func (f *few) count(numbers []float64) bool {
	f.codes = slices.Grow(f.codes[:0], len(numbers))[:len(numbers)]
	f.n = 0
	clear(f.slots[:])
	clear(f.times[:])
	for i, v := range numbers {
		if math.IsNaN(v) {
			f.codes[i] = noPlace
			continue
		}
		code, ok := f.code(sortKey(v))
		if !ok {
			return false
		}
		f.codes[i] = code
		f.times[code]++
	}
	return true
}

// code of a key; not ok where there is no room for a new one.
func (f *few) code(key uint64) (code uint8, ok bool) {
	const factor = 0x9e3779b97f4a7c15
	at := key * factor >> (64 - fewBits)
	for f.slots[at] > 0 {
		if code := f.slots[at] - 1; f.keys[code] == key {
			return code, true
		}
		at = (at + 1) % fewSlots
	}
	if f.n == mostFew {
		return 0, false
	}
	f.keys[f.n] = key
	f.n++
	f.slots[at] = uint8(f.n)
	return uint8(f.n - 1), true
}

// order is the places of the numbers that were counted, in the memory of places.
func (f *few) order(places []int32) []int32 {
	var sorted [mostFew]uint8
	for code := range f.n {
		sorted[code] = uint8(code)
	}
	slices.SortFunc(sorted[:f.n], func(c, d uint8) int { return cmp.Compare(f.keys[c], f.keys[d]) })
	var next [mostFew]int32
	all := int32(0)
	for _, code := range sorted[:f.n] {
		next[code], all = all, all+f.times[code]
	}
	places = slices.Grow(places[:0], int(all))[:all]
	for i, code := range f.codes {
		if code != noPlace {
			places[next[code]] = int32(i)
			next[code]++
		}
	}
	return places
}
