package claimsfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const evidenceCanaries = `claims:
  - {name: run, canaries: scores.csv, inclusion: 0.5, guarantee: {epsilon: 1}}
`

// The version of a claim depends on everything that is claimed, and not on the recorded data. If it missed a part of
// the claim, evidence against an earlier claim would refute the present one.
func TestVersionDependsOnTheClaimOnly(t *testing.T) {
	version := func(claims, log, scores string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"run.jsonl": log, "scores.csv": scores} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, subjects, err := ParseClaims(filepath.Join(dir, "claims.yaml"), []byte(claims))
		if err != nil {
			t.Fatal(err)
		}
		v, err := subjects[0].Version()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	_, training, _ := strings.Cut(loggedClaim, "    training: ") // an account would have to agree with it
	onlyLogged := "claims:\n  - name: run\n    training: " + training
	scores := "score,included\n" + strings.Repeat("1,1\n0,0\n", 20)
	for _, c := range []struct{ claims, from, to string }{
		{onlyLogged, "rate: 0.5, clip", "rate: 0.25, clip"},
		{onlyLogged, "clipping-norm: 1", "clipping-norm: 2"},
		{onlyLogged, "noise-multiplier: 2, divisor", "noise-multiplier: 1, divisor"},
		{onlyLogged, "divisor: 1", "divisor: 2"},
		{onlyLogged, "steps: 1", "steps: 2"},
		{evidenceCanaries, "inclusion: 0.5", "inclusion: 0.6"},
		{evidenceCanaries, "epsilon: 1", "epsilon: 1.0000001"},
	} {
		if !strings.Contains(c.claims, c.from) {
			t.Fatalf("no %s in the claim", c.from)
		}
		first := version(c.claims, loggedRun, scores)
		if version(strings.Replace(c.claims, c.from, c.to, 1), loggedRun, scores) == first {
			t.Errorf("%s has the same version as %s", c.to, c.from)
		}
		if version(c.claims, strings.Replace(loggedRun, "0.25", "0.5", 1), scores+"1,1\n") != first {
			t.Errorf("%s: other data has another version", c.from)
		}
	}
}
