// Package keys numbers the keys of rows.
package keys

import (
	"math/bits"
	"slices"
)

// Index numbers the keys of rows as they come: a hash table with linear probing, of keys that are
// hashes themselves.
type Index struct {
	keys   []uint64 // in the order of their places
	slots  []int32  // places, plus one; 0 is free
	spread int      // 64 less the logarithm of the number of slots: slots go by the first bits of a key
	rows   int      // that are expected
	asked  int      // rows so far
}

// New is an index that expects so many rows.
func New(rows int) *Index { return &Index{rows: rows} }

// Place of a key; that of a new one is how many there were before.
func (x *Index) Place(key uint64) int32 {
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
func (x *Index) slot(key uint64) int {
	at := int(key >> x.spread)
	for x.slots[at] != 0 && x.keys[x.slots[at]-1] != key {
		at = (at + 1) & (len(x.slots) - 1)
	}
	return at
}

// grow makes room: for all rows that are expected, where hardly any key has come twice.
func (x *Index) grow() {
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
