package mean

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// around releases mean ± spread in each coordinate.
func around(mean []float64, spread float64) func(*rand.Rand, []float64) error {
	return func(r *rand.Rand, dst []float64) error {
		bits := r.Uint64()
		for i := range dst {
			dst[i] = mean[i] + spread*float64(int(bits>>i&1)*2-1)
		}
		return nil
	}
}

// rarely releases mean/p with probability p, and otherwise 0: as skewed as a bound of ‖mean‖/p allows.
func rarely(mean []float64, p float64) func(*rand.Rand, []float64) error {
	return func(r *rand.Rand, dst []float64) error {
		scale := 0.0
		if r.Float64() < p {
			scale = 1 / p
		}
		floats.ScaleTo(dst, scale, mean)
		return nil
	}
}

// vector returns a cell with few samples for a target and a loose bound.
func vector(samples int64, target []float64, sample func(*rand.Rand, []float64) error) UnbiasedCell {
	return UnbiasedCell{Place: "the vector", Target: target, Sample: sample, Bound: 10 * floats.Norm(target, 2), Samples: samples}
}

func unbiased(cells ...UnbiasedCell) Unbiased { return Unbiased{Claimed: 1, Effect: 0.5, Cells: cells} }

// scaledBy claims another factor than 1.
func scaledBy(factor float64, u Unbiased) Unbiased {
	u.Claimed = factor
	return u
}

// True claims are refuted at most as often as alpha allows, alpha/2 for each interval of a cell. Half of the allowed
// rate passes the test with probability 0.999 per row, twice the rate is detected with probability 0.99
// ([verifytest.WantErrorsAtMost]).
func TestUnbiasedCalibration(t *testing.T) {
	line, plane, space := []float64{-2}, []float64{3, 4}, []float64{1, -1, 0.5, 2, 0}
	cases := []struct {
		reason string
		check  verify.Check
		share  float64 // of alpha
	}{
		{"d = 1, one interval", unbiased(vector(640, line, around(line, 2))), 0.5},
		{"d = 2", unbiased(vector(640, plane, around(plane, 5))), 1},
		{"d = 5, and its mean twice the target as claimed", scaledBy(2, unbiased(vector(640, space, around([]float64{2, -2, 1, 4, 0}, 2)))), 1},
		{"d = 1, a rare and large output", unbiased(vector(640, line, rarely(line, 0.1))), 0.5},
		{"two cells", unbiased(vector(320, line, around(line, 2)), vector(320, plane, rarely(plane, 0.1))), 1},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			verifytest.WantErrorsAtMost(t, c.check, 0.05, verifytest.Refutations(c.share/2, 2*c.share))
		})
	}
}

// A bias along the target or across it is refuted. Each bias is at least three times the half-width of the betting
// interval, about 0.12 spreads at 640 samples.
func TestUnbiasedFindsBias(t *testing.T) {
	line, plane := []float64{-2}, []float64{3, 4}
	cases := []struct {
		reason  string
		check   verify.Check
		witness string
	}{
		{"d = 1, half as much again", unbiased(vector(640, line, around([]float64{-3}, 2))), ""},
		{"d = 1, half of it", unbiased(vector(640, line, around([]float64{-1}, 2))), ""},
		{"d = 2, along", unbiased(vector(640, plane, around([]float64{4.5, 6}, 5))), ""},
		{"d = 2, across alone: 5 · (−4, 3)/10 more", unbiased(vector(640, plane, around([]float64{1, 5.5}, 5))), "mean across X in"},
		{"d = 2, across, a claimed factor of 2", scaledBy(2, unbiased(vector(640, plane, around([]float64{4, 9.5}, 5)))), "mean across X in"},
		{"the reverse of it", unbiased(vector(640, line, around([]float64{2}, 2))), ""},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			n := testutil.Size(20, 200) // the misses expected are fewer than one in a million
			found, _ := verifytest.Repeat(t, c.check, n)
			if got := verifytest.CountVerdict(found, verify.Refuted); got < n {
				t.Errorf("refuted in %d of %d runs", got, n)
			}
			if e := found[0]; !strings.Contains(e.WorstCase, c.witness) || c.witness == "" && strings.Contains(e.WorstCase, "across") {
				t.Errorf("witness %q", e.WorstCase)
			}
		})
	}
}

func TestUnbiasedExactValues(t *testing.T) {
	x := []float64{3, 4}
	known := func(exact, error float64) UnbiasedCell {
		return UnbiasedCell{Place: "known", Target: x, Exact: exact, ExactError: error}
	}
	both := func(exact float64, mean ...float64) UnbiasedCell {
		c := vector(6400, x, around(mean, 5))
		c.Place, c.Exact, c.ExactError = "both", exact, 1e-9
		return c
	}
	cases := []struct {
		reason  string
		check   Unbiased
		want    verify.Verdict
		witness string
	}{
		{"the claimed factor", unbiased(known(1, 1e-9)), verify.Holds, "known"},
		{"within its error", unbiased(known(1+0.9e-9, 1e-9)), verify.Holds, "known"},
		{"beyond it", unbiased(known(1+3e-9, 1e-9)), verify.Refuted, "known"},
		{"twice the claim", unbiased(known(2, 1e-9)), verify.Refuted, "known"},
		{"twice, as claimed", scaledBy(2, unbiased(known(2, 1e-9))), verify.Holds, "known"},
		{"the negative of it", unbiased(known(-1, 1e-9)), verify.Refuted, "known"},
		{"computed and sampled", unbiased(both(1, 3, 4)), verify.Holds, "both"},
		{"both off", unbiased(both(2, 6, 8)), verify.Refuted, "both"},
		{"computed along, off across", unbiased(both(1, 1, 5.5)), verify.Refuted, "both, mean across X in"},
		{"the sampled one of equals", unbiased(known(1, 1e-9), both(1, 3, 4)), verify.Holds, "both"},
		{"the furthest off", unbiased(known(2, 1e-9), known(3, 1e-9), both(1, 3, 4)), verify.Refuted, "known"},
		{"the witness is a counterexample, not a cell within its error", unbiased(known(1.09, 0.1), both(1.02, 3.06, 4.08)), verify.Refuted, "both"},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || !strings.HasPrefix(e.WorstCase, c.witness) || len(e.Cells) != len(c.check.Cells) {
			t.Errorf("%s: %s at %q, want %s at %q", c.reason, e.Verdict, e.WorstCase, c.want, c.witness)
		}
		if sampled := strings.Contains(c.reason, "sampled") || e.Samples > 0; e.Exact == sampled {
			t.Errorf("%s: exact is %v with %d samples", c.reason, e.Exact, e.Samples)
		}
	}
}

func TestUnbiasedErrors(t *testing.T) {
	x, broken := []float64{3, 4}, errors.New("out of order")
	nan, inf := math.NaN(), math.Inf(1)
	good := vector(320, x, around(x, 5))
	calls := 0
	cases := []struct {
		reason string
		change func(u *Unbiased, c *UnbiasedCell)
		names  string
	}{
		{"the output exceeds its bound", func(_ *Unbiased, c *UnbiasedCell) { c.Bound = 5 }, "exceeds its bound"},
		{"the output is NaN", func(_ *Unbiased, c *UnbiasedCell) { c.Sample = around([]float64{nan, 1}, 1) }, "NaN"},
		{"across the target too", func(_ *Unbiased, c *UnbiasedCell) {
			c.Bound, c.Sample = 5.5, around([]float64{-4 * 1.5, 3 * 1.5}, 0)
		}, "exceeds its bound"},
		{"a target of zero", func(_ *Unbiased, c *UnbiasedCell) { c.Target = []float64{0, 0} }, "the target has norm 0"},
		{"no target", func(_ *Unbiased, c *UnbiasedCell) { c.Target = nil }, "the target has norm 0"},
		{"a NaN target", func(_ *Unbiased, c *UnbiasedCell) { c.Target = []float64{nan, 1} }, "the target has norm NaN"},
		{"an infinite target", func(_ *Unbiased, c *UnbiasedCell) { c.Target = []float64{inf, 1} }, "the target has norm +Inf"},
		{"a bound of zero", func(_ *Unbiased, c *UnbiasedCell) { c.Bound = 0 }, "bound 0"},
		{"a NaN bound", func(_ *Unbiased, c *UnbiasedCell) { c.Bound = nan }, "bound NaN"},
		{"an infinite bound", func(_ *Unbiased, c *UnbiasedCell) { c.Bound = inf }, "bound +Inf"},
		{"a sampler that fails at once", func(_ *Unbiased, c *UnbiasedCell) { c.Sample = func(*rand.Rand, []float64) error { return broken } }, broken.Error()},
		{"a sampler that fails after the pilot", func(_ *Unbiased, c *UnbiasedCell) {
			c.Sample = func(r *rand.Rand, dst []float64) error {
				if calls++; calls > pilotSamples {
					return broken
				}
				return around(x, 5)(r, dst)
			}
		}, "shard 1 of 32"},
		{"neither samples nor an exact value", func(_ *Unbiased, c *UnbiasedCell) { c.Samples = 0 }, "neither"},
		{"sampler and formula disagree", func(_ *Unbiased, c *UnbiasedCell) { c.Samples, c.Exact, c.ExactError = 6400, 1.5, 1e-9 }, "disagree"},
		{"a NaN computed factor would pass every comparison", func(_ *Unbiased, c *UnbiasedCell) { c.Exact, c.ExactError = nan, 1e-9 }, "NaN"},
		{"an infinite error of it too", func(_ *Unbiased, c *UnbiasedCell) { c.Exact, c.ExactError = 2, inf }, "+Inf"},
		{"a NaN error", func(_ *Unbiased, c *UnbiasedCell) { c.Exact, c.ExactError = 2, nan }, "NaN"},
		{"a negative error", func(_ *Unbiased, c *UnbiasedCell) { c.Exact, c.ExactError = 2, -1 }, "-1"},
		{"a NaN claim", func(u *Unbiased, _ *UnbiasedCell) { u.Claimed = nan }, "claimed factor NaN"},
		{"an infinite claim", func(u *Unbiased, _ *UnbiasedCell) { u.Claimed = inf }, "claimed factor +Inf"},
		{"no cells", func(u *Unbiased, _ *UnbiasedCell) { u.Cells = nil }, "no cells"},
	}
	for _, c := range cases {
		u := unbiased(good)
		c.change(&u, &u.Cells[0])
		_, err := verify.Judge(context.Background(), u, verify.Settings{Budget: verify.Standard, Alpha: 0.01}, empirical.NewPool(1), nil)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that names %q", c.reason, err, c.names)
		}
	}
}

// The detectable effect grows as the budget shrinks, by the root of the number of samples. The plan and the power state
// the larger effect.
func TestUnbiasedEffectScalesWithTheBudget(t *testing.T) {
	x := []float64{2}
	for budget, want := range map[verify.Budget]float64{verify.Quick: 0.2 * math.Sqrt(8), verify.Standard: 0.2, verify.Thorough: 0.2 / math.Sqrt(10)} {
		u := unbiased(vector(32_000, x, around(x, 2)))
		u.Effect = 0.2
		s := verify.Settings{Budget: budget, Alpha: 0.01}
		trial, err := u.Prepare(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		p := trial.Plan()
		if math.Abs(p.Effect/want-1) > 1e-5 || p.Power != verify.TargetPower || p.Samples() != budget.Samples(32_000)/32*32 {
			t.Errorf("%s: plan %+v, want the effect %v", budget, p, want)
		}
		// 32,000 samples of spread 1: a width of 2√(2 ln(2/0.005)/32000) = 0.039
		e := verifytest.Judged(t, u, s)
		if width := e.Upper.X - e.Lower.X; e.Verdict != verify.Consistent || !(width < want && width > want/8) {
			t.Errorf("%s: %s with an interval of width %v", budget, e.Verdict, width)
		}
	}
}

// A claim is consistent only if the interval is as narrow as the effect, relative to the claim. The plan claims power
// only if it will be reached.
func TestUnbiasedVerdictNeedsPower(t *testing.T) {
	x := []float64{2}
	check := scaledBy(3, unbiased(vector(3200, x, around([]float64{6}, 2))))
	e := verifytest.EvidenceOf(t, check)
	width := e.Upper.X - e.Lower.X
	for _, c := range []struct {
		reason string
		effect float64
		want   verify.Verdict
		plan   bool
	}{
		{"a little more than the width", 1.001 * width / 3, verify.Consistent, false},
		{"a little less", 0.999 * width / 3, verify.Inconclusive, false},
		{"twice the width", 2 * width / 3, verify.Consistent, true},
		{"none", 0, verify.Inconclusive, false},
		{"NaN", math.NaN(), verify.Inconclusive, false},
	} {
		check.Effect = c.effect
		found, powered := verifytest.RepeatAs(t, check, 1, verify.Settings{Budget: verify.Standard, Alpha: 0.01})
		got := found[0]
		if got.Verdict != c.want || powered[0] != c.plan || got.Measured != e.Measured {
			t.Errorf("%s: %s, power planned: %v; want %s, %v", c.reason, got.Verdict, powered[0], c.want, c.plan)
		}
		if strings.Contains(got.Power, "would have been detected") != (c.want == verify.Consistent) {
			t.Errorf("%s: %s, and in words %q", c.reason, got.Verdict, got.Power)
		}
	}
}

// The direction across is orthogonal to the target and has length 1. In the plane it is one of two.
func TestOrthogonal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, x := range [][]float64{{3, 4}, {1, 0, 0}, {1e-150, 2e-150}, {1, 1e-9}, {1e6, -1e-6, 3}} {
		u := orthogonal(r, x)
		if lean := floats.Dot(u, x) / floats.Norm(x, 2); math.Abs(lean) > 1e-12 || math.Abs(floats.Norm(u, 2)-1) > 1e-12 {
			t.Errorf("%v: direction %v of norm %v leans by %v", x, u, floats.Norm(u, 2), lean)
		}
	}
}

func TestWorseVerdict(t *testing.T) {
	order := []verify.Verdict{verify.Holds, verify.Consistent, verify.Inconclusive, verify.Refuted}
	for i, a := range order {
		for j, b := range order {
			if got := a.Worse(b); got != order[max(i, j)] {
				t.Errorf("the worse of %s and %s is %s", a, b, got)
			}
		}
	}
}
