package process

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/trace"
)

// patchedCase is a program that draws from random or numpy.random, and what is found in it.
type patchedCase struct {
	name, body string
	a, b       string
	part       trace.Part // that is refuted; "" for none
	says       string
}

const ages = "[30, 90, 41]"

// Programs that draw from the module random are watched as they are.
func TestPatchedRandom(t *testing.T) {
	judgePatched(t, "", []patchedCase{
		{"noise that is added", "  with sensitivity(1): return len(d) + random.gauss(0, 20)", ages, "[30, 41]", "", ""},
		{"noise around a value", "  with sensitivity(1): return random.normalvariate(len(d), 20)", ages, "[30, 41]", "", ""},
		{"noise that is scaled", "  with sensitivity(1): return len(d) - 20 * random.gauss(0, 1)", ages, "[30, 41]", "", ""},
		{"forgotten clipping", "  with sensitivity(1): return sum(d) + random.gauss(0, 2000)", ages, "[30, 41]", trace.Sensitivity,
			"gaussian at program.py:6, is given 161 in A and 71 in B"},
		{"no sensitivity is declared, and too little noise", "  return sum(d) + random.gauss(0, 20)", ages, "[30, 41]", trace.Account,
			"differs by 90 at scale 20"},
		{"one draw for two", "  z = random.gauss(0, 100)\n  return [len(d) + z, sum(d) + z]", ages, "[30, 41]", trace.Release, "output[1]"},
		{"a number without noise", "  return [len(d) + random.gauss(0, 20), len(d)]", ages, "[30, 41]", trace.Release, "output[1]"},
		{"a scale by the data", "  return len(d) + random.gauss(0, 20 * max(d))", ages, "[30, 41]", trace.Flow, "scale 1800"},
		{"shuffled", "  x = list(d)\n  random.shuffle(x)\n  with sensitivity(120): return x[0] + random.gauss(0, 9999)", ages, "[30, 9, 41]",
			"", ""},
		{"of a sample", "  with sensitivity(120): return random.sample(d, 1)[0] + random.gauss(0, 9999)", ages, "[30, 9, 41]", "", ""},
		{"raw coins", "  return random.expovariate(1) + sum(d) + random.random()", ages, "[30, 41]", "", ""},
		{"a branch on noise", "  z = len(d) + random.gauss(0, 20)\n  return int(z > 2) + round(z) + abs(random.gauss(0, 1))", ages, "[30, 41]",
			"", ""},
	})
}

// The same for numpy.
func TestPatchedNumpy(t *testing.T) {
	if path, err := interpreter(); err == nil && exec.Command(path, "-c", "import numpy").Run() != nil {
		t.Skip("numpy is not here")
	}
	judgePatched(t, "import numpy as np\nrng = np.random.default_rng()\n", []patchedCase{
		{"a vector", "  x = np.array([len(d), min(d) > 50], dtype=float)\n  with sensitivity(2): x += rng.laplace(0, 50, size=2)\n  return x",
			ages, "[30, 41]", "", ""},
		{"a number, by the older functions", "  with sensitivity(1): return np.float64(len(d)) + np.random.laplace(0.0, 20.0)", ages, "[30, 41]",
			"", ""},
		{"scaled normals", "  with sensitivity(2): return np.array([len(d), 0.0]) + 20 * rng.standard_normal(2)", ages, "[30, 41]", "", ""},
		{"around a vector", "  with sensitivity(1): return rng.normal(np.array([sum(d), 1.0]), 900.0)", ages, "[30, 41]", trace.Sensitivity,
			"is given [161 1] in A and [71 1] in B"},
		{"of a sample by uniforms", "  x = np.array(d)[rng.random(len(d)) < 0.5]\n  with sensitivity(120): return x.sum() + rng.normal(0, 9999)",
			ages, "[30, 41]", "", ""},
		{"of a sample without replacement", "  x = rng.choice(d, 2, replace=False)\n  with sensitivity(240): return x.sum() + rng.normal(0, 9999)",
			ages, "[30, 9, 41]", "", ""},
		{"permuted", "  x = rng.permutation(d)\n  with sensitivity(120): return x[:1] + rng.normal(0, 9999, 1)", ages, "[30, 9, 41]", "", ""},
		{"raw coins", "  return sum(d) + rng.exponential() + np.random.gamma(1.0)", ages, "[30, 41]", "", ""},
		{"a function of noise", "  return np.exp(rng.normal(0, 1, 2) / 9).sum() + np.maximum(rng.laplace(len(d), 20.0), 0)", ages, "[30, 41]",
			"", ""},
	})
}

func judgePatched(t *testing.T, imports string, cases []patchedCase) {
	begin := "import dp_primitives, random\ndp_primitives.patch()\nfrom dp_primitives import sensitivity\n" + imports + "\ndef release(d):\n"
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := trace.Replay[json.RawMessage]{Subject: python(t, begin+c.body+"\ndp_primitives.serve_patched(release)\n"),
				Claim: privacy.ApproximateDP(0.5, 1e-5),
				Given: []neighbours.Pair[json.RawMessage]{{A: json.RawMessage(c.a), B: json.RawMessage(c.b)}}}
			for _, part := range p.Parts() {
				f, err := p.Find(context.Background(), verify.Settings{Budget: verify.Quick, Seed: empirical.NewSeed(1)}, part)
				if err != nil {
					t.Fatal(err)
				}
				if (f.Verdict == verify.Refuted) != (part == c.part) || part == c.part && !strings.Contains(f.How, c.says) {
					t.Errorf("%s: %s: %s%s", part, f.Verdict, f.How, f.Needed)
				}
			}
		})
	}
}
