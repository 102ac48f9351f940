package training

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The distance is the largest difference of the shares of values up to x, over every value x of the two samples.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 2))
	draw := func() []float64 {
		sample := make([]float64, 1+r.IntN(12))
		for i := range sample {
			sample[i] = float64(r.IntN(9)) // with ties
		}
		slices.Sort(sample)
		return sample
	}
	upTo := func(sample []float64, x float64) float64 {
		n := 0
		for _, v := range sample {
			if v <= x {
				n++
			}
		}
		return float64(n) / float64(len(sample))
	}
	for range 1000 {
		a, b, want := draw(), draw(), 0.0
		for _, x := range slices.Concat(a, b) {
			want = max(want, math.Abs(upTo(a, x)-upTo(b, x)))
		}
		if got := distance(a, b); got != want {
			t.Fatalf("%v and %v: distance %v, want %v", a, b, got, want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := distance([]float64{1}, []float64{x}); got != 1 {
			t.Errorf("1 and %v: distance %v, want 1", x, got)
		}
	}
}
