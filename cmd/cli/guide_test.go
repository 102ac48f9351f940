package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// blocks returns the code blocks of a topic of the manual.
func blocks(t *testing.T, name string) (out []string) {
	t.Helper()
	text, ok := topic(name)
	if !ok {
		t.Fatalf("the manual has no %s", name)
	}
	var b strings.Builder
	for _, line := range append(strings.Split(string(text), "\n"), "end") {
		code, ok := strings.CutPrefix(line, "    ")
		switch {
		case ok:
			b.WriteString(code + "\n")
		case line == "" && b.Len() > 0:
			b.WriteString("\n")
		case b.Len() > 0:
			out = append(out, strings.TrimRight(b.String(), "\n")+"\n")
			b.Reset()
		}
	}
	return out
}

// The files and commands of the topic training-example give the results that the text states: the sound training is not
// refuted, and each named fault is.
func TestGuide(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	needPython(t)
	smaller := strings.NewReplacer("Canaries(4000", "Canaries(600", "--samples 40", "--samples 2", "samples: 20", "samples: 2",
		"STEPS = 1.0, 3.0, 0.25, 32", "STEPS = 1.0, 3.0, 0.25, 16", "count: 32", "count: 16", "canaries: 400", "fault: no-clip\ncanaries: 100")
	data := read(t, "..", "..", "testdata", "data", "wdbc.csv")
	t.Chdir(t.TempDir())
	put(t, "wdbc.csv", data)
	files := map[string]string{"import csv": "train.py", "{mechanism": "account.yaml", "claims:": "runs.yaml",
		"algorithm:": "training.yaml"}
	var commands []string
	for _, block := range blocks(t, "training-example") {
		if !testutil.Asked() {
			block = smaller.Replace(block)
		}
		var rest strings.Builder
		for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", "")) {
			if strings.HasPrefix(line, "python3 ") || strings.HasPrefix(line, "dpverify ") {
				commands = append(commands, strings.TrimSpace(line))
			} else {
				rest.WriteString(line)
			}
		}
		for begin, name := range files {
			if strings.HasPrefix(rest.String(), begin) {
				put(t, name, rest.String())
				delete(files, begin)
			}
		}
	}
	if len(files) > 0 || len(commands) < 8 {
		t.Fatalf("the files %v are missing; the commands are %q", files, commands)
	}
	for _, command := range commands {
		if code, out := guided(t, command); code != codeFine {
			t.Errorf("%s: exit code %d\n%s", command, code, out)
		}
	}
	code, whole := guided(t, strings.ReplaceAll(commands[len(commands)-4], " --shard 1/2 -o part-1", ""))
	if _, merged := guided(t, commands[len(commands)-2]); code != codeFine || merged != whole {
		t.Errorf("exit code %d; in one run\n%s\nin parts\n%s", code, whole, merged)
	}
	program := read(t, "train.py")
	judge := commands[2]
	for _, fault := range []struct{ name, old, new string }{
		{"no clipping", "short = min(1, C / math.sqrt(sum(a * a for a in g) or 1))", "short = 1"},
		{"noise of half the scale", "SIGMA * C)", "SIGMA * C / 2)"},
	} {
		if fault.name != "no clipping" && !testutil.Asked() {
			continue // needs the full number of canaries
		}
		put(t, "train.py", halved(t, program, fault.old, fault.new))
		guided(t, "python3 train.py")
		if code, out := guided(t, judge); code != codeRefuted {
			t.Errorf("%s: exit code %d, want %d\n%s", fault.name, code, codeRefuted, out)
		}
	}
}

// guided runs a command of the topic and returns its exit code and output.
func guided(t *testing.T, line string) (code int, out string) {
	t.Helper()
	line, to, _ := strings.Cut(line, " > ")
	if rest, ok := strings.CutPrefix(line, "python3 "); ok {
		text, err := exec.Command("python3", strings.Fields(rest)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, text)
		}
		return codeFine, string(text)
	}
	words, err := quotedWords(strings.TrimPrefix(line, "dpverify "))
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := attempt(t, words...)
	if to != "" {
		put(t, filepath.Clean(to), stdout)
	}
	if code != codeFine && code != codeRefuted {
		stdout += stderr
	}
	return code, stdout
}

// quotedWords splits a line at spaces outside double quotes.
func quotedWords(line string) (words []string, err error) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	if strings.Count(line, `"`)%2 != 0 {
		err = fmt.Errorf("%s: unclosed quote", line)
	}
	return words, err
}

// An audit of 20 trainings by a process, 1000 with DPVERIFY_LONG, keeps each training in the checkpoint and does not
// refute the sound training. A continued run and a sharded run give the same report.
func TestManyTrainings(t *testing.T) {
	each := 10
	if testutil.Asked() {
		each = 500
	}
	text := read(t, "..", "..", "testdata", "audit", "training.yaml")
	data := filepath.ToSlash(mustAbs(t, filepath.Join("..", "..", "testdata", "data")))
	t.Chdir(t.TempDir())
	put(t, "training.yaml", strings.Replace(text, "../data", data, 1))
	put(t, "runs.yaml", fmt.Sprintf(`claims:
  - name: training
    exec: [dpverify, experiment, canary, --train, training.yaml, --serve]
    pairs: [{a: 1, b: 0}]
    account: {mechanism: sgm, sampling-rate: 0.25, noise-multiplier: 3, count: 32}
    guarantee: {epsilon: 2.09, delta: 1e-5}
    samples: %d
    event: score >= 4
`, each))
	args := []string{"audit", "runs.yaml", "--alpha", "0.05"}
	code, whole, stderr := attempt(t, append(args, "--checkpoint", "kept")...)
	if code != codeFine {
		t.Fatalf("exit code %d\n%s%s", code, whole, stderr)
	}
	if n := strings.Count(read(t, "kept"), `"scores"`); n != 2*each {
		t.Errorf("the checkpoint has %d trainings, want %d", n, 2*each)
	}
	if _, again, _ := attempt(t, append(args, "--checkpoint", "kept")...); again != whole {
		t.Errorf("continued:\n%s\nwant\n%s", again, whole)
	}
	if _, merged := merge(t, parts(t, 3, "part", args...)); merged != whole {
		t.Errorf("sharded:\n%s\nwant\n%s", merged, whole)
	}
}
