package keys

import (
	"math/rand/v2"
	"testing"
)

// The places of rows are those of a map, also where keys agree in their first bits.
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var index Index
	places := make(map[uint64]int32)
	for range 20_000 {
		key := r.Uint64N(5000)
		if r.IntN(2) == 0 {
			key *= 0x9e3779b97f4a7c15
		}
		want, seen := places[key]
		if !seen {
			want = int32(len(places))
			places[key] = want
		}
		if got := index.Place(key); got != want {
			t.Fatalf("key %x has place %d, want %d", key, got, want)
		}
	}
}
