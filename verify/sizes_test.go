package verify

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestLeastThat checks that a size is found to a precision of 0.05, and is 0 if there is none.
func TestLeastThat(t *testing.T) {
	for _, want := range []int64{1, 2, 7, 100, 12_345, 1_000_000_007} {
		for _, from := range []int64{0, 1, want / 3, want} {
			got := SmallestSize(from, func(n int64) bool { return n >= want })
			if got < want || float64(got) > 1.06*float64(want)+1 {
				t.Errorf("from %d: %d, want %d", from, got, want)
			}
		}
	}
	start := time.Now()
	if got := SmallestSize(5, func(int64) bool { return false }); got != 0 || time.Since(start) > time.Second {
		t.Errorf("nothing will do: %d", got)
	}
}

// TestNearness checks DistanceFromEnd: 0 in the middle, 1 at the ends, more outside.
func TestNearness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		lower := r.NormFloat64()
		upper := lower + r.Float64()
		half := (upper - lower) / 2
		for _, k := range []float64{0, 0.25, 1, 1.5} {
			for _, value := range []float64{lower + half - k*half, lower + half + k*half} {
				if got := DistanceFromEnd(value, lower, upper); math.Abs(got-k) > 1e-9 {
					t.Fatalf("%v in [%v, %v] is at %v, want %v", value, lower, upper, got, k)
				}
			}
		}
	}
	if got := DistanceFromEnd(1, 1, 1); got != 0 {
		t.Errorf("an interval of one point: %v", got)
	}
}
