package claimsfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const loggedRun = `{"records": 4}
{"step": 1, "batch": [0], "norms": [1], "contributions": [[0.5]], "noise": [0.25], "released": [0.75], "divisor": 1}
`

const loggedClaim = `claims:
  - name: run
    account: {mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 2, count: 1}
    guarantee: {epsilon: 8, delta: 1e-5}
    training: {log: run.jsonl, sampling: poisson, rate: 0.5, clipping-norm: 1, noise-multiplier: 2, divisor: 1, steps: 1}
`

// The account keeps the id of the claim, the premises have ids of their own, and the digest depends on the log and on
// the claimed training.
func TestTrainingLogClaims(t *testing.T) {
	dir := t.TempDir()
	parse := func(log, claims string) []Subject {
		if err := os.WriteFile(filepath.Join(dir, "run.jsonl"), []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		_, subjects, err := ParseClaims(filepath.Join(dir, "claims.yaml"), []byte(claims))
		if err != nil {
			t.Fatal(err)
		}
		return subjects
	}
	first := parse(loggedRun, loggedClaim)
	var ids []string
	for _, c := range first[0].Claims() {
		ids = append(ids, c.ID)
		if !slices.Contains(first[0].IDs(), c.ID) {
			t.Errorf("%s is missing in IDs", c.ID)
		}
	}
	if len(ids) < 2 || ids[0] != "audit/run" || !slices.Contains(ids, "audit/run/steps") {
		t.Errorf("claims %q: want audit/run, the account, and audit/run/steps", ids)
	}
	alone := parse(loggedRun, strings.Replace(strings.Replace(loggedClaim, "    account", "#", 1), "    guarantee", "#", 1))
	if c := alone[0].Claims(); len(c) != len(ids)-1 || c[0].ID != ids[1] {
		t.Errorf("without an account: %d claims, the first %s; want %q", len(c), c[0].ID, ids[1:])
	}
	if got := parse(loggedRun, loggedClaim); Digest(got) != Digest(first) {
		t.Error("the same claims have another digest")
	}
	for name, other := range map[string][]Subject{
		"log":   parse(strings.Replace(loggedRun, "0.25", "0.5", 1), loggedClaim),
		"steps": parse(loggedRun, strings.Replace(loggedClaim, "steps: 1", "steps: 2", 1)),
	} {
		if Digest(other) == Digest(first) {
			t.Errorf("another %s has the same digest", name)
		}
	}
}
