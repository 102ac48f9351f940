package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// canaryTraining is a Python program that trains only on the canaries of the manual's page, by Poisson samples or in a
// fixed order, with the fault in its first argument.
const canaryTraining = `
import random, sys
from dp_canaries import Canaries
fault, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
RATE, SIGMA, STEPS = 0.1, 2.0, 30
canaries = Canaries(count, seed=seed, sampling_rate=RATE, noise_multiplier=SIGMA)
rng, rows, kept, size = random.Random(seed + 1000), set(canaries.rows()), [0.0] * count, round(RATE * count)
once = [rng.gauss(0, SIGMA) for _ in range(count)]
for step in range(STEPS):
    turn = [(step * size + i) % count for i in range(size)]
    batch = turn if "order" in fault else [k for k in range(count) if rng.random() < RATE]
    total = [0.0] * count
    for k in batch:
        if k in rows:
            slope = canaries.slope() if "alternating" in fault else canaries.slope(k)
            total[k] += slope * min(1, 1 / abs(slope))
    if "sums kept" in fault:
        kept = [a + b for a, b in zip(kept, total)]
        total = kept
    noise = SIGMA / 2 if fault == "half the noise" else SIGMA
    noisy = [a + rng.gauss(0, noise) for a in total]
    if fault == "noise drawn once":
        noisy = [a + b for a, b in zip(total, once)]
    told = {"known order": turn, "order of the included": [k for k in turn if k in rows],
            "order without a canary": [k for k in turn if k != 7]}
    canaries.observe(noisy, batch=told.get(fault))
canaries.write("scores.csv")
`

// pageTraining runs canaryTraining in the working directory.
func pageTraining(t *testing.T, fault string, canaries, seed int) (string, error) {
	t.Helper()
	out, err := exec.Command("python3", "train.py", fault, fmt.Sprint(canaries), fmt.Sprint(seed)).CombinedOutput()
	return string(out), err
}

// With 3000 canaries at alpha 0.05, audits by the account's trade-off function refute each fault in at least 19 of 20
// seeds, and no sound training. Without DPVERIFY_LONG the test uses one seed.
func TestCanariesPage(t *testing.T) {
	testutil.Skip(t)
	needPython(t)
	page := read(t, filepath.Join("manual", "pages", "dp_canaries.py"))
	t.Chdir(t.TempDir())
	put(t, "dp_canaries.py", page)
	put(t, "train.py", canaryTraining)
	const account = "{mechanism: sgm, sampling-rate: 0.1, noise-multiplier: 2, count: 30}\n"
	put(t, "account.yaml", account)
	judge := "dpverify audit --canaries scores.csv --account account.yaml --delta 1e-5 --alpha 0.05"
	seeds := testutil.Size(1, 20)
	for _, c := range []struct {
		fault string
		score string // score that the file states
		least int    // minimum number of refutations in 20 seeds
		want  string // part of the last report
	}{
		{"half the noise", "sampling-rate=0.1 noise=estimated", 19, "✗ refuted"},
		{"sums kept", "sampling-rate=0.1 noise=estimated", 19, "✗ refuted"},
		{"known order", "turns=3 noise=estimated", 19, "✗ refuted"},
		{"noise drawn once", "", 19, "✗ refuted"},
		{"none", "sampling-rate=0.1 noise=estimated", 0, "sums of gradients kept between steps would have been refuted"},
	} {
		refuted := 0
		for seed := 1; seed <= seeds; seed++ {
			if out, err := pageTraining(t, c.fault, 3000, seed); err != nil {
				t.Fatalf("%s: %v\n%s", c.fault, err, out)
			}
			code, out := guided(t, judge)
			if code == codeRefuted {
				refuted++
			}
			if !strings.Contains(out, c.want) && seeds == 1 {
				t.Errorf("%s: %s; want %s", c.fault, out, c.want)
			}
		}
		stated, _, _ := strings.Cut(read(t, "scores.csv"), "\n")
		if want := "# score: likelihood-ratio noise-multiplier=2.0 steps=30 signs=halves " + c.score; c.score != "" && stated != want {
			t.Errorf("%s: the file begins with %q, want %q", c.fault, stated, want)
		}
		if refuted*20 < c.least*seeds || c.least == 0 && refuted > 0 {
			t.Errorf("%s: refuted in %d of %d seeds, want %d of 20", c.fault, refuted, seeds, c.least)
		}
	}
	// The last scores are of a sound training. They are not the likelihood ratio of an account with fewer steps.
	put(t, "account.yaml", "{mechanism: sgm, sampling-rate: 0.1, noise-multiplier: 2, count: 25}\n")
	const differs = "stated score is for 30 steps, and the account has 25"
	if _, out := guided(t, judge); strings.Contains(out, "✓ consistent") || !strings.Contains(out, differs) {
		t.Errorf("an account with fewer steps: want %q, and not the verdict consistent:\n%s", differs, out)
	}
	put(t, "account.yaml", account)
	// With 1000 canaries, constant signs reveal the sums that are kept, and alternating signs hide them.
	for fault, want := range map[string]bool{"sums kept": true, "sums kept, alternating": false} {
		if out, err := pageTraining(t, fault, 1000, 1); err != nil {
			t.Fatalf("%s: %v\n%s", fault, err, out)
		}
		if code, out := guided(t, judge); (code == codeRefuted) != want {
			t.Errorf("%s, 1000 canaries: exit code %d, want refuted: %v:\n%s", fault, code, want, out)
		}
	}
	// If a canary is in no batch, the file states no score, and the audit states no power.
	if out, err := pageTraining(t, "order without a canary", 300, 1); err != nil {
		t.Fatal(err, out)
	}
	if text := read(t, "scores.csv"); !strings.HasPrefix(text, "score,included\n") {
		t.Errorf("a canary without a turn: the file begins with %.90q, want no score", text)
	}
	if out, err := pageTraining(t, "order of the included", 300, 1); err == nil || !strings.Contains(out, "included or not") {
		t.Errorf("batches that have only included canaries: %v\n%s; want an error", err, out)
	}
}
