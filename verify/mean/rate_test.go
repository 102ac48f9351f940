package mean

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// doubling returns the n points first, 2·first, 4·first, ….
func doubling(first float64, n int) []float64 {
	grid := make([]float64, n)
	for i := range grid {
		grid[i] = first * math.Pow(2, float64(i))
	}
	return grid
}

// rateLaw returns x ↦ c·x^a.
func rateLaw(c, a float64) func(float64) float64 {
	return func(x float64) float64 { return c * math.Pow(x, a) }
}

// Noises of mean 1: the first two of them bounded by 2.
func uniformNoise(r *rand.Rand) float64 { return 2 * r.Float64() }
func coinNoise(r *rand.Rand) float64    { return 0.5 + float64(r.Uint64()&1) }
func logNormalNoise(r *rand.Rand) float64 {
	return math.Exp(0.5*r.NormFloat64() - 0.125)
}

// noisyRate returns a rate check with 400 replicates around a mean.
func noisyRate(mean func(float64) float64, noise func(*rand.Rand) float64) Rate {
	return Rate{
		Quantity: "error", Variable: "n", Grid: doubling(1000, 7), Replicates: 400, Sense: verify.AtMost,
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) { return mean(x) * noise(r), nil },
	}
}

// exactRate returns a check of the rate n^−1/2 for a computed mean.
func exactRate(mean func(float64) float64) Rate {
	c := noisyRate(mean, func(*rand.Rand) float64 { return 1 })
	c.Exact, c.Exponent = true, -0.5
	return c
}

// with changes a check.
func (c Rate) with(change func(*Rate)) Rate {
	change(&c)
	return c
}

func lawOf(sense verify.Sense, exponent float64) func(*Rate) {
	return func(c *Rate) { c.PowerLaw, c.Sense, c.Exponent = true, sense, exponent }
}

// within gives values the range [0, width·typical(x)].
func within(width float64, typical func(float64) float64) func(float64) (float64, float64) {
	return func(x float64) (float64, float64) { return 0, width * typical(x) }
}

func nonNegative(float64) (float64, float64) { return 0, math.Inf(1) }

// bump returns n ↦ n^−1/2, 10 % larger at one point.
func bump(x float64) float64 {
	if x == 16_000 {
		return 1.1 * rateLaw(1, -0.5)(x)
	}
	return rateLaw(1, -0.5)(x)
}

func manyAtLeastZero(c *Rate) { c.Replicates, c.Range = 40_000, nonNegative }

// gives returns a run without noise.
func gives(v float64) func(*Rate) {
	return func(c *Rate) {
		c.Run = func(context.Context, *rand.Rand, float64) (float64, error) { return v, nil }
	}
}

// A single point that violates a bound is found and reported.
func TestRateNamesTheWorstPoint(t *testing.T) {
	bump := func(x float64) float64 {
		if x == 4000 {
			return 1.2 / math.Sqrt(x)
		}
		return 0.9 / math.Sqrt(x)
	}
	check := noisyRate(bump, coinNoise).with(func(c *Rate) { c.Bound, c.Range, c.Replicates = rateLaw(1, -0.5), nonNegative, 3200 })
	e := verifytest.EvidenceOf(t, check)
	if e.Verdict != verify.Refuted || e.WorstCase != "n=4000" || !(e.Lower.X > e.Claimed.X) || math.Abs(e.Ratio.X-1.2) > 0.05 || len(e.Cells) != 7 || e.Samples != 7*3200 {
		t.Errorf("%+v", e)
	}
}

// A bare O(n^−1/2) is consistent or inconclusive on a finite grid, with the reason.
func TestRateBareExponent(t *testing.T) {
	root := rateLaw(1, -0.5)
	plus := func(c, a float64) func(float64) float64 {
		return func(x float64) float64 { return root(x) + rateLaw(c, a)(x) }
	}
	cases := []struct {
		reason string
		check  Rate
		want   verify.Verdict
		words  string // of the power
	}{
		{"the law itself", exactRate(root), verify.Consistent, ""},
		{"better than claimed", exactRate(rateLaw(1, -0.8)), verify.Consistent, ""},
		{"better than a two-sided claim", exactRate(rateLaw(1, -0.8)).with(func(c *Rate) { c.Sense = verify.Equals }), verify.Inconclusive, "contradicts the claimed -0.5"},
		{"off by 0.2: no finite grid refutes it", exactRate(rateLaw(1, -0.3)), verify.Inconclusive, "no finite grid refutes"},
		{"off by 0.2 in a claim from below", exactRate(rateLaw(1, -0.7)).with(func(c *Rate) { c.Sense = verify.AtLeast }), verify.Inconclusive, "no finite grid refutes"},
		{"a term in 1/n, gone at the end", exactRate(plus(3, -1)), verify.Consistent, ""},
		{"a term in 1/n that rules the grid", exactRate(plus(100, -1)), verify.Inconclusive, "pre-asymptotic"},
		{"a hidden worse rate behind a better one", exactRate(func(x float64) float64 { return rateLaw(0.05, -0.3)(x) + rateLaw(100, -1)(x) }), verify.Inconclusive, "pre-asymptotic"},
		{"a plateau", exactRate(plus(0.05, 0)), verify.Inconclusive, "increasingly so towards its end"},
		{"a factor of log n", exactRate(func(x float64) float64 { return root(x) * math.Log(x) }), verify.Inconclusive, "slope"},
		{"ε^−1 as ε falls, claimed ε^−0.5", exactRate(rateLaw(1, -1)).with(func(c *Rate) { c.Grid = []float64{2, 1, 0.5, 0.25, 0.125, 0.0625} }), verify.Inconclusive, "no finite grid refutes"},
		{"ε^−0.5 as ε falls", exactRate(root).with(func(c *Rate) { c.Grid = []float64{2, 1, 0.5, 0.25, 0.125, 0.0625} }), verify.Consistent, ""},
		{"sampled, unbounded", noisyRate(root, logNormalNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 4000 }), verify.Consistent, ""},
		{"sampled, off by 0.3", noisyRate(rateLaw(1, -0.2), logNormalNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 4000 }), verify.Inconclusive, "no finite grid refutes"},
		{"sampled, too few", noisyRate(root, logNormalNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 64 }), verify.Inconclusive, "need ≥"},
		{"sampled, pre-asymptotic", noisyRate(plus(100, -1), coinNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 40_000 }), verify.Inconclusive, "pre-asymptotic"},
		{"a mean of 0 has no logarithm", exactRate(func(x float64) float64 { return 64_000 - x }), verify.Inconclusive, "no logarithm"},
		{"a mean drowned by noise", noisyRate(root, func(r *rand.Rand) float64 { return 1 + 100*r.NormFloat64() }).with(func(c *Rate) { c.Exponent = -0.5 }), verify.Inconclusive, "no slope"},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || !strings.Contains(e.Power, c.words) {
			t.Errorf("%s: %s, %q, slope %v in [%v, %v]; want %s, %q", c.reason, e.Verdict, e.Power, e.Measured.X, e.Lower.X, e.Upper.X, c.want, c.words)
		}
		if len(e.Cells) != len(c.check.Grid) || e.Exact != c.check.Exact {
			t.Errorf("%s: %d cells, exact %v", c.reason, len(e.Cells), e.Exact)
		}
	}
}

// Computed values decide laws and bounds on the grid.
func TestRateExact(t *testing.T) {
	root := rateLaw(1, -0.5)
	cases := []struct {
		reason  string
		check   Rate
		want    verify.Verdict
		witness string
	}{
		{"a law that is met", exactRate(root).with(lawOf(verify.Equals, -0.5)), verify.Holds, "n=1000 … n=64000"},
		{"off by 1e-6", exactRate(rateLaw(1, -0.500001)).with(lawOf(verify.Equals, -0.5)), verify.Refuted, "n="},
		{"better, of an upper bound", exactRate(rateLaw(1, -0.6)).with(lawOf(verify.AtMost, -0.5)), verify.Holds, "n=1000 … n=64000"},
		{"worse between two points only", exactRate(func(x float64) float64 {
			if x == 8000 {
				return root(x) * 0.5
			}
			return root(x)
		}).with(lawOf(verify.AtMost, -0.5)), verify.Refuted, "n=8000 and n=16000"},
		{"within a bound", exactRate(root).with(func(c *Rate) { c.Bound = rateLaw(1.01, -0.5) }), verify.Holds, "n="},
		{"equal to it", exactRate(root).with(func(c *Rate) { c.Bound = root }), verify.Holds, "n="},
		{"above it by 1e-6", exactRate(rateLaw(1+1e-6, -0.5)).with(func(c *Rate) { c.Bound = root }), verify.Refuted, "n="},
		{"above it by its own error", exactRate(rateLaw(1+1e-6, -0.5)).with(func(c *Rate) { c.Bound, c.Error = root, 1e-5 }), verify.Holds, "n="},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || !strings.HasPrefix(e.WorstCase, c.witness) || !e.Exact || e.Samples != 0 {
			t.Errorf("%s: %s at %q (%s), want %s at %q", c.reason, e.Verdict, e.WorstCase, e.Power, c.want, c.witness)
		}
	}
}

// Student's limits refute nothing at any distance of the mean.
func TestRateStudentNeverRefutes(t *testing.T) {
	root := rateLaw(1, -0.5)
	bound := func(sense verify.Sense, factor float64, values func(float64) (float64, float64)) Rate {
		return noisyRate(rateLaw(factor, -0.5), logNormalNoise).with(func(c *Rate) { c.Sense, c.Bound, c.Range = sense, root, values })
	}
	cases := []struct {
		reason string
		check  Rate
		want   verify.Verdict
		words  string // in the warnings or the power
	}{
		{"ten times the bound, no range", bound(verify.AtMost, 10, nil), verify.Inconclusive, "refutes nothing"},
		{"the same, at least 0", bound(verify.AtMost, 10, nonNegative), verify.Refuted, ""},
		{"a tenth of a lower bound: its upper limit is Student's", bound(verify.AtLeast, 0.1, nonNegative), verify.Inconclusive, "refutes nothing"},
		{"half of an upper bound is fine", bound(verify.AtMost, 0.5, nil), verify.Consistent, ""},
		{"equal replicates of what is random elsewhere", bound(verify.AtMost, 0.5, nil).with(gives(0.001)), verify.Inconclusive, "all replicates at n=1000 are equal"},
		{"a slope of equal replicates", bound(verify.AtMost, 0.5, nil).with(gives(0.001)).with(func(c *Rate) { c.Bound = nil }), verify.Inconclusive, "no slope"},
		{"equal replicates in a range, far below the bound", bound(verify.AtMost, 0.5, within(1, rateLaw(0.9, -0.5))).with(gives(0.001)), verify.Consistent, ""},
		{"a broken law, no range", noisyRate(rateLaw(1, -0.1), logNormalNoise).with(lawOf(verify.AtMost, -0.5)), verify.Inconclusive, "no limit that holds at any sample size"},
		{"a law that one point breaks, no upper end", noisyRate(bump, uniformNoise).with(lawOf(verify.AtMost, -0.5)).with(manyAtLeastZero), verify.Inconclusive, "between n=8000 and n=16000"},
		{"the same law, which none breaks", noisyRate(rateLaw(1, -0.5), uniformNoise).with(lawOf(verify.AtMost, -0.5)).with(manyAtLeastZero), verify.Consistent, ""},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || !strings.Contains(strings.Join(e.Warnings, " ")+e.Power, c.words) {
			t.Errorf("%s: %s, %q, %q; want %s, %q", c.reason, e.Verdict, e.Warnings, e.Power, c.want, c.words)
		}
	}
}

func TestRateVacuousAndPremise(t *testing.T) {
	root := rateLaw(1, -0.5)
	claim := exactRate(root).with(func(c *Rate) { c.Bound = rateLaw(1000, -0.5) })
	trivial := func(of float64) func(*Rate) {
		return func(c *Rate) { c.Trivial = rateLaw(of, 0) }
	}
	cases := []struct {
		reason string
		check  Rate
		want   verify.Verdict
		words  string
		cells  int
	}{
		{"above the trivial bound everywhere", claim.with(trivial(1)), verify.Vacuous, "from about n=1e+06 on", 7},
		{"at half of the points", claim.with(trivial(10)), verify.Holds, "at 4 of 7 points; it is below the trivial bound from about n=1e+04 on", 7},
		{"a bound that grows", claim.with(func(c *Rate) { c.Bound, c.Trivial = rateLaw(1e-4, 1), rateLaw(2, 0) }), verify.Holds, "only up to about n=2e+04", 7},
		{"the two are parallel", claim.with(func(c *Rate) { c.Trivial = rateLaw(10, -0.5) }), verify.Vacuous, "does not change", 7},
		{"refuted is not vacuous", exactRate(rateLaw(1e3, 0)).with(func(c *Rate) { c.Bound, c.Trivial = rateLaw(999, 0), rateLaw(1e3, 0) }), verify.Refuted, "", 7},
		{"no instance anywhere", claim.with(func(c *Rate) { c.Premise = func(float64) string { return "n < d" } }), verify.Vacuous, "n < d", 0},
		{"no instance at the first two", claim.with(func(c *Rate) { c.Premise = notBelow(4000) }), verify.Holds, "n=1000 does not satisfy the premise", 5},
		{"too few instances for a slope", exactRate(root).with(func(c *Rate) { c.Premise = notBelow(8000) }), verify.Inconclusive, "does not satisfy the premise", 0},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || !strings.Contains(strings.Join(e.Warnings, " "), c.words) || len(e.Cells) != c.cells {
			t.Errorf("%s: %s with %d cells, %q; want %s with %d, %q", c.reason, e.Verdict, len(e.Cells), e.Warnings, c.want, c.cells, c.words)
		}
	}
}

// notBelow returns the premise n ≥ least.
func notBelow(least float64) func(float64) string {
	return func(x float64) string {
		if x < least {
			return "n is too small"
		}
		return ""
	}
}

// A mean that decreases more slowly than its bound is below it on the grid. The report says where they would cross.
func TestRateForecastsACrossing(t *testing.T) {
	check := exactRate(rateLaw(1, -0.4)).with(func(c *Rate) { c.Bound = rateLaw(10, -0.5) })
	e := verifytest.EvidenceOf(t, check)
	if e.Verdict != verify.Holds || !strings.Contains(strings.Join(e.Warnings, " "), "they cross near n=1e+10") {
		t.Errorf("%s, %q", e.Verdict, e.Warnings)
	}
}

// deterministic returns the evidence of a check, its trial and a tally of all shards. It fails the test if the evidence
// depends on the number of workers, or if the tallies lose something through JSON.
func deterministic(t *testing.T, check verify.Check, s verify.Settings) (verify.Evidence, empirical.Tally, verify.Trial) {
	t.Helper()
	var found []verify.Evidence
	for _, workers := range []int{1, 3} {
		e, err := verify.Judge(context.Background(), check, s, empirical.NewPool(workers), nil)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e)
	}
	trial, err := check.Prepare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	tally, plan := trial.NewTally(), trial.Plan()
	for i := range plan.Shards {
		part, err := trial.Sample(context.Background(), empirical.Shard{
			Index: i, Total: plan.Shards, Samples: plan.SamplesPerShard, Seed: s.Seed.Derive("sample").Shard(i)})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		read := trial.NewTally()
		if err := read.UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
		if err := tally.Merge(read); err != nil {
			t.Fatal(err)
		}
	}
	e, err := trial.Judge(tally)
	if err != nil {
		t.Fatal(err)
	}
	for i, other := range append(found[1:], e) {
		if !reflect.DeepEqual(found[0], other) {
			t.Errorf("%d: %+v, want %+v", i, other, found[0])
		}
	}
	return found[0], tally, trial
}

// The evidence does not depend on the number of workers, and a tally keeps its verdict through JSON.
func TestRateIsDeterministic(t *testing.T) {
	root := rateLaw(1, -0.5)
	check := noisyRate(root, uniformNoise).with(func(c *Rate) { c.Bound, c.Range, c.Replicates = rateLaw(2, -0.5), within(2, root), 50 })
	s := verify.Settings{Budget: verify.Standard, Alpha: 0.01, Seed: empirical.NewSeed(3)}
	first, _, trial := deterministic(t, check, s)
	if first.Samples != 7*64 {
		t.Errorf("%d samples: 50 a point in 32 blocks are 64", first.Samples)
	}
	moments := `{"Moments":{"n":1,"mean":0,"squares":0}`
	for _, bad := range []string{
		`[]`, `{}`, `[{},null,null,null,null,null,null]`, `[` + moments + `},null,null,null,null,null,null]`,
		`[` + moments + `,"Below":null,"Above":null},null,null,null,null,null,null]`,
		`[` + moments + `,"Below":{"lo":0,"hi":1,"cells":512,"counts":[1]}},null,null,null,null,null,null]`,
	} {
		if err := trial.NewTally().UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("read %s", bad)
		}
	}
}

// The plan claims power only if it will be reached, and the effect grows as the budget shrinks.
func TestRatePlan(t *testing.T) {
	root := rateLaw(1, -0.5)
	values := noisyRate(root, coinNoise).with(func(c *Rate) { c.Bound, c.Range, c.Replicates = rateLaw(1, -0.5), within(2, root), 12_800 })
	slope := noisyRate(root, coinNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, 12_800 })
	cases := []struct {
		reason string
		check  Rate
		budget verify.Budget
		effect float64
	}{
		{"values", values, verify.Standard, 0.05},
		{"values, quick", values, verify.Quick, 0.05 * math.Sqrt(8)},
		{"values, thorough: no finer", values, verify.Thorough, 0.05},
		{"too few values", values.with(func(c *Rate) { c.Replicates = 1000 }), verify.Standard, 0},
		{"slope", slope, verify.Standard, 0.1},
		{"slope, quick", slope, verify.Quick, 0.1 * math.Sqrt(8)},
		{"slope of few", slope.with(func(c *Rate) { c.Replicates = 100 }), verify.Standard, 0},
		{"exact", exactRate(root), verify.Standard, 0},
	}
	for _, c := range cases {
		trial, err := c.check.Prepare(context.Background(), verify.Settings{Budget: c.budget, Alpha: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		if p := trial.Plan(); math.Abs(p.Effect-c.effect) > 1e-6 || (p.Power == verify.TargetPower) != (c.effect > 0) {
			t.Errorf("%s: %+v, want the effect %v", c.reason, p, c.effect)
		}
	}
}

func TestRateErrors(t *testing.T) {
	root, broken := rateLaw(1, -0.5), errors.New("out of order")
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		reason string
		change func(*Rate)
		names  string
	}{
		{"nothing to run", func(c *Rate) { c.Run = nil }, "Run"},
		{"no sense", func(c *Rate) { c.Sense = "" }, "sense"},
		{"strict sense", func(c *Rate) { c.Sense = verify.Below }, "sense"},
		{"law and bound", func(c *Rate) { c.PowerLaw = true }, "two claims"},
		{"NaN exponent", func(c *Rate) { c.Bound, c.Exponent = nil, nan }, "exponent NaN"},
		{"NaN resolution", func(c *Rate) { c.Resolution = nan }, "resolution"},
		{"negative effect", func(c *Rate) { c.Effect = -1 }, "effect"},
		{"an error of 1", func(c *Rate) { c.Error = 1 }, "relative error"},
		{"no replicates", func(c *Rate) { c.Replicates = 0 }, "replicates"},
		{"no grid", func(c *Rate) { c.Grid = nil }, "no points"},
		{"a grid that turns", func(c *Rate) { c.Grid = []float64{1, 2, 1.5} }, "1.5 after 2"},
		{"a grid that stands", func(c *Rate) { c.Grid = []float64{1, 1, 2} }, "1 after 1"},
		{"a grid with NaN", func(c *Rate) { c.Grid = []float64{1, nan} }, "NaN"},
		{"a bound of 0", func(c *Rate) { c.Bound = rateLaw(0, 0) }, "the bound is 0"},
		{"a NaN bound", func(c *Rate) { c.Bound = rateLaw(nan, 0) }, "the bound is NaN"},
		{"a NaN trivial bound", func(c *Rate) { c.Trivial = rateLaw(nan, 0) }, "trivial bound is NaN"},
		{"a trivial bound that is broken", func(c *Rate) { c.Trivial, c.Range = rateLaw(1e-4, 0), nonNegative }, "above the trivial bound"},
		{"an empty range", func(c *Rate) { c.Range = func(float64) (float64, float64) { return 1, 1 } }, "range"},
		{"a NaN range", func(c *Rate) { c.Range = func(float64) (float64, float64) { return nan, 1 } }, "range"},
		{"a value outside its range", func(c *Rate) { c.Range = func(float64) (float64, float64) { return 0, 1e-3 } }, "outside its range"},
		{"a NaN value", gives(nan), "NaN"},
		{"an infinite value", gives(inf), "+Inf"},
		{"a run that fails", func(c *Rate) {
			c.Run = func(context.Context, *rand.Rand, float64) (float64, error) { return 0, broken }
		}, "n=1000: " + broken.Error()},
	}
	for _, c := range cases {
		check := noisyRate(root, uniformNoise).with(func(c *Rate) { c.Bound = root }).with(c.change)
		if err := verifytest.FailureOf(t, check); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that names %q", c.reason, err, c.names)
		}
	}
}

func TestReplicatesFor(t *testing.T) {
	cases := []struct {
		reason string
		n      int64
		ratio  float64
		want   int64
	}{
		{"twice as narrow", 100, 2, 400}, {"rounded up to two digits", 100, 1.11, 130}, {"large", 123_456, 1.001, 130_000},
		{"infinite", 10, math.Inf(1), 1e15}, {"NaN", 10, math.NaN(), 1e15},
	}
	for _, c := range cases {
		if got := verify.ScaledSize(c.n, c.ratio); got != c.want {
			t.Errorf("%s: %d, want %d", c.reason, got, c.want)
		}
	}
}

// A claim with both a power law and bounds is rejected, also when it is read from a report.
func TestStatisticsOfOneClaim(t *testing.T) {
	f := Rate{Variable: "n", Sense: verify.AtMost, Exponent: -1, PowerLaw: true, Resolution: 0.1, Effect: 0.1, Error: 1e-9}.statistics()
	if err := f.checkDesign([]float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	if f.Bounded = true; f.Check() == nil || f.checkDesign([]float64{1, 2}) == nil {
		t.Error("a law with bounds: no error")
	}
}
