package dptest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// besideOwn writes a build overlay that adds the README's Go test, and a copy with half of its noise, to the user's
// package of tests. All tests are then linked into one binary.
func besideOwn(t *testing.T, module, dir string) (overlay string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "\n```go\npackage count_test\n")
	code, _, closed := strings.Cut(after, "\n```\n")
	if !closed || strings.Count(code, "1*r.ExpFloat64()") != 1 {
		t.Fatalf("the README has no test of a count with noise 1*r.ExpFloat64():\n%s", code)
	}
	code = "package private_test\n" + code + "\n"
	faulty := strings.NewReplacer("noisyCount", "faultyCount", "TestNoisyCount", "TestFaultyCount", "1*r.ExpFloat64()", "0.5*r.ExpFloat64()").Replace(code)
	inPlace, err := filepath.Abs(filepath.Join(module, "private"))
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, text := range map[string]string{"readme_test.go": code, "readme_faulty_test.go": faulty} {
		replace[filepath.Join(inPlace, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// TestModuleOfAUser builds the module in testdata/own, which stands for a user's module: a library with guarantees
// tested in go test, and a command with its own claims. It builds from the module cache with the versions in its
// go.mod.
func TestModuleOfAUser(t *testing.T) {
	testutil.Skip(t)
	module, dir := filepath.Join("..", "..", "testdata", "own"), t.TempDir()
	run := func(name string, args ...string) (string, int) {
		c := exec.Command(name, args...)
		c.Dir = module
		c.Env = append(os.Environ(), "GOFLAGS=-mod=readonly "+os.Getenv("GOFLAGS"), "GOPROXY=off", "GOWORK=off", "FAULTY=1")
		out, err := c.CombinedOutput()
		if err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	command, tests, overlay := filepath.Join(dir, "own"), filepath.Join(dir, "private.test"), besideOwn(t, module, dir)
	for _, args := range [][]string{{"build", "-ldflags=-w", "-o", command, "."}, {"test", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-c", "-o", tests, "./private"}} {
		if out, code := run("go", args...); code != 0 {
			t.Fatalf("go %s: %s\n(if versions are missing, run: cd testdata/own && cp ../../go.sum . && go mod tidy)", args, out)
		}
	}
	for _, c := range []struct {
		reason string
		args   []string
		code   int
		says   []string
		never  []string
	}{
		{"every guarantee", []string{tests, "-test.v", "-test.skip", "Faulty"}, 0, []string{"--- PASS: TestHistogramIsPrivate", "--- PASS: TestNoisyCount "}, []string{"SKIP"}},
		{"the README's count with half its noise", []string{tests, "-test.v", "-test.run", "FaultyCount"}, 1, []string{"--- FAIL: TestFaultyCount ", "privacy claim refuted"}, nil},
		{"a faulty release", []string{tests, "-test.run", "FaultyHistogram"}, 1, []string{"privacy claim refuted", "to run again:   DPTEST_SEED=1 go test -run '^TestFaultyHistogram$' example.com/own/private\n"}, []string{"to reproduce"}},
		{"a report", []string{command, "report", "--budget", "quick"}, 0, []string{"# own report", "own verify release/sum-unbiased --seed 1", "✗ refuted"}, []string{"dpverify verify", "prestige", "five papers"}},
		{"claims judged", []string{command, "verify", "release/sum-unbiased", "--budget", "quick"}, 1, []string{"own: 1 of 2 claims refuted: release/sum-unbiased"}, nil},
		{"a list", []string{command, "list", "--experiments"}, 0, nil, []string{"fig-"}},
		{"an explanation", []string{command, "explain", "release/count"}, 0, []string{"own verify release/count", "run with ε = 2"}, []string{"dpverify verify"}},
		{"a part", []string{command, "verify", "release/sum-unbiased/corrected", "--shard", "1/2", "-o", filepath.Join(dir, "1.jsonl")}, 0, nil, nil},
		{"the other", []string{command, "verify", "release/sum-unbiased/corrected", "--shard", "2/2", "-o", filepath.Join(dir, "2.jsonl")}, 0, nil, nil},
		{"both", []string{command, "merge", filepath.Join(dir, "1.jsonl"), filepath.Join(dir, "2.jsonl")}, 0, []string{"✓ consistent", "own verify release/sum-unbiased/corrected"}, []string{"dpverify verify"}},
		{"help", []string{command, "verify", "--help"}, 0, []string{"own verify release/count"}, []string{"prestige"}},
		{"an unknown claim", []string{command, "verify", "prestige"}, 2, []string{"own: ", "no claim matches"}, nil},
	} {
		out, code := run(c.args[0], c.args[1:]...)
		if code != c.code {
			t.Errorf("%s exits with %d, want %d:\n%s", c.reason, code, c.code, out)
		}
		for _, text := range c.says {
			if !strings.Contains(out, text) {
				t.Errorf("%s: no %q in\n%s", c.reason, text, out)
			}
		}
		for _, text := range c.never {
			if strings.Contains(out, text) {
				t.Errorf("%s: %q in\n%s", c.reason, text, out)
			}
		}
	}
}
