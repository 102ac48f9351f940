package process

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/replay"
)

// interpreter returns the path of the interpreter behind python3, since wrappers of version managers start slowly.
var interpreter = sync.OnceValues(func() (string, error) {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(path)), err
})

// interpreterWithNumpy returns a Python interpreter that has numpy, from the path or from /usr/bin.
var interpreterWithNumpy = sync.OnceValues(func() (string, error) {
	path, err := interpreter()
	if err == nil && exec.Command(path, "-c", "import numpy").Run() == nil {
		return path, nil
	}
	const system = "/usr/bin/python3"
	return system, exec.Command(system, "-c", "import numpy").Run()
})

// python returns a process that runs a Python program next to the module of primitives.
func python(t *testing.T, program string) Replayer {
	t.Helper()
	path, err := interpreter()
	if err != nil {
		t.Skip("needs python3 on the path")
	}
	return pythonAt(t, path, program)
}

func pythonAt(t *testing.T, path, program string) Replayer {
	t.Helper()
	return programWithPage(t, "dp_primitives.py", "program.py", program, path)
}

// programWithPage returns a process that runs a program in a directory with a page of the manual.
func programWithPage(t *testing.T, page, name, program string, command ...string) Replayer {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "..", "cmd", "cli", "manual", "pages", page))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range [][2]string{{page, string(module)}, {name, program}} {
		if err := os.WriteFile(filepath.Join(dir, file[0]), []byte(file[1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &Process{Command: append(command, name), Dir: dir}
	t.Cleanup(func() { p.Close() })
	return Replayer{p}
}

// Faulty programs are refuted from one pair of inputs, and their correct forms are not.
func TestReplayOfAProcess(t *testing.T) {
	const begin = "from dp_primitives import serve\ndef release(noise, d):\n"
	for _, c := range []struct {
		name, body string
		a, b       string
		part       replay.Part // refuted part; "" for none
		says       string
	}{
		{"clipped sum", "  return noise.laplace(sum(min(1, max(0, v)) for v in d), 2, 1)", "[5, 0.1]", "[0.1]", "", ""},
		{"forgotten clipping", "  return noise.laplace(sum(d), 2, 1)", "[5, 0.25]", "[0.25]", replay.Sensitivity,
			"call 1, laplace at program.py:3, is given 5.25 in A and 0.25 in B"},
		{"count as if public", "  return noise.laplace(sum(min(1, max(0, v)) for v in d), 2, 1) / len(d)", "[1, 1]", "[1]",
			replay.Release, "output is"},
		{"early return", "  if not d: return 0.0\n  return noise.laplace(len(d), 2, 1)", "[1]", "[]", replay.Flow, "the run on B ends"},
		{"second query", "  return [noise.laplace(len(d), 2, 1), noise.laplace(len(d), 2, 1)]", "[1]", "[]", replay.Account, "total privacy loss of 0.9999"},
		{"a sample", "  s = noise.poisson(len(d), 0.5)\n  return noise.gaussian(sum(min(1, d[i]) for i in s), 8, 1)", "[1, 5, 1]", "[1, 1]",
			"", ""},
		{"batches", "  o = noise.permutation(len(d))\n  return [noise.gaussian([min(1, d[i]), 0], 4, 1)[0] for i in o]", "[1, 0.5]",
			"[1, 1]", "", ""},
		{"an index and a bit", "  return [noise.exponential([len(d), 1], 0.2, 1), noise.noisy_max([len(d), 1], 90, 1), " +
			"noise.randomized_response(len(d) % 2, 2, 0.1), noise.discrete_laplace(len(d), 10, 1)]", "[1, 2]", "[1]", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := replay.Replay[json.RawMessage]{Subject: python(t, begin+c.body+"\nserve(release)\n"), Claim: privacy.ApproximateDP(0.5, 1e-5),
				Given: []inputs.Pair[json.RawMessage]{{A: json.RawMessage(c.a), B: json.RawMessage(c.b)}}}
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

// A process may declare the sensitivity 0. It is refuted if the values differ.
func TestReplayOfSensitivityZero(t *testing.T) {
	for _, c := range []struct {
		value string
		want  verify.Verdict
	}{{"len(q['input'])", verify.Refuted}, {"3", verify.Inconclusive}} {
		p := python(t, "import json, sys\nfor line in sys.stdin:\n  q = json.loads(line)\n  v = "+c.value+"\n"+
			"  r = q.get('replay', [v + 1])[0]\n"+
			"  print(json.dumps({'outputs': [r], 'calls': [[{'primitive': 'laplace', 'value': v, 'scale': 2, 'sensitivity': 0, "+
			"'released': r}]]}), flush=True)\n")
		pair := inputs.Pair[json.RawMessage]{A: json.RawMessage("[1]"), B: json.RawMessage("[]")}
		f, err := replay.Replay[json.RawMessage]{Subject: p, Given: []inputs.Pair[json.RawMessage]{pair}}.Find(context.Background(),
			verify.Settings{Budget: verify.Standard, Alpha: 1e-9, Seed: empirical.NewSeed(1)}, replay.Sensitivity)
		if err != nil || f.Verdict != c.want {
			t.Errorf("the value %s: %s, error %v, want %s", c.value, f.Verdict, err, c.want)
		}
	}
}

// Errors name the fault of a reply.
func TestReplayOfABadProcess(t *testing.T) {
	const head = "import json, sys\nfor k, line in enumerate(sys.stdin):\n  q = json.loads(line)\n  print(json.dumps("
	call := func(fields string) string {
		return `{"outputs": [1], "calls": [[{"primitive": "laplace", "value": 3, "scale": 2, "sensitivity": 1, "released": 4, ` +
			fields + `}]]}`
	}
	for _, c := range []struct{ reply, names string }{
		{`{"outputs": [1]}`, `no "calls"`},
		{`{"outputs": [1], "calls": []}`, "the calls of 0 releases"},
		{`{"outputs": [1], "calls": 7}`, `"calls" of the reply`},
		{call(`"primitive": "zipf"`), `"zipf"`},
		{call(`"sensitivity": "nan"`), "the sensitivity NaN"},
		{call(`"sensitivity": [1, 2]`), "one number each"},
		{call(`"value": {"a": 1}`), "is not a number"},
		{call(`"sensitivity": "inf"`), "the sensitivity +Inf"},
		{call(`"primitive": "exponential", "value": []`), "no scores to choose from"},
		{call(`"norm": "l2"`), `want "l1"`},
		{`{"outputs": [1], "calls": [[0] * 1000001]}`, "made 1000001 calls of primitives: want at most 1000000"},
		{call(`"value": [1, 2]`), "releases 1 number: want 2"},
		{call(`"primitive": "poisson", "scale": 0.5, "released": [1, 0]`), "releases 2 numbers: want 3"},
		{call(`"primitive": "permutation", "released": [0, 0, 1]`), "releases [0 0 1]: want the numbers 0 to 2 in some order"},
		{call(`"primitive": "exponential", "released": 7`), "releases [7]: want the index of one of 1 scores"},
		{call(`"primitive": "poisson", "scale": 0.5, "released": [1, 0, 2]`), "releases [1 0 2]: want a 0 or a 1 for each record"},
		{call(`"released": "later"`), "is not a number"},
		{call(`"scale": -1`), "the scale -1"},
		{call(`"sensitivity": -1`), "the sensitivity -1"},
		{call(`"released": 4 + k`), `ignores "replay": call 1, laplace, was to release 4, but released 5`},
	} {
		p := python(t, head+c.reply+"), flush=True)\n")
		pair := inputs.Pair[json.RawMessage]{A: json.RawMessage("[1]"), B: json.RawMessage("[]")}
		_, err := replay.Replay[json.RawMessage]{Subject: p, Given: []inputs.Pair[json.RawMessage]{pair}}.Find(context.Background(),
			verify.Settings{Budget: verify.Quick, Seed: empirical.NewSeed(1)}, replay.Flow)
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that names %q", c.reply, err, c.names)
		}
	}
}
