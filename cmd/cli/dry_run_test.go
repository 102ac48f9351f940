package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
)

// logging is a mechanism that writes the size, seed and input of each request to a file.
const logging = `import json, random, sys
for line in sys.stdin:
    q = json.loads(line)
    r = random.Random(q.get("seed"))
    if len(sys.argv) == 1:
        print(json.dumps({"outputs": [q["input"]] * q["n"]}), flush=True)
        continue
    with open(sys.argv[1], "a") as f:
        f.write("%d %s %s\n" % (q["n"], q.get("seed", "none"), q["input"]))
    noise = lambda: 0 if sys.argv[1] == "map" else r.expovariate(1) - r.expovariate(1)
    print(json.dumps({"outputs": [q["input"] + noise() for _ in range(q["n"])]}), flush=True)
`

// A dry run predicts the outputs that a run requests. The number without repeats, which have the same seed and input, is
// within the predicted range. The number with repeats is at most the predicted sum.
func TestDryRunPredictsTheRequests(t *testing.T) {
	testutil.Skip(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	cases := []struct {
		reason, claim string
		exact         bool // the minimum and maximum prediction agree
		shards        int
	}{
		{"a pair", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, precision: off", true, 1},
		{"the minimum samples", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 200, precision: off", true, 1},
		{"three shards", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, precision: off", true, 3},
		{"pairs that share an input", "pairs: [{a: 0, b: 1}, {a: 0, b: 2}, {a: 0, b: 3}], guarantee: {epsilon: 3}, samples: 2000, precision: off", false, 1},
		{"pairs without a shared input", "pairs: [{a: 0, b: 1}, {a: 2, b: 3}, {a: 4, b: 5}], guarantee: {epsilon: 1}, samples: 2000, precision: off", false, 1},
		{"low-order bits", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000", false, 1},
		{"a sequential test", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, anytime: true, precision: off", false, 1},
		{"a sequential test of a true claim", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 9}, samples: 2000, anytime: true, precision: off", false, 1},
		{"trainings", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 20", true, 1},
		{"without a seed", "seeded: false, pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, precision: off", false, 1},
		{"a mean", "unbiased: {input: 2, of: [2], variance: 3}, samples: 2000", true, 1},
		{"a distribution", "law: {input: 0, laplace: {scale: 1}}, samples: 2000", true, 1},
		{"a rate", "rate: {grid: [10, 20, 40, 80, 160], exponent: 1, range: [-1000, 1000]}, samples: 500", true, 1},
		{"an account", "pairs: [{a: 0, b: 1}], account: {mechanism: laplace, scale: 1}, samples: 2000, precision: off", true, 1},
		{"a map without noise", "sensitivity: {norm: l1, bound: 1}, pairs: [{a: 0, b: 1}]", true, 1},
		{"a mean at the worst input", "inputs: {space: {int: [0, 5]}, search: 5}, unbiased: {truth: [python3, m.py], variance: 3}, samples: 2000", false, 1},
		{"a search", "inputs: {neighbours: {change: {l1: 1}}, space: {int: [0, 5]}, search: 5}, guarantee: {epsilon: 3}, samples: 2000, precision: off", false, 1},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := func(name string) string { return filepath.Join(dir, name) }
			name := "log"
			if strings.Contains(c.claim, "sensitivity") {
				name = "map"
			}
			claim := fmt.Sprintf("claims:\n- {name: x, exec: [python3, m.py, %s], %s}\n", name, c.claim)
			for name, text := range map[string]string{"m.py": logging, "claims.yaml": claim} {
				put(t, file(name), text)
			}
			do := func(args ...string) []byte {
				t.Helper()
				var stdout, stderr bytes.Buffer
				code := run(context.Background(), append(args, "--workers", "2"), &stdout, &stderr)
				if code != codeFine && code != codeRefuted {
					t.Fatalf("%v: %d: %s", args, code, &stderr)
				}
				return stdout.Bytes()
			}
			var p reports.Plan
			shard := fmt.Sprintf("1/%d", c.shards)
			text := do("audit", file("claims.yaml"), "--dry-run", "--format", "json", "--shard", shard)
			if err := errors.Join(validate(t, compiled(t, "plan"), text), json.Unmarshal(text, &p)); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(file(name)); err != nil {
				t.Fatal("the dry run made no request: ", err)
			}
			if c.shards == 1 {
				do("audit", file("claims.yaml"))
			} else {
				merge := []string{"merge"}
				for i := range c.shards {
					part := file(fmt.Sprintf("part-%d.jsonl", i+1))
					do("audit", file("claims.yaml"), "--shard", fmt.Sprintf("%d/%d", i+1, c.shards), "-o", part)
					merge = append(merge, part)
				}
				do(merge...)
			}
			log := read(t, file(name))
			var requested, distinct int64
			seen := make(map[string]bool)
			for line := range strings.Lines(log) {
				var n int64
				if _, err := fmt.Sscan(line, &n); err != nil {
					t.Fatal(err)
				}
				if requested += n; !seen[line] {
					distinct += n
				}
				seen[line] = true
			}
			var least, most int64
			for _, claim := range p.Claims {
				if !claim.AtMost {
					least += claim.Part.Search + claim.Part.Least
				}
				most += claim.Part.Search + claim.Part.Most
			}
			seeded := !strings.Contains(c.claim, "seeded: false")
			if seeded && (distinct < least || distinct > most) || c.exact && least != most {
				t.Errorf("a run requests %d outputs without repeats: the prediction is %d to %d", distinct, least, most)
			}
			if requested < least || requested > p.Draws.Total() {
				t.Errorf("a run requests %d outputs: the prediction is %d to %d: %+v", requested, least, p.Draws.Total(), p.Draws)
			}
		})
	}
}
