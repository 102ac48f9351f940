package checkpoint_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// failing has three pieces; the second fails.
func failing() verifytest.TrialOf {
	return verifytest.TrialOf{Sampling: func(_ context.Context, s empirical.Shard) (empirical.Tally, error) {
		if s.Index == 1 {
			return nil, errors.New("no more entropy")
		}
		return empirical.Counts{s.Samples}, nil
	}}
}

// A claim whose sampling fails in one shard also fails in the merged report. Running the shard again repeats the
// failed piece.
func TestFailuresAreMerged(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	verifytest.MustRun(t, verifytest.Journalled{Path: one, Shard: 1, Of: 2}, failing())
	for range 2 {
		if run := verifytest.MustRun(t, verifytest.Journalled{Path: two, Shard: 2, Of: 2}, failing()); run.Results[0].Verdict != verify.Error {
			t.Fatalf("the shard: %+v", run.Results)
		}
	}
	got, err := verifytest.MergeRun(t, failing(), one, two)
	if err != nil {
		t.Fatal(err)
	}
	if verifytest.SameEvidence(t, got, verifytest.WholeRun(t, failing())); got.Verdict != verify.Error || !strings.Contains(got.Warnings[0], "shard 2 of 3: no more entropy") {
		t.Errorf("merged: %+v", got)
	}
	verifytest.MustRun(t, verifytest.Journalled{Path: two, Shard: 2, Of: 2}, verifytest.TrialOf{})
	if got, err = verifytest.MergeRun(t, verifytest.TrialOf{}, one, two); err != nil {
		t.Fatal(err)
	}
	verifytest.SameEvidence(t, got, verifytest.WholeRun(t, verifytest.TrialOf{}))
}

// soonEnough stops after its first pieces.
type soonEnough struct {
	verifytest.TrialOf
	pieces int64
}

func (s soonEnough) Prepare(context.Context, verify.Settings) (verify.Trial, error) { return s, nil }
func (s soonEnough) Done(merged empirical.Tally) bool {
	return merged.(empirical.Counts)[0] >= 10*s.pieces
}

// Pieces after the sufficient ones are not a gap. A false entry about how many sufficed is detected.
func TestEnoughIsMerged(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		pieces int64
		of     int
		notes  int // shards that note that it was enough
	}{{1, 1, 1}, {2, 1, 1}, {3, 1, 0}, {1, 2, 1}, {2, 2, 0}} {
		want := verifytest.WholeRun(t, soonEnough{pieces: c.pieces})
		if want.Samples != 10*c.pieces {
			t.Fatalf("%d pieces: the whole has %d samples", c.pieces, want.Samples)
		}
		var files []string
		notes := 0
		for shard := 1; shard <= c.of; shard++ {
			path := filepath.Join(t.TempDir(), "f")
			for range 2 { // and again, from what is there
				verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: shard, Of: c.of}, soonEnough{pieces: c.pieces})
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			notes += strings.Count(string(text), `"enough"`)
			files = append(files, path)
		}
		if notes != c.notes {
			t.Errorf("%d pieces, %d shards: %d notes, want %d", c.pieces, c.of, notes, c.notes)
		}
		got, err := verifytest.MergeRun(t, soonEnough{pieces: c.pieces}, files...)
		if err != nil {
			t.Fatal(err)
		}
		verifytest.SameEvidence(t, got, want)
	}
	path := filepath.Join(dir, "lie")
	verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: 1, Of: 1, One: true}, soonEnough{pieces: 1})
	if got, err := verifytest.MergeRun(t, soonEnough{pieces: 3}, path); err == nil || !strings.Contains(err.Error(), "p/c cannot be judged") {
		t.Errorf("with too few pieces: %+v, error %v", got, err)
	}
}
