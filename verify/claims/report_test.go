package claims

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	experiments "github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// What is read to its end is short: the readable report, and the page with everything.
func TestReportIsReadToItsEnd(t *testing.T) {
	d := readableDocument(t)
	var text, page bytes.Buffer
	if err := errors.Join(reports.Markdown(&text, d), reports.HTML(&page, d)); err != nil {
		t.Fatal(err)
	}
	if n, lines := text.Len(), bytes.Count(text.Bytes(), []byte("\n")); n > 46_500 || lines > 450 {
		t.Errorf("the readable report has %d bytes and %d lines, want at most 46,500 and 450", n, lines)
	}
	pictures, err := reports.Files(d)
	if err != nil || len(pictures) != 1+len(Papers()) {
		t.Errorf("%d files for %d papers, want the report and a picture of each: %v", len(pictures), len(Papers()), err)
	}
	ids := make(map[string]bool)
	for _, id := range quoted(page.String(), ` id="`, `"`) {
		ids[id] = true
	}
	for _, to := range slices.Concat(quoted(page.String(), `href="#`, `"`), quoted(text.String(), `](#`, `)`)) {
		if !ids[to] {
			t.Errorf("a link to #%s leads nowhere", to)
		}
	}
	if n := page.Len(); n > 2_500_000 {
		t.Errorf("the page has %d bytes, want at most 2,500,000", n)
	}
}

// readableDocument is the document of `dpverify report --budget quick`.
func readableDocument(t *testing.T) reports.Document {
	t.Helper()
	o := options(1, 2)
	d := reports.Document{Run: judgedOnce(t).run, Command: reports.Command(o, "report"), Version: "devel", Go: "go1.26",
		Experiments: experiments.Abouts()}
	for _, paper := range Papers() {
		d.Papers = append(d.Papers, reports.Paper(paper))
	}
	var err error
	if d.Remarks, err = ReviewerNotes(); err != nil {
		t.Fatal(err)
	}
	return d
}

// gravestRow is a row of the report's summary: a paper, and its gravest finding without the class.
var gravestRow = regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(#paper-([a-z-]+)\) .*\*\*\]\(#finding-\w+\) (.+) \([a-z ]+\) *\|$`)

// The sample that the README links is what the command prints, and the README has its gravest findings.
func TestSampleReport(t *testing.T) {
	const path = "../../testdata/reports/papers.md"
	var got bytes.Buffer
	if err := reports.Markdown(&got, readableDocument(t)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s differs from the report; `go test ./verify/claims -run TestSampleReport -update` renews it:\n%s", path, diff)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := gravestRow.FindAllStringSubmatch(string(want), -1)
	if len(rows) != len(Papers()) {
		t.Errorf("the summary has %d papers with a finding, want %d", len(rows), len(Papers()))
	}
	for _, row := range rows {
		if line := "\n| " + row[1] + " | `" + row[2] + "` | " + row[3] + " |\n"; !strings.Contains(string(readme), line) {
			t.Errorf("the README lacks the finding %q", line)
		}
	}
}

// quoted is what stands between each mark in a text and the next end.
func quoted(text, mark, end string) (found []string) {
	for _, rest := range strings.Split(text, mark)[1:] {
		if between, _, ok := strings.Cut(rest, end); ok {
			found = append(found, between)
		}
	}
	return found
}

// The whole ledger, judged once for all tests, is a report in every form: each claim is in it,
// each finding in SARIF, no figure is missing, and what a machine reads is well-formed.
func TestReport(t *testing.T) {
	j := judgedOnce(t)
	d := reports.Document{Title: "dpverify report", Run: j.run, Command: "dpverify report", Experiments: experiments.Abouts(), Full: true}
	for _, paper := range Papers() {
		d.Papers = append(d.Papers, reports.Paper(paper))
	}
	for _, form := range []struct {
		name  string
		write func(io.Writer, reports.Document) error
		read  func([]byte) error
		wants []string
	}{
		{"markdown", reports.Markdown, nil, []string{"\n## Summary\n", "\n## Privacy findings\n", "\n### Findings\n"}},
		{"html", reports.HTML, nil, []string{"<details class="}},
		{"json", reports.JSON, readReport, []string{`"schema": "dpverify/report/v1"`}},
		{"junit", reports.JUnit, readXML, []string{"<testsuite "}},
		{"sarif", reports.SARIF, readJSON, []string{`"version": "2.1.0"`}},
	} {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := form.write(&b, d); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			if form.read != nil {
				if err := form.read(b.Bytes()); err != nil {
					t.Error(err)
				}
			}
			for _, want := range form.wants {
				if !strings.Contains(text, want) {
					t.Errorf("the report has no %q", want)
				}
			}
			for _, r := range j.run.Results {
				if finding := r.Verdict == verify.Refuted || r.Verdict == verify.Contradictory; form.name == "sarif" && !finding {
					continue
				}
				if !strings.Contains(text, r.Claim.ID) {
					t.Errorf("%s is not in the report", r.Claim.ID)
				}
			}
			for line := range strings.Lines(text) {
				if strings.Contains(line, "%!") || strings.Contains(line, "NaN") {
					t.Errorf("a figure is missing in %q", line)
				}
			}
			if form.name == "markdown" {
				checkDocuments(t, text)
			}
		})
	}
}

// checkDocuments compares the rows of claims in the manual with the report, cell by cell. Only the long form of
// TestManualCommands runs the commands above them.
func checkDocuments(t *testing.T, report string) {
	t.Helper()
	cells := func(line string) []string {
		row := strings.Split(line, "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		return row
	}
	id := regexp.MustCompile("^(?:↳ )?`([a-z0-9/-]+)`$")
	judged := make(map[string][]string)
	for line := range strings.Lines(report) {
		if row := cells(line); len(row) > 2 && id.MatchString(row[1]) {
			judged[row[1]] = row
		}
	}
	for _, name := range []string{"cmd/cli/manual/02-verdicts.md"} {
		page, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for line := range strings.Lines(string(page)) {
			row := cells(line)
			if len(row) < 3 || judged[row[1]] == nil {
				continue
			}
			if found++; !slices.Equal(row, judged[row[1]]) {
				t.Errorf("%s shows %q, and the ledger was judged %q; `go test ./cmd/cli -run Manual -update` renews it", name, row, judged[row[1]])
			}
		}
		if found == 0 {
			t.Errorf("%s shows no claim that was judged", name)
		}
	}
}

func readReport(text []byte) error {
	_, err := reports.ReadJSON(bytes.NewReader(text))
	return err
}

func readJSON(text []byte) error {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object)
}

func readXML(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// What is counted once is one thing, in every form: "1 pairs" is none, while "Algorithm 1 returns" and
// "1 times its bound" are. No figure shows the last bits of a machine.
func TestWordsAgreeInNumber(t *testing.T) {
	d := reports.Document{Title: "dpverify report", Run: judgedOnce(t).run, Full: true}
	var err error
	if d.Remarks, err = ReviewerNotes(); err != nil {
		t.Fatal(err)
	}
	for name, form := range map[string]func(io.Writer, reports.Document) error{
		"markdown": reports.Markdown, "json": reports.JSON, "erratum": reports.Erratum, "terminal": func(w io.Writer, d reports.Document) error {
			return reports.Terminal(w, d, reports.Screen{Width: 1000})
		},
	} {
		var b bytes.Buffer
		if err := form(&b, d); err != nil {
			t.Fatal(err)
		}
		for _, m := range disagreements(b.String()) {
			t.Errorf("%s: %q", name, m)
		}
		if name == "json" {
			continue // it has all digits
		}
		for _, at := range lastBits.FindAllIndex(b.Bytes(), -1) {
			t.Errorf("%s: %q has the last bits of a machine", name, b.Bytes()[max(0, at[0]-40):at[1]])
		}
	}
	const bad, good = "differs at d=5, 1 features; of 1 pairs, (1 replies)", "Algorithm 1 returns it; a mean of 1 times its bound; at d=1 it has 1 feature, and 1 is least"
	if n := len(disagreements(bad)); n != 3 {
		t.Errorf("%d of 3 are seen in %q", n, bad)
	}
	if m := disagreements(good); len(m) > 0 {
		t.Errorf("%q is fine, and is not: %q", good, m)
	}
}

var (
	oneOfMany = regexp.MustCompile(`(?:[,;:(>"]\s?|\b(?:a|all|and|after|at|by|each|for|from|has|in|least|most|of|on|over|than|to|with) )1 [a-z]+s\b`)
	lastBits  = regexp.MustCompile(`[0-9]\.[0-9]{15,}`)
	oneIsSo   = regexp.MustCompile(`1 (?:as|bounds|has|holds|is|means|times|this|asks|counts|makes|shows|takes|does|privatises|returns|draws|adds|meets)\b`)
)

// disagreements are the places where one thing is told as many. What stands around each 1 is looked at: a
// machine of two alternatives takes seconds over whole reports.
func disagreements(text string) (found []string) {
	const before, after = 30, 30 // the longest word of either pattern, and more
	for i, end := 0, 0; ; i = end {
		next := strings.Index(text[i:], "1 ")
		if next < 0 {
			return found
		}
		one := i + next
		end = one + 1
		from, to := max(0, one-before), min(len(text), one+after)
		for _, at := range oneOfMany.FindAllStringIndex(text[from:to], -1) {
			if from+at[0] <= one && one < from+at[1] && !oneIsSo.MatchString(text[from+at[0]:from+at[1]]) {
				found = append(found, strings.ToValidUTF8(text[from:from+at[1]], ""))
			}
		}
	}
}
