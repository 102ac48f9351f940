package verify

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Every sampled check tells of its own samples. The seed is fixed; what a row says holds
// but with a probability below 1e-6, or follows from the check alone.
func TestSecondLookAtSampledChecks(t *testing.T) {
	root := rateLaw(1, -0.5)
	bounded := func(factor float64) RateCheck {
		return noisyRate(rateLaw(factor, -0.5), uniformNoise).with(func(c *RateCheck) { c.Bound, c.Range = root, within(2, rateLaw(factor, -0.5)) })
	}
	late := noisyRate(root, uniformNoise).with(func(c *RateCheck) { // beyond the bound from n = 4000 on, visibly from 8000 on
		c.Bound, c.Range = func(x float64) float64 { return 63 / x }, within(2, root)
	})
	dented := exactRate(func(x float64) float64 {
		if x == 4000 {
			return root(x) * 0.5
		}
		return root(x)
	})
	two := onCoins(20_000, faithfulCoins(1), 1, 0, said(1))
	worse := onCoins(20_000, faithfulCoins(3), 1, 0, said(1)).Cells[0]
	worse.At = "worse"
	mixed := two
	mixed.Cells = append([]PrivacyCell[int, int]{two.Cells[0], worse}, worse)
	mixed.Cells[2].At = "worse again"
	x := []float64{2}
	for _, c := range []struct {
		reason string
		check  Check
		want   Verdict
		says   []string
	}{
		{"private coins", two, Consistent, []string{"2 events and directions of 1 pair", "event said 1", "where 1 is claimed", "the rarest event that happened has mass 0.2", "could not have refuted"}},
		{"coins of which some are not", mixed, Refuted, []string{"worse, event said 1", "the first, in the order of the domain, of the 2 that fail among 3 pairs"}},
		{"an event that never happens", onCoins(20_000, faithfulCoins(1), 1, 0, Event[int]{"said 2", func(o int) bool { return o == 2 }}), Inconclusive, []string{"other events: as rare as those of"}},
		{"an audit that sees nothing", laplaceAudit(1, 1, 100_000), Consistent, []string{"1 pair looked at", "certifies privacy loss ε ≥ 0.", "where 1 is claimed", "could not have refuted the claim"}},
		{"an audit that refutes", laplaceAudit(1, 2, 20_000), Refuted, []string{"the pair and the event that were chosen before they were certified"}},
		{"a mean as claimed", unbiased(vector(64_000, x, around(x, 2))), Consistent, []string{"1 of them sampled", "measures the factor", "of the way from its middle to its end"}},
		{"a mean that is not", unbiased(vector(64_000, x, around([]float64{6}, 2))), Refuted, []string{"the only cell"}},
		{"means within bounds", bounded(0.5), Consistent, []string{"7 points, from n=1000 to n=64000", "times its bound, by its limits from"}},
		{"the last mean is the nearest", exactRate(root).with(func(c *RateCheck) { c.Bound = rateLaw(10, -0.6) }), Holds, []string{"the nearest to breaking, n=64000, has a mean of 0.3024 times its bound"}},
		{"the first is", exactRate(root).with(func(c *RateCheck) { c.Bound = rateLaw(1, -0.4) }), Holds, []string{"n=1000, has a mean of 0.5012 times"}},
		{"means beyond, late on the grid", late, Refuted, []string{"n=8000: the first, in the order of the grid, of the 4 that fail among 7 points; the one before it, n=4000, does not"}},
		{"a law", exactRate(root).with(lawOf(Equals, -0.5)), Holds, []string{"21 pairs of points, none of which breaks the law; the slope on n=1000 … n=64000 is -0.5"}},
		{"a law with a dent", dented.with(lawOf(AtMost, -0.5)), Refuted, []string{"n=4000 and n=8000: the first, in the order of the grid, of the 4 that fail among 21 pairs of points"}},
		{"a rate", exactRate(root), Consistent, []string{"the slope on n=", "where an end above -0.4 would have been against the claim"}},
		{"a rate from below", exactRate(root).with(func(c *RateCheck) { c.Sense = AtLeast }), Consistent, []string{"an end below -0.6 would"}},
		{"a rate that is off", exactRate(rateLaw(1, -0.3)), Inconclusive, []string{"a constant, or the range of n on which the claim is to hold"}},
		{"before the asymptotics", exactRate(func(x float64) float64 { return root(x) + rateLaw(20, -1)(x) }), Inconclusive, []string{"a grid that begins at about n=7e+05; this one begins at n=1000"}},
		{"too far before them", exactRate(func(x float64) float64 { return root(x) + rateLaw(100, -1)(x) }), Inconclusive, []string{"a grid beyond n=64000, how far cannot be foreseen"}},
		{"no slope", exactRate(func(x float64) float64 { return 64_000 - x }), Inconclusive, []string{"another grid", "has no logarithm"}},
		{"too short a grid", exactRate(root).with(func(c *RateCheck) { c.Grid = c.Grid[:2] }), Inconclusive, []string{"a grid with at least", "this one has 2"}},
		{"no instance", exactRate(root).with(func(c *RateCheck) { c.Premise = func(float64) string { return "n is even" } }), Vacuous, []string{"n=1000: the first of 7 points, none of which is an instance of the theorem: n is even"}},
		{"a void bound", exactRate(root).with(func(c *RateCheck) { c.Bound, c.Trivial = rateLaw(2, -0.5), rateLaw(1.5, -0.5) }), Vacuous, []string{"n=1000: the first of 7 points, in the order of the grid, all of which fail; there the bound is no better than the trivial 0.04743"}},
		{"in order", normals(0, 3, 4), Consistent, []string{"2 orders in", "the nearest to breaking, b < c,", "where half is claimed"}},
		{"out of order", normals(0, 3, 0, -3), Refuted, []string{"b < c: the first, as they are claimed, of the 2 that fail among 3 orders; the one before it, a < b, does not"}},
	} {
		e := judgeAt(t, c.check, 1)
		text := look(t, c.reason, e)
		for _, says := range c.says {
			if e.Verdict != c.want || !strings.Contains(text, says) {
				t.Errorf("%s: %s, %q; want %s, %q", c.reason, e.Verdict, text, c.want, says)
			}
		}
	}
}

var sizes = regexp.MustCompile(`^about (\d+) .*; this run had (?:at most )?(\d+)`)

// The size that an open claim is said to take decides it, and a fifth of it does not.
func TestNeededSizeDecides(t *testing.T) {
	x := []float64{2}
	root := rateLaw(1, -0.5)
	for _, c := range []struct {
		reason string
		size   int64 // of the first run
		check  func(n int64) Check
	}{
		{"coins", 200, func(n int64) Check { return onCoins(n, faithfulCoins(1), 1, 0, said(1)) }},
		{"an audit", 400, func(n int64) Check {
			a := laplaceAudit(1, 1, n)
			a.LogLikelihood = laplaceNoise(1).density
			return a
		}},
		{"a mean", 320, func(n int64) Check {
			u := unbiased(vector(n, x, around(x, 2)))
			u.Effect = 0.05
			return u
		}},
		{"a bound", 64, func(n int64) Check {
			return noisyRate(rateLaw(0.99, -0.5), uniformNoise).with(func(c *RateCheck) { c.Bound, c.Range, c.Replicates = root, within(2, root), n })
		}},
		{"a slope", 64, func(n int64) Check {
			return noisyRate(root, logNormalNoise).with(func(c *RateCheck) { c.Exponent, c.Replicates = -0.5, n })
		}},
		{"an order", 40, func(n int64) Check {
			return normals(0, 0.5).with(func(c *Compare) { c.Replicates = n })
		}},
	} {
		needed := func(e Evidence) (need, have int64) {
			found := sizes.FindStringSubmatch(look(t, c.reason, e))
			if e.Verdict != Inconclusive || found == nil {
				t.Fatalf("%s: %s, %q", c.reason, e.Verdict, e.Needed)
			}
			need, _ = strconv.ParseInt(found[1], 10, 64)
			have, _ = strconv.ParseInt(found[2], 10, 64)
			return need, have
		}
		need, have := needed(judgeAt(t, c.check(c.size), 1))
		if math.Abs(float64(have)/float64(c.size)-1) > 0.6 || need <= have {
			t.Errorf("%s: %d samples, said to be %d; %d are needed", c.reason, c.size, have, need)
		}
		// What a pilot of few samples said of the noise may be half of it: sizes go with its square.
		if e := judgeAt(t, c.check(4*need), 1); e.Verdict == Inconclusive {
			t.Errorf("%s: %d samples were said to do, and four times as many do not: %s", c.reason, need, e.Needed)
		}
		if e := judgeAt(t, c.check(need/5), 1); e.Verdict != Inconclusive {
			t.Errorf("%s: %d samples were said to be needed, and a fifth of them do: %s", c.reason, need, e.Verdict)
		}
	}
}

// A size is found to a twentieth, and is 0 where none will do.
func TestLeastThat(t *testing.T) {
	for _, want := range []int64{1, 2, 7, 100, 12_345, 1_000_000_007} {
		for _, from := range []int64{0, 1, want / 3, want} {
			got := leastThat(from, func(n int64) bool { return n >= want })
			if got < want || float64(got) > 1.06*float64(want)+1 {
				t.Errorf("from %d: %d, want %d", from, got, want)
			}
		}
	}
	start := time.Now()
	if got := leastThat(5, func(int64) bool { return false }); got != 0 || time.Since(start) > time.Second {
		t.Errorf("nothing will do: %d", got)
	}
}

// An interval's nearness is 0 in its middle, 1 at its ends, and more outside.
func TestNearness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		lower := r.NormFloat64()
		upper := lower + r.Float64()
		half := (upper - lower) / 2
		for _, k := range []float64{0, 0.25, 1, 1.5} {
			for _, value := range []float64{lower + half - k*half, lower + half + k*half} {
				if got := nearness(value, lower, upper); math.Abs(got-k) > 1e-9 {
					t.Fatalf("%v in [%v, %v] is at %v, want %v", value, lower, upper, got, k)
				}
			}
		}
	}
	if got := nearness(1, 1, 1); got != 0 {
		t.Errorf("an interval of one point: %v", got)
	}
}
