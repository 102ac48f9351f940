package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/internal/testutil"
)

// With -update, -gross measures the table of gross faults again. Twenty runs take some minutes.
var renewedGross = flag.String("gross", "",
	"flags of `dpverify experiment gross` with which -update measures the table of COMPARISON.md")

const grossMark = "<!-- gross -->"

var (
	grossHead    = []string{"fault", "output", "known event", "audit", "ratio", "control refuted"}
	grossCommand = regexp.MustCompile(`dpverify experiment gross --alpha [\d.]+ --runs (\d+) --seed \d+`)
	grossFigures = regexp.MustCompile(`^(\d+)\|(> )?(\d+)\|(> )?(\d+\.\d)\|(\d+) of (\d+)$`)
)

// measuredGross runs the command and returns its rows, and the command that it prints.
func measuredGross(t *testing.T, args string) (rows [][]string, command string) {
	t.Helper()
	output := comparisonRun(t, args)
	if command = grossCommand.FindString(output); command == "" {
		t.Fatalf("dpverify %s:\n%s", args, output)
	}
	return cellsOf(strings.Split(output, "\n")), command
}

// The table of gross faults has the runs of the command above it, ratios that agree with its numbers of samples, and no
// more refuted controls than α permits. With DPVERIFY_LONG the test measures the table again.
func TestComparisonGross(t *testing.T) {
	page, err := os.ReadFile(comparisonDocument)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if *update && *renewedGross != "" {
		rows, command := measuredGross(t, "experiment gross "+*renewedGross)
		text = withTable(t, grossCommand.ReplaceAllLiteralString(text, command), grossMark, aligned(grossHead, rows))
		if err := os.WriteFile(comparisonDocument, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range grossProblems(text) {
		t.Errorf("COMPARISON.md, gross faults: %s; `go test ./cmd/cli -run ComparisonGross -update -gross '--runs 20' -timeout 60m` measures it again", problem)
	}
	if testutil.Asked() && runtime.GOARCH == "amd64" { // other architectures may round differently
		rows, _ := measuredGross(t, strings.TrimPrefix(grossCommand.FindString(text), "dpverify "))
		if diff := cmp.Diff(rows, cellsOf(tableAfter(text, grossMark))); diff != "" {
			t.Errorf("the table differs (-measured +document):\n%s", diff)
		}
	}
	rows := cellsOf(tableAfter(text, grossMark))
	for reason, spoil := range map[string]func(row []string){
		"a wrong ratio":             func(row []string) { row[4] = "0.3" },
		"a control that is refuted": func(row []string) { row[5] = "7 of 20" },
		"another number of runs":    func(row []string) { row[5] = "0 of 3" },
		"a cell without a figure":   func(row []string) { row[3] = "some" },
	} {
		spoilt := cloned(rows)
		spoil(spoilt[0])
		if len(grossProblems(withTable(t, text, grossMark, aligned(grossHead, spoilt)))) == 0 {
			t.Errorf("%s is not detected", reason)
		}
	}
}

func grossProblems(text string) (problems []string) {
	command := grossCommand.FindStringSubmatch(text)
	if command == nil {
		return []string{"the command is missing"}
	}
	rows := cellsOf(tableAfter(text, grossMark))
	if len(rows) != 12 {
		problems = append(problems, fmt.Sprintf("%d rows, want 12", len(rows)))
	}
	for _, row := range rows {
		m := grossFigures.FindStringSubmatch(strings.Join(row[2:], "|"))
		if m == nil || m[2] != m[4] || m[7] != command[1] {
			problems = append(problems, fmt.Sprintf("%s: %q: want figures, and the runs of the command", row[0], row[2:]))
			continue
		}
		if ratio := fmt.Sprintf("%.1f", asNumber(m[3])/asNumber(m[1])); ratio != m[5] {
			problems = append(problems, fmt.Sprintf("%s: ratio %s, want %s", row[0], m[5], ratio))
		}
		if asNumber(m[6]) > 0.25*asNumber(m[7]) { // at most 5 of 20, with probability above 0.9996 if α = 0.05
			problems = append(problems, fmt.Sprintf("%s: %s of %s controls are refuted", row[0], m[6], m[7]))
		}
	}
	return problems
}
