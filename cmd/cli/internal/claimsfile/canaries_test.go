package claimsfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify/training"
)

// Composed accounts have equal steps only if every part has the same sampling rate and Gaussian noise.
func TestEqualSteps(t *testing.T) {
	gaussian := event.Gaussian(2)
	sampled := event.Poisson(0.1, gaussian)
	for _, c := range []struct {
		event event.Event
		want  *training.Steps
	}{
		{gaussian, &training.Steps{Rate: 1, Noise: 2, Count: 1}},
		{event.Repeat(30, sampled), &training.Steps{Rate: 0.1, Noise: 2, Count: 30}},
		{event.Repeat(3, event.Repeat(10, sampled.WithSensitivity(0.5))), &training.Steps{Rate: 0.1, Noise: 4, Count: 30}},
		{event.Compose(event.Repeat(20, sampled), event.Repeat(10, sampled)), &training.Steps{Rate: 0.1, Noise: 2, Count: 30}},
		{event.Repeat(5, event.TruncatedPoisson(0.1, 20, 100, gaussian)), &training.Steps{Rate: 0.1, Noise: 2, Count: 5}},
		{event.Repeat(5, event.WithoutReplacement(10, 100, gaussian)), &training.Steps{Rate: 0.1, Noise: 2, Count: 5}},
		{event.Repeat(3, event.FixedBatches(10, gaussian)), &training.Steps{Rate: 1, Noise: 2, Count: 3}},
		{event.Repeat(3, event.ShuffledBatches(10, gaussian)), &training.Steps{Rate: 1, Noise: 2, Count: 3}},
		{event.Compose(sampled, event.Poisson(0.2, gaussian)), nil},
		{event.Compose(event.Laplace(1), sampled), nil},
		{event.Compose(sampled, event.Laplace(1)), nil},
		{event.Schedule(0.1, []float64{2, 3}, 10), nil},
		{event.Repeat(3, event.Poisson(0.1, event.Laplace(1))), nil},
		{event.Poisson(0.1, event.Repeat(3, gaussian)), nil},
		{event.Compose(), nil},
		{event.Allocation(10, 1, gaussian), nil},
	} {
		if diff := cmp.Diff(c.want, equalSteps(c.event)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.event, diff)
		}
	}
}

// An unreadable account breaks its own claim about canaries, but not the other claims.
func TestCanariesOfABrokenAccount(t *testing.T) {
	dir := t.TempDir()
	scores := "score,included\n" + strings.Repeat("1,1\n0,0\n", 20)
	if err := os.WriteFile(filepath.Join(dir, "scores.csv"), []byte(scores), 0o666); err != nil {
		t.Fatal(err)
	}
	const claims = "claims:\n- {name: x, canaries: scores.csv, account: {mechanism: gaussian, sigma: 2}, guarantee: {epsilon: 1}}\n" +
		"- {name: y, canaries: scores.csv, guarantee: {mu: 1}}\n"
	_, subjects, err := ParseClaims(filepath.Join(dir, "claims.yaml"), []byte(claims))
	if err != nil {
		t.Fatal(err)
	}
	if err := subjects[0].Broken; err == nil || !strings.Contains(err.Error(), "say at which δ") {
		t.Errorf("claim x: %v, want the fault of its account", err)
	}
	if err := subjects[1].Broken; err != nil {
		t.Errorf("claim y: %v", err)
	}
}
