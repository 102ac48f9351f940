package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/internal/testutil"
)

const (
	manualIndent = "    "
	manualPrompt = manualIndent + "$ dpverify "
)

// Every “$ dpverify …” block of the manual runs, and its lines equal the block of the output that begins with the same
// line.
func TestManualCommands(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", ".."))
	commands := 0
	for _, file := range manualFiles() {
		if filepath.Ext(file) != ".md" {
			continue
		}
		text, err := manual.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rewritten, of := rewriteManual(t, file, string(text))
		commands += of
		if *update && !t.Failed() {
			put(t, filepath.Join(at, filepath.FromSlash(file)), rewritten)
		}
	}
	if commands < 5 {
		t.Errorf("found %d commands: the manual has more", commands)
	}
}

// rewriteManual returns the text of a file with the current output of its commands, and the number of commands.
func rewriteManual(t *testing.T, file, text string) (string, int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	var rewritten []string
	commands := 0
	for i := 0; i < len(lines); {
		rewritten = append(rewritten, lines[i])
		command, ok := strings.CutPrefix(lines[i], manualPrompt)
		i++
		if !ok {
			continue
		}
		commands++
		var shown []string
		for ; i < len(lines) && strings.HasPrefix(lines[i], manualIndent); i++ {
			shown = append(shown, strings.TrimPrefix(lines[i], manualIndent))
		}
		if len(shown) == 0 {
			t.Errorf("%s:%d: no output is shown", file, i)
			continue
		}
		got := shown
		if !heldByTheLedger(invocation + command) {
			got = block(readmeCommand(t, invocation+command), opening(shown[0]))
		}
		for _, line := range got {
			rewritten = append(rewritten, manualIndent+line)
		}
		if diff := cmp.Diff(shown, got); diff != "" && !*update {
			t.Errorf("%s:%d is not what the command gives (-manual +output); `go test ./cmd/cli -run Manual -update` rewrites it:\n%s", file, i, diff)
		}
	}
	return strings.Join(rewritten, "\n"), commands
}

// opening returns the constant part of a line of output: the first column title of a table.
func opening(line string) string {
	if title, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), "  "); ok && strings.HasPrefix(line, "| ") {
		return "| " + title
	}
	return line
}

// Each topic prints its file, whose name agrees with its title.
func TestTopics(t *testing.T) {
	names := topics()
	for _, want := range []string{"verdicts", "power", "audits", "limits", "shards", "exit-codes"} {
		if !slices.Contains(names, want) {
			t.Errorf("the manual has no section %q; it has %q", want, names)
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("the manual has two sections %q", name)
		}
		text, ok := topic(name)
		if !ok || len(text) < 100 {
			t.Errorf("topic %q prints %q", name, text)
		}
		title, _, _ := strings.Cut(string(text), "\n")
		if want := "# " + strings.ReplaceAll(name, "-", " "); !strings.Contains(name, ".") && strings.ToLower(title) != want {
			t.Errorf("topic %q has the title %q, want %q but for its case", name, title, want)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "$ dpverify") && !strings.HasPrefix(line, "    ") {
				t.Errorf("topic %q: %s is not set off as a command", name, fmt.Sprintf("%q", line))
			}
		}
	}
	for former, name := range renamedTopics {
		if text, ok := topic(former); !ok || slices.Contains(names, former) || !slices.Contains(names, name) {
			t.Errorf("the former name %q prints %.40q, want the topic %q of the list", former, text, name)
		}
	}
	if _, ok := topic("nothing"); ok {
		t.Error("there is a topic for nothing")
	}
}
