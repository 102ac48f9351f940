package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims"
)

const (
	invocation   = "go run ./cmd/dpverify "
	excerptBegin = "<!-- excerpt "
	excerptEnd   = "<!-- end -->"
)

// others are the commands of the README that are not dpverify's.
var others = []string{"go test ./..."}

// The README's commands run, and its excerpts are their output: below a command,
// an excerpt holds the block of the output that begins with the text in its mark.
func TestReadmeCommands(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	t.Chdir(filepath.Join("..", ".."))
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	output := ""
	shell, commands, excerpts := false, 0, 0
	var rewritten []string
	lines := strings.Split(string(page), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		rewritten = append(rewritten, line)
		switch {
		case strings.HasPrefix(line, "```"):
			shell = line == "```sh"
		case shell && slices.Contains(others, line):
		case shell:
			output = ""
			if !heldByTheLedger(line) {
				output = readmeCommand(t, line)
			}
			commands++
		case strings.HasPrefix(line, excerptBegin):
			length := slices.Index(lines[i+1:], excerptEnd)
			if length < 0 {
				t.Fatalf("README.md:%d: no %q follows", i+1, excerptEnd)
			}
			first := strings.TrimSuffix(strings.TrimPrefix(line, excerptBegin), " -->")
			got := lines[i+1 : i+1+length]
			if output != "" {
				got = block(output, first)
			}
			compareExcerpt(t, i+1, lines[i+1:i+1+length], got)
			rewritten = append(append(rewritten, got...), excerptEnd)
			i += length + 1
			excerpts++
		}
	}
	if commands < 4 || excerpts < 3 {
		t.Errorf("found %d commands and %d excerpts: the README has more", commands, excerpts)
	}
	if *update && !t.Failed() {
		if err := os.WriteFile("README.md", []byte(strings.Join(rewritten, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func compareExcerpt(t *testing.T, at int, want, got []string) {
	t.Helper()
	switch diff := cmp.Diff(want, got); {
	case len(got) == 0:
		t.Errorf("README.md:%d: the output of the command above has no such block", at)
	case *update || diff == "":
	case runtime.GOARCH != "amd64":
		t.Logf("README.md:%d differs on %s, whose arithmetic may round otherwise:\n%s", at, runtime.GOARCH, diff)
	default:
		t.Errorf("README.md:%d is not what the command gives (-README +output); `go test ./cmd/cli -run Readme -update` rewrites it:\n%s", at, diff)
	}
}

// shown is what lines of the README and of the manual print, which have some in common: a
// command gives the same bytes whenever it runs.
var shown = make(map[string]string)

// heldByTheLedger tells of a command whose claims the tests of verify/claims judge; they hold the rows
// that are shown against theirs. It runs in the long form, and where what is shown is renewed.
func heldByTheLedger(line string) bool {
	return strings.HasPrefix(line, invocation+"verify ") && !testutil.Asked() && !*update
}

// briefly is our program with the identities of each paper that stand alone: they take no samples.
func briefly() Program {
	p := ours()
	p.Ledger = func() (*verify.Ledger, error) {
		all, err := claims.Ledger()
		if err != nil {
			return nil, err
		}
		return verify.NewLedger(slices.DeleteFunc(all.Claims(), func(c verify.Claim) bool {
			return c.Kind != verify.Identity || c.Corrected != ""
		})...)
	}
	return p
}

// readmeCommand runs a line of the README and returns its standard output. The report runs at
// the quick budget, of few claims but in the long form: the tests of verify/claims render all.
func readmeCommand(t *testing.T, line string) string {
	t.Helper()
	words, ok := strings.CutPrefix(line, invocation)
	if !ok || strings.ContainsAny(words, `'"$|>`) {
		t.Fatalf("%q: this test runs lines of plain words that begin with %q", line, invocation)
	}
	args, program := strings.Fields(words), ours()
	if words == "report" {
		args = append(args, "--budget", "quick")
		if !testutil.Asked() {
			program = briefly()
		}
	}
	if args[0] == "audit" {
		needPython(t)
	}
	if output, ok := shown[line]; ok {
		return output
	}
	var stdout, stderr bytes.Buffer
	code := program.app(&stdout, &stderr).run(context.Background(), args)
	if code != codeFine && (args[0] != "verify" && args[0] != "audit" || code != codeRefuted) {
		t.Errorf("%s exits with %d: %s", line, code, &stderr)
	}
	if stdout.Len() == 0 {
		t.Errorf("%s prints nothing", line)
	}
	for _, p := range program.Papers {
		if words == "report" && !strings.Contains(stdout.String(), "\n## "+p.Title+"\n") {
			t.Errorf("%s has no section of %s", line, p.Title)
		}
	}
	shown[line] = stdout.String()
	return stdout.String()
}

// block is the run of lines, up to a blank one, whose first begins with first.
func block(output, first string) []string {
	lines := strings.Split(output, "\n")
	from := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, first) })
	if first == "" || from < 0 {
		return nil
	}
	to := from + slices.Index(lines[from:], "")
	return lines[from:to]
}

func TestBlock(t *testing.T) {
	const output = "# title\n\n| a |\n| 1 |\n\n| b |\n"
	for first, want := range map[string][]string{"| a": {"| a |", "| 1 |"}, "| b": {"| b |"}, "| c": nil, "": nil} {
		if diff := cmp.Diff(want, block(output, first)); diff != "" {
			t.Errorf("the block of %q (-want +got):\n%s", first, diff)
		}
	}
}

// What the documents name is there: flags, ids, verdicts and files.
func TestDocumentsNameWhatExists(t *testing.T) {
	ledger, err := claims.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, c := range ledger.Claims() {
		known[c.ID] = true
	}
	for _, e := range papers.Registry() {
		known[e.Name] = true
	}
	flags := map[string]bool{"--help": true}
	root := (&app{ledger: claims.Ledger, papers: ours().Papers}).root()
	var collect func(c *cobra.Command)
	collect = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
		for _, sub := range c.Commands() {
			collect(sub)
		}
	}
	collect(root)
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range regexp.MustCompile("(?:`|dpverify [^`\n]*)(--[a-z][a-z-]+)").FindAllSubmatch(page, -1) {
			if !flags[string(flag[1])] {
				t.Errorf("%s names the flag %s, which no command has", name, flag[1])
			}
		}
		for _, id := range regexp.MustCompile("`(prestige/[a-z0-9/-]+)`").FindAllSubmatch(page, -1) {
			if !known[string(id[1])] {
				t.Errorf("%s names %s, which is neither a claim nor an experiment", name, id[1])
			}
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", string(link[1]))); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
			}
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verify.Verdicts {
		if !strings.Contains(string(readme), "\n| "+v.Symbol()+" "+string(v)+" ") {
			t.Errorf("the README's table lacks the verdict %s %s", v.Symbol(), v)
		}
	}
	for _, c := range root.Commands() {
		if commandOfReader(c) && !c.Hidden && !strings.Contains(string(readme), "`dpverify "+c.Name()) {
			t.Errorf("the README's table lacks the command %s", c.Name())
		}
	}
}

// commandOfReader leaves out the commands that cobra adds.
func commandOfReader(c *cobra.Command) bool {
	return !slices.Contains([]string{"help", "completion"}, c.Name())
}
