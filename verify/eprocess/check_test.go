package eprocess

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// coin counts heads of a coin. The claim is that heads have at most probability 1/2.
type coin struct {
	Heads int64 `json:"heads"`
	N     int64 `json:"n"`
}

var coinMethod = verify.RegisterStatistics[coin]("eprocess-test/coin")

func (c coin) Check() error { return nil }

// Judge refutes the claim if the lower limit of the probability is above 1/2.
func (c coin) Judge(s verify.Settings) (verify.Evidence, error) {
	low, err := confidence.BinomialLower(c.Heads, c.N, s.Alpha)
	e := verify.Evidence{Verdict: verify.Consistent, Quantity: "probability", Sense: verify.AtMost, Samples: c.N, Method: "counts",
		Attempt: "one coin", Lower: verify.Num(low)}
	if low > 0.5 {
		e.Verdict, e.Attempt, e.Counterexample = verify.Refuted, "", verify.Counterexample{Choice: "the coin"}
	}
	return e, err
}

// coinCheck judges a coin that shows heads with the given probability.
func coinCheck(p float64, stored bool) verify.Check {
	return verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
		c, r := coin{N: 100}, s.Stream("coin")
		for range c.N {
			if r.Float64() < p {
				c.Heads++
			}
		}
		if e, err := verify.JudgeStatistics(coinMethod, c, s); stored || err != nil {
			return verify.Decided(e), err
		}
		e, err := c.Judge(s)
		return verify.Decided(e), err
	})
}

// run adds a run of a coin to the runs and returns its evidence.
func run(t *testing.T, runs *[]Run, id string, check verify.Check, alpha float64, collects bool) verify.Evidence {
	t.Helper()
	outcomes := make(map[string]Outcome)
	c := Check{Check: check, Claim: "a", Version: "v", Weight: 1, RunID: id, Start: 1, Collects: collects, Runs: *runs,
		Add: func(n Outcome) { outcomes["a"] = n }}
	e, err := verify.Judge(context.Background(), c, verify.Settings{Alpha: alpha, Seed: empirical.NewSeed(7).Derive(id)},
		empirical.NewPool(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(outcomes) > 0 {
		*runs = append(*runs, Run{ID: id, Start: 1, Known: len(*runs), Collects: collects, Claims: outcomes})
	}
	return e
}

// The factor of the ladder has expectation at most 1 for a true claim, by enumeration over all counts, and it grows with
// the evidence.
func TestLadderFactor(t *testing.T) {
	const n = 100
	for _, p := range []float64{0.5, 0.45} {
		sum := 0.0
		last := 0.0
		for heads := range int64(n + 1) {
			log, err := ladderFactor(*verify.NewStatistics(coinMethod, coin{heads, n}), verify.Settings{Alpha: 0.05})
			if err != nil {
				t.Fatal(err)
			}
			factor := math.Exp(log)
			if factor < last {
				t.Errorf("%d heads: factor %v after %v", heads, factor, last)
			}
			last = factor
			chance := math.Exp(logChoose(n, int(heads))) * math.Pow(p, float64(heads)) * math.Pow(1-p, float64(n-heads))
			sum += chance * factor
		}
		if !(sum <= 1) {
			t.Errorf("p = %v: expected factor %v", p, sum)
		}
		if last < 1e6 {
			t.Errorf("all heads: factor %v", last)
		}
	}
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// The evidence of all runs decides: a run that alone would refute the claim does not, several such runs do, and a run
// that collects decides nothing.
func TestTheWealthDecides(t *testing.T) {
	var runs []Run
	const alpha = 0.001
	first := run(t, &runs, "1", coinCheck(0.72, true), alpha, false)
	if first.Verdict != verify.Inconclusive || !strings.Contains(first.Power, "this run alone would refute the claim") || first.Needed == "" {
		t.Errorf("first run: %s, %s", first.Verdict, first.Power)
	}
	var e verify.Evidence
	for len(runs) < 12 && e.Verdict != verify.Refuted {
		e = run(t, &runs, string(rune('a'+len(runs))), coinCheck(0.72, true), alpha, false)
	}
	if e.Verdict != verify.Refuted || e.Counterexample.Choice == "" || e.Needed != "" {
		t.Errorf("after %d runs: %+v", len(runs), e)
	}
	again, err := e.Statistics.Judge(verify.Settings{Alpha: alpha})
	if err != nil || again.Verdict != verify.Refuted {
		t.Errorf("recomputed: %s, %v", again.Verdict, err)
	}
	if e := run(t, &runs, "collects", coinCheck(0.9, true), alpha, true); e.Verdict != verify.Inconclusive {
		t.Errorf("a run that collects: %s", e.Verdict)
	}
	if e := run(t, &runs, "fair", coinCheck(0.4, true), alpha, false); e.Verdict != verify.Refuted || e.Attempt != "" {
		t.Errorf("a fair run of a refuted version: %s, attempt %q", e.Verdict, e.Attempt)
	}
}

// A check without counts decides nothing and adds nothing.
func TestChecksWithoutCounts(t *testing.T) {
	var runs []Run
	e := run(t, &runs, "1", coinCheck(0.95, false), 0.05, false)
	if e.Verdict != verify.Inconclusive || len(runs) != 0 {
		t.Errorf("%s, %d runs", e.Verdict, len(runs))
	}
}
