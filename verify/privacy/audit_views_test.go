package privacy

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// prepared returns the trial of an audit with a fixed number of samples.
func prepared(t *testing.T, a Audit[float64, float64], seed uint64) *auditTrial[float64, float64] {
	t.Helper()
	trial, err := a.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(seed)})
	if err != nil {
		t.Fatal(err)
	}
	return trial.(*auditTrial[float64, float64])
}

// TestViewsShareTheSamples checks that each view counts only in the search sample of the other view and in all later
// samples, and that the two views share alpha.
func TestViewsShareTheSamples(t *testing.T) {
	const samples = 20_000
	trial := prepared(t, laplaceAudit(1, 1, samples), 1)
	if len(trial.views) != 2 || trial.alpha != 0.025 {
		t.Fatalf("%d views, each at %v: want 2 at half of 0.05", len(trial.views), trial.alpha)
	}
	spent := int64(probeRows) + trial.perShard*auditShards
	for _, v := range trial.views {
		spent += v.heldOutN[0]
		if n := trial.n(v); n[0] != n[1] || v.heldOutN[0] != v.heldOutN[1] {
			t.Errorf("%d samples of the sides of a view of one pair", n)
		}
		if share := float64(trial.n(v)[0]) / samples; math.Abs(share-(1-viewShare)) > 0.01 {
			t.Errorf("a view counts in a share of %.3f of the samples, want all except the %v that chose its event", share, viewShare)
		}
	}
	if spent > samples {
		t.Errorf("%d samples of each input were drawn, more than %d", spent, samples)
	}
}

// TestViewsThatCountTheirOwnSampleErr is a negative control. Views that count in the sample that chose their events err
// more often than alpha permits, and the audit's views do not.
func TestViewsThatCountTheirOwnSampleErr(t *testing.T) {
	errsOfOwnSamples(t, laplaceAudit(0.1, 0.1, 2000))
}

// errsOfOwnSamples compares the error rates of both kinds of views on a claim that holds with equality, with 2000
// samples. Each comparison detects six times alpha with probability 0.99 ([verifytest.Wald]).
func errsOfOwnSamples[D, O any](t *testing.T, a Audit[D, O]) {
	t.Helper()
	const alpha = 0.05
	honest, cheating := verifytest.Wald{Most: alpha, Fault: 0.3}, verifytest.Wald{Most: alpha, Fault: 0.3}
	for i := 0; !honest.Decided() || !cheating.Decided(); i++ {
		ctx := context.Background()
		trial, err := a.Prepare(ctx, verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: empirical.NewSeed(uint64(i + 1))})
		if err != nil {
			t.Fatal(err)
		}
		audit := trial.(*auditTrial[D, O])
		found, shared, err := audit.searchFolds(ctx, 900)
		if err != nil {
			t.Fatal(err)
		}
		for _, errs := range []*verifytest.Wald{&honest, &cheating} {
			if errs == &cheating {
				found = audit.ownHits(t, found, shared)
				for _, pool := range shared {
					pool[0], pool[1] = pool[1], pool[0]
				}
			}
			if err := audit.setViews(ctx, found, shared); err != nil {
				t.Fatal(err)
			}
			wrong := false
			for _, v := range audit.views {
				c, err := audit.certify(v, v.heldOut[0][0], v.heldOut[1][0], v.heldOutN)
				if err != nil {
					t.Fatal(err)
				}
				wrong = wrong || c.lower > a.Guarantee.Value()
			}
			if !errs.Decided() {
				errs.Add(wrong)
			}
		}
	}
	honest.Report(t, "views that count held-out samples err")
	if !cheating.Fails() {
		t.Errorf("views that count their own samples err too rarely for the test to detect it: %+v", cheating)
	}
}

// ownHits counts each event in the rows that chose it.
func (t *auditTrial[D, O]) ownHits(tb *testing.T, found []folds, shared searchRows) []folds {
	tb.Helper()
	ctx := context.Background()
	own := slices.Clone(found)
	for pair := range own {
		for fold := range own[pair] {
			var rows [2]*distinguisher.Rows
			for side := range rows {
				var err error
				if rows[side], err = t.foldRows(ctx, shared, inputPlace{Pair: pair, AtB: side == 1}, fold, 900); err != nil {
					tb.Fatal(err)
				}
			}
			f := &own[pair][fold]
			f.marks = t.marksOf(pair, f.found, t.settings.Stream("ties", strconv.Itoa(pair), strconv.Itoa(fold)), shared, rows)
		}
	}
	return own
}
