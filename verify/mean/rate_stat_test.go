package mean

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// rateSeeds judges a check at the seeds 1–3, in the long form 1–20, at alpha 0.01.
func rateSeeds(t *testing.T, c verify.Check) []verify.Evidence {
	t.Helper()
	found := make([]verify.Evidence, testutil.Size(3, 20))
	for i := range found {
		found[i] = verifytest.Judged(t, c, verify.Settings{Budget: verify.Standard, Alpha: 0.01, Seed: empirical.NewSeed(uint64(i + 1))})
	}
	return found
}

// An exponent off by 0.1 is detected with 1600 replicates, and a constant off by 5 % with 8000, at every seed. The true
// claims (with 9600 replicates for the exponent) are consistent. The widths of the intervals make a miss rarer than one
// in 1000 runs. A false alarm has probability at most alpha = 0.01 per run, and far less for betting intervals.
func TestRateFindsPlantedFaults(t *testing.T) {
	law := func(a, off float64, sense verify.Sense, noise func(*rand.Rand) float64) (twin, fault Rate) {
		claim := func(mean func(float64) float64, replicates int64) Rate {
			return noisyRate(mean, noise).with(lawOf(sense, a)).with(func(c *Rate) { c.Range, c.Replicates = within(2, mean), replicates })
		}
		return claim(rateLaw(3, a), 9600), claim(rateLaw(3, a+off), 1600) // to support a law takes more than to refute one
	}
	constant := func(a, factor float64, sense verify.Sense, noise func(*rand.Rand) float64, values func(float64) (float64, float64)) (twin, fault Rate) {
		claim := func(c float64) Rate {
			return noisyRate(rateLaw(c, a), noise).with(func(c *Rate) {
				c.Sense, c.Bound, c.Range, c.Replicates, c.Effect = sense, rateLaw(3, a), values, 8000, 0.06
			})
		}
		return claim(3), claim(3 * factor)
	}
	type pair struct{ twin, fault Rate }
	of := func(twin, fault Rate) pair { return pair{twin, fault} }
	wide := func(float64) (float64, float64) { return 0, 6 }
	cases := []struct {
		reason string
		pair
	}{
		{"n^−1/4 that is n^−0.15", of(law(-0.25, 0.1, verify.AtMost, uniformNoise))},
		{"n^−1/2 that is n^−0.4", of(law(-0.5, 0.1, verify.AtMost, coinNoise))},
		{"∝ n^−1 that is n^−1.1", of(law(-1, -0.1, verify.Equals, coinNoise))},
		{"∝ n^−1 that is n^−0.9", of(law(-1, 0.1, verify.Equals, uniformNoise))},
		{"Ω(n^−1/2) that is n^−0.6", of(law(-0.5, -0.1, verify.AtLeast, coinNoise))},
		{"3 n^−1/2 that is 5 % more", of(constant(-0.5, 1.05, verify.AtMost, uniformNoise, within(2, rateLaw(3.2, -0.5))))},
		{"3 n^−1/4 that is 5 % more, in a wide range", of(constant(-0.25, 1.05, verify.AtMost, coinNoise, wide))},
		{"3 n^−1 that is 5 % more, log-normal and unbounded", of(constant(-1, 1.05, verify.AtMost, logNormalNoise, nonNegative))},
		{"= 3 n^−1/2 that is 5 % less", of(constant(-0.5, 0.95, verify.Equals, coinNoise, within(2, rateLaw(3.2, -0.5))))},
		{"≥ 3 n^−1/2 that is 5 % less", of(constant(-0.5, 0.95, verify.AtLeast, uniformNoise, within(2, rateLaw(3.2, -0.5))))},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			for i, e := range rateSeeds(t, c.fault) {
				if e.Verdict != verify.Refuted {
					t.Errorf("seed %d: the fault is %s, %q", i+1, e.Verdict, e.Power)
				}
			}
			for i, e := range rateSeeds(t, c.twin) {
				if e.Verdict != verify.Consistent {
					t.Errorf("seed %d: the sound twin is %s, %q", i+1, e.Verdict, e.Power)
				}
			}
		})
	}
}

// True claims with equality are refuted at most as often as alpha allows. A rate of alpha/2 passes the test with
// probability 0.999 per row, a rate of 2 alpha is detected with probability 0.99 ([verifytest.WantErrorsAtMost]).
func TestRateCalibration(t *testing.T) {
	root := rateLaw(1, -0.5)
	rare := func(r *rand.Rand) float64 { // 0 but for one value in twenty
		if r.Float64() < 0.05 {
			return 20
		}
		return 0
	}
	few := func(c *Rate) { c.Replicates = 128 }
	cases := []struct {
		reason string
		check  Rate
	}{
		{"the mean is the bound", noisyRate(root, uniformNoise).with(few).with(func(c *Rate) { c.Bound, c.Range = root, within(2, root) })},
		{"rare and large values", noisyRate(root, rare).with(few).with(func(c *Rate) { c.Sense, c.Bound, c.Range = verify.Equals, root, within(20, root) })},
		{"unbounded above", noisyRate(root, logNormalNoise).with(few).with(func(c *Rate) { c.Bound, c.Range = root, nonNegative })},
		{"a law", noisyRate(root, uniformNoise).with(few).with(lawOf(verify.Equals, -0.5)).with(func(c *Rate) { c.Range = within(2, root) })},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			verifytest.WantErrorsAtMost(t, c.check, 0.05, verifytest.Refutations(0.5, 2))
		})
	}
}

// Deviations as large as the effect or the resolution are consistent at most as often as the intervals miss, tested
// with the probabilities of TestRateCalibration. Limits that are not sound never refute them.
func TestRateFalseConsistency(t *testing.T) {
	root := rateLaw(1, -0.5)
	cases := []struct {
		reason string
		check  Rate
	}{
		{"above the bound by the effect, no range", noisyRate(rateLaw(1.05, -0.5), logNormalNoise).with(func(c *Rate) { c.Bound, c.Replicates = root, 2000 })},
		{"worse than the exponent by the resolution", noisyRate(rateLaw(1, -0.4), logNormalNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 2000 })},
		{"better than a two-sided exponent by the resolution", noisyRate(rateLaw(1, -0.6), coinNoise).with(func(c *Rate) { c.Sense, c.Exponent, c.Replicates = verify.Equals, -0.5, 1000 })},
		{"the same in a range", noisyRate(rateLaw(1, -0.6), coinNoise).with(func(c *Rate) {
			c.Sense, c.Exponent, c.Replicates, c.Range = verify.Equals, -0.5, 1000, within(2, rateLaw(1, -0.6))
		})},
		{"a failure once in 10⁴ runs, whose mean does not fall", sometimes(1e-4, 200, 1e4, 0)},
		{"one as large as the range", sometimes(1e-5, 1e4, 1e4, 0)},
		{"one at the last point alone", sometimes(1e-3, 20, 1e4, 64)},
		{"one at the last point alone, as large as the range", sometimes(1e-4, 10, 10, 64)},
		{"the first, claimed as a law", sometimes(1e-4, 200, 1e4, 0).with(lawOf(verify.AtMost, -1))},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			verifytest.WantErrorsAtMost(t, c.check, testutil.Size(0.1, 0.05), verifytest.Confirmations(0.5, 2), verifytest.Refutations(1e-5, 2))
		})
	}
}

// sometimes claims O(1/n) of a mean of 1/n, but for failures from a point on.
func sometimes(probability, value, most, from float64) Rate {
	return Rate{
		Quantity: "error", Variable: "n", Grid: doubling(1, 7), Replicates: 2000, Sense: verify.AtMost, Exponent: -1,
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) {
			if x >= from && r.Float64() < probability {
				return value, nil
			}
			return uniformNoise(r) / x, nil
		},
		Range: func(float64) (lo, hi float64) { return 0, most },
	}
}

// The power of a confirmed claim names the assumption of normal means if Student's limits were used.
func TestRateNamesItsAssumption(t *testing.T) {
	root := rateLaw(1, -0.5)
	slope := noisyRate(root, coinNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 12_800 })
	value := noisyRate(root, coinNoise).with(func(c *Rate) { c.Bound, c.Replicates = rateLaw(1.1, -0.5), 12_800 })
	inRange := func(c *Rate) { c.Range = within(2, root) }
	for _, c := range []struct {
		reason   string
		check    Rate
		modelled bool
	}{
		{"a slope without a range", slope, true},
		{"a slope of values of at least 0", slope.with(func(c *Rate) { c.Range = nonNegative }), true},
		{"a slope in a range", slope.with(inRange), false},
		{"a bound without a range", value, true},
		{"an upper bound of values of at least 0", value.with(func(c *Rate) { c.Range = nonNegative }), true},
		{"a bound in a range", value.with(inRange), false},
		{"a lower bound of values of at least 0", value.with(func(c *Rate) { c.Sense, c.Bound, c.Range = verify.AtLeast, rateLaw(0.9, -0.5), nonNegative }), false},
	} {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != verify.Consistent || strings.Contains(e.Power, "if the means are normal") != c.modelled {
			t.Errorf("%s: %s, %q", c.reason, e.Verdict, e.Power)
		}
	}
}

func BenchmarkRateSample(b *testing.B) {
	root := rateLaw(1, -0.5)
	check := noisyRate(root, uniformNoise).with(func(c *Rate) { c.Bound, c.Range, c.Replicates = root, within(2, root), 32*1024 })
	trial, err := check.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.01})
	if err != nil {
		b.Fatal(err)
	}
	shard := empirical.Shard{Total: trial.Plan().Shards, Samples: trial.Plan().SamplesPerShard}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := trial.Sample(context.Background(), shard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/replicate")
}

func BenchmarkRateJudge(b *testing.B) {
	root := rateLaw(1, -0.5)
	check := noisyRate(root, uniformNoise).with(func(c *Rate) { c.Bound, c.Range = root, within(2, root) })
	trial, err := check.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.01})
	if err != nil {
		b.Fatal(err)
	}
	tally, err := empirical.Run(context.Background(), trial, empirical.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := trial.Judge(tally); err != nil {
			b.Fatal(err)
		}
	}
}
