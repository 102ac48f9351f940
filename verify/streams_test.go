package verify

import (
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/rng"
)

// TestRepeatedStreamsAreFound checks that a check that uses one random stream for two pairs is detected.
func TestRepeatedStreamsAreFound(t *testing.T) {
	var run rng.Repeats
	defer rng.Watch(run.Begun)()
	s := Settings{Seed: empirical.NewSeed(1)}
	for range 2 {
		s.Stream("search", "0") // the name of two pairs
	}
	if len(run.Found()) != 1 {
		t.Errorf("found %q", run.Found())
	}
}
