package verifytest

import (
	"context"
	"errors"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// StreamsOnce fails if two purposes, pairs, views, shards or claims in a run of the subjects use the same random
// stream. Their samples would be dependent, and no result would show it.
func StreamsOnce(t *testing.T, subjects map[string]verify.Check) {
	t.Helper()
	var run rng.Repeats // shared by all claims, which form one run
	stop := rng.Watch(run.Begun)
	defer stop()
	for name, check := range subjects {
		before := run.Len()
		s := verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(1).Derive("claim", name)}
		if _, err := verify.Judge(context.Background(), check, s, empirical.NewPool(2), nil); err != nil &&
			!errors.Is(err, distinguisher.ErrNoEvent) {
			t.Errorf("%s: %v", name, err)
		}
		if run.Len() == before {
			t.Errorf("%s: the check used no random stream", name)
		}
	}
	for _, found := range run.Found() {
		t.Error(found)
	}
}
