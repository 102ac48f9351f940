package mean

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// Biases across (1, 0, …, 0), of length 1.
func acrossOne(d int) []float64 { b := make([]float64, d); b[d-1] = 1; return b }
func acrossFew(d int) []float64 {
	b := make([]float64, d)
	for i := range 4 {
		b[1+i*(d-2)/4] = 0.5 * float64(1-i%2*2)
	}
	return b
}
func acrossAll(d int) []float64 {
	return orthogonal(rand.New(rand.NewPCG(1, 2)), append([]float64{1}, make([]float64, d-1)...))
}

// signed releases (1, 0, …, 0) and the bias, plus or minus spread in each coordinate.
func signed(d int, bias []float64, size, spread float64) UnbiasedCell {
	x := make([]float64, d)
	x[0] = 1
	mean := make([]float64, d)
	floats.AddScaledTo(mean, x, size, bias)
	return UnbiasedCell{
		Place: "coins", Target: x, Bound: floats.Norm(mean, 2) + spread*math.Sqrt(float64(d)),
		Sample: func(r *rand.Rand, dst []float64) error {
			var bits uint64
			for i := range dst {
				if i%64 == 0 {
					bits = r.Uint64()
				}
				dst[i] = mean[i] + spread*float64(int(bits>>(i%64)&1)*2-1)
			}
			return nil
		},
	}
}

// A mean across x as long as the effect is confirmed in at most 1 % of the runs, in any direction. Three times the
// effect is refuted in 99 %, and a mean of 0 is consistent. At d = 784 the cosine between a random direction and the
// mean is about 1/28, so that a random direction would detect almost nothing. The widths of the intervals make misses
// of the last two rarer than one in 1000 runs.
func TestUnbiasedSeesMeansAcross(t *testing.T) {
	directions := map[string]func(int) []float64{"one coordinate": acrossOne, "four coordinates": acrossFew, "all coordinates": acrossAll}
	for _, c := range []struct {
		d       int
		samples int64
		effect  float64
		runs    int
	}{{8, 4096, 0.4, testutil.Size(20, 40)}, {20, 4096, 0.4, testutil.Size(10, 20)}, {784, 8192, 0.6, testutil.Size(1, 3)}} {
		judged := func(bias []float64, size float64) []verify.Evidence {
			cell := signed(c.d, bias, size*c.effect, 1)
			cell.Samples = c.samples
			found, _ := verifytest.Repeat(t, Unbiased{Claimed: 1, Effect: c.effect, Cells: []UnbiasedCell{cell}}, c.runs)
			return found
		}
		if found := judged(acrossOne(c.d), 0); verifytest.CountVerdict(found, verify.Consistent) != c.runs {
			t.Errorf("d = %d, no bias: %s in a run, %s", c.d, found[0].Verdict, found[0].Power)
		}
		for name, direction := range directions {
			bias := direction(c.d)
			verifytest.WantRateAtMost(t, verifytest.CountVerdict(judged(bias, 1), verify.Consistent), c.runs, 1-verify.TargetPower)
			found := judged(bias, 3)
			if got := verifytest.CountVerdict(found, verify.Refuted); got != c.runs || !strings.Contains(found[0].WorstCase, "mean across X in") {
				t.Errorf("d = %d, %s, three times the effect: refuted in %d of %d runs, at %q", c.d, name, got, c.runs, found[0].WorstCase)
			}
		}
	}
}

// The covered length holds under the worst distributions: a mean in the direction of all variance, and a mean from rare
// long outputs, which the search often misses. The false-alarm probability of each row is at most 1e-3.
func TestUnbiasedCoversAnyLaw(t *testing.T) {
	x := []float64{1, 0, 0, 0, 0, 0}
	law := func(bound float64, entry func(*rand.Rand) float64) UnbiasedCell {
		return UnbiasedCell{Place: "a law", Target: x, Bound: bound, Samples: 4096, Sample: func(r *rand.Rand, dst []float64) error {
			copy(dst, x)
			dst[3] = entry(r)
			return nil
		}}
	}
	coin := func(bias float64) UnbiasedCell {
		return law(10, func(r *rand.Rand) float64 { return bias + 2*float64(r.IntN(2)*2-1) })
	}
	rare := func(r *rand.Rand) float64 {
		if r.Float64() < 3e-4 {
			return 200
		}
		return 0
	}
	cases := []struct {
		reason string
		effect float64
		cell   UnbiasedCell
		want   bool // to be consistent at all
	}{
		{"all variance along the mean", 0.35, coin(0.35), false},
		{"none", 0.35, coin(0), true},
		{"0.06, by three outputs in ten thousand", 0.06, law(201, rare), false},
		{"nothing, in a range that would hide it", 0.06, law(201, func(*rand.Rand) float64 { return 0 }), false},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			runs := testutil.Size(100, 200)
			found, _ := verifytest.Repeat(t, Unbiased{Claimed: 1, Effect: 10, EffectAcross: c.effect, Cells: []UnbiasedCell{c.cell}}, runs)
			if got := verifytest.CountVerdict(found, verify.Consistent); c.want && got < runs*99/100 {
				t.Errorf("consistent in %d of %d runs", got, runs)
			} else if !c.want {
				verifytest.WantRateAtMost(t, got, runs, 1-verify.TargetPower)
			}
		})
	}
}

// The three limits share the allowed error: inserted into the inequalities of Bernstein and Chernoff, each gives its
// share, and the covered length solves ‖b‖² − ρ‖b‖ = ‖a‖h. Sampling cannot test this, since no sampled distribution
// comes near these bounds.
func TestLimitsAcrossShareTheError(t *testing.T) {
	const allowed, n, reach = 1 - verify.TargetPower, 5000, 3.0
	if sum := searchDeviation + searchMoment + searchLimit; !(sum <= 1+1e-12) {
		t.Errorf("the limits spend %v of the error", sum)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, v := range []float64{0, 0.1, 9} {
		rho := deviation(v, n, reach)
		near("probability of the deviation", math.Exp(-n*rho*rho/2/(v+2*reach*rho/3)), searchDeviation*allowed)
	}
	for _, squares := range []float64{0, 40, 3000} {
		v := momentLimit(squares, n, reach)
		fall := v*v - squares/n // of a mean of V²
		near("probability of the moment", math.Exp(-fall*fall*n/2/(v*v*math.Pow(reach, 4))), searchMoment*allowed)
	}
	r := rand.New(rand.NewPCG(1, 2))
	counts, err := confidence.NewMeanTally(-reach, reach, meanCells)
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		if err := counts.Add(r, r.NormFloat64()/4); err != nil {
			t.Fatal(err)
		}
	}
	upper, err := confidence.MeanUpper(counts, searchLimit*allowed, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	s := acrossStatistics{Length: 0.3, Slack: 0.1, Spread: 0.25, Reach: reach, Counts: counts}
	length, err := s.covered()
	if err != nil {
		t.Fatal(err)
	}
	near("square of the length covered", length*length, s.Slack*length+s.Length*upper)
	// The expected length for the same number of samples without a mean is about the covered length.
	if expected := s.expected(2000); !(expected > 0.9*length && expected < 1.6*length) {
		t.Errorf("%v is expected to be covered, and %v is", expected, length)
	}
}

// The direction is orthogonal to the target, has length 1, and is close to the direction of a mean that exceeds the
// noise.
func TestSearchAcross(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range []int{3, 20, 200} {
		cell := signed(d, acrossFew(max(d, 6))[:d], 1, 1)
		direction, _, err := searchAcross(t.Context(), r, cell, minSearch, cell.Bound)
		if err != nil {
			t.Fatal(err)
		}
		if lean := math.Abs(floats.Dot(direction, cell.Target)); lean > 1e-12 || math.Abs(floats.Norm(direction, 2)-1) > 1e-12 {
			t.Errorf("d = %d: direction of norm %v leans by %v", d, floats.Norm(direction, 2), lean)
		}
		mean := make([]float64, d)
		copy(mean, acrossFew(max(d, 6))[:d])
		if cosine := floats.Dot(direction, mean) / floats.Norm(mean, 2); !(cosine > 0.9) {
			t.Errorf("d = %d: cosine of the angle to the mean %v", d, cosine)
		}
	}
}

// The number of search samples grows with the samples of the shards and with the dimension.
func TestSearchSize(t *testing.T) {
	for _, c := range []struct {
		n    int64
		d    int
		want int64
	}{{100, 784, minSearch}, {1_000_000, 784, 1_000_000}, {1_000_000, 257, 1_000_000}, {1_000_000, 65, 500_000}, {1_600_000, 2, 100_000}} {
		if got := searchSize(c.n, c.d); got != c.want {
			t.Errorf("n = %d, d = %d: %d, want %d", c.n, c.d, got, c.want)
		}
	}
}
