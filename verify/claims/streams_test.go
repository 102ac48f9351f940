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

// No random stream of the claim set begins twice, except the streams that are shared on purpose. The long form also
// covers the controls: it prepares each and draws a few samples from two shards.
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
				t.Errorf("control of %s: %v", c.ID, err)
			}
		}
	}
	if run.Len() < len(l.Claims()) {
		t.Errorf("%d streams for %d claims, want at least one per claim", run.Len(), len(l.Claims()))
	}
	for _, found := range run.Found() {
		t.Error(found)
	}
}

// begin prepares a check and draws at most 8 samples from each of its first two shards. It skips missing data.
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
