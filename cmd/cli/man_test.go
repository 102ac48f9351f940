package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/manual"
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
	got := manPage(exampleCommand().Commands()[0], "v1.2.3")
	for _, want := range []string{`.TH "DPVERIFY-AUDIT" "1" "" "dpverify v1.2.3"`, "dpverify\\-audit \\- Audit\n", "\\fB\\-o, \\-\\-output\\fR \\fIFILE\\fR\nwrite to FILE (default out.md)\n", ".nf\n  dpverify audit x.yaml\n.fi\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "secret") {
		t.Errorf("a hidden flag is shown:\n%s", got)
	}
	for _, line := range []string{"\n\\&.hidden", "\n\\&'or", "\na\\eb\n"} {
		if got := manPage(exampleCommand(), ""); !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
}

// All pages are written, and no line of them is a request that roff does not know.
func TestAllPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	root := exampleCommand()
	root.SetArgs([]string{"man", "--dir", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	request := regexp.MustCompile(`(?m)^[.'](TH|SH|TP|PP|IP \\\(bu 2|RS|RE|nf|fi)?`)
	for _, name := range []string{"man1/dpverify.1", "man1/dpverify-audit.1", "man1/dpverify-man.1", "man7/dpverify.7"} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range request.FindAllSubmatch(text, -1) {
			if len(r[1]) == 0 {
				t.Errorf("%s: %q is no request", name, r[0])
			}
		}
		groff, err := exec.LookPath("groff")
		if err != nil {
			continue
		}
		c := exec.Command(groff, "-K", "utf-8", "-man", "-Tutf8", "-ww", "-z")
		c.Stdin = bytes.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: groff says %v\n%s", name, err, out)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "man7", "dpverify.7"))
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range manual.Topics() {
		if title := strings.ToUpper(strings.ReplaceAll(topic, "-", " ")); !strings.Contains(topic, ".") && !bytes.Contains(page, []byte(".SH "+title+"\n")) {
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
