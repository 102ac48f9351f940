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
	invocation      = "go run ./cmd/dpverify " // its output is not a terminal
	builtInvocation = "./dpverify "            // its output is a terminal
	excerptBegin    = "<!-- excerpt "
	excerptEnd      = "<!-- end -->"
	readerDir       = "../audit" // the reader's directory for a mechanism

	maxReadmeBytes = 9000
)

// others lists the README's commands of other programs.
var others = []string{"go test ./...", "go build ./cmd/dpverify", "git clone " + documentation + " && cd dpverify"}

// readmeRun simulates a reader who follows the README.
type readmeRun struct {
	dir     string // replaces readerDir
	outputs []readmeOutput
	counts  map[string]int // number of commands, edits and excerpts
}

// readmeOutput is the output of the command in a line of the README.
type readmeOutput struct {
	line          int
	command, text string
}

var (
	editRow    = regexp.MustCompile("^\\| `([a-z.]+)` \\| `(.+)` \\| ")           // a file of init and the line to edit
	inlineRow  = regexp.MustCompile("^\\| .* \\| `\\./dpverify (audit .*)` \\| ") // a command in a table
	workflow   = filepath.Join(".github", "workflows", "dpverify.yml")
	promptMark = "$ "
)

// TestReadmeCommands follows the README from top to bottom: it runs every command and makes the edit. It compares the
// excerpts with the outputs. An excerpt is the block of an output that begins with the text in its mark. A line
// "$ COMMAND" in the excerpt chooses the last run of that command. Otherwise the last command above the excerpt counts.
func TestReadmeCommands(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	needPython(t)
	t.Setenv(widthVariable, "")
	r := readmeRun{dir: filepath.Join(t.TempDir(), "audit"), counts: make(map[string]int)}
	t.Chdir(filepath.Join("..", ".."))
	page := read(t, "README.md")
	lines := strings.Split(page, "\n")
	r.follow(t, lines)
	var rewritten []string
	for i := 0; i < len(lines); i++ {
		rewritten = append(rewritten, lines[i])
		if !strings.HasPrefix(lines[i], excerptBegin) {
			continue
		}
		length := slices.Index(lines[i+1:], excerptEnd)
		if length < 0 {
			t.Fatalf("README.md:%d: no %q follows", i+1, excerptEnd)
		}
		shown := lines[i+1 : i+1+length]
		got := r.excerpt(i, strings.TrimSuffix(strings.TrimPrefix(lines[i], excerptBegin), " -->"), shown)
		compareExcerpt(t, i+1, shown, got)
		rewritten = append(append(rewritten, got...), excerptEnd)
		i += length + 1
		r.counts["excerpt"]++
	}
	want := map[string]int{"command": 6, "edit": 1, "line to edit": 3, "command in a table": 4, "excerpt": 2}
	if diff := cmp.Diff(want, r.counts); diff != "" {
		t.Errorf("the README has other numbers of examples (-want +got):\n%s", diff)
	}
	r.verdicts(t)
	text := strings.Join(rewritten, "\n")
	if len(text) > maxReadmeBytes {
		t.Errorf("README.md has %d bytes, want at most %d", len(text), maxReadmeBytes)
	}
	if *update && !t.Failed() {
		put(t, "README.md", text)
	}
}

// follow runs the commands of the README in their order, and makes its edit.
func (r *readmeRun) follow(t *testing.T, lines []string) {
	t.Helper()
	fence := ""
	for i, line := range lines {
		switch row := editRow.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			fence = strings.TrimPrefix(line, "```")
		case fence == "sh" && !slices.Contains(others, line):
			r.outputs = append(r.outputs, readmeOutput{i, line, r.command(t, line)})
			r.counts["command"]++
		case fence == "diff" && strings.HasPrefix(line, "-"):
			r.replace(t, "mechanism.py", line[1:]+"\n", lines[i+1][1:]+"\n")
			r.counts["edit"]++
		case row != nil && (row[1] == "mechanism.py" || row[1] == "claims.yaml"):
			r.replace(t, row[1], row[2], row[2])
			r.counts["line to edit"]++
		case inlineRow.MatchString(line):
			readmeCommand(t, invocation+inlineRow.FindStringSubmatch(line)[1])
			r.counts["command in a table"]++
		}
	}
}

// replace replaces a text in a file of the reader, which must contain it once.
func (r *readmeRun) replace(t *testing.T, name, old, text string) {
	t.Helper()
	path := filepath.Join(r.dir, name)
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the README edits %s, which does not exist yet: %v", name, err)
	}
	if strings.Count(string(was), old) != 1 {
		t.Errorf("%s contains %q %d times, want once", name, old, strings.Count(string(was), old))
	}
	put(t, path, strings.Replace(string(was), old, text, 1))
}

// command runs a line of the README, in the form of a terminal if it calls the built program.
func (r *readmeRun) command(t *testing.T, line string) string {
	t.Helper()
	words, ok := strings.CutPrefix(line, builtInvocation)
	if !ok {
		return readmeCommand(t, line)
	}
	args := strings.Fields(strings.ReplaceAll(words, readerDir, r.dir))
	if args[0] != "init" {
		args = append(args, "--format", "terminal")
	}
	var stdout, stderr bytes.Buffer
	code := ours().app(&stdout, &stderr).run(context.Background(), args)
	if code != codeFine && (args[0] != "audit" || code != codeRefuted) {
		t.Errorf("%s exits with %d: %s", line, code, &stderr)
	}
	return stdout.String()
}

// excerpt returns the lines that an excerpt must have, with fences and prompt, or nil if no output has the block.
func (r *readmeRun) excerpt(line int, first string, shown []string) (got []string) {
	var output string
	head := 1 // the fence
	if len(shown) > 1 && strings.HasPrefix(shown[1], promptMark) {
		head = 2
	}
	for _, o := range r.outputs {
		if prompt := promptMark + o.command; head == 2 && shown[1] == prompt || head == 1 && o.line < line {
			output = strings.ReplaceAll(o.text, r.dir, "../audit")
		}
	}
	found := block(output, first)
	if found == nil {
		return nil
	}
	return slices.Concat(shown[:head], found, []string{"```"})
}

// verdicts wants the mechanism that init writes to be consistent, the edited one to be refuted, and a workflow.
func (r *readmeRun) verdicts(t *testing.T) {
	t.Helper()
	var got []string
	for _, o := range r.outputs {
		if strings.HasPrefix(o.command, builtInvocation+"audit ") {
			for _, v := range verify.Verdicts {
				if strings.Contains("\n"+o.text, "\n"+v.Symbol()+" "+string(v)+" ") {
					got = append(got, string(v))
				}
			}
		}
	}
	if diff := cmp.Diff([]string{"consistent", "refuted"}, got); diff != "" {
		t.Errorf("the verdicts of a reader who follows the README (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(r.dir, workflow)); err != nil {
		t.Error(err)
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

// shown caches the outputs of commands, because the README and the manual share some.
var shown = make(map[string]string)

// heldByTheLedger reports whether the tests of verify/claims judge the claims of a command and compare its rows. Such a
// command runs only in the long form and under -update.
func heldByTheLedger(line string) bool {
	return strings.HasPrefix(line, invocation+"verify ") && !testutil.Asked() && !*update
}

// briefly returns our program with only those identities of each paper that take no samples.
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

// readmeCommand runs a line of the README and returns its standard output. The report runs at the quick budget, with
// few claims except in the long form, because the tests of verify/claims render all.
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

// block returns the lines up to a blank one, starting with a line that begins with first after spaces.
func block(output, first string) []string {
	lines := strings.Split(output, "\n")
	from := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(strings.TrimLeft(s, " "), first) })
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

// The flags, ids, verdicts and files that the documents name exist.
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
		page := read(t, "..", "..", name)
		for _, flag := range regexp.MustCompile("(?:`|dpverify [^`\n]*)(--[a-z][a-z-]+)").FindAllStringSubmatch(page, -1) {
			if !flags[flag[1]] {
				t.Errorf("%s names the flag %s, which no command has", name, flag[1])
			}
		}
		for _, id := range regexp.MustCompile("`(prestige/[a-z0-9/-]+)`").FindAllStringSubmatch(page, -1) {
			if !known[id[1]] {
				t.Errorf("%s names %s, which is neither a claim nor an experiment", name, id[1])
			}
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", link[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
			}
		}
	}
	readme := read(t, "..", "..", "README.md")
	for _, verdict := range regexp.MustCompile(`(?m)^\| ([^ -~]|\?) ([a-z-]+) `).FindAllStringSubmatch(readme, -1) {
		if v := verify.Verdict(verdict[2]); !slices.Contains(verify.Verdicts, v) || v.Symbol() != verdict[1] {
			t.Errorf("the README has the verdict %s %s, which does not exist", verdict[1], verdict[2])
		}
	}
	for _, name := range regexp.MustCompile("`(?:\\./dpverify )?help ([A-Za-z_.-]+)`").FindAllStringSubmatch(readme, -1) {
		if !slices.Contains(append(topics(), "TOPIC"), name[1]) {
			t.Errorf("the README names the topic %s, which does not exist", name[1])
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| .* \\| `([a-z-]+)` \\|$").FindAllStringSubmatch(readme, -1) {
		if !slices.Contains(topics(), row[1]) {
			t.Errorf("the README's table of audits names the topic %s, which does not exist", row[1])
		}
	}
	verdicts, _ := topic("verdicts")
	for _, v := range verify.Verdicts {
		if !regexp.MustCompile(`(?m)^\W*` + string(v) + `\b`).Match(verdicts) {
			t.Errorf("the topic verdicts lacks %s", v)
		}
	}
	commands, err := manual.ReadFile("manual/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range root.Commands() {
		if commandOfReader(c) && !c.Hidden && !strings.Contains(string(commands), "dpverify "+c.Name()) {
			t.Errorf("the manual's list of commands lacks %s", c.Name())
		}
	}
}

// The measured figures of the README equal the cells of their tables.
func TestReadmeFigures(t *testing.T) {
	readme := string(read(t, "..", "..", "README.md"))
	for _, c := range []struct {
		file, row string
		figures   []string // regular expressions with one group
	}{
		{"COMPARISON.md", "| `laplace_1` ", []string{`\| +(0\.\d+) \[`, `\] \| +(\.\d+) `}},
		{"COMPARISON.md", "| Gaussian, μ .5 → 1 ", []string{`\| +(\d+) \[`, `(\d+) \|$`}},
		{"CALIBRATION.md", "| true          | refuted       |  124 ", []string{`(\d+ of \d+)`, `(0\.\d+) \[`, `at most (0\.\d+)`}},
	} {
		_, after, _ := strings.Cut(string(read(t, "..", "..", "verify", "calibration", c.file)), "\n"+c.row)
		row, _, _ := strings.Cut(c.row+after, "\n")
		for _, figure := range c.figures {
			found := regexp.MustCompile(figure).FindStringSubmatch(row)
			if found == nil || !regexp.MustCompile(`[ 0]`+regexp.QuoteMeta(found[1])+`[ ,.]`).MatchString(readme) {
				t.Errorf("the README lacks %q of the row %q of %s", found, row, c.file)
			}
		}
	}
}

// commandOfReader reports whether a command is ours; cobra adds others.
func commandOfReader(c *cobra.Command) bool {
	return !slices.Contains([]string{"help", "completion"}, c.Name())
}
