package distinguisher

import (
	"cmp"
	"math"
	"slices"
)

// few sorts numbers with few distinct values by counting sort.
type few struct {
	codes []uint8 // index of each number's distinct value, in order of first occurrence; noPlace for NaN
	keys  [maxFew]uint64
	times [maxFew]int32
	n     int             // number of distinct values
	slots [fewSlots]uint8 // hash table of codes plus one; 0 is free
}

const (
	maxFew   = 64
	fewBits  = 8
	fewSlots = 1 << fewBits
	noPlace  = math.MaxUint8
)

// count finds the distinct values and reports whether there are at most maxFew.
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

// code returns the code of a key; ok is false if there is no room for a new one.
func (f *few) code(key uint64) (code uint8, ok bool) {
	const factor = 0x9e3779b97f4a7c15
	slot := key * factor >> (64 - fewBits)
	for f.slots[slot] > 0 {
		if code := f.slots[slot] - 1; f.keys[code] == key {
			return code, true
		}
		slot = (slot + 1) % fewSlots
	}
	if f.n == maxFew {
		return 0, false
	}
	f.keys[f.n] = key
	f.n++
	f.slots[slot] = uint8(f.n)
	return uint8(f.n - 1), true
}

// order returns the indices of the counted numbers in ascending order. It reuses the memory of places.
func (f *few) order(places []int32) []int32 {
	var sorted [maxFew]uint8
	for code := range f.n {
		sorted[code] = uint8(code)
	}
	slices.SortFunc(sorted[:f.n], func(c, d uint8) int { return cmp.Compare(f.keys[c], f.keys[d]) })
	var next [maxFew]int32
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
