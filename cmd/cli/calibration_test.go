package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

var calibrationDocument = filepath.Join("..", "..", "verify", "calibration", "CALIBRATION.md")

// With -update, -kinds renews the sections of these kinds, comma-separated, or all sections. A kind takes minutes. Its
// section does not depend on the other kinds.
var renewedKinds = flag.String("kinds", "", "kinds of checks whose calibration -update renews, or all")

const calibrationCommand = "experiment calibration --alpha 0.05 --runs 1000 --seed 1"

// calibrated runs the command with the given arguments and returns its document.
func calibrated(t *testing.T, args string) document {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != codeFine {
		t.Fatalf("dpverify %s exits with %d: %s", args, code, &stderr)
	}
	d := parseDocument(stdout.String())
	if diff := cmp.Diff(stdout.String(), d.String()); diff != "" {
		t.Fatalf("dpverify %s, after parsing and formatting (-before +after):\n%s", args, diff)
	}
	return d
}

// document is a calibration in Markdown: the text before the first kind, and a section for each kind.
type document struct {
	head     string
	kinds    []string
	sections map[string]string
}

// parseDocument splits a calibration into its sections.
func parseDocument(text string) document {
	parts := strings.Split(text, "\n## ")
	d := document{head: parts[0], sections: make(map[string]string)}
	for _, p := range parts[1:] {
		kind, _, _ := strings.Cut(p, "\n")
		d.kinds = append(d.kinds, kind)
		d.sections[kind] = strings.TrimRight(p, "\n")
	}
	return d
}

func (d document) String() string {
	text := d.head
	for _, kind := range d.kinds {
		text += "\n## " + d.sections[kind] + "\n"
	}
	return text
}

// rows returns the cells of all tables of a section, without the headers.
func (d document) rows(kind string) (rows [][]string) {
	for _, line := range strings.Split(d.sections[kind], "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| check ") && len(cells) == atCalibrated+1 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
	}
	return rows
}

// Columns of the tables.
const (
	atCheck, atClaim, atCounted, atRuns, atRate, atStated, atVerdicts, atCalibrated = 0, 1, 2, 3, 4, 5, 6, 7
)

// CALIBRATION.md has a row for each registered case. Each row has the required number of runs and is calibrated, and
// faults are detected in at least 99 % of the runs. Repeating the fast kinds gives the same sections.
func TestCalibrationDocument(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	t.Parallel()
	page := read(t, calibrationDocument)
	written := parseDocument(page)
	if *update {
		written = renew(t, written)
	}
	// One run gives the rows and their stated limits. The kinds hidden and anytime take long; without DPVERIFY_LONG,
	// the test checks only the names of their rows.
	kinds := slices.DeleteFunc(calibration.Kinds(), func(kind string) bool {
		return (kind == "hidden" || kind == "anytime") && !testutil.Asked()
	})
	fresh := calibrated(t, "experiment calibration --alpha 0.05 --runs 1 --seed 1 --kind "+strings.Join(kinds, ","))
	if diff := cmp.Diff(calibration.Kinds(), written.kinds); diff != "" {
		t.Errorf("kinds (-registered +document):\n%s", diff)
	}
	for _, kind := range written.kinds {
		if diff := cmp.Diff(registered(t, kind), checks(written.rows(kind))); diff != "" {
			t.Errorf("%s: rows (-registered +document):\n%s", kind, diff)
		}
		for _, row := range written.rows(kind) {
			if problem := uncalibrated(row, minRuns(kind)); problem != "" {
				t.Errorf("%s, %s: %s", kind, row[atCheck], problem)
			}
		}
	}
	for _, kind := range fresh.kinds {
		if diff := cmp.Diff(stated(fresh.rows(kind)), stated(written.rows(kind))); diff != "" {
			t.Errorf("%s: rows (-command +document); `go test ./cmd/cli -run CalibrationDocument -update -kinds %s -timeout 2h` renews them:\n%s", kind, kind, diff)
		}
	}
	again := calibrated(t, calibrationCommand+" --kind laws,relation")
	for _, kind := range again.kinds {
		if diff := cmp.Diff(again.sections[kind], written.sections[kind]); diff != "" {
			t.Errorf("%s (-command +document):\n%s", kind, diff)
		}
	}
	if diff := cmp.Diff(rendered(t, written), page); diff != "" && !*update {
		t.Errorf("the document does not follow from its counts (-want +document); `go test ./cmd/cli -run CalibrationDocument -update` renders it again:\n%s", diff)
	}
}

// registered returns the names of the cases of a kind.
func registered(t *testing.T, kind string) (names []string) {
	t.Helper()
	cases, err := calibration.Cases(kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		names = append(names, c.Name)
	}
	return names
}

// checks returns the names in rows.
func checks(rows [][]string) (names []string) {
	for _, r := range rows {
		names = append(names, r[atCheck])
	}
	return names
}

// stated returns the columns of rows that do not depend on the runs.
func stated(rows [][]string) (out [][]string) {
	for _, r := range rows {
		out = append(out, []string{r[atCheck], r[atClaim], r[atCounted], r[atStated]})
	}
	return out
}

// minRuns returns the minimum number of runs of a table row, given the kind of its check. The kinds hidden and replay are slow and have fewer.
func minRuns(kind string) int {
	switch kind {
	case "hidden":
		return 50
	case "replay":
		return 500
	}
	return 1000
}

var ofRuns = regexp.MustCompile(`^(\d+) of (\d+)$`)

// uncalibrated returns the problem of a row of the document, or "".
func uncalibrated(row []string, minRuns int) string {
	m := ofRuns.FindStringSubmatch(row[atRuns])
	if m == nil {
		return "no number of runs: " + row[atRuns]
	}
	k, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[2])
	switch {
	case n < minRuns:
		return fmt.Sprintf("%d runs: want at least %d", n, minRuns)
	case row[atCalibrated] != "✓ yes" && !(n < 1000 && row[atCalibrated] == "compatible with the limit"):
		return fmt.Sprintf("a rate of %s, stated %s", row[atRate], row[atStated])
	case row[atStated] == "at least 99 %" && float64(k) < results.Detected*float64(n):
		return fmt.Sprintf("detected in %d of %d runs: want 99 %%", k, n)
	case row[atStated] == "never" && k > 0:
		return fmt.Sprintf("%d errors of an exact check: want none", k)
	}
	return ""
}

// renew runs the kinds of -kinds, and writes and returns the document.
func renew(t *testing.T, d document) document {
	kinds := strings.FieldsFunc(*renewedKinds, func(r rune) bool { return r == ',' })
	if *renewedKinds == "all" {
		kinds = calibration.Kinds()
	}
	for _, kind := range kinds {
		d.sections[kind] = calibrated(t, calibrationCommand+" --kind "+kind).sections[kind]
	}
	d.kinds = slices.DeleteFunc(calibration.Kinds(), func(k string) bool { return d.sections[k] == "" })
	text := rendered(t, d)
	put(t, calibrationDocument, text)
	return parseDocument(text)
}

// rendered returns the document that follows from the counts of d.
func rendered(t *testing.T, d document) string {
	t.Helper()
	var rows []results.CalibrationRow
	for _, kind := range d.kinds {
		cases, err := calibration.Cases(kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, cells := range d.rows(kind) {
			r := results.CalibrationRow{Kind: kind, About: cases[0].About, Name: cells[atCheck], True: cells[atClaim] == "true",
				Counted: results.Event(cells[atCounted]), Expected: cells[atStated], Verdicts: map[verify.Verdict]int64{}}
			if _, err := fmt.Sscanf(cells[atRuns], "%d of %d", &r.Count, &r.Runs); err != nil {
				t.Fatalf("%s, %s: %v", kind, r.Name, err)
			}
			for _, part := range strings.Split(cells[atVerdicts], ", ") {
				count, verdict, _ := strings.Cut(part, " ")
				n, err := strconv.ParseInt(count, 10, 64)
				if err != nil {
					t.Fatalf("%s, %s: %v", kind, r.Name, err)
				}
				r.Verdicts[verify.Verdict(verdict)] = n
			}
			switch cells[atStated] {
			case "at least 99 %":
				r.Limit = results.Detected
			case "never":
				r.AtMost = true
			default:
				r.AtMost = true
				if _, err := fmt.Sscanf(cells[atStated], "at most %g", &r.Limit); err != nil {
					t.Fatalf("%s, %s: %v", kind, r.Name, err)
				}
			}
			lower, upper, err := confidence.ClopperPearson(r.Count, r.Runs, results.IntervalError)
			if err != nil {
				t.Fatalf("%s, %s: %v", kind, r.Name, err)
			}
			r.Lower, r.Upper = verify.Num(lower), verify.Num(upper)
			rows = append(rows, r)
		}
	}
	var b bytes.Buffer
	if err := reports.Calibration(rows, "dpverify "+calibrationCommand).Markdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestUncalibratedRowsAreDetected(t *testing.T) {
	row := func(runs, stated, verdict string) []string {
		return []string{"a check", "true", "refuted", runs, "", stated, "", verdict}
	}
	for _, c := range []struct {
		reason string
		row    []string
		good   bool
	}{
		{"within alpha", row("50 of 1000", "at most 0.05", "✓ yes"), true},
		{"above alpha", row("90 of 1000", "at most 0.05", "✗ no"), false},
		{"too few runs", row("0 of 100", "at most 0.05", "✓ yes"), false},
		{"only compatible with the limit, with all runs", row("0 of 1000", "at most 0.05", "compatible with the limit"), false},
		{"99 %", row("990 of 1000", "at least 99 %", "✓ yes"), true},
		{"a rate below 99 % within its interval", row("985 of 1000", "at least 99 %", "✓ yes"), false},
		{"one error of an exact check", row("1 of 1000", "never", "✓ yes"), false},
		{"a cell without a count", row("many", "never", "✓ yes"), false},
	} {
		if problem := uncalibrated(c.row, 1000); (problem == "") != c.good {
			t.Errorf("%s: %q", c.reason, problem)
		}
	}
}
