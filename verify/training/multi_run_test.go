package training_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

func judged(t testing.TB, check verify.Check, alpha float64) verify.Evidence {
	t.Helper()
	e, err := verify.Judge(context.Background(), check, verify.Settings{Budget: verify.Standard, Alpha: alpha,
		Seed: empirical.NewSeed(1)}, empirical.NewPool(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// normal returns n runs with scores N(mean, 1).
func normal(r *rand.Rand, name string, n int, mean float64) outputs.Recording {
	out := outputs.Recording{Name: name}
	for range n {
		out.Outputs = append(out.Outputs, mean+r.NormFloat64())
	}
	return out
}

func event(t testing.TB, text string) training.Event {
	t.Helper()
	e, err := training.ParseEvent(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Scores are N(μ, 1) with the record and N(0, 1) without it. Any number of runs gives a verdict.
func TestAudit(t *testing.T) {
	above := event(t, "score >= 1")
	for _, c := range []struct {
		n       int
		mu      float64
		claim   privacy.Guarantee
		event   training.Event
		anytime bool
		alpha   float64
		want    verify.Verdict
		least   float64
		reason  string
	}{
		{1, 9, privacy.ApproximateDP(1, 0), training.Event{}, false, 0.05, verify.Inconclusive, 0, "one run of each world"},
		{2, 9, privacy.ApproximateDP(1, 0), training.Event{}, false, 0.05, verify.Inconclusive, 0,
			"two runs of each world"},
		{2, 9, privacy.ApproximateDP(0, 0), event(t, "score >= 4"), false, 0.2, verify.Refuted, 0.2, "a large alpha"},
		{20, 6, privacy.ApproximateDP(1, 1e-5), event(t, "score >= 3"), false, 0.05, verify.Refuted, 2,
			"twenty runs of each world"},
		{20, -6, privacy.ApproximateDP(1, 1e-5), event(t, "score >= -3"), false, 0.05, verify.Refuted, 2,
			"the opposite direction"},
		{60, 6, privacy.ApproximateDP(1, 1e-5), training.Event{}, false, 0.05, verify.Refuted, 2.5, "a learned threshold"},
		{60, -6, privacy.GaussianDP(1), training.Event{}, false, 0.05, verify.Refuted, 2.5, "a learned threshold of the " +
			"opposite direction"},
		{150, 2, privacy.GaussianDP(1), above, false, 0.05, verify.Refuted, 1.2, "μ"},
		{150, 1, privacy.GaussianDP(1), training.Event{}, false, 0.05, verify.Inconclusive, 0, "μ as claimed"},
		{4000, 1, privacy.GaussianDP(1), event(t, "score >= 0.5"), false, 0.05, verify.Consistent, 0.8,
			"μ as claimed, many runs"},
		{150, 3, privacy.GaussianDP(1), training.Event{}, true, 0.05, verify.Refuted, 1, "sequential"},
		{150, 3, privacy.ApproximateDP(1, 1e-5), event(t, "score >= 2"), true, 0.05, verify.Refuted, 1,
			"sequential, with an event"},
		{25, 1, privacy.GaussianDP(1), training.Event{}, true, 0.05, verify.Inconclusive, 0, "as claimed, sequential"},
		{50, 1, privacy.ApproximateDP(1000, 0), training.Event{}, true, 0.05, verify.Inconclusive, 0,
			"a claim too weak to refute"},
	} {
		r := rand.New(rand.NewPCG(29, 3))
		a := training.MultiRunAudit{A: normal(r, "with.csv", c.n, c.mu), B: normal(r, "without.csv", c.n, 0),
			Guarantee: c.claim,
			Event:     c.event, Anytime: c.anytime}
		e := judged(t, a, c.alpha)
		if e.Verdict != c.want || e.Lower.X < c.least {
			t.Errorf("%s: %s, at least %v (%s); want %s, %v", c.reason, e.Verdict, e.Lower.X, e.WorstCase, c.want, c.least)
		}
		if (e.Needed == "") == (e.Verdict == verify.Inconclusive) {
			t.Errorf("%s: needed %q", c.reason, e.Needed)
		}
		if c.anytime && e.Verdict == verify.Refuted && e.Samples >= int64(2*c.n) {
			t.Errorf("%s: all runs were used", c.reason)
		}
	}
}

// True claims are refuted with probability at most alpha by every form of the audit. A rate of half of the runs is
// detected with probability 0.99 ([verifytest.Wald]); long tests use a limit of the rate at an error of 1e-4.
func TestTrueClaims(t *testing.T) {
	const alpha = 0.05
	const n, most = 1000, 82 // of long tests
	for _, c := range []struct {
		a      training.MultiRunAudit
		runs   int
		reason string
	}{
		{training.MultiRunAudit{Guarantee: privacy.GaussianDP(1)}, 60, "a learned threshold"},
		{training.MultiRunAudit{Guarantee: privacy.GaussianDP(1), Event: event(t, "score > 0.5")}, 60, "an event"},
		{training.MultiRunAudit{Guarantee: privacy.GaussianDP(1), Anytime: true}, 20, "sequential"},
		{training.MultiRunAudit{Guarantee: privacy.GaussianDP(1), Anytime: true, Event: event(t, "score > 0.5")}, 20,
			"sequential, with an event"},
	} {
		if c.a.Anytime && !testutil.Asked() {
			continue
		}
		refuted, errs := 0, verifytest.Wald{Most: alpha, Fault: 0.5}
		for seed := 0; seed < n && (testutil.Asked() || !errs.Decided()); seed++ {
			r := rand.New(rand.NewPCG(uint64(seed), 29))
			a := c.a
			a.A, a.B = normal(r, "a", c.runs, 1), normal(r, "b", c.runs, 0)
			wrong := judged(t, a, alpha).Verdict == verify.Refuted
			if errs.Add(wrong); wrong {
				refuted++
			}
		}
		if refuted > most {
			t.Errorf("%s: %d of %d true claims are refuted", c.reason, refuted, n)
		}
		errs.Report(t, c.reason+", refuted")
	}
}

// Bets on a longer recording begin like those on a shorter one. A refutation remains, after the same number of runs.
func TestGrowingFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	with, without := normal(r, "with", 70, 3.5), normal(r, "without", 70, 0)
	first := int64(0)
	for n := 10; n <= 70; n += 20 {
		a := training.MultiRunAudit{A: outputs.Recording{Outputs: with.Outputs[:n]},
			B:         outputs.Recording{Outputs: without.Outputs[:n]},
			Guarantee: privacy.GaussianDP(1), Anytime: true}
		switch e := judged(t, a, 0.01); {
		case e.Verdict != verify.Refuted && first > 0:
			t.Errorf("%d runs: %s, which fewer refuted", n, e.Verdict)
		case e.Verdict == verify.Refuted && first == 0:
			first = e.Samples
		case e.Verdict == verify.Refuted && e.Samples != first:
			t.Errorf("%d runs: refuted after %d, before after %d", n, e.Samples, first)
		}
	}
	if first == 0 {
		t.Error("nothing was refuted")
	}
}

// trainer is a training; with reports whether its input contains the record.
type trainer func(r *rand.Rand, with bool) float64

func (f trainer) Release(r *rand.Rand, with bool) (any, error) { return f(r, with), nil }

// Training runs are one shard each and stop early. The claim is refuted only if it is false.
func TestTrained(t *testing.T) {
	for _, c := range []struct {
		mu      float64
		anytime bool
		want    verify.Verdict
		most    int
		reason  string
	}{
		{9, true, verify.Refuted, 79, "stops early"},
		{4, false, verify.Refuted, 80, "all runs"},
		{0.5, true, verify.Inconclusive, 80, "as claimed"},
	} {
		calls := 0
		e := judged(t, training.TrainedAudit[bool]{
			MultiRunAudit: training.MultiRunAudit{Guarantee: privacy.GaussianDP(1), Anytime: c.anytime},
			Training: trainer(func(r *rand.Rand, with bool) float64 {
				calls++
				if with {
					return c.mu + r.NormFloat64()
				}
				return r.NormFloat64()
			}),
			With: true, Runs: 40,
		}, 0.01)
		if e.Verdict != c.want || calls > c.most || !c.anytime && calls != c.most {
			t.Errorf("%s: %s after %d calls; want %s, %d", c.reason, e.Verdict, calls, c.want, c.most)
		}
	}
}

// Outputs that are not scores give an error that names the run.
func TestBadScores(t *testing.T) {
	good := outputs.Recording{Name: "b.csv", Outputs: []any{1.0, json.Number("12345678901234567890")}}
	for _, c := range []struct {
		output any
		want   string
	}{
		{"nan", "a.csv: run 1: a score of NaN: want a finite number"},
		{"inf", "a.csv: run 1: a score of +Inf: want a finite number"},
		{"high", "a.csv: run 1: an output of high is not a score"},
		{[]any{1.0}, "a.csv: run 1: an output of [1] is not a score"},
		{nil, "a.csv: run 1: an output of <nil> is not a score"},
		{map[string]any{"score": 0.5}, ""},
	} {
		a := training.MultiRunAudit{A: outputs.Recording{Name: "a.csv", Outputs: []any{c.output}}, B: good,
			Guarantee: privacy.ApproximateDP(1, 0)}
		_, err := a.Prepare(context.Background(), verify.Settings{Alpha: 0.05, Seed: empirical.NewSeed(1)})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.output, err, c.want)
		}
	}
}

// A report with a seed of another length is rejected.
func TestSeedOfBets(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 4))
	e := judged(t, training.MultiRunAudit{A: normal(r, "with.csv", 6, 1), B: normal(r, "without.csv", 6, 0),
		Guarantee: privacy.GaussianDP(1), Anytime: true}, 0.05)
	seed := empirical.NewSeed(1)
	stored := hex.EncodeToString(seed[:])
	for again, want := range map[string]bool{stored: true, stored + "00": false, stored[2:]: false, stored + "0": false} {
		b := *e.Statistics
		b.Values = json.RawMessage(strings.ReplaceAll(string(b.Values), stored, again))
		if _, err := b.Judge(verify.Settings{Alpha: 0.05}); (err == nil) != want {
			t.Errorf("a seed %q: %v", again, err)
		}
	}
}
