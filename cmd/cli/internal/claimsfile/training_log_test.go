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
		"log":     parse(strings.Replace(loggedRun, "0.25", "0.5", 1), loggedClaim),
		"divisor": parse(loggedRun, strings.Replace(loggedClaim, "divisor: 1", "divisor: 2", 1)),
	} {
		if Digest(other) == Digest(first) {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

// An account and a training of one claim with different numbers are an error with both values. An account of something
// else than one training is not compared.
func TestTrainingAccountDisagrees(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "run.jsonl"), []byte(loggedRun), 0o600); err != nil {
		t.Fatal(err)
	}
	const poisson = "sampling: poisson, rate: 0.5"
	for _, c := range []struct{ account, training, want string }{
		{"{mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 2, count: 1}", poisson, ""},
		{"{mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 2, sensitivity: 3}", poisson, ""},
		{"{mechanism: sgm, sampling-rate: 0.25, noise-multiplier: 2}", poisson, "rate: the account has rate 0.25, the training 0.5"},
		{"{mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 1.1}", poisson,
			"noise-multiplier: the account has noise-multiplier 1.1, the training 2"},
		{"{mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 2, count: 3}", poisson,
			"steps: the account has steps 3, the training 1"},
		{"{mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 2}", "sampling: shuffled, batch: 1",
			"sampling: the account has sampling poisson, the training shuffled"},
		{"{mechanism: gaussian, sigma: 2, sampling: without-replacement, records: 4, batch: 2}",
			"sampling: without-replacement, batch: 1", "batch: the account has batch 2, the training 1"},
		{"{mechanism: gaussian, sigma: 2, sampling: without-replacement, records: 4, batch: 1}",
			"sampling: without-replacement, batch: 1", ""},
		{"{mechanism: gaussian, sigma: 2, sampling: shuffled, batches: 4}", "sampling: shuffled, batch: 1", ""},
		{"{mechanism: gaussian, sigma: 2, sampling: fixed, batches: 2}", "sampling: fixed, batch: 1", "batches in an epoch"},
		{"[{mechanism: gaussian, sigma: 5}, {mechanism: sgm, sampling-rate: 0.5, noise-multiplier: 3}]", poisson, ""},
	} {
		claims := "claims:\n  - name: run\n    account: " + c.account + "\n    guarantee: {epsilon: 8, delta: 1e-5}\n" +
			"    training: {log: run.jsonl, " + c.training + ", clipping-norm: 1, noise-multiplier: 2, divisor: 1, steps: 1}\n"
		_, _, err := ParseClaims(filepath.Join(dir, "claims.yaml"), []byte(claims))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: error %v, want %q", c.account, c.training, err, c.want)
		}
	}
}
