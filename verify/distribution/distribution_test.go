package distribution

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// of returns a check of the outputs of draw.
func of(l Distribution, samples int64, draw func(*rand.Rand) any) Check {
	return Check{Quantity: "the noise", Distribution: l, Samples: samples,
		Sample: func(r *rand.Rand) (any, error) { return draw(r), nil }}
}

func laplace(r *rand.Rand, scale float64) float64 {
	return math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5)
}

// geometric draws the difference of two geometric numbers, which has the discrete Laplace distribution of scale s.
func geometric(r *rand.Rand, s float64) float64 {
	return math.Floor(r.ExpFloat64()*s) - math.Floor(r.ExpFloat64()*s)
}

func binomial(r *rand.Rand, n int, p float64) (k float64) {
	for range n {
		if r.Float64() < p {
			k++
		}
	}
	return k
}

// poisson counts the arrivals of a unit-rate process in the time mean.
func poisson(r *rand.Rand, mean float64) (k float64) {
	for t := r.ExpFloat64(); t < mean; t += r.ExpFloat64() {
		k++
	}
	return k
}

// stated lists distributions with samplers.
var stated = []struct {
	reason string
	law    Distribution
	draw   func(*rand.Rand) any
}{
	{"on the real line", Laplace(3, 2), func(r *rand.Rand) any { return 3 + laplace(r, 2) }},
	{"light tails", Normal(-1, 0.5), func(r *rand.Rand) any { return -1 + r.NormFloat64()/2 }},
	{"a half-line", Exponential(4), func(r *rand.Rand) any { return 4 * r.ExpFloat64() }},
	{"an interval", Uniform(-1, 3), func(r *rand.Rand) any { return -1 + 4*r.Float64() }},
	{"not symmetric", Gumbel(2, 3), func(r *rand.Rand) any { return 2 - 3*math.Log(r.ExpFloat64()) }},
	{"a given distribution function", Continuous("a square", math.Sqrt,
		func(x float64) float64 { return 1 - math.Sqrt(x) }, 0, 1),
		func(r *rand.Rand) any { u := r.Float64(); return u * u }},
	{"a few integers", DiscreteLaplace(5, 1), func(r *rand.Rand) any { return 5 + geometric(r, 1) }},
	{"many integers, several in a cell", DiscreteLaplace(0, 5000), func(r *rand.Rand) any { return geometric(r, 5000) }},
	{"integers from 0 up", Geometric(0.2),
		func(r *rand.Rand) any { return math.Floor(r.ExpFloat64() / -math.Log1p(-0.2)) }},
	{"integers in a range", Binomial(20, 0.3), func(r *rand.Rand) any { return binomial(r, 20, 0.3) }},
	{"one value at an end", Binomial(20, 1), func(*rand.Rand) any { return 20. }},
	{"a coin", Bernoulli(0.3), func(r *rand.Rand) any { return r.Float64() < 0.3 }},
	{"a coin of probability 1", Bernoulli(1), func(*rand.Rand) any { return true }},
	{"given values", Values(map[float64]float64{-1.5: 0.25, 0: 0.25, 7: 0.5}),
		func(r *rand.Rand) any { return []float64{-1.5, 0, 7, 7}[r.IntN(4)] }},
	{"strings", Categories(map[string]float64{"a": 0.5, "b": 0.25, "c": 0.25, "never": 0}),
		func(r *rand.Rand) any { return []string{"a", "a", "b", "c"}[r.IntN(4)] }},
	{"values rounded by sums and single precision", Values(map[float64]float64{0: 0.25, 0.1: 0.25, 0.3: 0.5}),
		func(r *rand.Rand) any {
			tenth, fifth := 0.1, 0.2
			return []float64{tenth + fifth - 0.3, float64(float32(0.1)), tenth + fifth, float64(float32(0.3))}[r.IntN(4)]
		}},
	{"values far apart", Values(map[float64]float64{-1e300: 0.5, 1e20: 0.5}),
		func(r *rand.Rand) any { return []float64{-1e300, 1e20}[r.IntN(2)] }},
	{"single precision, at an end", Uniform(0, 0.1),
		func(r *rand.Rand) any { return float64(float32(0.1 - 1e-9*math.Floor(1e8*r.Float64()))) }},
	{"near the largest number", Laplace(1e308, 1e300), func(r *rand.Rand) any { return 1e308 + laplace(r, 1e300) }},
	{"a narrow distribution", Laplace(0, 1e-300), func(r *rand.Rand) any { return laplace(r, 1e-300) }},
	{"the largest integers that doubles represent", DiscreteLaplace(1<<53-100, 2),
		func(r *rand.Rand) any { return 1<<53 - 100 + int64(geometric(r, 2)) }},
	{"the smallest integers that doubles represent", DiscreteLaplace(100-1<<53, 2),
		func(r *rand.Rand) any { return 100 - 1<<53 + int64(geometric(r, 2)) }},
	{"many trials", Binomial(1e9, 0.5),
		func(r *rand.Rand) any { return int64(math.Round(5e8 + math.Sqrt(2.5e8)*r.NormFloat64())) }},
	{"many trials, few successes", Binomial(1e9, 2e-8), func(r *rand.Rand) any { return poisson(r, 20) }},
	{"rounded to a fine grid, as outputs are", Laplace(0, 2), func(r *rand.Rand) any {
		return math.Round(laplace(r,
			2)*1024) / 1024
	}},
	{"moments", Moments(0.5, 0.25, 0, 1), func(r *rand.Rand) any { return float64(r.IntN(2)) }},
}

// Each distribution agrees with its sampler at 1e5 samples; a Kolmogorov distance of 0.02 would have been detected.
func TestLaws(t *testing.T) {
	for _, c := range stated {
		check := of(c.law, 100_000, c.draw)
		if e := judged(t, check, 1e-9); e.Verdict != verify.Consistent {
			t.Errorf("%s: %s is %s: %s", c.reason, c.law, e.Verdict, e.Attempt+e.Counterexample.Label+e.Needed)
		}
	}
}

func judged(t *testing.T, c Check, alpha float64) verify.Evidence {
	t.Helper()
	found, _ := verifytest.RepeatAs(t, c, 1, verify.Settings{Budget: verify.Standard, Alpha: alpha})
	return found[0]
}

// discreteGaussian samples by inverting its distribution function.
func discreteGaussian(sigma float64) func(*rand.Rand) any {
	l := DiscreteGaussian(0, sigma)
	return func(r *rand.Rand) any {
		u, k := r.Float64(), math.Floor(-10*sigma)
		for l.cdf(k) < u {
			k++
		}
		return k
	}
}

// The distribution functions on integers are the sums of the probabilities.
func TestDistributionFunctions(t *testing.T) {
	weights := func(f func(k float64) float64, low, high float64) map[float64]float64 {
		total, p := 0.0, map[float64]float64{}
		for k := low; k <= high; k++ {
			p[k] = f(k)
			total += p[k]
		}
		for k := range p {
			p[k] /= total
		}
		return p
	}
	choose := func(n, k float64) float64 {
		a, _ := math.Lgamma(n + 1)
		b, _ := math.Lgamma(k + 1)
		c, _ := math.Lgamma(n - k + 1)
		return math.Exp(a - b - c)
	}
	for _, c := range []struct {
		law  Distribution
		want map[float64]float64
	}{
		{DiscreteLaplace(3, 2), weights(func(k float64) float64 { return math.Exp(-math.Abs(k-3) / 2) }, -120, 126)},
		{DiscreteGaussian(-4, 1.5), weights(func(k float64) float64 { return math.Exp(-(k + 4) * (k + 4) / 4.5) }, -40,
			40)},
		{Geometric(0.25), weights(func(k float64) float64 { return math.Pow(0.75, k) }, 0, 200)},
		{Binomial(9, 0.4), weights(func(k float64) float64 { return choose(9, k) * math.Pow(0.4, k) * math.Pow(0.6, 9-k) },
			0, 9)},
	} {
		below := 0.0
		for k := -120.0; k <= 60; k++ {
			below += c.want[k]
			if got := c.law.cdf(k + 0.5); math.Abs(got-below) > 1e-12 {
				t.Errorf("%s: P(X ≤ %v) is %v, want %v", c.law, k, got, below)
			}
			if got := c.law.survival(k); math.Abs(got-(1-below)) > 1e-12 {
				t.Errorf("%s: P(X > %v) is %v, want %v", c.law, k, got, 1-below)
			}
		}
	}
	check := of(DiscreteGaussian(0, 2.5), 20_000, discreteGaussian(2.5))
	if e := judged(t, check, 1e-6); e.Verdict == verify.Refuted {
		t.Error(e.Counterexample)
	}
}

// The cells of every distribution are a partition.
func TestCellsSumToOne(t *testing.T) {
	for _, c := range stated {
		if c.law.moments != nil {
			continue
		}
		cells := newCells(c.law, 100_000)
		sum := 0.0
		for _, p := range cells.probabilities {
			sum += p
		}
		if math.Abs(sum-1) > 1e-12 || len(cells.probabilities) > 4200 {
			t.Errorf("%s: %d cells of total probability %v", c.law, len(cells.probabilities), sum)
		}
	}
}

// Known faults of noise are refuted at each of twenty seeds.
func TestFaultsOfLaws(t *testing.T) {
	for _, c := range []struct {
		reason string
		law    Distribution
		says   string
		draw   func(*rand.Rand) any
	}{
		{"a scale 10 % too large", Laplace(0, 2), "", func(r *rand.Rand) any { return laplace(r, 2.2) }},
		{"a shift", Laplace(0, 2), "Kolmogorov", func(r *rand.Rand) any { return 0.1 + laplace(r, 2) }},
		{"rate and scale confused", Laplace(0, 2), "Kolmogorov", func(r *rand.Rand) any { return laplace(r, 0.5) }},
		{"normal instead of Laplace, equal variance", Laplace(0, 1), "Kolmogorov",
			func(r *rand.Rand) any { return math.Sqrt2 * r.NormFloat64() }},
		{"positive noise only", Laplace(0, 2), "Kolmogorov", func(r *rand.Rand) any { return math.Abs(laplace(r, 2)) }},
		{"clipped at the outermost 1/200", Laplace(0, 1), "probability", func(r *rand.Rand) any {
			return math.Max(-4.6, math.Min(4.6, laplace(r, 1)))
		}},
		{"heavy tails in 1 of 1000 samples", Normal(0, 1), "probability", func(r *rand.Rand) any {
			if r.Float64() < 1e-3 {
				return 100 * r.NormFloat64()
			}
			return r.NormFloat64()
		}},
		{"below the support", Exponential(1), "does not have", func(r *rand.Rand) any { return r.ExpFloat64() - 1e-3 }},
		{"NaN occasionally", Normal(0, 1), "does not have", func(r *rand.Rand) any {
			if r.Float64() < 1e-3 {
				return math.NaN()
			}
			return r.NormFloat64()
		}},
		{"infinity occasionally", Laplace(0, 1), "does not have", func(r *rand.Rand) any {
			if r.Float64() < 1e-3 {
				return math.Inf(1)
			}
			return laplace(r, 1)
		}},
		{"rounded to whole numbers", Laplace(0, 2), "Kolmogorov", func(r *rand.Rand) any {
			return math.Round(laplace(r,
				2))
		}},
		{"continuous instead of discrete", DiscreteLaplace(0, 2), "does not have",
			func(r *rand.Rand) any { return laplace(r, 2) }},
		{"rounded instead of discrete", DiscreteLaplace(0, 2), "", func(r *rand.Rand) any {
			return math.Round(laplace(r,
				2))
		}},
		{"zero too often", DiscreteLaplace(0, 2), "", func(r *rand.Rand) any {
			if r.IntN(4) == 0 {
				return 0.
			}
			return geometric(r, 2)
		}},
		{"truncated above", Binomial(20, 0.3), "", func(r *rand.Rand) any { return math.Min(11, binomial(r, 20, 0.3)) }},
		{"randomized response with too little noise", Bernoulli(0.3), "",
			func(r *rand.Rand) any { return r.Float64() < 0.27 }},
		{"beyond an end by more than rounding", Uniform(0, 0.1), "does not have",
			func(r *rand.Rand) any { return 0.101 * r.Float64() }},
		{"a shift of one near 2⁵³", DiscreteLaplace(1<<53-100, 2), "Kolmogorov",
			func(r *rand.Rand) any { return 1<<53 - 101 + int64(geometric(r, 2)) }},
		{"a value outside the support", Values(map[float64]float64{0: 0.5, 1: 0.5}), "does not have",
			func(r *rand.Rand) any { return float64(r.IntN(2)) * 1.0000000001 }},
		{"a string too often", Categories(map[string]float64{"a": 0.5, "b": 0.5}), "probability", func(r *rand.Rand) any {
			return []string{"a", "b"}[min(1, int(1.9*r.Float64()))]
		}},
		{"a string outside the support", Categories(map[string]float64{"a": 0.5, "b": 0.5}), "does not have",
			func(r *rand.Rand) any {
				return []string{"a", "B"}[r.IntN(2)]
			}},
		{"a string of probability 0", Categories(map[string]float64{"a": 1, "b": 0}), "", func(r *rand.Rand) any {
			return []string{"a", "b"}[r.IntN(2)]
		}},
		{"another mean", Moments(0.5, 0.25, 0, 1), "", func(r *rand.Rand) any { return float64(min(1, r.IntN(3))) }},
		{"another variance", Moments(0.5, 0.25, 0, 1), "", func(r *rand.Rand) any { return r.Float64() }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			found, _ := verifytest.RepeatAs(t, of(c.law, 20_000, c.draw), 20, verify.Settings{Budget: verify.Standard,
				Alpha: 1e-6})
			if n := verifytest.CountVerdict(found, verify.Refuted); n < len(found) {
				t.Fatalf("refuted in %d of %d runs: %s", n, len(found), found[0].Attempt+found[0].Needed)
			}
			if e := found[0]; !strings.Contains(e.Quantity+e.WorstCase+e.Counterexample.Label, c.says) {
				t.Errorf("no %q in %s, %s", c.says, e.Quantity, e.WorstCase)
			}
		})
	}
}

// True distributions are refuted at most as often as alpha allows; the exact tests of few values use most of alpha. A
// distribution at distance Effect is confirmed at most once in a hundred runs.
func TestCalibration(t *testing.T) {
	for _, c := range []struct {
		reason string
		check  Check
		error  verifytest.Error
	}{
		{"a continuous law", of(Laplace(0, 1), 640, func(r *rand.Rand) any { return laplace(r, 1) }),
			verifytest.Refutations(0.8, 2)},
		{"a discrete law", of(DiscreteLaplace(0, 1), 640, func(r *rand.Rand) any { return geometric(r, 1) }),
			verifytest.Refutations(0.8, 2)},
		{"a coin", of(Bernoulli(0.3), 640, func(r *rand.Rand) any { return r.Float64() < 0.3 }), verifytest.Refutations(1,
			3)},
		{"strings", of(Categories(map[string]float64{"a": 0.6, "b": 0.4}), 640, func(r *rand.Rand) any {
			return []string{"a", "b"}[min(1, int(r.Float64()/0.6))]
		}), verifytest.Refutations(1, 3)},
		{"off by the effect", sees(0.2, of(Uniform(0, 1), 640, func(r *rand.Rand) any {
			if r.Float64() < 0.4 { // 0.2 more in the lower half
				return r.Float64() / 2
			}
			return r.Float64()
		})), verifytest.Confirmations(0.1, 0.4)},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			verifytest.WantErrorsAtMost(t, c.check, 0.05, c.error)
		})
	}
}

func sees(effect float64, c Check) Check {
	c.Effect = effect
	return c
}

func TestNeededSizeOfALawDecides(t *testing.T) {
	verifytest.OpenRows{
		{Reason: "a law", Size: 1000, Check: func(n int64) verify.Check {
			return of(Normal(0, 1), n, func(r *rand.Rand) any { return r.NormFloat64() })
		}},
		{Reason: "strings", Size: 1000, Check: func(n int64) verify.Check {
			return of(Categories(map[string]float64{"a": 1}), n, func(*rand.Rand) any { return "a" })
		}},
	}.Decided(t)
}

func TestRefusedLaws(t *testing.T) {
	number := func(*rand.Rand) any { return 1. }
	none, nan := map[string]float64{}, math.NaN()
	for _, c := range []struct {
		check Check
		want  string
	}{
		{of(Distribution{}, 100, number), "no law"},
		{of(Laplace(0, nan), 100, number), "Laplace: scale NaN"},
		{of(Laplace(math.Inf(1), 1), 100, number), "location +Inf"},
		{of(Normal(0, -1), 100, number), "scale -1"},
		{of(Uniform(1, 1), 100, number), "[1, 1]"},
		{of(Geometric(0), 100, number), "p = 0"},
		{of(Bernoulli(1.2), 100, number), "p = 1.2"},
		{of(Binomial(2.5, 0.5), 100, number), "n = 2.5"},
		{of(DiscreteLaplace(0.5, 1), 100, number), "location 0.5"},
		{of(DiscreteGaussian(0, 0), 100, number), "σ = 0"},
		{of(Values(map[float64]float64{1: 0.5}), 100, number), "sum to 0.5"},
		{of(Categories(none), 100, number), "sum to 0"},
		{of(Moments(0, 1, 0, math.Inf(1)), 100, number), "finite ends"},
		{of(Continuous("", nil, nil, 0, 1), 100, number), "without a name"},
		{of(Continuous("f", nil, nil, 0, 1), 100, number), "complement"},
		{of(Continuous("f", math.Sqrt, math.Sqrt, 0, 9), 100, number), "want probabilities that sum to 1"},
		{of(Continuous("f", math.Log, math.Log, -9, 9), 100, func(*rand.Rand) any { return -1. }),
			"want probabilities that sum to 1"},
		{of(Normal(0, 1), 0, number), "0 samples"},
		{sees(2, of(Normal(0, 1), 100, number)), "effect 2"},
		{Check{Distribution: Normal(0, 1), Samples: 100}, "nothing to sample"},
		{inBatches(of(Normal(0, 1), 100, number), true), "exclude each other"},
		{of(Normal(0, 1), 100, func(*rand.Rand) any { return "a" }), "distribution of single numbers"},
		{of(Categories(map[string]float64{"a": 1}), 100, number), "distribution of strings"},
		{of(Moments(0, 1, -1, 1), 100, func(*rand.Rand) any { return []any{1.} }), "single numbers"},
	} {
		if err := verifytest.FailureOf(t, c.check); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.check.Distribution, err, c.want)
		}
	}
	failing := Check{Distribution: Normal(0, 1), Samples: 100, Sample: func(*rand.Rand) (any, error) {
		return nil,
			errors.New("no budget left")
	}}
	if err := verifytest.FailureOf(t, failing); err == nil || !strings.Contains(err.Error(), "no budget left") {
		t.Error(err)
	}
}

// inBatches returns the check with SampleN, and with Sample too if both is set.
func inBatches(c Check, both bool) Check {
	one := c.Sample
	c.SampleN = func(r *rand.Rand, out []any) (err error) {
		for i := 0; i < len(out) && err == nil; i++ {
			out[i], err = one(r)
		}
		return err
	}
	if !both {
		c.Sample = nil
	}
	return c
}

// Sample and SampleN give the same evidence.
func TestBatches(t *testing.T) {
	number := func(r *rand.Rand) any { return laplace(r, 1) }
	for _, c := range []Check{of(Laplace(0, 1), 20_001, number), of(Laplace(0, 1.5), 20_001, number), of(Moments(0, 2,
		-99, 99), 20_001, number)} {
		one, many := judged(t, c, 1e-6), judged(t, inBatches(c, false), 1e-6)
		if one.Verdict != many.Verdict || one.Measured != many.Measured || one.Lower != many.Lower || one.Method != many.Method {
			t.Errorf("%s: Sample gives %s %v, SampleN %s %v", c.Distribution, one.Verdict, one.Measured, many.Verdict,
				many.Measured)
		}
	}
	if err := verifytest.FailureOf(t, inBatches(of(Laplace(0, 1), 1000, func(*rand.Rand) any { return "a" }),
		false)); err == nil {
		t.Error("a string was accepted as a number")
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		parameters := map[string]float64{}
		for _, n := range named {
			if n.name == name {
				for _, p := range n.parameters {
					parameters[p.name] = map[string]float64{"p": 0.5, "upper": 1, "n": 3, "scale": 2, "sigma": 2}[p.name]
				}
			}
		}
		if _, err := Named(name, parameters); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		name       string
		parameters map[string]float64
		want       string
	}{
		{"laplacian", nil, "want one of [laplace normal"},
		{"laplace", nil, `no "scale"`},
		{"laplace", map[string]float64{"scale": 1, "rate": 1}, `no parameter is named "rate"`},
		{"laplace", map[string]float64{"scale": math.NaN()}, "scale NaN"},
	} {
		if _, err := Named(c.name, c.parameters); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.name, c.parameters, err, c.want)
		}
	}
	if l, err := Named("laplace", map[string]float64{"scale": 2}); err != nil || fmt.Sprint(l) != "Laplace(0, 2)" {
		t.Error(l, err)
	}
}
