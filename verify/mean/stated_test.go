package mean

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// laplaceNoise draws Laplace noise with mean 0 and variance 2.
func laplaceNoise(r *rand.Rand) float64 { return math.Copysign(r.ExpFloat64(), r.Float64()-0.5) }

// statedAs claims a mean of one coordinate.
func statedAs(mean float64, samples int64, draw func(*rand.Rand) float64) Stated {
	return Stated{Quantity: "the release", Mean: []float64{mean}, Samples: samples,
		Sample: func(r *rand.Rand, dst []float64) error { dst[0] = draw(r); return nil }}
}

func (c Stated) within(lo, hi float64) Stated {
	c.Ranges = [][2]float64{{lo, hi}}
	return c
}

func (c Stated) ofVariance(v float64) Stated {
	c.Variances = []float64{v}
	return c
}

func coin(p float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.Float64() < p {
			return 1
		}
		return 0
	}
}

// wide draws Laplace noise with mean 0 and variance 200.
func wide(r *rand.Rand) float64 { return 10 * laplaceNoise(r) }

// narrow draws one of eight adjacent doubles uniformly. Its mean is between two of them.
func narrow(r *rand.Rand) float64 { return 1e9 + 0x1p-23*float64(r.IntN(8)) }

// Ranges and variance bounds give the expected verdicts. Each row fails with probability below 1e-6.
func TestStatedVerdicts(t *testing.T) {
	both := statedAs(0, 64_000, nil)
	both.Mean, both.Variances = []float64{0, 0.5}, []float64{2, 1}
	both.Ranges = [][2]float64{{math.Inf(-1), math.Inf(1)}, {0, 1}}
	both.Sample = func(r *rand.Rand, dst []float64) error {
		dst[0], dst[1] = laplaceNoise(r), coin(0.5)(r)
		return nil
	}
	second := both
	second.Mean = []float64{0, 0.45}
	few := statedAs(0, 640, laplaceNoise).ofVariance(2)
	verifytest.Rows{
		{Reason: "a mean of zero, by the variance", Check: statedAs(0, 64_000, laplaceNoise).ofVariance(2), Want: verify.Consistent, Says: []string{"the nearest to breaking, the release, measures"}},
		{Reason: "a mean by the range", Check: statedAs(0.3, 64_000, coin(0.3)).within(0, 1), Want: verify.Consistent, Says: []string{"measures 0.3"}},
		{Reason: "another one", Check: statedAs(0.2, 64_000, coin(0.3)).within(0, 1), Want: verify.Refuted, Says: []string{"the only coordinate"}},
		{Reason: "off by a fifth of a deviation", Check: statedAs(0.3, 64_000, laplaceNoise).ofVariance(2), Want: verify.Refuted, Says: []string{"the only coordinate"}},
		{Reason: "far off, beyond the grid of means", Check: statedAs(1000, 64_000, laplaceNoise).ofVariance(2), Want: verify.Refuted, Says: []string{"the only coordinate"}},
		{Reason: "a bound on the variance that is a hundredth of it", Check: statedAs(0.3, 64_000, wide).ofVariance(2), Want: verify.Inconclusive, Says: []string{"a larger bound on the variance at the release"}},
		{Reason: "the same, of a true mean", Check: statedAs(0, 64_000, wide).ofVariance(2), Want: verify.Inconclusive, Says: []string{"a larger bound on the variance"}},
		{Reason: "the same, with the right bound", Check: statedAs(0, 64_000, wide).ofVariance(200), Want: verify.Consistent, Says: []string{"measures"}},
		{Reason: "farther off than the grid of means", Check: statedAs(1e12, 64_000, laplaceNoise).ofVariance(2), Want: verify.Refuted, Says: []string{"the only coordinate"}},
		{Reason: "a range of a few digits, off by less than one", Check: statedAs(1e9+0x1p-21, 64_000, narrow).within(1e9, 1e9+0x1p-20), Want: verify.Inconclusive, Says: []string{"to detect a deviation of the mean"}},
		{Reason: "nothing known", Check: statedAs(0, 64_000, laplaceNoise), Want: verify.Inconclusive, Says: []string{"a range of the values, or a bound on their variance"}},
		{Reason: "nothing known, and far off", Check: statedAs(9, 64_000, laplaceNoise), Want: verify.Inconclusive, Says: []string{"a range of the values"}},
		{Reason: "too few", Check: few, Want: verify.Inconclusive, Says: []string{"to detect a deviation of the mean by 0.1"}},
		{Reason: "two coordinates, of which each has its own", Check: both, Want: verify.Consistent, Says: []string{"2 coordinates"}},
		{Reason: "the second is off", Check: second, Want: verify.Refuted, Says: []string{"coordinate 1 of the release"}},
	}.Hold(t)
}

// A mean that is as stated is refuted at most as often as alpha allows, and one that is off by the
// effect is confirmed at most that often: also where all of it comes from rare, large values.
// A drift along the run is an error: the outputs have no one mean.
func TestStatedDrift(t *testing.T) {
	calls := 0.0
	check := statedAs(0, 20_000, func(r *rand.Rand) float64 { calls++; return laplaceNoise(r) + calls/20_000 }).ofVariance(3)
	_, err := verify.Judge(t.Context(), check, verify.Settings{Budget: verify.Standard, Alpha: 1e-3}, empirical.NewPool(1), nil)
	if err == nil || !strings.Contains(err.Error(), "outputs are not independent: ") {
		t.Error(err)
	}
}

func TestStatedCalibration(t *testing.T) {
	rare := func(r *rand.Rand) float64 { return 20 * coin(0.05)(r) } // variance 19
	coarse := func(c Stated, effect float64) Stated {
		c.Effect = effect
		return c
	}
	for _, c := range []struct {
		reason string
		check  Stated
		error  verifytest.Error
	}{
		{"by the range", statedAs(0.5, 640, coin(0.5)).within(0, 1), verifytest.Refutations(1, 3)},
		{"by the variance", statedAs(0, 640, laplaceNoise).ofVariance(2), verifytest.Refutations(1, 3)},
		{"rare and large", statedAs(1, 640, rare).ofVariance(19), verifytest.Refutations(1, 3)},
		{"off by the effect, by the range", coarse(statedAs(0.3, 640, coin(0.5)).within(0, 1), 0.4), verifytest.Confirmations(1, 3)},
		{"off by the effect, by the variance", coarse(statedAs(-0.4, 640, laplaceNoise).ofVariance(2), 0.4/math.Sqrt2), verifytest.Confirmations(1, 3)},
	} {
		t.Run(c.reason, func(t *testing.T) { verifytest.WantErrorsAtMost(t, c.check, 0.05, c.error) })
	}
}

// The limits enclose exactly the means that are not rejected.
func TestCatoniLimits(t *testing.T) {
	const n, v, alpha = 1000, 4.0, 0.01
	r := empirical.NewSeed(1).Derive("catoni").Rand()
	whole, part := newCatoniTally(7, v, n, alpha), newCatoniTally(7, v, n, alpha)
	for i := range n {
		x := 7.3 + 2*r.NormFloat64()
		if i < n/2 {
			whole.Add(x)
		} else {
			part.Add(x)
		}
	}
	text, err := part.MarshalJSON()
	read := newCatoniTally(7, v, n, alpha)
	if err != nil || read.UnmarshalJSON(text) != nil || whole.Merge(read) != nil {
		t.Fatal(err)
	}
	lower, upper := whole.Limits()
	half := math.Sqrt(2 * v * math.Log(2/alpha) / n)
	if !(lower < 7.3 && 7.3 < upper && upper-lower < 2*half*(1+2.5/catoniSteps)) || math.Abs(whole.Mean()-7.3) > half {
		t.Errorf("[%v, %v] around %v, half-width %v", lower, upper, whole.Mean(), half)
	}
	if err := whole.Merge(empirical.NoTally{}); err == nil {
		t.Error("merged with nothing")
	}
	if err := read.UnmarshalJSON([]byte(`{"n": 3, "sums": [1]}`)); err == nil {
		t.Error("read a grid of one point")
	}
	huge := newCatoniTally(0, v, n, alpha)
	huge.Add(math.MaxFloat64)
	if _, err := huge.MarshalJSON(); err != nil {
		t.Error(err)
	}
}

func TestStatedNeededSizeDecides(t *testing.T) {
	verifytest.OpenRows{
		{Reason: "by the variance", Size: 3200, Check: func(n int64) verify.Check { return statedAs(0, n, laplaceNoise).ofVariance(2) }},
		{Reason: "by the range", Size: 3200, Check: func(n int64) verify.Check { return statedAs(0.5, n, coin(0.5)).within(0, 1) }},
	}.Decided(t)
}

func TestStatedRefuses(t *testing.T) {
	many := func(*rand.Rand, [][]float64) error { return nil }
	nan := math.NaN()
	with := func(f func(*Stated)) Stated {
		c := statedAs(0, 100, laplaceNoise)
		f(&c)
		return c
	}
	for _, c := range []struct {
		check Stated
		want  string
	}{
		{with(func(c *Stated) { c.Sample = nil }), "nothing to sample"},
		{with(func(c *Stated) { c.SampleN = many }), "exclude each other"},
		{with(func(c *Stated) { c.Mean = nil }), "0 coordinates"},
		{with(func(c *Stated) { c.Mean[0] = nan }), "NaN"},
		{with(func(c *Stated) { c.Samples = 0 }), "0 samples"},
		{with(func(c *Stated) { c.Effect = nan }), "effect NaN"},
		{statedAs(0, 100, laplaceNoise).within(1, 1), "range of coordinate 0 is [1, 1]"},
		{statedAs(0, 100, laplaceNoise).ofVariance(0), "variance of coordinate 0 is 0"},
		{with(func(c *Stated) { c.Ranges = make([][2]float64, 2) }), "2 ranges for 1 coordinates"},
		{with(func(c *Stated) { c.Variances = []float64{1, 1} }), "2 variances for 1 coordinates"},
		{statedAs(0, 1000, laplaceNoise).within(-1e-3, 1), "outside its range"},
		{statedAs(0, 100, func(*rand.Rand) float64 { return nan }), "coordinate 0 of a value is NaN"},
		{with(func(c *Stated) {
			c.Sample = func(*rand.Rand, []float64) error { return errors.New("no budget left") }
		}), "no budget left"},
	} {
		if err := verifytest.FailureOf(t, c.check); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
