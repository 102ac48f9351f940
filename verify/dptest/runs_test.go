package dptest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify/privacy"
)

// TestRuns checks that a training algorithm whose scores differ by μ = 4 passes at that μ and fails at a quarter of
// it.
func TestRuns(t *testing.T) {
	score := func(r *rand.Rand, with bool) float64 {
		if with {
			return 4 + r.NormFloat64()
		}
		return r.NormFloat64()
	}
	for _, c := range []struct {
		train        func(*rand.Rand, bool) float64
		event        string
		mu           float64
		options      []Option
		result, want string
		reason       string
	}{
		{score, "score >= 2", 4, nil, "pass", "", "as claimed"},
		{score, "score >= 2", 1, []Option{Samples(60)}, "fail", "claim refuted", "claimed a quarter of μ"},
		{score, "", 1, []Option{Anytime()}, "fail", "claim refuted", "sequential test"},
		{score, "above 2", 1, nil, "fatal", "want a bound of the score", "invalid event"},
		{nil, "", 1, nil, "fatal", "no training", "nil training function"},
		{func(*rand.Rand, bool) float64 { panic("out of memory") }, "", 1, nil, "fatal", "out of memory", "training panics"},
	} {
		got := &fake{name: "TestTraining"}
		MultiRun(got, c.train, c.event, privacy.GaussianDP(c.mu), append(c.options, Alpha(1e-3))...)
		if got.outcome() != c.result || !strings.Contains(got.text(), c.want) {
			t.Errorf("%s: %s, want %s: %s", c.reason, got.outcome(), c.result, got.text())
		}
	}
}
