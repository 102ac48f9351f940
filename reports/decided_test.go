package reports

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// printedRow finds the claimed figure, the measured one and the verdict of a row: of a table, or of a terminal.
var printedRow = []*regexp.Regexp{
	regexp.MustCompile(`\| +(?P<claimed>(?:[≤≥<>] )?[-∞.0-9e]+) \| +(?P<measured>[^|]+?) \| +[^|]+ \| . (?P<verdict>[a-z-]+( †)?) *\|`),
	regexp.MustCompile(`^  (?:✗|✓|\?|!|∅) (?P<verdict>[a-z-]+) +\S+ +claimed (?P<claimed>(?:[≤≥<>] )?[-∞.0-9e]+), (?:measured|computed) (?P<measured>[^;]+)`),
	regexp.MustCompile(`^(?:✗|✓|\?|!|∅) (?P<verdict>[a-z-]+) +\S+: claimed [^(]*?(?P<claimed>[≤≥<>=] [-∞.0-9e]+)[^(]*\((?:[a-z ]+)?(?P<measured>[-∞.0-9e]+(?:, [0-9.]+ % interval)? ?[[(][^])]*[])])`),
}

// rowFault returns what is wrong with a printed row: an estimate outside its interval, or a verdict that does not follow
// from the figures although no mark says so.
func rowFault(claimed, measured, verdict string) string {
	sense, number := verify.Equals, claimed
	if s, n, ok := strings.Cut(claimed, " "); ok {
		sense, number = verify.Sense(s), n
	}
	c := format.ParseFigure(strings.TrimPrefix(number, "= "))
	parts := regexp.MustCompile(`^(≥ )?([-∞.0-9e]+)?,?(?: ?[0-9.]+ % interval)? ?(?:([[(])([-∞.0-9e–]+), ([-∞.0-9e–]+)\])?`).FindStringSubmatch(measured)
	if parts == nil || parts[2] == "" && parts[3] == "" {
		return ""
	}
	lower, upper, exact := math.Inf(-1), math.Inf(1), parts[3] == ""
	value := math.NaN()
	if parts[2] != "" {
		value = format.ParseFigure(parts[2])
	}
	if exact {
		lower, upper = value, value
		if parts[1] != "" {
			upper = math.Inf(1)
		}
	}
	if parts[3] != "" && parts[4] != format.Absent {
		lower = format.ParseFigure(parts[4])
	}
	if parts[3] != "" && parts[5] != format.Absent {
		upper = format.ParseFigure(parts[5])
	}
	if value < lower || value > upper {
		return "the estimate is outside its interval"
	}
	open := parts[3] == "("
	breaks := lower > c || upper < c
	switch sense {
	case verify.AtMost:
		breaks = lower > c || open && lower >= c
	case verify.Below:
		breaks = lower >= c
	case verify.AtLeast:
		breaks = upper < c
	case verify.Above:
		breaks = upper <= c
	}
	decimals := len(number) - 1 - strings.Index(number, ".")
	if !strings.Contains(number, ".") {
		decimals = 0
	}
	rounded := exact && math.Abs(value-c) <= 0.5*math.Pow(10, -float64(decimals))
	switch verdict {
	case "refuted", "contradictory", "warning":
		if !breaks {
			return "the figures do not refute the claim"
		}
	case "holds", "consistent", "inconclusive":
		if breaks && !(verdict == "holds" && sense == verify.Equals && (rounded || !exact)) {
			return "the figures refute the claim"
		}
	}
	return ""
}

// faultsOf checks the rows of a text, and returns how many it read.
func faultsOf(text string) (faults []string, rows int) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, form := range printedRow {
			for _, m := range form.FindAllStringSubmatch(line, -1) {
				rows++
				at := func(name string) string { return strings.TrimSpace(m[form.SubexpIndex(name)]) }
				verdict, marked := strings.CutSuffix(at("verdict"), decidedMark)
				fault := rowFault(at("claimed"), at("measured"), verdict)
				if fault != "" && !(marked || strings.Contains(line, "decided by")) {
					faults = append(faults, fault+": "+line)
				}
				if marked && !strings.Contains(text, "- † ") {
					faults = append(faults, "no note explains the mark: "+line)
				}
			}
		}
	}
	return faults, rows
}

// In every row that the tests print, the estimate is in its interval and the verdict follows from the figures, or a mark
// leads to what decided.
func TestPrintedRows(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{"../testdata/golden/*.md", "../testdata/golden/*.txt", "../testdata/script/*.txtar", "../testdata/reports/*.md", "../README.md", "../cmd/cli/manual/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			texts[f] = string(b)
		}
	}
	for name, d := range map[string]Document{"example": example(), "audit": auditExample(), "odd": oddRows()} {
		for _, whole := range []bool{false, true} {
			d.Whole = whole
			texts[name+" Markdown"] = string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) }))
			texts[fmt.Sprint(name, " terminal ", whole)] = string(render(t, func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: 300}) }))
		}
	}
	rows := 0
	for name, text := range texts {
		faults, n := faultsOf(text)
		rows += n
		for _, f := range faults {
			t.Errorf("%s: %s", name, f)
		}
	}
	if rows < 60 {
		t.Errorf("%d rows were read: the forms have changed", rows)
	}
	for _, line := range []string{
		"| `a` | x | ≤ 1 | 0.00 [0.50, ∞] | 0 | ? inconclusive |", "| `a` | x | ≤ 1.2948 | [1.20, –] | – | ✗ refuted |",
		"  ✗ refuted       a claimed ≤ 1, measured 1.66 [1.00, ∞]", "✓ consistent    a: claimed ε ≤ 1; no violation found on 1 pair (estimate 1.5, 99.9998 % interval [1.2, 1.6]).",
	} {
		if faults, _ := faultsOf(line); len(faults) == 0 {
			t.Errorf("no fault is found in %q", line)
		}
	}
}

// oddRows have figures that alone do not imply the verdict.
func oddRows() Document {
	d := auditExample()
	d.Run.Results = d.Run.Results[1:2]
	row := func(id string, v verify.Verdict, e verify.Evidence) {
		e.Verdict, e.Quantity = v, "privacy loss ε"
		d.Run.Results = append(d.Run.Results, verify.Result{Claim: verify.Claim{ID: "audit/" + id, Paper: "audit", Kind: verify.Privacy}, Alpha: 1e-6, Evidence: e})
	}
	row("below", verify.Refuted, verify.Evidence{Sense: verify.AtMost, Claimed: num(1.2948), Lower: num(1.2), Samples: 100, Method: "δ at ε = 1: claimed 0.1, certified 0.2"})
	row("beyond", verify.Inconclusive, verify.Evidence{Sense: verify.AtMost, Claimed: num(1), Measured: num(6), Lower: num(4), Upper: num(9), Samples: 100, Power: "over the reals the outputs differ as much"})
	row("slope", verify.Consistent, verify.Evidence{Exact: true, Sense: verify.AtMost, Claimed: num(0.5), Measured: num(0.52), Lower: num(0.503), Upper: num(0.52), Warnings: []string{"the resolution is 0.1"}})
	row("most", verify.Holds, verify.Evidence{Exact: true, Sense: verify.Below, Claimed: num(0), Measured: num(0.098), Lower: num(0.0979), Upper: num(0.0981), Method: "certain in 15 of 18 pairs, 10 are needed"})
	row("printed", verify.Holds, verify.Evidence{Exact: true, Sense: verify.Equals, Claimed: num(1.69), Measured: num(1.6946), Lower: num(1.6946), Upper: num(1.6946)})
	row("equal", verify.Refuted, verify.Evidence{Sense: verify.AtMost, Claimed: num(1.2948), Lower: num(1.2948), Samples: 100})
	return d
}
