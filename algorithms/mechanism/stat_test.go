package mechanism

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// falseAlarm is the probability with which each statistical assertion of this package would fail for a correct
// sampler and a random seed. The seeds are fixed.
const falseAlarm = testutil.FalseAlarm

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// checkDistribution compares a sample with a continuous distribution function by the bound of Dvoretzky, Kiefer,
// Wolfowitz & Massart: P(sup > t) ≤ 2e^(-2nt²).
func checkDistribution(t *testing.T, sample []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(sample)
	n := float64(len(sample))
	limit := math.Sqrt(math.Log(2/falseAlarm) / (2 * n))
	for i, v := range sample {
		f := cdf(v)
		if !(f-float64(i)/n <= limit && float64(i+1)/n-f <= limit) {
			t.Fatalf("at %v: distribution %.5f, empirical %.5f, limit %.5f", v, f, float64(i)/n, limit)
		}
	}
}

// checkFrequency compares a frequency with a probability by Hoeffding's inequality.
func checkFrequency(t *testing.T, what string, hits, n int, p float64) {
	t.Helper()
	limit := math.Sqrt(math.Log(2/falseAlarm) / (2 * float64(n)))
	if got := float64(hits) / float64(n); !(math.Abs(got-p) <= limit) {
		t.Errorf("%s: frequency %.5f, probability %.5f, limit %.5f", what, got, p, limit)
	}
}

// mechanismOf is the interface of the mechanisms.
type mechanismOf[D, O any] interface {
	Release(*rand.Rand, D) (O, error)
	ReleaseN(*rand.Rand, D, []O) error
}

// checkStreams checks four things. One stream gives the same releases one by one, in a batch, and again from the
// same seed. A second batch into the same slices does not allocate. No two releases share memory.
func checkStreams[D, O any](t *testing.T, m mechanismOf[D, O], d D, equal func(a, b O) bool) {
	t.Helper()
	const n = 200
	batch, again := make([]O, n), make([]O, n)
	if err := m.ReleaseN(newRand(7), d, batch); err != nil {
		t.Fatal(err)
	}
	if err := m.ReleaseN(newRand(7), d, again); err != nil {
		t.Fatal(err)
	}
	r := newRand(7)
	for i := range batch {
		single, err := m.Release(r, d)
		if err != nil {
			t.Fatal(err)
		}
		if !equal(single, batch[i]) || !equal(again[i], batch[i]) {
			t.Fatalf("release %d: %v singly, %v and %v in batches", i, single, batch[i], again[i])
		}
	}
	r = newRand(8)
	if allocs := testing.AllocsPerRun(5, func() { _ = m.ReleaseN(r, d, batch) }); allocs != 0 {
		t.Errorf("%v allocations in a repeated batch", allocs)
	}
}

func equalSlices[E comparable](a, b []E) bool { return slices.Equal(a, b) }

func equalFloats(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func equalValues[E comparable](a, b E) bool { return a == b }
