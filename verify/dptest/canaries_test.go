package dptest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify/privacy"
)

// noisyMembers is a training algorithm that releases each canary's membership with Gaussian noise.
func noisyMembers(sigma float64) func(*rand.Rand, []bool) []float64 {
	return func(r *rand.Rand, included []bool) []float64 {
		scores := make([]float64, len(included))
		for i, in := range included {
			scores[i] = sigma * r.NormFloat64()
			if in {
				scores[i]++
			}
		}
		return scores
	}
}

// TestCanaries checks that a training algorithm with μ = 1/σ passes at that μ and fails at a quarter of it. A
// training function that panics or returns too few scores ends the test.
func TestCanaries(t *testing.T) {
	for _, c := range []struct {
		train  func(*rand.Rand, []bool) []float64
		mu     float64
		result string
		want   string
		reason string
	}{
		{noisyMembers(0.5), 2, "pass", "", "as claimed"},
		{noisyMembers(0.5), 0.5, "fail", "claim refuted", "claimed a quarter of μ"},
		{func(*rand.Rand, []bool) []float64 { panic("out of memory") }, 1, "fatal", "out of memory", "training panics"},
		{func(*rand.Rand, []bool) []float64 { return []float64{1} }, 1, "fatal", "1 scores and 3000 coins", "too few scores"},
	} {
		got := &fake{name: "TestTraining"}
		Canaries(got, 3000, c.train, privacy.GaussianDP(c.mu), Alpha(1e-6))
		if got.outcome() != c.result || !strings.Contains(got.text(), c.want) {
			t.Errorf("%s: %s, want %s: %s", c.reason, got.outcome(), c.result, got.text())
		}
	}
	scores := []float64{1, 2, 3}
	got := &fake{name: "TestTraining"}
	CanaryAudit(got, scores, []bool{true, false, true}, privacy.ApproximateDP(1, 0))
	if got.outcome() != "pass" || !strings.Contains(got.text(), "inconclusive") {
		t.Errorf("three canaries: %s", got.text())
	}
}
