package distinguisher

import (
	"math/rand/v2"
	"testing"
)

// The index assigns the same numbers as a map, also if keys agree in their first bits.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, different := range []uint64{5000, 1 << 40} { // of which many, or hardly any, come twice
		for _, expected := range []int{0, 100, 20_000, 100_000} {
			index := newKeyIndex(expected)
			places := make(map[uint64]int32)
			for range 20_000 {
				key := r.Uint64N(different)
				if r.IntN(2) == 0 {
					key *= 0x9e3779b97f4a7c15
				}
				want, seen := places[key]
				if !seen {
					want = int32(len(places))
					places[key] = want
				}
				if got := index.Place(key); got != want {
					t.Fatalf("%d rows expected: key %x has place %d, want %d", expected, key, got, want)
				}
			}
		}
	}
}
