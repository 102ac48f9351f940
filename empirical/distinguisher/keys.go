package distinguisher

import (
	"math"
	"math/bits"
	"slices"
)

// keyIndex numbers the keys of rows as they come: a hash table with linear probing, of keys that are
// hashes themselves.
type keyIndex struct {
	keys   []uint64 // in the order of their places
	slots  []int32  // places, plus one; 0 is free
	spread int      // 64 less the logarithm of the number of slots: slots go by the first bits of a key
	rows   int      // that are expected
	asked  int      // rows so far
}

// newKeyIndex is an index that expects so many rows.
func newKeyIndex(rows int) *keyIndex { return &keyIndex{rows: rows} }

// Place of a key; that of a new one is how many there were before.
func (x *keyIndex) Place(key uint64) int32 {
	x.asked++
	if 2*len(x.keys) >= len(x.slots) {
		x.grow()
	}
	at := x.slot(key)
	if x.slots[at] == 0 {
		x.keys = append(x.keys, key)
		x.slots[at] = int32(len(x.keys))
	}
	return x.slots[at] - 1
}

// slot is that of a key, or a free one.
func (x *keyIndex) slot(key uint64) int {
	at := int(key >> x.spread)
	for x.slots[at] != 0 && x.keys[x.slots[at]-1] != key {
		at = (at + 1) & (len(x.slots) - 1)
	}
	return at
}

// grow makes room: for all rows that are expected, where hardly any key has come twice.
func (x *keyIndex) grow() {
	size := max(1<<10, 4*len(x.slots))
	if len(x.keys) > 0 && 4*len(x.keys) > 3*x.asked && 2*x.rows > size {
		size = 1 << bits.Len(uint(2*x.rows))
		x.keys = slices.Grow(x.keys, x.rows)
	}
	x.slots = make([]int32, size)
	x.spread = 65 - bits.Len(uint(len(x.slots)))
	for i, key := range x.keys {
		x.slots[x.slot(key)] = int32(i + 1)
	}
}

// symbolTag marks the bits of a NaN that is a symbol. The NaNs of arithmetic have other bits.
const symbolTag = 0xFFFA << 48

// bitsAreSymbol tells a symbol from a number; arithmetic's NaN is a number here.
func bitsAreSymbol(x float64) bool { return math.Float64bits(x)&(0xFFFF<<48) == symbolTag }

// valueKey makes the two zeros, and all NaNs of arithmetic, one value.
func valueKey(v float64) uint64 {
	b := math.Float64bits(v)
	if b<<1-1 < 0x7ff<<53 { // neither a zero nor a NaN
		return b
	}
	return ofRare(v)
}

// ofCell is Of, but with two zeros: outputs that differ in the sign of a zero differ.
func ofCell(v float64) uint64 {
	if b := math.Float64bits(v); b == 1<<63 {
		return b
	}
	return valueKey(v)
}

func ofRare(v float64) uint64 {
	switch {
	case v == 0:
		return 0
	case !bitsAreSymbol(v):
		return math.Float64bits(math.NaN())
	}
	return math.Float64bits(v)
}

// rowKey identifies a row by its bits: chained products of two values each, of which both halves count (as in
// Wang Yi's wyhash). Rows that collide, one pair in 2⁶⁴, would be counted as one, which can only dull the search.
func rowKey(row []float64) uint64 {
	const first, second, third = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	h := uint64(len(row)) ^ third
	for ; len(row) > 1; row = row[2:] {
		high, low := bits.Mul64(ofCell(row[0])^first^h, ofCell(row[1])^second)
		h = high ^ low ^ h<<32 ^ h>>32 // of h itself, should a factor be 0
	}
	last := uint64(third)
	if len(row) > 0 {
		last = ofCell(row[0])
	}
	high, low := bits.Mul64(last^first^h, h^second)
	high, low = bits.Mul64(high^low^third, first)
	return high ^ low
}
