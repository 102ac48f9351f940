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

// needPython skips a test of the README's process where it cannot run.
func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not here")
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

// listing is the README's first listing in a language.
func listing(t *testing.T, language string) string {
	t.Helper()
	_, after, found := strings.Cut(read(t, "..", "..", "README.md"), "\n```"+language+"\n")
	text, _, closed := strings.Cut(after, "\n```\n")
	if !found || !closed {
		t.Fatalf("the README has no listing in %s", language)
	}
	return text + "\n"
}

// halved is a mechanism with half its noise.
func halved(t *testing.T, code, from, to string) string {
	t.Helper()
	if strings.Count(code, from) != 1 {
		t.Fatalf("the noise %q does not stand just once in\n%s", from, code)
	}
	return strings.Replace(code, from, to, 1)
}

// The README and the manual show the files that they name, and the process with half its
// noise is refuted with an event. The claim is true of the other, which a test of their
// commands runs.
func TestReadmeProcess(t *testing.T) {
	needPython(t)
	file := func(name string) string { return read(t, "..", "..", "testdata", "audit", name) }
	if diff := cmp.Diff(file("noisy_count.py"), listing(t, "python")); diff != "" {
		t.Errorf("the README's noisy_count.py (-file +README):\n%s", diff)
	}
	claims := file("claims.yaml")
	shown := manualIndent + strings.ReplaceAll(strings.TrimSpace(claims), "\n", "\n"+manualIndent)
	if text, _ := topic("audits"); !strings.Contains(string(text), shown) {
		t.Errorf("the manual does not show claims.yaml as it is:\n%s", shown)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"noisy_count.py": halved(t, listing(t, "python"), "expovariate(1.0)", "expovariate(2.0)"), "claims.yaml": claims,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
