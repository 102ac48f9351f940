package permutation

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/limits"
)

// Darwin's maize, crossed minus self-fertilised, in eighths of an inch.
var maize = []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}

func TestPairedPermutation(t *testing.T) {
	cases := []struct {
		reason        string
		differences   []float64
		less, greater float64
	}{
		{"Fisher (1935, §21) counts 863 of 2¹⁵ sums of 314 and more, 28 of them equal", maize, 1 - 835.0/32768, 863.0 / 32768},
		{"nothing", nil, 1, 1},
		{"one difference", []float64{3}, 1, 0.5},
		{"one difference the other way", []float64{-3}, 0.5, 1},
		{"a difference of 0", []float64{0}, 1, 1},
		{"zeros take no side", []float64{0, 3, 0}, 1, 0.5},
		{"four of a sign", []float64{1, 2, 3, 4}, 1, 1.0 / 16},
		{"sums that are equal in decimals alone: 0.1 + 0.2 − 0.3", []float64{0.1, 0.2, -0.3}, 5.0 / 8, 5.0 / 8},
	}
	for _, c := range cases {
		got, err := Paired(c.differences)
		if err != nil || got.Less != c.less || got.Greater != c.greater {
			t.Errorf("%s: %+v, %v; want %v and %v", c.reason, got, err, c.less, c.greater)
		}
	}
	for _, bad := range [][]float64{{math.NaN()}, {1, math.Inf(1)}, make([]float64, MaxFlips+1)} {
		if _, err := Paired(bad); !errors.Is(err, limits.ErrDomain) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

func TestCorrelationPermutation(t *testing.T) {
	cases := []struct {
		reason        string
		x, y          []float64
		less, greater float64
	}{
		{"two points", []float64{1, 2}, []float64{1, 2}, 1, 0.5},
		{"one pairing of 24 is the best", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, 1, 1.0 / 24},
		{"and one the worst", []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, 1.0 / 24, 1},
		{"Σxy of 14, 13, 13, 11, 11, 10", []float64{1, 2, 3}, []float64{1, 3, 2}, 5.0 / 6, 3.0 / 6},
		{"equal y are two pairings alike", []float64{1, 2, 3}, []float64{1, 1, 2}, 1, 2.0 / 6},
		{"ties in decimals", []float64{0.1, 0.2, 0.3}, []float64{0.1, 0.3, 0.2}, 5.0 / 6, 3.0 / 6},
		{"far from the origin", []float64{1e6 + 1, 1e6 + 2, 1e6 + 3}, []float64{-1e6 + 1, -1e6 + 3, -1e6 + 2}, 5.0 / 6, 3.0 / 6},
	}
	for _, c := range cases {
		got, err := Correlation(c.x, c.y)
		if err != nil || got.Less != c.less || got.Greater != c.greater {
			t.Errorf("%s: %+v, %v; want %v and %v", c.reason, got, err, c.less, c.greater)
		}
	}
	long := make([]float64, MaxPermuted+1)
	long[0] = 1
	for _, bad := range [][2][]float64{{{1}, {1}}, {{1, 1}, {1, 2}}, {{1, 2}, {1, 2, 3}}, {long, long}} {
		if _, err := Correlation(bad[0], bad[1]); !errors.Is(err, limits.ErrDomain) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
	x := []float64{1, 2}
	for _, slack := range [][]float64{{0}, {0, -1}, {0, math.NaN()}, {math.Inf(1), 0}} {
		if _, _, err := CorrelationWithin(x, x, slack, []float64{0, 0}); !errors.Is(err, limits.ErrDomain) {
			t.Errorf("slack %v: error %v", slack, err)
		}
	}
}

// 40,000 draws miss a tail by 6 standard deviations, at most 0.0025 each, with
// probability 2e-9; a tail off by 0.03 is seen with probability 1 − 2e-9.
func TestSampledPermutationsAgreeWithExactOnes(t *testing.T) {
	const draws, tolerance = 40_000, 0.015
	within := func(reason string, exact, sampled limits.Tails, err error) {
		t.Helper()
		if err != nil || !(math.Abs(exact.Less-sampled.Less) < tolerance && math.Abs(exact.Greater-sampled.Greater) < tolerance) {
			t.Errorf("%s: exact %+v, sampled %+v, %v", reason, exact, sampled, err)
		}
	}
	r := empirical.NewSeed(1).Derive(t.Name()).Rand()
	exact, _ := Paired(maize)
	sampled, err := PairedSampled(r, maize, draws)
	within("maize", exact, sampled, err)
	x, y := []float64{1, 2, 3, 4, 5, 6}, []float64{2, 1, 2, 5, 3, 4}
	exact, _ = Correlation(x, y)
	sampled, err = CorrelationSampled(r, x, y, draws)
	within("six pairs", exact, sampled, err)
}

func TestSampledPermutationsCountTheObserved(t *testing.T) {
	r := empirical.NewSeed(1).Derive(t.Name()).Rand()
	many := slices.Repeat([]float64{1}, 200) // all of a sign: 2⁻²⁰⁰ exactly
	if got, err := PairedSampled(r, many, 99); err != nil || got.Greater != 0.01 || got.Less != 1 {
		t.Errorf("no drawn sum reaches the observed one: %+v, %v", got, err)
	}
	if got, err := PairedSampled(r, []float64{0, 0}, 9); err != nil || got.Greater != 1 || got.Less != 1 {
		t.Errorf("all sums are equal: %+v, %v", got, err)
	}
	for _, draws := range []int{0, -1} {
		if _, err := PairedSampled(r, maize, draws); !errors.Is(err, limits.ErrDomain) {
			t.Errorf("%d draws: %v", draws, err)
		}
		if _, err := CorrelationSampled(r, []float64{1, 2}, []float64{1, 2}, draws); !errors.Is(err, limits.ErrDomain) {
			t.Errorf("%d draws: %v", draws, err)
		}
	}
	if _, err := CorrelationSampled(r, []float64{1, 1}, []float64{1, 2}, 9); !errors.Is(err, limits.ErrDomain) {
		t.Errorf("constant x: %v", err)
	}
	if _, err := PairedSampled(r, []float64{math.NaN()}, 9); !errors.Is(err, limits.ErrDomain) {
		t.Errorf("a NaN: %v", err)
	}
}

func TestPermutationLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Map(rapid.IntRange(-20, 20), func(i int) float64 { return float64(i) })
		d := rapid.SliceOfN(whole, 1, 9).Draw(t, "d")
		tails, err := Paired(d)
		negated := slices.Clone(d)
		for i := range negated {
			negated[i] *= -0.1
		}
		mirror, _ := Paired(negated)
		if err != nil || tails.Less != mirror.Greater || tails.Greater != mirror.Less {
			t.Fatalf("%+v, mirrored %+v, %v", tails, mirror, err)
		}
		i := rapid.IntRange(0, len(d)-1).Draw(t, "i")
		more := slices.Clone(d)
		more[i] += 1
		if larger, _ := Paired(more); larger.Greater > tails.Greater {
			t.Fatalf("a larger difference raises the tail from %v to %v", tails.Greater, larger.Greater)
		}
	})
}

// Whatever values the uncertainty allows, their tails lie in the enclosure.
func TestCorrelationPermutationWithinEncloses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		draw := func(name string, low, high float64) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(low, high), n, n).Draw(t, name)
		}
		x, y, dx, dy := draw("x", -1, 1), draw("y", -1, 1), draw("dx", 0, 0.1), draw("dy", 0, 0.1)
		a, b := draw("a", -1, 1), draw("b", -1, 1)
		x[0], y[0] = 3, 3 // never all equal
		u, v := make([]float64, n), make([]float64, n)
		for i := range u {
			u[i], v[i] = x[i]+a[i]*dx[i], y[i]+b[i]*dy[i]
		}
		low, high, err := CorrelationWithin(x, y, dx, dy)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Correlation(u, v)
		if err != nil || !(low.Less <= got.Less && got.Less <= high.Less && low.Greater <= got.Greater && got.Greater <= high.Greater) {
			t.Fatalf("%+v is not between %+v and %+v, %v", got, low, high, err)
		}
	})
}

func BenchmarkPairedPermutation(b *testing.B) {
	for b.Loop() {
		if _, err := Paired(maize); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCorrelationPermutation(b *testing.B) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	for b.Loop() {
		if _, err := Correlation(x, x); err != nil {
			b.Fatal(err)
		}
	}
}
