package process

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/replay"
)

// patchedCase is a program that draws from random or numpy.random, with the expected result.
type patchedCase struct {
	name, body string
	a, b       string
	part       replay.Part // refuted part; "" for none
	says       string      // words of the counterexample, or of the reason for no conclusion about the release
}

const (
	ages   = "[30, 90, 41]"
	unseen = "may be added to the data later"
	coins  = "raw coins are drawn"
)

// Programs that draw from the module random are recorded without changes to their code.
func TestPatchedRandom(t *testing.T) {
	path, err := interpreter()
	if err != nil {
		t.Skip("needs python3 on the path")
	}
	judgePatched(t, path, "", []patchedCase{
		{"noise that is added", "with sensitivity(1): return len(d) + random.gauss(0, 20)", ages, "[30, 41]", "", ""},
		{"noise around a value", "with sensitivity(1): return random.normalvariate(len(d), 20)", ages, "[30, 41]", "", ""},
		{"noise that is scaled", "with sensitivity(1): return len(d) - 20 * random.gauss(0, 1)", ages, "[30, 41]", "", ""},
		{"forgotten clipping", "with sensitivity(1): return sum(d) + random.gauss(0, 2000)", ages, "[30, 41]", replay.Sensitivity,
			"is given 161 in A and 71 in B"},
		{"no sensitivity is declared, and too little noise", "return sum(d) + random.gauss(0, 20)", ages, "[30, 41]", replay.Account,
			"differs by 90 at scale 20"},
		{"one draw for two", "z = random.gauss(0, 100); return [len(d) + z, sum(d) + z]", ages, "[30, 41]", replay.Release, "output[1]"},
		{"one draw, as it is and scaled", "z = random.gauss(0, 100); return [len(d) + 2 * z, sum(d) + z]", ages, "[30, 41]",
			replay.Release, "output[1]"},
		{"a number without noise", "return [len(d) + random.gauss(0, 20), len(d)]", ages, "[30, 41]", replay.Release, "output[1]"},
		{"a scale by the data", "return len(d) + random.gauss(0, 20 * max(d))", ages, "[30, 41]", replay.Flow, "scale 1800"},
		{"shuffled", "x = list(d); random.shuffle(x); return x[0] + random.gauss(0, 9999)", ages, "[30, 9, 41]", "", coins},
		{"shuffled, as is told", "x = list(d)\n  with sampling(): random.shuffle(x)\n  with sensitivity(120): return x[0] + random.gauss(0, 9999)",
			ages, "[30, 9, 41]", "", "a proof"},
		{"of a sample, unclipped", "with sampling(): x = random.sample(d, 2)\n  with sensitivity(9): return sum(x) + random.gauss(0, 9999)",
			ages, "[30, 9, 41]", replay.Sensitivity, "declared sensitivity is 9"},
		{"raw coins", "return random.expovariate(1) + sum(d) + random.random()", ages, "[30, 41]", "", coins},
		{"a branch on noise", "z = len(d) + random.gauss(0, 20); return int(z > 2) + round(z)", ages, "[30, 41]", "", "a proof"},
		{"rounded noise", "return len(d) + round(random.gauss(0, 20))", ages, "[30, 41]", "", unseen},
		{"noise that is not negative", "return len(d) + max(0, random.gauss(60, 20))", ages, "[30, 41]", "", unseen},
		{"noise around a number that is public", "z = 5 + random.gauss(0, 20); return len(d) + z", ages, "[30, 41]", "", unseen},
		{"two queries of which the second is unclipped", "with sensitivity(1): n = len(d) + random.gauss(0, 20)\n" +
			"  with sensitivity(9): return [n, sum(d) + random.gauss(0, 900)]", ages, "[30, 9, 41]", replay.Sensitivity, "declared sensitivity is 9"},
		{"rounded, around a value", "return round(random.gauss(len(d), 20))", ages, "[30, 41]", "", "a proof"},
		{"around a value, and one beside", "return [float(random.gauss(len(d), 20)), len(d)]", ages, "[30, 41]", replay.Release, "output[1]"},
		{"a response by coins", "return [v if random.random() < 0.7 else 0 for v in d]", ages, "[30, 9, 41]", "", coins},
		{"a start that is public", "with public(): w = [random.uniform(0, 1), random.gauss(0, 1)]\n" +
			"  with sensitivity(1): return sum(d) * (1 + w[0]) + random.gauss(0, 1e5)", ages, "[30, 41]", replay.Sensitivity, "is given"},
		{"coins drawn before", "return WEIGHTS[0] * len(d) + random.gauss(0, 20)", ages, "[30, 41]", "", "a proof"},
	})
}

// Programs that draw from functions and generators of numpy are recorded without changes to their code.
func TestPatchedNumpy(t *testing.T) {
	path, err := interpreterWithNumpy()
	if err != nil {
		t.Skip("needs a python3 with numpy, on the path or at /usr/bin")
	}
	const imports = "import numpy as np\nimport threading\nrng = np.random.default_rng()\nold = np.random.RandomState(7)\n" +
		"NUMPYS = np.random.randn(3)\n"
	judgePatched(t, path, imports, []patchedCase{
		{"a vector", "x = np.array([len(d), min(d) > 50], dtype=float)\n  with sensitivity(2): x += rng.laplace(0, 50, size=2)\n  return x",
			ages, "[30, 41]", "", "a proof"},
		{"a number, by the older functions", "with sensitivity(1): return np.float64(len(d)) + np.random.laplace(0.0, 20.0)", ages, "[30, 41]",
			"", "a proof"},
		{"a number of numpy, rounded", "return (np.float64(len(d)) + rng.normal(0, 20)).round(1).item()", ages, "[30, 41]", "", "a proof"},
		{"integers", "return np.array([len(d), 3], dtype=np.int64) + old.normal(size=np.int64(2), scale=20)", ages, "[30, 41]", "", "a proof"},
		{"scaled normals", "with sensitivity(2): return np.array([len(d), 0.0]) + 20 * rng.standard_normal(2)", ages, "[30, 41]", "", "a proof"},
		{"a matrix, by the oldest function", "return np.full((2, 3), len(d)) + 99 * np.random.randn(2, 3)", ages, "[30, 41]", "", "a proof"},
		{"reshaped noise", "return np.full((2, 2), len(d)) + rng.normal(0, 99, size=4).reshape(2, 2)", ages, "[30, 41]", "", "a proof"},
		{"around a vector", "with sensitivity(1): return rng.normal(np.array([sum(d), 1.0]), 900.0)", ages, "[30, 41]", replay.Sensitivity,
			"is given [161 1] in A and [71 1] in B"},
		{"seeded anew", "np.random.seed(3)\n  r = np.random.Generator(np.random.PCG64(4))\n  with sensitivity(1): return sum(d) + r.normal(0, 900)",
			ages, "[30, 41]", replay.Sensitivity, "is given 161 in A"},
		{"of a sample by uniforms", "with sampling(): x = np.array(d)[rng.random(len(d)) < 0.5]\n" +
			"  with sensitivity(120): return x.sum() + rng.normal(0, 9999)", ages, "[30, 41]", "", "a proof"},
		{"of a sample by uniforms, unclipped", "with sampling(): x = np.array(d)[np.random.rand(len(d)) < 0.9]\n" +
			"  with sensitivity(1): return x.sum() + rng.normal(0, 9999)", ages, "[30, 41]", replay.Sensitivity, "declared sensitivity is 1"},
		{"of a sample by binomials, unclipped", "with sampling(): x = np.array(d)[rng.binomial(1, 0.9, size=len(d)) == 1]\n" +
			"  with sensitivity(1): return x.sum() + rng.normal(0, 9999)", ages, "[30, 41]", replay.Sensitivity, "declared sensitivity is 1"},
		{"of a sample without replacement", "with sampling(): x = rng.choice(d, 2, replace=False)\n" +
			"  with sensitivity(240): return x.sum() + rng.normal(0, 9999)", ages, "[30, 9, 41]", "", "a proof"},
		{"permuted", "with sampling(): x = np.random.permutation(d)\n  with sensitivity(120): return x[:1] + rng.normal(0, 9999, 1)",
			ages, "[30, 9, 41]", "", "a proof"},
		{"shuffled", "x = np.array(d)\n  with sampling(): rng.shuffle(x)\n  with sensitivity(9): return x @ [1, 1, 0.5] + rng.normal(0, 9999)",
			ages, "[30, 9, 41]", replay.Sensitivity, "declared sensitivity is 9"},
		{"responses by uniforms", "x = np.array(d) > 40\n  return np.where(rng.random(len(d)) < 0.25, ~x, x)", ages, "[30, 9, 41]", "", coins},
		{"responses in place", "x = np.array(d) > 40\n  f = rng.binomial(1, 0.2, len(d)) == 1; x[f] = ~x[f]; return x.tolist()",
			ages, "[30, 9, 41]", "", coins},
		{"a random record", "return rng.choice(d, 1, replace=False) + np.random.randint(5)", ages, "[30, 9, 41]", "", coins},
		{"raw coins", "return sum(d) + rng.exponential() + np.random.gamma(1.0) + rng.geometric(0.5) + rng.integers(9) + rng.binomial(3, 0.5)",
			ages, "[30, 41]", "", coins},
		{"a function of noise", "return np.maximum(rng.laplace(len(d), 20.0), 0)", ages, "[30, 41]", "", "a proof"},
		{"entries of a vector of noise", "z = rng.laplace(0, 20, 2); return [len(d) + z[0], len(d) + z[1]]", ages, "[30, 41]", "", unseen},
		{"a sum of noise", "return len(d) + rng.normal(0, 20, 5).sum()", ages, "[30, 41]", "", unseen},
		{"two draws for one", "z = rng.normal(0, 20) + rng.normal(0, 20); return len(d) + z", ages, "[30, 41]", "", unseen},
		{"noise in singles", "return len(d) + rng.standard_normal(2, dtype=np.float32)", ages, "[30, 41]", "", coins},
		{"a scale for each entry", "return np.array([len(d), 1.0]) + rng.laplace(0, [20, 30])", ages, "[30, 41]", "", coins},
		{"one draw for the entries of a vector", "return np.array([sum(d), len(d)]) + rng.normal(0, 999)", ages, "[30, 41]", replay.Release,
			"output[1]"},
		{"one draw for a vector that moves as one", "return (len(d) + np.arange(3)) + rng.normal(0, 20)", ages, "[30, 41]", "", "a proof"},
		{"a projection that is public", "with public(): p = rng.normal(size=(2, 2))\n" +
			"  with sensitivity(1): return p @ np.array([sum(d), len(d)]) + rng.normal(0, 9999, 2)", ages, "[30, 41]", replay.Sensitivity, "is given"},
		{"a projection", "return rng.normal(size=(2, 2)) @ np.array([sum(d), len(d)]) + rng.normal(0, 9999, 2)", ages, "[30, 41]", "", unseen},
		{"drawn before", "return NUMPYS[0] * len(d) + rng.normal(0, 20)", ages, "[30, 41]", "", "a proof"},
		{"of several threads", "out = []\n  ts = [threading.Thread(target=lambda: out.append(len(d) + rng.laplace(0, 20))) for _ in range(4)]\n" +
			"  for th in ts: th.start()\n  for th in ts: th.join()\n  return float(sum(out))", ages, "[30, 41]", "", "several goroutines"},
		{"not finite", "return [1 / (len(d) + rng.laplace(0, 20)), -0.0, np.inf, np.nan]", ages, "[30, 41]", "", "a proof"},
	})
}

// judgePatched judges all cases in one process. The first number of the input selects the case.
func judgePatched(t *testing.T, path, imports string, cases []patchedCase) {
	program := "import dp_primitives, random\ndp_primitives.patch()\nfrom dp_primitives import public, sampling, sensitivity\n" +
		"WEIGHTS = [random.gauss(0, 1)]\n" + imports
	for i, c := range cases {
		program += fmt.Sprintf("\ndef release%d(d):\n  %s\n", i, c.body)
	}
	p := pythonAt(t, path, program+"\ndp_primitives.serve_patched(lambda q: globals()['release%d' % q[0]](q[1]))\n")
	for i, c := range cases {
		input := func(records string) json.RawMessage { return json.RawMessage(fmt.Sprintf("[%d, %s]", i, records)) }
		t.Run(c.name, func(t *testing.T) {
			r := replay.Replay[json.RawMessage]{Subject: p, Claim: privacy.ApproximateDP(0.5, 1e-5),
				Given: []inputs.Pair[json.RawMessage]{{A: input(c.a), B: input(c.b)}}}
			for _, part := range r.Parts() {
				f, err := r.Find(context.Background(), verify.Settings{Budget: verify.Quick, Seed: empirical.NewSeed(1)}, part)
				if err != nil {
					t.Fatal(err)
				}
				wrong := (f.Verdict == verify.Refuted) != (part == c.part) || part == c.part && !strings.Contains(f.How, c.says)
				if wrong || c.part == "" && part == replay.Release && !strings.Contains(f.Needed, c.says) {
					t.Errorf("%s: %s: %s%s", part, f.Verdict, f.How, f.Needed)
				}
			}
		})
	}
}
