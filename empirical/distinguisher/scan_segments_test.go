package distinguisher

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The maximal segments are disjoint, no prefix or suffix of a segment has a gain of at most 0, and the best of all
// runs is one of them.
func TestMaximalSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		gains := make([]float64, 1+r.IntN(30))
		for i := range gains {
			gains[i] = r.NormFloat64()
		}
		best, found := 0.0, 0.0
		for i := range gains {
			sum := 0.0
			for j := i; j < len(gains); j++ {
				sum += gains[j]
				best = math.Max(best, sum)
			}
		}
		last := -1
		for _, s := range maximalSegments(nil, len(gains), func(i int) float64 { return gains[i] }) {
			if s.From <= last || s.To < s.From {
				t.Fatalf("segment %d–%d after %d", s.From, s.To, last)
			}
			last = s.To
			found = math.Max(found, s.upto-s.before)
		}
		if math.Abs(found-best) > 1e-9 {
			t.Fatalf("the best segment gains %v, the best run %v", found, best)
		}
	}
}
