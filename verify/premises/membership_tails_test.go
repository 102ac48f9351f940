package premises

import (
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// distribution holds the probabilities of the values 0, 1, …
type distribution []float64

func (d distribution) sum(other distribution) distribution {
	out := make(distribution, len(d)+len(other)-1)
	for i, p := range d {
		for j, q := range other {
			out[i+j] += p * q
		}
	}
	return out
}

// tails returns P(X ≤ k) and P(X ≥ k).
func (d distribution) tails(k int) (less, greater float64) {
	for i, p := range d {
		if i <= k {
			less += p
		}
		if i >= k {
			greater += p
		}
	}
	return less, greater
}

// hypergeometric returns the distribution of the number of common records of two random batches.
func hypergeometric(n, a, b int) distribution {
	out := make(distribution, min(a, b)+1)
	for k := max(0, a+b-n); k < len(out); k++ {
		out[k] = math.Exp(combin.LogGeneralizedBinomial(float64(a), float64(k)) +
			combin.LogGeneralizedBinomial(float64(n-a), float64(b-k)) - combin.LogGeneralizedBinomial(float64(n), float64(b)))
	}
	return out
}

func TestOverlapTailsAreBounds(t *testing.T) {
	for _, sizes := range [][][2]int{{{3, 3}}, {{3, 4}, {4, 2}, {2, 0}}, {{8, 9}, {9, 3}}, {{5, 5}, {5, 5}, {5, 5}}, {{10, 10}}} {
		const n = 10
		exact := distribution{1}
		for _, s := range sizes {
			exact = exact.sum(hypergeometric(n, s[0], s[1]))
		}
		for k := range exact {
			o := overlap{Common: int64(k)}
			for _, s := range sizes {
				o.add(n, s[0], s[1])
			}
			if less, greater := exact.tails(k); o.Common >= 0 && less > 0 {
				got := hoeffdingTails(o.Common, o.Trials, o.Mean)
				if got.Less < less*(1-1e-6) || got.Greater < greater*(1-1e-6) {
					t.Errorf("%v, %d in common: tails %+v below %v and %v", sizes, k, got, less, greater)
				}
				if float64(o.Common) >= o.Mean+4 && got.Greater > 1e3*greater {
					t.Errorf("%v, %d in common: tail %v for %v", sizes, k, got.Greater, greater)
				}
			}
		}
	}
}

// Batches of 8 and 9 of 10 records have 7 or 8 in common, which is a single trial.
func TestOverlapOfLargeBatches(t *testing.T) {
	o := overlap{Common: 8}
	if o.add(10, 8, 9); o.Common != 1 || o.Trials != 1 || math.Abs(o.Mean-0.2) > 1e-12 {
		t.Errorf("overlap %+v", o)
	}
}

func TestNeighborTailsAreBounds(t *testing.T) {
	const n, size = 12, 6
	exact := make(distribution, size/2+1)
	subsets := combin.Combinations(n, size)
	for _, s := range subsets {
		both := 0
		for i := 1; i < size; i++ {
			if s[i]%2 == 1 && s[i-1] == s[i]-1 {
				both++
			}
		}
		exact[both] += 1 / float64(len(subsets))
	}
	twice := exact.sum(exact)
	for k := range twice {
		less, greater := twice.tails(k)
		got := chernoffTails(int64(k), n, bothDrawn(n, size))
		if got.Less < less*(1-1e-9) || got.Greater < greater*(1-1e-9) {
			t.Errorf("%d neighbors: tails %+v below %v and %v", k, got, less, greater)
		}
	}
}

func TestSpreadTailsAreBounds(t *testing.T) {
	for _, test := range []struct {
		n int64
		p float64
		m int64
	}{{1, 0.3, 3}, {20, 0.01, 3}, {20, 0.5, 3}, {60, 0.9, 2}, {200, 0.02, 2}} {
		s := newSquares(test.n, test.p)
		law := distuv.Binomial{N: float64(test.n), P: test.p}
		sums := map[float64]float64{0: 1}
		for range test.m {
			next := make(map[float64]float64)
			for _, sum := range slices.Sorted(maps.Keys(sums)) {
				p := sums[sum]
				for k := range test.n + 1 {
					next[math.Round((sum+s.of(k))*1e9)/1e9] += p * law.Prob(float64(k))
				}
			}
			sums = next
		}
		order := slices.Sorted(maps.Keys(sums))
		for _, at := range order {
			less, greater := 0.0, 0.0
			for _, sum := range order {
				p := sums[sum]
				if sum <= at {
					less += p
				}
				if sum >= at {
					greater += p
				}
			}
			if got := s.tails(at, test.m); got.Less < less*(1-1e-6) || got.Greater < greater*(1-1e-6) {
				t.Fatalf("%+v, sum %v: tails %+v below %v and %v", test, at, got, less, greater)
			}
		}
	}
	// Constant batches of size 10 where Bin(100, 0.1) is claimed: the exact tail is P(X = 10)^40.
	s := newSquares(100, 0.1)
	if got, want := s.tails(0, 40).Less, math.Pow(0.131865, 40); got < want || got > 2*want {
		t.Errorf("tail of constant sizes %v, want about %v", got, want)
	}
}
