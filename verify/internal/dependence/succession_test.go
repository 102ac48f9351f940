package dependence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Outputs that carry a state are detected; independent ones, sorted ones and those with few values are not.
func TestFollow(t *testing.T) {
	const reply = 256
	var sorted []float64
	for _, c := range []struct {
		reason string
		next   func(r *rand.Rand, before float64) float64
		want   bool
	}{
		{"independent", func(r *rand.Rand, _ float64) float64 { return r.NormFloat64() }, false},
		{"a coin", func(r *rand.Rand, _ float64) float64 { return float64(r.IntN(2)) }, false},
		{"rare and large", func(r *rand.Rand, _ float64) float64 { return math.Pow(r.Float64(), -3) }, false},
		{"constant", func(*rand.Rand, float64) float64 { return 7 }, false},
		{"NaN now and then", func(r *rand.Rand, _ float64) float64 { return math.Log(r.Float64() - 0.1) }, false},
		{"antithetic", func(r *rand.Rand, before float64) float64 { return -0.9*before + r.NormFloat64() }, false},
		{"sorted in each reply", func(r *rand.Rand, _ float64) float64 {
			if len(sorted) == 0 {
				for range reply {
					sorted = append(sorted, r.NormFloat64())
				}
				slices.Sort(sorted)
			}
			x := sorted[0]
			sorted = sorted[1:]
			return x
		}, false},
		{"a slow wave", func(r *rand.Rand, before float64) float64 { return 0.95*before + r.NormFloat64() }, true},
		{"a faster one", func(r *rand.Rand, before float64) float64 { return 0.6*before + r.NormFloat64() }, true},
	} {
		for seed := range uint64(5) {
			var f SuccessionTest
			sorted = nil
			r, x, found := rand.New(rand.NewPCG(seed, 1)), 0.0, ""
			for i := 0; i < 5_000 && found == ""; i++ {
				x = c.next(r, x)
				if i%reply == 0 {
					f.Break()
				}
				f.Add([]float64{0.5, x})
				found = f.Word()
			}
			if (found != "") != c.want {
				t.Errorf("%s, seed %d: %q", c.reason, seed, found)
			}
		}
	}
}

// Among all orders of all multisets of four values, at most 3 of 11 counted fours have the two largest adjacent.
func TestFollowCounts(t *testing.T) {
	for code := range 4 * 4 * 4 * 4 {
		multiset := []float64{float64(code % 4), float64(code / 4 % 4), float64(code / 16 % 4), float64(code / 64)}
		var f SuccessionTest
		for _, order := range orders(4) {
			var values []float64
			for _, i := range order {
				values = append(values, multiset[i])
			}
			f.bet(0, [4]float64(values))
		}
		if f.near[0]*11 > f.fours[0]*3 {
			t.Errorf("%v: %d of %d", multiset, f.near[0], f.fours[0])
		}
	}
}

// orders returns all orders of n items.
func orders(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, o := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(o), at, n-1))
		}
	}
	return all
}

func TestNumbersOfValues(t *testing.T) {
	v := []any{1.5, "a", map[string]any{"y": []any{3.0, nil}, "x": 2.0}, 4.0, true}
	if got := AppendNumbers(nil, v, 3); !slices.Equal(got, []float64{1.5, 2, 3}) {
		t.Errorf("%v", got)
	}
}
