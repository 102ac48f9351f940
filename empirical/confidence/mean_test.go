package confidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

func meanTally(t testing.TB, lo, hi float64, counts ...int64) *MeanTally {
	t.Helper()
	tally, err := NewMeanTally(lo, hi, len(counts))
	if err != nil {
		t.Fatal(err)
	}
	copy(tally.counts, counts)
	return tally
}

// twoPointMiss returns the exact probability that an interval misses the mean p of a Bernoulli variable from n
// values. It enumerates the outcomes.
func twoPointMiss(n int64, p float64, limits func(k int64) (lower, upper float64)) (below, above float64) {
	for k := range n + 1 {
		lower, upper := limits(k)
		mass := math.Exp(logBinomialPMF(float64(k), float64(n), p, 1-p))
		if p < lower {
			below += mass
		}
		if p > upper {
			above += mass
		}
	}
	return below, above
}

func TestMeanIntervalCoversExactly(t *testing.T) {
	for _, n := range []int64{1, 5, 40, 300} {
		for _, alpha := range []float64{0.3, 0.05, 1e-3, 1e-6, 1e-9, 1e-12} {
			for _, scale := range []float64{1e-3, 0.1, 0.5, 10} {
				lower, upper := make([]float64, n+1), make([]float64, n+1)
				for k := range n + 1 {
					var err error
					if lower[k], upper[k], err = MeanInterval(meanTally(t, 0, 1, n-k, k), alpha, scale); err != nil {
						t.Fatal(err)
					}
				}
				for _, p := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.77, 0.9, 0.999, 1 - 1e-9, 1} {
					below, above := twoPointMiss(n, p, func(k int64) (float64, float64) { return lower[k], upper[k] })
					if !(below <= alpha/2 && above <= alpha/2) {
						t.Errorf("n = %d, alpha = %v, scale = %v, p = %v: missed with probability %v below, %v above", n, alpha, scale, p, below, above)
					}
				}
			}
		}
	}
}

// Negative control: the enumeration detects that the normal interval is invalid.
func TestNormalIntervalFailsTheSameEnumeration(t *testing.T) {
	const n, alpha = 300, 1e-6
	z := NormalUpperQuantile(alpha / 2)
	below, _ := twoPointMiss(n, 0.01, func(k int64) (float64, float64) {
		mean := float64(k) / n
		half := z * math.Sqrt(mean*(1-mean)/n)
		return mean - half, mean + half
	})
	_, above := twoPointMiss(n, 0.01, func(k int64) (float64, float64) {
		mean := float64(k) / n
		half := z * math.Sqrt(mean*(1-mean)/n)
		return mean - half, mean + half
	})
	if below+above <= 100*alpha {
		t.Errorf("the normal interval misses with probability %v only", below+above)
	}
}

func TestMeanIntervalAtTheExtremes(t *testing.T) {
	cases := []struct {
		reason       string
		counts       []int64
		alpha, scale float64
		minLo, maxHi float64 // the limits must be at least this good
	}{
		{"no values", []int64{0, 0, 0}, 0.05, 1, -1, 3},
		{"one value says nothing at 1e-12", []int64{0, 1, 0}, 1e-12, 1, -1, 3},
		{"all mass at the upper end", []int64{0, 0, 1e6}, 1e-12, 0.01, 2.999, 3},
		{"all mass at the lower end", []int64{1e6, 0, 0}, 1e-12, 0.01, -1, -0.999},
		{"half and half, 1e8 values", []int64{5e7, 0, 5e7}, 1e-9, 2, 1 - 0.0015, 1 + 0.0015},
		{"scale far too small", []int64{5e5, 0, 5e5}, 1e-9, 1e-6, -1, 3},
		{"scale far too large", []int64{5e5, 0, 5e5}, 1e-9, 1e6, -1, 3},
	}
	for _, c := range cases {
		tally := meanTally(t, -1, 3, c.counts...)
		lower, upper, err := MeanInterval(tally, c.alpha, c.scale)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if !(-1 <= lower && lower <= upper && upper <= 3) || !(lower >= c.minLo && upper <= c.maxHi) {
			t.Errorf("%s: [%v, %v], want at least [%v, %v]", c.reason, lower, upper, c.minLo, c.maxHi)
		}
		if n := tally.N(); n > 0 && !(lower <= tally.Mean() && tally.Mean() <= upper) {
			t.Errorf("%s: [%v, %v] misses the sample mean %v", c.reason, lower, upper, tally.Mean())
		}
	}
}

func TestMeanIntervalWidth(t *testing.T) {
	const n, alpha = 1_000_000, 1e-9
	// sd 1 on [−1, 1]; the ideal is the bound in the doc comment
	ideal := 2 * math.Sqrt(2*math.Log(2/alpha)/n)
	cases := []struct {
		reason        string
		scale, factor float64
	}{
		{"the right scale", 1, 1.02}, {"half of it", 0.5, 1.35}, {"twice of it", 2, 1.35},
		{"a tenth", 0.1, 2.3}, {"ten times", 10, 2.3},
	}
	for _, c := range cases {
		lower, upper, err := MeanInterval(meanTally(t, -1, 1, n/2, n/2), alpha, c.scale)
		if got := (upper - lower) / ideal; err != nil || !(got <= c.factor) {
			t.Errorf("%s: width %.3f of the ideal, want at most %v (%v)", c.reason, got, c.factor, err)
		}
	}
}

// Rounding to the grid preserves the mean, so limits of a coarse tally hold for the variable itself. With exact
// alpha = 0.01, more than 13 misses in 400 runs have probability 1e-4. The interval is conservative.
func TestMeanTallyRoundingIsUnbiased(t *testing.T) {
	missed := 0
	for run := range 400 {
		r := rand.New(rand.NewPCG(7, uint64(run)))
		tally, err := NewMeanTally(0, 10, 4)
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 { // uniform on [0, 2.7]: rounded to nearest, the mean would be 1.23 instead of 1.35
			if err := tally.Add(r, 2.7*r.Float64()); err != nil {
				t.Fatal(err)
			}
		}
		lower, upper, err := MeanInterval(tally, 0.01, 1.6)
		if err != nil {
			t.Fatal(err)
		}
		if !(lower <= 1.35 && 1.35 <= upper) {
			missed++
		}
		if upper-lower > 0.3 {
			t.Fatalf("width %v", upper-lower)
		}
	}
	if missed > 13 {
		t.Errorf("missed %d of 400", missed)
	}
}

func TestMeanTallyRefusesBadInput(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	tally := meanTally(t, 0, 1, 0, 0, 0)
	for _, x := range []float64{-1e-9, 1 + 1e-9, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := tally.Add(r, x); !errors.Is(err, ErrDomain) {
			t.Errorf("Add(%v): error %v", x, err)
		}
	}
	if tally.N() != 0 {
		t.Errorf("%d refused values were counted", tally.N())
	}
	grids := []struct {
		reason string
		lo, hi float64
		cells  int
	}{
		{"empty range", 1, 1, 10}, {"reversed", 2, 1, 10}, {"NaN", math.NaN(), 1, 10}, {"infinite", 0, math.Inf(1), 10},
		{"one point", 0, 1, 1}, {"negative", 0, 1, -1}, {"too many", 0, 1, 5000}, {"span overflows", -1e308, 1e308, 10},
	}
	for _, c := range grids {
		if _, err := NewMeanTally(c.lo, c.hi, c.cells); !errors.Is(err, ErrDomain) {
			t.Errorf("%s: error %v", c.reason, err)
		}
	}
	for _, c := range [][2]float64{{0, 1}, {1, 1}, {math.NaN(), 1}, {0.05, 0}, {0.05, math.NaN()}, {0.05, math.Inf(1)}} {
		if _, _, err := MeanInterval(tally, c[0], c[1]); !errors.Is(err, ErrDomain) {
			t.Errorf("alpha %v, scale %v: error %v", c[0], c[1], err)
		}
	}
	if _, _, err := MeanInterval(&MeanTally{}, 0.05, 1); !errors.Is(err, ErrDomain) {
		t.Errorf("zero tally: error %v", err)
	}
}

func TestMeanTallyMergesAndSurvivesJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	whole, part := meanTally(t, -1, 1, make([]int64, 100)...), meanTally(t, -1, 1, make([]int64, 100)...)
	for range 1000 {
		if err := whole.Add(r, 2*r.Float64()-1); err != nil {
			t.Fatal(err)
		}
		if err := part.Add(r, 0.5*r.Float64()-1); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	read, _ := NewMeanTally(-1, 1, 100)
	if err := json.Unmarshal(data, read); err != nil {
		t.Fatal(err)
	}
	mean := (whole.Mean() + part.Mean()) / 2
	var merged empirical.Tally = whole
	if err := merged.Merge(read); err != nil {
		t.Fatal(err)
	}
	if whole.N() != 2000 || math.Abs(whole.Mean()-mean) > 1e-12 {
		t.Errorf("merged: %d values, mean %v, want 2000, %v", whole.N(), whole.Mean(), mean)
	}
	if err := merged.Merge(meanTally(t, -1, 2, make([]int64, 100)...)); err == nil {
		t.Error("merged a tally over another grid")
	}
	for _, bad := range []string{
		`{"lo":-1,"hi":1,"cells":100,"counts":[-1]}`, `{"lo":-1,"hi":2,"cells":100,"counts":[]}`,
		`{"lo":-1,"hi":1,"cells":1,"counts":[1,2]}`, `{"lo":-1,"hi":1,"cells":2,"counts":[1,2,3]}`, `[]`,
	} {
		if err := json.Unmarshal([]byte(bad), read); err == nil {
			t.Errorf("read %s", bad)
		}
	}
}

func BenchmarkMeanTallyAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	tally, _ := NewMeanTally(-1, 1, maxMeanCells)
	b.ReportAllocs()
	for b.Loop() {
		if tally.Add(r, 0.1234) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkMeanInterval(b *testing.B) {
	for _, cells := range []int{2, 64, maxMeanCells} {
		b.Run(fmt.Sprintf("cells=%d", cells), func(b *testing.B) {
			counts := make([]int64, cells)
			for i := range counts {
				counts[i] = int64(1e6 / cells)
			}
			tally := meanTally(b, -1, 1, counts...)
			for b.Loop() {
				if _, _, err := MeanInterval(tally, 1e-9, 0.5); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
