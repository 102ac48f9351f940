package private_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/dptest"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"

	"example.com/own/private"
)

var (
	people = inputs.Datasets[string]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []string{"Ada", "Bob"}, MaxRecords: 2}
	anyone = inputs.Datasets[string]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []string{"Ada", "Bob"}, MaxRecords: 1}
	ages   = inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 120}, MaxRecords: 3}
	bounds = private.SumOptions{Epsilon: 1, Lower: 0, Upper: 100}
)

func TestCountIsPrivate(t *testing.T) {
	count := dptest.Must(func(_ *rand.Rand, rows []string) (*int64, error) {
		return private.Count(rows, &private.CountOptions{Epsilon: 1})
	})
	dptest.Audit(t, count, privacy.ApproximateDP(1, 0), dptest.Generated(people), dptest.Samples(4_000))
}

func TestSumIsPrivate(t *testing.T) {
	sum := dptest.Must(func(_ *rand.Rand, x []float64) (*private.SumResult, error) { return private.Sum(x, &bounds) })
	dptest.Audit(t, sum, privacy.ApproximateDP(1, 0), dptest.Pair([]float64{120}, []float64{}), dptest.Samples(10_000))
}

func TestHistogramIsPrivate(t *testing.T) {
	histogram := dptest.Must(func(_ *rand.Rand, rows []string) (map[string]int64, error) {
		return private.Histogram(rows, &private.HistogramOptions{Epsilon: 1, Delta: 0.01})
	})
	dptest.Audit(t, histogram, privacy.ApproximateDP(1, 0.01), dptest.Generated(people), dptest.Samples(4_000))
}

func TestSumIsUnbiased(t *testing.T) {
	sum := dptest.Must(func(_ *rand.Rand, x []float64) (*private.SumResult, error) { return private.Sum(x, &bounds) })
	dptest.Unbiased(t, sum, []float64{20, 70}, []float64{90, 100}, dptest.Variance(2*100*100))
}

func TestCountHasDiscreteLaplaceNoise(t *testing.T) {
	many := make([]string, 1000) // the noise does not reach 0
	count := dptest.Must(func(_ *rand.Rand, rows []string) (*int64, error) {
		return private.Count(rows, &private.CountOptions{Epsilon: 0.5})
	})
	dptest.Distribution(t, count, many, distribution.DiscreteLaplace(1000, 2), dptest.Strict())
}

func TestClampedValuesAreBounded(t *testing.T) {
	sum := func(x []float64) (s float64) {
		for _, v := range x {
			s += private.Clamped(v, &bounds)
		}
		return s
	}
	dptest.Sensitivity(t, sum, sensitivity.L1, 100, dptest.Generated(ages))
}

// A release that shows every group reveals the only member of a group. The test runs only with FAULTY=1.
func TestFaultyHistogram(t *testing.T) {
	if os.Getenv("FAULTY") == "" {
		t.Skip("fails on purpose; run with FAULTY=1")
	}
	histogram := dptest.Must(func(_ *rand.Rand, rows []string) (map[string]int64, error) {
		return private.Histogram(rows, &private.HistogramOptions{Epsilon: 1, Delta: 0.01, Unthresholded: true})
	})
	dptest.Audit(t, histogram, privacy.ApproximateDP(1, 0.01), dptest.Generated(anyone), dptest.Samples(4_000))
}
