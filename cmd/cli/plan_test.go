package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
)

// logging is a mechanism that writes down what it is asked for.
const logging = `import json, random, sys
for line in sys.stdin:
    q = json.loads(line)
    r = random.Random(q.get("seed"))
    with open(sys.argv[1], "a") as f:
        f.write("%d\n" % q["n"])
    noise = lambda: r.expovariate(1) - r.expovariate(1)
    if len(sys.argv) > 2:
        noise = lambda: int(3 * (r.expovariate(1) - r.expovariate(1)))
    print(json.dumps({"outputs": [q["input"] + noise() for _ in range(q["n"])]}), flush=True)
`

// What is planned is what a run asks for: to the output where that is said, and else within what is said. Planned per
// pair in place of per input, without the repeats of first requests, or without the preparations of the parts and
// their merge, it is not.
func TestPlanIsWhatARunAsksFor(t *testing.T) {
	testutil.Skip(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not here")
	}
	cases := []struct {
		reason, claim string
		exact         bool
		shards        int
	}{
		{"a pair", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, precision: off", true, 1},
		{"the least samples", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 200, precision: off", true, 1},
		{"in parts", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, precision: off", true, 3},
		{"pairs that share an input", "pairs: [{a: 0, b: 1}, {a: 0, b: 2}, {a: 0, b: 3}], guarantee: {epsilon: 3}, samples: 2000, precision: off", false, 1},
		{"pairs that share none", "pairs: [{a: 0, b: 1}, {a: 2, b: 3}, {a: 4, b: 5}], guarantee: {epsilon: 1}, samples: 2000, precision: off", false, 1},
		{"low-order bits", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000", false, 1},
		{"bets", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, anytime: true, precision: off", false, 1},
		{"bets on what is true", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 9}, samples: 2000, anytime: true, precision: off", false, 1},
		{"trainings", "pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 20", true, 1},
		{"without a seed", "seeded: false, pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: 2000, precision: off", true, 1},
		{"a mean", "unbiased: {input: 2, of: [2], variance: 3}, samples: 2000", true, 1},
		{"a law", "law: {input: 0, laplace: {scale: 1}}, samples: 2000", true, 1},
		{"a rate", "rate: {grid: [10, 20, 40, 80, 160], exponent: 1, range: [-1000, 1000]}, samples: 500", true, 1},
		{"an account", "pairs: [{a: 0, b: 1}], account: {mechanism: laplace, scale: 1}, samples: 2000, precision: off", true, 1},
		{"a search", "inputs: {neighbours: {change: {l1: 1}}, space: {int: [0, 5]}, search: 5}, guarantee: {epsilon: 3}, samples: 2000, precision: off", false, 1},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := func(name string) string { return filepath.Join(dir, name) }
			claim := fmt.Sprintf("claims:\n- {name: x, exec: [python3, m.py, log], %s}\n", c.claim)
			for name, text := range map[string]string{"m.py": logging, "claims.yaml": claim} {
				if err := os.WriteFile(file(name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
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
			planned := func(more ...string) reports.Plan {
				t.Helper()
				var p reports.Plan
				text := do(append([]string{"plan", file("claims.yaml"), "--format", "json", "--shards", fmt.Sprint(c.shards)}, more...)...)
				if err := json.Unmarshal(text, &p); err != nil {
					t.Fatal(err)
				}
				return p
			}
			blind, p := planned("--no-run"), planned()
			if err := os.Remove(file("log")); err != nil {
				t.Fatal("nothing was measured: ", err)
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
			log, err := os.ReadFile(file("log"))
			if err != nil {
				t.Fatal(err)
			}
			var asked int64
			for _, line := range strings.Fields(string(log)) {
				var n int64
				if _, err := fmt.Sscan(line, &n); err != nil {
					t.Fatal(err)
				}
				asked += n
			}
			d := p.Draws
			least := d.Search + d.Least + d.Repeats
			for _, claim := range p.Claims {
				if claim.AtMost {
					least = 0
				}
			}
			if asked < least || asked > d.Total() || c.exact && least != d.Total() {
				t.Errorf("a run asks for %d outputs: planned are %d to %d: %+v", asked, least, d.Total(), d)
			}
			if blind.Draws != d {
				t.Errorf("without a run %+v are planned, with one %+v", blind.Draws, d)
			}
		})
	}
}

// Equal claims are planned equally, and the whole is their sum, in all parts.
func TestPlanOfManyClaims(t *testing.T) {
	const claims = 100
	text := "claims:\n"
	for i := range claims {
		text += fmt.Sprintf("- {name: x%d, exec: [nothing], pairs: [{a: 0, b: 1}], guarantee: {epsilon: %d}, samples: 2000, precision: off}\n", i, 1+i%3)
	}
	path := filepath.Join(t.TempDir(), "claims.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var totals []int64
	for _, shards := range []string{"1", "4"} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"plan", path, "--no-run", "--format", "json", "--shards", shards, "--workers", "2"}, &stdout, &stderr); code != codeFine {
			t.Fatalf("%d: %s", code, &stderr)
		}
		var p reports.Plan
		if err := json.Unmarshal(stdout.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Claims) != claims {
			t.Fatalf("%d claims", len(p.Claims))
		}
		var sum reports.PlanDraws
		for _, c := range p.Claims {
			if c.Part != p.Claims[0].Part {
				t.Errorf("%s: %+v, where the first has %+v", c.ID, c.Part, p.Claims[0].Part)
			}
			sum = sum.Add(c.Part.In(c.Prepared))
		}
		if sum != p.Draws {
			t.Errorf("the sum of the claims is %+v, and the whole %+v", sum, p.Draws)
		}
		totals = append(totals, p.Draws.Total())
	}
	if first := totals[0]; totals[1] < 4*first || totals[1] > 5*first {
		t.Errorf("%d outputs in one part, %d in four that prepare each, and are merged", first, totals[1])
	}
}
