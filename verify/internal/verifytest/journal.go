package verifytest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// Journalled runs a check as a shard of a run, with its journal in a file.
type Journalled struct {
	Path      string // file of the journal
	Shard, Of int    // index of the shard, and number of shards
	Prepared  string // journal of another shard, whose preparation is used; "" for none
	Stop      int    // number of pieces after which the run stops; 0 means never
	One       bool   // one worker, so that no piece runs ahead
}

// run runs the shard. The result has no evidence if other shards have the remaining pieces.
func (j Journalled) run(t *testing.T, check verify.Check) (verify.Run, error) {
	t.Helper()
	l := LedgerOf(t, ClaimWith("p/c", check))
	o := RunOptions(2)
	if j.One {
		o.Workers = 1
	}
	head := checkpoint.NewHead("v0", []string{"audit"}, l.Claims(), o)
	head.Shard, head.Total = j.Shard, j.Of
	journal, err := checkpoint.Open(j.Path, head)
	if err != nil {
		return verify.Run{}, err
	}
	o.Checkpoint = journal
	if j.Prepared != "" {
		if err := journal.PreparedBy(j.Prepared); err != nil {
			return verify.Run{}, errors.Join(err, journal.Close())
		}
	}
	ctx, kill := context.WithCancel(context.Background())
	defer kill()
	pieces := 0
	o.Progress = func(verify.Progress) {
		if pieces++; pieces == j.Stop {
			kill()
		}
	}
	run, err := l.Run(ctx, l.Claims(), o)
	if err := o.Checkpoint.Close(); err != nil {
		t.Fatal(err)
	}
	return run, err
}

// MustRun runs a shard of a check, and fails the test on an error.
func MustRun(t *testing.T, j Journalled, check verify.Check) verify.Run {
	t.Helper()
	run, err := j.run(t, check)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// MergeRun merges the journals of all shards and returns the evidence. It returns an error if the journals cannot be
// merged or have gaps.
func MergeRun(t *testing.T, check verify.Check, paths ...string) (verify.Evidence, error) {
	t.Helper()
	j, _, err := checkpoint.Merge(paths)
	if err != nil {
		return verify.Evidence{}, err
	}
	l := LedgerOf(t, ClaimWith("p/c", check))
	o := RunOptions(2)
	o.Checkpoint = j
	run, err := l.Run(context.Background(), l.Claims(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Gaps(); err != nil {
		return verify.Evidence{}, err
	}
	return run.Results[0].Evidence, nil
}

// WholeRun runs a check without shards and journal.
func WholeRun(t *testing.T, check verify.Check) verify.Evidence {
	t.Helper()
	l := LedgerOf(t, ClaimWith("p/c", check))
	run, err := l.Run(context.Background(), l.Claims(), RunOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	return run.Results[0].Evidence
}

// SameEvidence fails if two pieces of evidence differ in any field.
func SameEvidence(t *testing.T, got, want verify.Evidence) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}
