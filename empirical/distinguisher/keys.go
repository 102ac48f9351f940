package distinguisher

import (
	"math"
	"math/bits"
	"slices"
)

// keyIndex numbers keys of rows in order of first occurrence. It is a hash table with linear probing, whose keys
// are hashes themselves.
type keyIndex struct {
	keys   []uint64 // in order of first occurrence
	slots  []int32  // index in keys plus one; 0 is free
	spread int      // 64 minus the log of the number of slots: a slot is given by the first bits of a key
	rows   int      // expected number of rows
	added  int      // number of rows so far
}

// newKeyIndex returns an index that expects the given number of rows.
func newKeyIndex(rows int) *keyIndex { return &keyIndex{rows: rows} }

// Place returns the number of a key. A new key gets the next number.
func (x *keyIndex) Place(key uint64) int32 {
	x.added++
	if 2*len(x.keys) >= len(x.slots) {
		x.grow()
	}
	slot := x.slot(key)
	if x.slots[slot] == 0 {
		x.keys = append(x.keys, key)
		x.slots[slot] = int32(len(x.keys))
	}
	return x.slots[slot] - 1
}

// slot returns the slot of a key, or a free slot for it.
func (x *keyIndex) slot(key uint64) int {
	at := int(key >> x.spread)
	for x.slots[at] != 0 && x.keys[x.slots[at]-1] != key {
		at = (at + 1) & (len(x.slots) - 1)
	}
	return at
}

// grow enlarges the table. If few keys repeat, it makes room for all expected rows.
func (x *keyIndex) grow() {
	size := max(1<<10, 4*len(x.slots))
	if len(x.keys) > 0 && 4*len(x.keys) > 3*x.added && 2*x.rows > size {
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

// bitsAreSymbol reports whether x is a symbol. An arithmetic NaN is a number here.
func bitsAreSymbol(x float64) bool { return math.Float64bits(x)&(0xFFFF<<48) == symbolTag }

// valueKey returns the bits of a value. The two zeros have one key, and so do all arithmetic NaNs.
func valueKey(v float64) uint64 {
	b := math.Float64bits(v)
	if b<<1-1 < 0x7ff<<53 { // neither a zero nor a NaN
		return b
	}
	return ofRare(v)
}

// ofCell is valueKey, except that −0 and 0 differ: outputs that differ in the sign of a zero differ.
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

// rowKey returns a hash of a row by chained products of two values each, whose halves are combined (as in Wang Yi's
// wyhash). Rows that collide (probability 2⁻⁶⁴ per pair) are counted as one, which can only reduce power.
func rowKey(row []float64) uint64 {
	const first, second, third = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	h := uint64(len(row)) ^ third
	for ; len(row) > 1; row = row[2:] {
		high, low := bits.Mul64(ofCell(row[0])^first^h, ofCell(row[1])^second)
		h = high ^ low ^ h<<32 ^ h>>32 // includes h itself in case a factor is 0
	}
	last := uint64(third)
	if len(row) > 0 {
		last = ofCell(row[0])
	}
	high, low := bits.Mul64(last^first^h, h^second)
	high, low = bits.Mul64(high^low^third, first)
	return high ^ low
}
