package erm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// The values with 17 digits come from mpmath 1.x at 25 digits (quadrature of the tail probabilities over panels of
// length 0.5 up to 14; gammaprod). The others are closed forms.
func TestGaussianWidthExact(t *testing.T) {
	sqrtPi := math.Sqrt(math.Pi)
	for _, c := range []struct {
		reason string
		set    erm.Set
		want   float64
	}{
		{"E|g| = √(2/π)", setL1(1, 1).set, math.Sqrt2 / sqrtPi},
		{"E max(|g|, |g'|) = 2/√π", setL1(2, 3).set, 6 / sqrtPi},
		{"ten", setL1(10, 1).set, 1.8807156938211605},
		{"a thousand", setL1(1000, 1).set, 3.4354101908077088},
		{"a million", setL1(1e6, 1).set, 4.9985614184529916},
		{"one point", setSimplex(1, 5).set, 0},
		{"E max(g, g') = 1/√π", setSimplex(2, 1).set, 1 / sqrtPi},
		{"of three: 3/(2√π)", setSimplex(3, 2).set, 3 / sqrtPi},
		{"ten", setSimplex(10, 1).set, 1.5387527308351729},
		{"a thousand", setSimplex(1000, 1).set, 3.2414357691334409},
		{"a million", setSimplex(1e6, 1).set, 4.8628974861964627},
		{"√(2/π)", setL2(1, 1).set, math.Sqrt2 / sqrtPi},
		{"√(π/2)", setL2(2, 2).set, math.Sqrt2 * sqrtPi},
		{"ten", setL2(10, 1).set, 3.0843277597998639},
		{"the last of the Γ function", setL2(99, 1).set, 9.9247805498144487},
		{"the first of the series", setL2(100, 1).set, 9.9750316395510509},
		{"the next of the series", setL2(101, 1).set, 10.025030858398433},
		{"a million", setL2(1e6, 1).set, 999.99975000003125},
		{"three free entries: 2√(2/π)", setFrobenius(2, 1).set, 2 * math.Sqrt2 / sqrtPi},
	} {
		got := c.set.(erm.ExactWidth).GaussianWidth()
		if !scalar.EqualWithinAbsOrRel(got, c.want, 0, 1e-10) {
			t.Errorf("%s, %s: width %v, want %v", c.set.Name(), c.reason, got, c.want)
		}
	}
}

// setEstimated returns the mean of max ⟨g, v⟩ over draws of g ~ N(0, I), computed by the linear oracle.
func setEstimated(set erm.Set, r *rand.Rand, samples int) erm.Width {
	g, v, support := make([]float64, set.Dim()), make([]float64, set.Dim()), make([]float64, samples)
	for k := range support {
		for i := range g {
			g[i] = r.NormFloat64()
		}
		support[k] = setSupport(set, g, v)
	}
	mean, deviation := stat.MeanStdDev(support, nil)
	return erm.Width{Value: mean, StdErr: deviation / math.Sqrt(float64(samples))}
}

// A mean of n draws is off by more than 6 standard errors with probability 2e-9 (normal limit). With n = 2e4 the
// standard error is below 0.8 % of each width here, so the test detects a fault of 5 %.
func TestGaussianWidthEstimate(t *testing.T) {
	const samples = 20000
	for _, c := range []struct {
		reason    string
		estimated erm.Set
		truth     float64
	}{
		{"oracle against quadrature", setL1(20, 2).set, setL1(20, 2).set.(erm.ExactWidth).GaussianWidth()},
		{"oracle against quadrature", setSimplex(20, 2).set, setSimplex(20, 2).set.(erm.ExactWidth).GaussianWidth()},
		{"oracle against Γ", setL2(20, 2).set, setL2(20, 2).set.(erm.ExactWidth).GaussianWidth()},
		{"oracle against Γ", setFrobenius(4, 2).set, setFrobenius(4, 2).set.(erm.ExactWidth).GaussianWidth()},
		{"box: E Σ|g_i| = d√(2/π)", setBox{4}, 4 * math.Sqrt(2/math.Pi)},
	} {
		got := setEstimated(c.estimated, setRand(3), samples)
		if !(math.Abs(got.Value-c.truth) <= 6*got.StdErr) || !(got.StdErr < 0.008*c.truth) {
			t.Errorf("%s, %s: %v, want %v", c.estimated.Name(), c.reason, got, c.truth)
		}
		for _, faulty := range []float64{0.95, 1.05} {
			if math.Abs(got.Value-faulty*c.truth) <= 6*got.StdErr {
				t.Errorf("%s: a width off by the factor %v is not detected", c.estimated.Name(), faulty)
			}
		}
	}
}

// The draws from order statistics are compared with exact values at both ends, and with sorted complete vectors
// between them, within six standard errors as above.
func TestSparseWidth(t *testing.T) {
	const samples = 20000
	sorted := func(dim, sparsity int) erm.Width {
		return setEstimated(setSparse{dim, sparsity}, setRand(5), samples)
	}
	for _, c := range []struct {
		reason        string
		dim, sparsity int
	}{
		{"two of three", 3, 2}, {"few of many", 50, 4}, {"half", 8, 4},
	} {
		got, want := setMust(erm.SparseWidth(c.dim, c.sparsity, setRand(4), samples)), sorted(c.dim, c.sparsity)
		both := math.Hypot(got.StdErr, want.StdErr)
		if !(math.Abs(got.Value-want.Value) <= 6*both) || !(both < 0.01*want.Value) {
			t.Errorf("%s: %v, want %v", c.reason, got, want)
		}
		if wrong := sorted(c.dim, c.sparsity-1); math.Abs(got.Value-wrong.Value) <= 6*both {
			t.Errorf("%s: one entry less is not detected", c.reason)
		}
	}
	for _, c := range []struct {
		reason        string
		dim, sparsity int
		want          float64
	}{
		{"all entries: the l2 ball", 30, 30, setL2(30, 1).set.(erm.ExactWidth).GaussianWidth()},
		{"one entry: the l1 ball", 30, 1, setL1(30, 1).set.(erm.ExactWidth).GaussianWidth()},
	} {
		if got := setMust(erm.SparseWidth(c.dim, c.sparsity, nil, 0)); got != (erm.Width{Value: c.want}) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}
