package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
)

// needPython skips a test if there is no Python.
func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// halved returns code with the only occurrence of from replaced by to, for example to halve the noise.
func halved(t *testing.T, code, from, to string) string {
	t.Helper()
	if strings.Count(code, from) != 1 {
		t.Fatalf("want %q exactly once in\n%s", from, code)
	}
	return strings.Replace(code, from, to, 1)
}

// The manual contains the example program and claims file unchanged. An audit refutes the program with half its noise,
// with a distinguishing event. The tests of the manual's commands run the unchanged program.
func TestManualProcess(t *testing.T) {
	needPython(t)
	text, _ := topic("audits")
	program, claims := read(t, "..", "..", "testdata", "audit", "noisy_count.py"), read(t, "..", "..", "testdata", "audit", "claims.yaml")
	for _, file := range []string{program, claims} {
		shown := strings.ReplaceAll("\n"+strings.TrimSpace(file), "\n", "\n"+manualIndent)
		if !strings.Contains(string(text), strings.ReplaceAll(shown, manualIndent+"\n", "\n")) {
			t.Errorf("the manual does not show this file:\n%s", shown)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"noisy_count.py": halved(t, program, "expovariate(1.0)", "expovariate(2.0)"), "claims.yaml": claims,
	} {
		put(t, filepath.Join(dir, name), text)
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"audit", filepath.Join(dir, "claims.yaml")}, &stdout, &stderr)
	if code != codeRefuted || !strings.Contains(stdout.String(), "**Refuted** at `A = [1,0,1], B = [1,0,0]") || !strings.Contains(stdout.String(), ", event ") {
		t.Errorf("half the noise: exit code %d, %s\n%s", code, &stderr, &stdout)
	}
}

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		line   string
		want   []string
		reason string
	}{
		{"python3 m.py", []string{"python3", "m.py"}, "blanks"},
		{"  a\tb\n c ", []string{"a", "b", "c"}, "all kinds of blanks"},
		{`a 'b c' "d e"`, []string{"a", "b c", "d e"}, "quotes"},
		{`a'b'"c"`, []string{"abc"}, "quotes within a word"},
		{`a '' ""`, []string{"a", "", ""}, "empty words"},
		{`'a\b' "c\d" "e\"f\\" g\ h`, []string{`a\b`, `c\d`, `e"f\`, "g h"}, "backslashes"},
		{`a $HOME * ~ ; b | c`, []string{"a", "$HOME", "*", "~", ";", "b", "|", "c"}, "nothing is expanded"},
		{"", nil, "no word"}, {"''", nil, "an empty command"}, {`a "b`, nil, "an open quote"}, {`a \`, nil, "a backslash at the end"},
	} {
		got, err := claimsfile.SplitWords(c.line)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != (c.want == nil) {
			t.Errorf("%q: error %v, %s (-want +got): %s", c.line, err, diff, c.reason)
		}
	}
}
