package mechanism

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestErrors checks errors that name a location, and outputs of the wrong length, which the table of mechanisms
// does not contain.
func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fails := func(reason, names string, err error) {
		t.Helper()
		if !errors.Is(err, ErrDomain) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: error %v, want one that names %q", reason, err, names)
		}
	}
	r := newRand(1)
	fails("NaN answer", "x", failing(must(NewLaplace(1)).Release(r, nan)))
	fails("infinite answer", "x", failing(must(NewGaussian(1)).Release(r, inf)))
	fails("no answers", "number of answers", failing(must(NewRNM1(1)).Release(r, nil)))
	fails("NaN answer", "answer[1]", failing(must(NewSVT1(1, 1, 1, 1)).Release(r, []float64{1, nan})))
	fails("count too large", "0..5", failing(must(NewTruncatedGeometric(3, 5)).Release(r, 6)))
	fails("no bit", "0..1", failing(must(NewRandomizedResponse(1)).Release(r, 2)))
	fails("no label", "-1 or +1", failing(must(NewRandomizedResponse(1)).ReleaseLabel(r, 0)))

	for name, got := range map[string]float64{
		"histogram": must(NewNoisyHistogram(1)).LogDensity([]float64{1, 2}, []float64{1}),
		"svt1":      must(NewSVT1(1, 1, 1, 1)).LogDensity([]float64{1}, nil),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: log density %v of an output of another length", name, got)
		}
	}
}

// TestLabel checks that ReleaseLabel keeps a label if and only if Release keeps the bit.
func TestLabel(t *testing.T) {
	m := must(NewRandomizedResponse(0.5))
	a, b := newRand(1), newRand(1)
	for i := range 1000 {
		bit := i % 2
		if got, want := must(m.ReleaseLabel(a, 2*bit-1)), 2*must(m.Release(b, bit))-1; got != want {
			t.Fatalf("label %d, bit says %d", got, want)
		}
	}
}
