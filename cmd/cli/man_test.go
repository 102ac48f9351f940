package cli

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/verify/claims"
)

func exampleCommand() *cobra.Command {
	root := &cobra.Command{Use: "dpverify", Short: "Measure", Long: "Long.\n.hidden by a point\n'or a quote\na\\b", Run: func(*cobra.Command, []string) {}}
	below := &cobra.Command{Use: "audit [FILE]", Short: "Audit", Long: "Audits.", Example: "  dpverify audit x.yaml", Run: root.Run}
	below.Flags().StringP("output", "o", "out.md", "write to `FILE`")
	below.Flags().Int("secret", 1, "not shown")
	if err := below.Flags().MarkHidden("secret"); err != nil {
		panic(err)
	}
	root.AddCommand(below, manCommand("v1.2.3"))
	return root
}

func TestPage(t *testing.T) {
	page := func(c *cobra.Command, version string) string {
		text, err := manPage(c, version)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	got := page(exampleCommand().Commands()[0], "v1.2.3")
	for _, want := range []string{`.TH "DPVERIFY-AUDIT" "1" "" "dpverify v1.2.3" ""`, "dpverify-audit - Audit\n", "\\fB-o\\fP, \\fB--output\\fP=\"out.md\"\n\twrite to \\fBFILE\\fR\n", ".EX\n  dpverify audit x.yaml\n.EE\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, not := range []string{"secret", "HISTORY", "0001"} { // a hidden flag, the date of generation, a zero date
		if strings.Contains(got, not) {
			t.Errorf("the page has %q:\n%s", not, got)
		}
	}
}

// Man pages parse the help texts as Markdown: these have no accidental emphasis, and preformatted lines are code
// blocks.
func TestHelpIsMarkdown(t *testing.T) {
	loose := regexp.MustCompile(`(?m)^( {1,3}|\t)\S.*|^\S.*\n {4,}.*|^ {4,}.*\n\S.*`)
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if line := loose.FindString(c.Long); line != "" {
			t.Errorf("%s: a block is not indented by four spaces between blank lines: %q", c.CommandPath(), line)
		}
		if page, err := manPage(c, ""); err != nil || bytes.Contains(page, []byte(`\fI`)) {
			t.Errorf("%s: error %v, or emphasis in\n%s", c.CommandPath(), err, page)
		}
		for _, below := range c.Commands() {
			check(below)
		}
	}
	check((&app{ledger: claims.Ledger, papers: ours().Papers}).root())
}

// All pages are written, and none has a line that roff treats as an unknown request.
func TestAllPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	root := exampleCommand()
	root.SetArgs([]string{"man", "--dir", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	request := regexp.MustCompile(`(?m)^[.'](TH|SH|PP|IP \\\(bu 2|EX|EE|nh)?`)
	for _, name := range []string{"man1/dpverify.1", "man1/dpverify-audit.1", "man1/dpverify-man.1", "man7/dpverify.7"} {
		text := read(t, dir, filepath.FromSlash(name))
		for _, r := range request.FindAllStringSubmatch(text, -1) {
			if r[1] == "" {
				t.Errorf("%s: %q is no request", name, r[0])
			}
		}
		groff, err := exec.LookPath("groff")
		if err != nil {
			continue
		}
		c := exec.Command(groff, "-K", "utf-8", "-man", "-Tutf8", "-ww", "-z")
		c.Stdin = strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: groff says %v\n%s", name, err, out)
		}
	}
	page := read(t, dir, "man7", "dpverify.7")
	for _, topic := range topics() {
		if title := strings.ReplaceAll(topic, "-", " "); !strings.Contains(topic, ".") && !strings.Contains(strings.ToLower(page), "\n.sh "+title+"\n") {
			t.Errorf("the manual has no section %s", title)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, args := range [][]string{{"man", "frob"}, {"man", "audit", "--dir", "x"}} {
		root := exampleCommand()
		root.SetArgs(args)
		root.SetOut(new(bytes.Buffer))
		root.SetErr(new(bytes.Buffer))
		if err := root.Execute(); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
