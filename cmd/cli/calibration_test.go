package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
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

// -kinds with -update renews the sections of these kinds, comma-separated, or of all. A
// kind takes minutes; its section is what the command for all kinds would write.
var renewedKinds = flag.String("kinds", "", "kinds of checks whose calibration -update renews; all is every one")

const calibrationCommand = "experiment calibration --alpha 0.05 --runs 1000 --seed 1"

// calibrated is the document of the command with the given arguments.
func calibrated(t *testing.T, args string) document {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != codeFine {
		t.Fatalf("dpverify %s exits with %d: %s", args, code, &stderr)
	}
	d := parted(stdout.String())
	if diff := cmp.Diff(stdout.String(), d.String()); diff != "" {
		t.Fatalf("dpverify %s, taken apart and put together (-was +is):\n%s", args, diff)
	}
	return d
}

// document is a calibration in Markdown: what comes before the first kind, and a section
// a kind.
type document struct {
	head     string
	kinds    []string
	sections map[string]string
}

func parted(text string) document {
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

// rows are the rows of all tables of a section, without the heads, a cell a column.
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

// The document has the rows of the command, each with a thousand runs, all calibrated,
// every fault found in 99 % of them; what is quickly done again comes out the same.
func TestCalibrationDocument(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	t.Parallel()
	page, err := os.ReadFile(calibrationDocument)
	if err != nil {
		t.Fatal(err)
	}
	written := parted(string(page))
	if *update {
		written = renew(t, written)
	}
	// The rows and what is stated about them, from a single run. Of hidden leaks and of
	// betting, which take long, the rows are those that are registered.
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
			if problem := uncalibrated(row, leastRuns(kind)); problem != "" {
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
	if diff := cmp.Diff(rendered(t, written), string(page)); diff != "" && !*update {
		t.Errorf("the document is not what its counts give (-want +document); `go test ./cmd/cli -run CalibrationDocument -update` renders it again:\n%s", diff)
	}
}

// registered are the names of the cases of a kind.
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

// checks are the names of rows.
func checks(rows [][]string) (names []string) {
	for _, r := range rows {
		names = append(names, r[atCheck])
	}
	return names
}

// stated leaves out what runs find.
func stated(rows [][]string) (out [][]string) {
	for _, r := range rows {
		out = append(out, []string{r[atCheck], r[atClaim], r[atCounted], r[atStated]})
	}
	return out
}

// leastRuns of a row of a kind: hidden leaks have a twentieth of those of the others, and replays half.
func leastRuns(kind string) int {
	switch kind {
	case "hidden":
		return 50
	case "replay":
		return 500
	}
	return 1000
}

var ofRuns = regexp.MustCompile(`^(\d+) of (\d+)$`)

// uncalibrated says what is wrong with a row of the document, "" where nothing is.
func uncalibrated(row []string, least int) string {
	m := ofRuns.FindStringSubmatch(row[atRuns])
	if m == nil {
		return "no number of runs: " + row[atRuns]
	}
	k, _ := strconv.Atoi(m[1])
	n, _ := strconv.Atoi(m[2])
	switch {
	case n < least:
		return fmt.Sprintf("%d runs: want %d", n, least)
	case row[atCalibrated] != "✓ yes" && !(n < 1000 && row[atCalibrated] == "compatible with the limit"):
		return fmt.Sprintf("a rate of %s, stated %s", row[atRate], row[atStated])
	case row[atStated] == "at least 99 %" && float64(k) < results.Detected*float64(n):
		return fmt.Sprintf("seen in %d of %d runs: want 99 %%", k, n)
	case row[atStated] == "never" && k > 0:
		return fmt.Sprintf("%d errors of a check that computes", k)
	}
	return ""
}

// renew runs the kinds asked for, if any, and renders the document from the counts.
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
	if err := os.WriteFile(calibrationDocument, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return parted(text)
}

// rendered is the document that the counts of d give.
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

func TestUncalibratedRowsAreSeen(t *testing.T) {
	row := func(runs, stated, verdict string) []string {
		return []string{"a check", "true", "refuted", runs, "", stated, "", verdict}
	}
	for _, c := range []struct {
		reason string
		row    []string
		good   bool
	}{
		{"within alpha", row("50 of 1000", "at most 0.05", "✓ yes"), true},
		{"outside", row("90 of 1000", "at most 0.05", "✗ no"), false},
		{"too few runs", row("0 of 100", "at most 0.05", "✓ yes"), false},
		{"compatible only, with all runs", row("0 of 1000", "at most 0.05", "compatible with the limit"), false},
		{"99 %", row("990 of 1000", "at least 99 %", "✓ yes"), true},
		{"within the interval, and yet less", row("985 of 1000", "at least 99 %", "✓ yes"), false},
		{"one error of arithmetic", row("1 of 1000", "never", "✓ yes"), false},
		{"no count", row("many", "never", "✓ yes"), false},
	} {
		if problem := uncalibrated(c.row, 1000); (problem == "") != c.good {
			t.Errorf("%s: %q", c.reason, problem)
		}
	}
}
