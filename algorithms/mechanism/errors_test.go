package mechanism

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fails := func(reason, names string, err error) {
		t.Helper()
		if !errors.Is(err, ErrDomain) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: error %v, want one that names %q", reason, err, names)
		}
	}
	for _, v := range []float64{0, -1, nan, inf} {
		_, err := NewLaplace(v)
		fails("laplace", "scale", err)
		_, err = NewGaussian(v)
		fails("gaussian", "sigma", err)
		_, err = NewL2Laplace(v)
		fails("l2 laplace", "scale", err)
		_, err = NewNoisyHistogram(v)
		fails("histogram", "scale", err)
		_, err = NewPrefixSum(v)
		fails("prefix sum", "scale", err)
		_, err = NewDiscreteLaplace(v)
		fails("discrete laplace", "rate", err)
		_, err = NewExponential(v, 1)
		fails("exponential", "epsilon", err)
		_, err = NewExponential(1, v)
		fails("exponential", "sensitivity", err)
		_, err = NewRandomizedResponse(v)
		fails("randomized response", "epsilon", err)
		_, err = NewKaryResponse(3, v)
		fails("k-ary response", "epsilon", err)
		_, err = NewGridLaplace(v, 1)
		fails("grid laplace", "scale", err)
		_, err = NewRNM1(v)
		fails("rnm1", "scale", err)
		_, err = NewRNM2(v)
		fails("rnm2", "scale", err)
		_, err = NewRNM3(v)
		fails("rnm3", "scale", err)
		_, err = NewRNM4(v)
		fails("rnm4", "scale", err)
		_, err = NewSVT1(v, 1, 1, 1)
		fails("svt1", "epsilon", err)
		_, err = NewSVT2(1, v, 1, 1)
		fails("svt2", "sensitivity", err)
		_, err = NewSVT6(v, 1, 1)
		fails("svt6", "epsilon", err)
	}
	_, err := NewSVT3(1, 1, nan, 1)
	fails("no threshold", "threshold", err)
	_, err = NewSVT4(1, 1, 1, 0)
	fails("no positives", "positives", err)
	_, err = NewSVT5(1, 1, inf)
	fails("infinite threshold", "threshold", err)
	_, err = NewGridLaplace(1, 0.3)
	fails("no power of two", "grid", err)
	_, err = NewGridLaplace(1, 0x1p-30)
	fails("too fine", "grid", err)
	_, err = NewTruncatedGeometric(3, 0)
	fails("no counts", "n", err)
	_, err = NewTruncatedGeometric(-1, 1)
	fails("negative bits", "k", err)
	_, err = NewTruncatedGeometric(10, 10)
	fails("overflow", "k, n", err)
	_, err = NewTruncatedGeometric(1<<62, 1)
	fails("overflow", "k, n", err)
	_, err = NewKaryResponse(1, 1)
	fails("one symbol", "k", err)
	_, err = NewRAPPOR(0, 4, 0.5, 0.5, 0.5)
	fails("no bits", "bits", err)
	_, err = NewRAPPOR(8, 0, 0.5, 0.5, 0.5)
	fails("no hashes", "hashes", err)
	_, err = NewRAPPOR(8, 4, 0.5, nan, 0.5)
	fails("no probability", "p", err)

	r := newRand(1)
	_, err = must(NewLaplace(1)).Release(r, nan)
	fails("NaN answer", "x", err)
	_, err = must(NewGaussian(1)).Release(r, inf)
	fails("infinite answer", "x", err)
	_, err = must(NewRNM1(1)).Release(r, nil)
	fails("no answers", "number of answers", err)
	_, err = must(NewSVT1(1, 1, 1, 1)).Release(r, []float64{1, nan})
	fails("NaN answer", "answer[1]", err)
	_, err = must(NewTruncatedGeometric(3, 5)).Release(r, 6)
	fails("count too large", "0..5", err)
	_, err = must(NewRandomizedResponse(1)).Release(r, 2)
	fails("no bit", "0..1", err)
	_, err = must(NewRandomizedResponse(1)).ReleaseLabel(r, 0)
	fails("no label", "-1 or +1", err)
	_, err = must(NewDiscreteLaplace(1)).Release(r, math.MaxInt)
	fails("count too large", "x", err)
	_, err = must(NewGridLaplace(1, 1)).Release(r, 1e12)
	fails("answer too large", "x", err)

	for name, got := range map[string]float64{
		"laplace": must(NewLaplace(1)).LogDensity(nan, 0), "gaussian": must(NewGaussian(1)).LogDensity(inf, 0),
		"histogram": must(NewNoisyHistogram(1)).LogDensity([]float64{1, 2}, []float64{1}),
		"svt1":      must(NewSVT1(1, 1, 1, 1)).LogDensity([]float64{1}, nil),
		"rnm4":      must(NewRNM4(1)).LogDensity(nil, 0),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: log density %v outside the domain", name, got)
		}
	}
}

// TestLabel: a label is kept where the bit is.
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
