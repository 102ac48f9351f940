package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/verify"
)

// excusedExample is the example with one finding that the baseline contains and one that is a warning.
func excusedExample() Document {
	d := example()
	d.Places = map[string]Place{
		"example/lemma-7": {File: "testdata/base line.json", Line: 7}, "example/table-1": {File: "claims.yaml", Line: 4, Column: 5},
		"other/fact": {File: "/elsewhere/claims, 2.yaml", Line: 9, Column: 3},
	}
	d.Excused = map[string]Excuse{
		"example/lemma-7": {Reason: "the constant is that of the authors", Known: true}, "example/table-1": {Reason: "a warning alone"},
	}
	return d
}

func machineGoldens() map[string]func(*bytes.Buffer) error {
	d, e := example(), excusedExample()
	return map[string]func(*bytes.Buffer) error{
		"report.junit.xml":        func(b *bytes.Buffer) error { return JUnit(b, d) },
		"report.sarif.json":       func(b *bytes.Buffer) error { return SARIF(b, d) },
		"report-known.junit.xml":  func(b *bytes.Buffer) error { return JUnit(b, e) },
		"report-known.sarif.json": func(b *bytes.Buffer) error { return SARIF(b, e) },
		"summary.md":              func(b *bytes.Buffer) error { return Summary(b, e, SummaryLimit) },
		"annotations.txt":         func(b *bytes.Buffer) error { return Annotations(b, e) },
	}
}

func TestMachineGoldens(t *testing.T) {
	for name, f := range machineGoldens() {
		t.Run(name, func(t *testing.T) { golden(t, name, render(t, f)) })
	}
}

// The counts of JUnit XML equal the sums of its cases.
func TestJUnitStructure(t *testing.T) {
	hostile := excusedExample()
	for i := range hostile.Run.Results {
		r := &hostile.Run.Results[i]
		r.WorstCase, r.Claim.Statement, r.Method = "]]> <!-- & \x00\x1b", "a\nb\" '</failure>", "\xff"
		r.Warnings = []string{"<x/>\x07"}
	}
	cases := []struct {
		reason string
		d      Document
		want   junitCounts
	}{
		{"each verdict", example(), junitCounts{Tests: 9, Failures: 2, Errors: 1, Skipped: 3}},
		{"excused findings are skipped", excusedExample(), junitCounts{Tests: 9, Errors: 1, Skipped: 5}},
		{"text that is markup", hostile, junitCounts{Tests: 9, Errors: 1, Skipped: 5}},
		{"no claim", Document{}, junitCounts{}},
	}
	for _, c := range cases {
		out := render(t, func(b *bytes.Buffer) error { return JUnit(b, c.d) })
		for d := xml.NewDecoder(bytes.NewReader(out)); ; { // strict to the end
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v\n%s", c.reason, err, out)
			}
		}
		var got junitSuites
		if err := xml.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		var sum, seen junitCounts
		for _, s := range got.Suites {
			sum.Tests, sum.Failures, sum.Errors, sum.Skipped = sum.Tests+s.Tests, sum.Failures+s.Failures, sum.Errors+s.Errors, sum.Skipped+s.Skipped
			for _, x := range s.Cases {
				seen.count(x)
				if x.Name == "" || x.Class != s.Name || x.File == "" {
					t.Errorf("%s: case %+v in suite %s", c.reason, x, s.Name)
				}
			}
		}
		if got.junitCounts != c.want || sum != c.want || seen != c.want {
			t.Errorf("%s: counted %+v, suites %+v, cases %+v, want %+v", c.reason, got.junitCounts, sum, seen, c.want)
		}
	}
}

// The log meets the standard's rules that types cannot express: indices and references are valid, and fingerprints
// are unique and stable.
func TestSARIFStructure(t *testing.T) {
	read := func(d Document) sarifLog {
		var log sarifLog
		if err := json.Unmarshal(render(t, func(b *bytes.Buffer) error { return SARIF(b, d) }), &log); err != nil {
			t.Fatal(err)
		}
		return log
	}
	log := read(excusedExample())
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("version %q, %d runs", log.Version, len(log.Runs))
	}
	run, prints := log.Runs[0], make(map[string]string)
	var levels []string
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %q has index %d", r.RuleID, r.RuleIndex)
		}
		at := r.Locations[0]
		if at.Physical.Region.StartLine < 1 || at.Physical.Artifact.URI == "" || strings.ContainsAny(at.Physical.Artifact.URI, " ") {
			t.Errorf("location %+v", at)
		}
		id := at.Logical[0].Name
		if other, taken := prints[r.Fingerprints[fingerprintKey]]; taken {
			t.Errorf("%s and %s have the same fingerprint", id, other)
		}
		prints[r.Fingerprints[fingerprintKey]] = string(id)
		levels = append(levels, fmt.Sprintf("%s %s %d", id, r.Level, len(r.Suppressions)))
	}
	want := []string{"example/lemma-7 error 1", "example/table-1 warning 0", "example/remark-3 warning 0"}
	if diff := cmp.Diff(want, levels); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if inv := run.Invocations[0]; inv.Successful || len(inv.Notifications) != 3 {
		t.Errorf("invocation %+v, want one that did not succeed with 3 notifications", inv)
	}
	moved := excusedExample()
	moved.Run.Results[0].Measured, moved.Run.Options.Seed = num(0.8), 2
	moved.Places["example/lemma-7"] = Place{File: "elsewhere.json", Line: 70}
	for _, r := range read(moved).Runs[0].Results {
		if _, ok := prints[r.Fingerprints[fingerprintKey]]; !ok {
			t.Errorf("%s has another fingerprint after it moved", r.Locations[0].Logical[0].Name)
		}
	}
	if log := read(Document{}); log.Runs[0].Results == nil {
		t.Error("no claims: results are null, which means that nothing was checked")
	}
}

func TestSummaryStaysBelowItsLimit(t *testing.T) {
	d := example()
	for i := range 2000 {
		r := d.Run.Results[0]
		r.Claim.ID = fmt.Sprintf("example/many-%d", i)
		d.Run.Results = append(d.Run.Results, r)
	}
	whole := render(t, func(b *bytes.Buffer) error { return Summary(b, d, SummaryLimit) })
	if len(whole) >= SummaryLimit || bytes.Contains(whole, []byte("did not fit")) {
		t.Fatalf("%d bytes: want the complete summary, below the limit", len(whole))
	}
	for _, limit := range []int{2_000, 10_000, 100_000} {
		out := render(t, func(b *bytes.Buffer) error { return Summary(b, d, limit) })
		shown := bytes.Count(out, []byte("\n- "))
		var left int
		if _, err := fmt.Sscanf(string(out[bytes.LastIndex(bytes.TrimSpace(out), []byte("\n"))+1:]), "%d more did not fit", &left); err != nil {
			t.Errorf("limit %d: the last line does not count the omitted lines: %v", limit, err)
		}
		if len(out) >= limit || shown+left != 2006 {
			t.Errorf("limit %d: %d bytes, %d shown and %d omitted, want 2006 in all", limit, len(out), shown, left)
		}
	}
}

func TestAnnotationsEscapeAndStop(t *testing.T) {
	d := example()
	d.Run.Results = nil
	for i := range 25 {
		r := example().Run.Results[0]
		r.Claim.ID, r.WorstCase = fmt.Sprintf("example/many-%d", i), "100%\n::error::no\r"
		d.Run.Results = append(d.Run.Results, r)
	}
	d.Places = map[string]Place{"example/many-0": {File: "a,b:c%.yaml", Line: 3}}
	lines := slices.Collect(strings.Lines(string(render(t, func(b *bytes.Buffer) error { return Annotations(b, d) }))))
	if len(lines) != annotationLimit {
		t.Fatalf("%d lines, want %d", len(lines), annotationLimit)
	}
	if want := "::error file=a%2Cb%3Ac%25.yaml,line=3,title=example/many-0::"; !strings.HasPrefix(lines[0], want) {
		t.Errorf("%q, want it to begin with %q", lines[0], want)
	}
	if !strings.Contains(lines[0], "100%25") {
		t.Errorf("%q: the percent sign is not escaped", lines[0])
	}
}

func TestReason(t *testing.T) {
	d := example()
	cases := []struct {
		reason string
		r      verify.Result
		want   string
	}{
		{"figures and the worst case", d.Run.Results[0], "the claim says ⟨E[Z|X],X⟩/‖X‖² = 1; measured 0.8731 [0.8722, 0.8740], computed 0.87312 at d=4, eps=0.3, x=[1 0 0 0]"},
		{"no figures", d.Run.Results[7], "no observable is named"},
	}
	for _, c := range cases {
		if got := Reason(c.r); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

// A claim without a known file is written without a file, never with a guess.
func TestNoFileIsGuessed(t *testing.T) {
	d := example()
	d.Places, d.Papers[0].File = nil, ""
	for name, write := range map[string]func(io.Writer, Document) error{"junit": JUnit, "sarif": SARIF, "annotations": Annotations} {
		out := string(render(t, func(b *bytes.Buffer) error { return write(b, d) }))
		if !strings.Contains(out, "example/table-1") {
			t.Errorf("%s: the findings are missing", name)
		}
		for _, word := range []string{".go", "file=", "physicalLocation"} {
			if strings.Contains(strings.ReplaceAll(out, "go1.26.8", ""), word) {
				t.Errorf("%s: %q in the output for claims without a file", name, word)
			}
		}
	}
}
