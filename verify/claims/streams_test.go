package claims

import (
	"context"
	"errors"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// No stream of the ledger begins twice, within a claim or between any two, but those that are
// common on purpose. The long form takes the twins as well, of which each makes its choices
// and draws a little of two shards.
func TestLedgerStreamsAreUsedOnce(t *testing.T) {
	l, opt, run := ledger(t), options(1, 2), judgedOnce(t).common
	if testutil.Asked() {
		defer rng.Watch(run.Begun)()
		for _, c := range l.Claims() {
			if c.Control.Check == nil {
				continue
			}
			s := l.Settings(c, opt)
			s.Seed = s.Seed.Derive("twin")
			if err := begin(c.Control.Check, s); err != nil {
				t.Errorf("twin of %s: %v", c.ID, err)
			}
		}
	}
	if run.Len() < len(l.Claims()) {
		t.Errorf("%d streams were seen, of %d claims", run.Len(), len(l.Claims()))
	}
	for _, found := range run.Found() {
		t.Error(found)
	}
}

// begin prepares a check and draws of its first two shards.
func begin(check verify.Check, s verify.Settings) error {
	ctx := context.Background()
	trial, err := check.Prepare(ctx, s)
	if missing := (*verify.MissingData)(nil); errors.As(err, &missing) {
		return nil
	} else if err != nil {
		return err
	}
	plan, seed := trial.Plan(), s.Seed.Derive("sample")
	for i := range min(2, plan.Shards) {
		if _, err := trial.Sample(ctx, empirical.Shard{Index: i, Seed: seed.Shard(i), Samples: min(plan.SamplesPerShard, 8)}); err != nil {
			return err
		}
	}
	return nil
}
