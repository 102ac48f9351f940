package distinguisher

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// The closed form for rare counts agrees with the binomial likelihood.
func TestDeviationOfRareCounts(t *testing.T) {
	for _, l := range []Line{{1, 0}, {math.E, 0}, {math.E, 0.001}, {math.Exp(5), 1e-4}} {
		for _, c := range [][2]float64{{300, 40}, {300, 0}, {100, 1}, {900, 20}} {
			const n = 1e6
			got := l.deviation(c[0], n, c[1], n)
			if want := math.Sqrt(2 * confidence.HalfDeviance(l.Slope, l.Offset, c[0], n, c[1], n)); math.Abs(got-want) > 0.01*(1+want) {
				t.Errorf("%v at %v: %v, want %v", l, c, got, want)
			}
		}
	}
	if d := (Line{math.E, 0}).deviation(271, 1000, 100, 1000); d != 0 {
		t.Errorf("on the claim's side: %v", d)
	}
}

// A true claim with equality in every event rarely stands out. The same rows with a large violation do.
func TestScanStandsOutRarely(t *testing.T) {
	s := Search{Samples: [][2]int64{{20_000, 20_000}}, Certified: func(x, nx, y, ny float64) float64 {
		return confidence.EpsilonLowerFast(int64(x), int64(nx), int64(y), int64(ny), 0, 1e-3)
	},
		Against: func(float64) Line { return Line{Slope: 1} }, Refutes: func(v float64) bool { return v > 0 }, Pairs: 1}
	for _, leak := range []float64{0, 0.05} {
		out := 0
		const runs = 30
		for seed := range uint64(runs) {
			r := rand.New(rand.NewPCG(seed, 7))
			a, b := NewRows(1, 4000), NewRows(1, 4000)
			for range 4000 {
				v := r.Float64()
				if r.Float64() < leak {
					v = 0.5 + 0.001*r.Float64()
				}
				a.Append([]float64{v})
				b.Append([]float64{r.Float64()})
			}
			found, err := s.Find(a, b)
			if err != nil {
				t.Fatal(err)
			}
			if found[0].Excess > 0 {
				out++
			}
		}
		if leak == 0 && out > 4 || leak > 0 && out < runs { // 4 of 30 at 2 %: 3e-4
			t.Errorf("leak %v: %d of %d searches stand out", leak, out, runs)
		}
	}
}
