package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// journalled runs a check as a shard of a run, with the journal in a file.
type journalled struct {
	path      string
	shard, of int
	prepared  string // of another shard
	stop      int    // after so many pieces; 0 never
	one       bool   // worker: none runs ahead
}

// run has no results where pieces were left to other shards.
func (j journalled) run(t *testing.T, check Check) (Run, error) {
	t.Helper()
	l := ledgerOf(t, claimWith("p/c", check))
	o := runOptions(2)
	if j.one {
		o.Workers = 1
	}
	head := NewJournalHead("v0", []string{"audit"}, l.Claims(), o)
	head.Shard, head.Of = j.shard, j.of
	journal, err := OpenJournal(j.path, head)
	if err != nil {
		return Run{}, err
	}
	o.Journal = journal
	if j.prepared != "" {
		if err := journal.PreparedBy(j.prepared); err != nil {
			return Run{}, err
		}
	}
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	pieces := 0
	o.Progress = func(Progress) {
		if pieces++; pieces == j.stop {
			kill()
		}
	}
	run, err := l.Run(ctx, l.Claims(), o)
	if err := o.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	return run, err
}

func mustRun(t *testing.T, j journalled, check Check) Run {
	t.Helper()
	run, err := j.run(t, check)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func mergeRun(t *testing.T, check Check, paths ...string) (Evidence, error) {
	t.Helper()
	j, _, err := MergeJournals(paths)
	if err != nil {
		return Evidence{}, err
	}
	l := ledgerOf(t, claimWith("p/c", check))
	o := runOptions(2)
	o.Journal = j
	run, err := l.Run(context.Background(), l.Claims(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Gaps(); err != nil {
		return Evidence{}, err
	}
	return run.Results[0].Evidence, nil
}

func wholeRun(t *testing.T, check Check) Evidence {
	t.Helper()
	l := ledgerOf(t, claimWith("p/c", check))
	run, err := l.Run(context.Background(), l.Claims(), runOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	return run.Results[0].Evidence
}

func sameEvidence(t *testing.T, got, want Evidence) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

// failing has three pieces, of which the second fails.
func failing() trialOf {
	return trialOf{sample: func(_ context.Context, s empirical.Shard) (empirical.Tally, error) {
		if s.Index == 1 {
			return nil, errors.New("no more entropy")
		}
		return empirical.Counts{s.Samples}, nil
	}}
}

// A claim whose sampling fails in one shard fails in the merged report as in the whole; a
// shard that is run again tries it again.
func TestFailuresAreMerged(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	mustRun(t, journalled{path: one, shard: 1, of: 2}, failing())
	for range 2 {
		if run := mustRun(t, journalled{path: two, shard: 2, of: 2}, failing()); run.Results[0].Verdict != Error {
			t.Fatalf("the shard: %+v", run.Results)
		}
	}
	got, err := mergeRun(t, failing(), one, two)
	if err != nil {
		t.Fatal(err)
	}
	if sameEvidence(t, got, wholeRun(t, failing())); got.Verdict != Error || !strings.Contains(got.Warnings[0], "shard 2 of 3: no more entropy") {
		t.Errorf("merged: %+v", got)
	}
	mustRun(t, journalled{path: two, shard: 2, of: 2}, trialOf{})
	if got, err = mergeRun(t, trialOf{}, one, two); err != nil {
		t.Fatal(err)
	}
	sameEvidence(t, got, wholeRun(t, trialOf{}))
}

// soonEnough has enough with its first pieces.
type soonEnough struct {
	trialOf
	pieces int64
}

func (s soonEnough) Prepare(context.Context, Settings) (Trial, error) { return s, nil }
func (s soonEnough) Done(merged empirical.Tally) bool {
	return merged.(empirical.Counts)[0] >= 10*s.pieces
}

// What follows the pieces that were enough is no gap, and a word of it that is not true is
// found out.
func TestEnoughIsMerged(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		pieces int64
		of     int
		notes  int // shards that note that it was enough
	}{{1, 1, 1}, {2, 1, 1}, {3, 1, 0}, {1, 2, 1}, {2, 2, 0}} {
		want := wholeRun(t, soonEnough{pieces: c.pieces})
		if want.Samples != 10*c.pieces {
			t.Fatalf("%d pieces: the whole has %d samples", c.pieces, want.Samples)
		}
		var files []string
		notes := 0
		for shard := 1; shard <= c.of; shard++ {
			path := filepath.Join(t.TempDir(), "f")
			for range 2 { // and again, from what is there
				mustRun(t, journalled{path: path, shard: shard, of: c.of}, soonEnough{pieces: c.pieces})
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
		got, err := mergeRun(t, soonEnough{pieces: c.pieces}, files...)
		if err != nil {
			t.Fatal(err)
		}
		sameEvidence(t, got, want)
	}
	path := filepath.Join(dir, "lie")
	mustRun(t, journalled{path: path, shard: 1, of: 1, one: true}, soonEnough{pieces: 1})
	if got, err := mergeRun(t, soonEnough{pieces: 3}, path); err == nil || !strings.Contains(err.Error(), "p/c cannot be judged") {
		t.Errorf("with too few pieces: %+v, error %v", got, err)
	}
}
