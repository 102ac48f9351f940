package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/internal/testutil"
)

// With -update, -sequential measures the table of samples again. Twenty runs take some minutes.
var renewedSequential = flag.String("sequential", "",
	"flags of `dpverify experiment sequential` with which -update measures the table of COMPARISON.md")

const sequentialMark = "<!-- sequential -->"

var (
	sequentialHead    = []string{"case", "median [min, max]", "runs", "oracle", "wanted", "best known"}
	sequentialCommand = regexp.MustCompile(`dpverify experiment sequential --alpha [\d.]+ --runs (\d+) --seed \d+`)
	samplesCell       = regexp.MustCompile(`^(\d+) \[(\d+), (\d+)\]$`)
)

// measuredSequential runs the command and returns its rows, and the command that it prints.
func measuredSequential(t *testing.T, args string) (rows [][]string, command string) {
	t.Helper()
	output := comparisonRun(t, args)
	if command = sequentialCommand.FindString(output); command == "" {
		t.Fatalf("dpverify %s:\n%s", args, output)
	}
	return cellsOf(strings.Split(output, "\n")), command
}

// The table of samples until refuted has the runs of the command above it, and medians at most the wanted ones. With
// DPVERIFY_LONG the test measures the table again.
func TestComparisonSequential(t *testing.T) {
	page, err := os.ReadFile(comparisonDocument)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if *update && *renewedSequential != "" {
		rows, command := measuredSequential(t, "experiment sequential "+*renewedSequential)
		text = withTable(t, sequentialCommand.ReplaceAllLiteralString(text, command), sequentialMark, aligned(sequentialHead, rows))
		if err := os.WriteFile(comparisonDocument, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range sequentialProblems(text) {
		t.Errorf("COMPARISON.md, samples until refuted: %s; `go test ./cmd/cli -run ComparisonSequential -update -sequential '--runs 20' -timeout 60m` measures it again", problem)
	}
	if testutil.Asked() && runtime.GOARCH == "amd64" { // other architectures may round differently
		rows, _ := measuredSequential(t, strings.TrimPrefix(sequentialCommand.FindString(text), "dpverify "))
		if diff := cmp.Diff(rows, cellsOf(tableAfter(text, sequentialMark))); diff != "" {
			t.Errorf("the table differs (-measured +document):\n%s", diff)
		}
	}
	rows := cellsOf(tableAfter(text, sequentialMark))
	for reason, spoil := range map[string]func(row []string){
		"a median above the wanted one": func(row []string) { row[1] = "500 [1, 900]" },
		"a median outside its runs":     func(row []string) { row[1] = "50 [60, 90]" },
		"another number of runs":        func(row []string) { row[2] = "3" },
		"a cell without a figure":       func(row []string) { row[1] = "some" },
	} {
		spoilt := cloned(rows)
		spoil(spoilt[0])
		if len(sequentialProblems(withTable(t, text, sequentialMark, aligned(sequentialHead, spoilt)))) == 0 {
			t.Errorf("%s is not detected", reason)
		}
	}
}

func sequentialProblems(text string) (problems []string) {
	command := sequentialCommand.FindStringSubmatch(text)
	if command == nil {
		return []string{"the command is missing"}
	}
	rows := cellsOf(tableAfter(text, sequentialMark))
	if len(rows) != 11 {
		problems = append(problems, fmt.Sprintf("%d rows, want 11", len(rows)))
	}
	for _, row := range rows {
		figures := samplesCell.FindStringSubmatch(row[1])
		if figures == nil || row[2] != command[1] {
			problems = append(problems, fmt.Sprintf("%s: %q and %s runs: want a median with a range, and the runs of the command", row[0], row[1], row[2]))
			continue
		}
		median, least, most := asNumber(figures[1]), asNumber(figures[2]), asNumber(figures[3])
		if !(least <= median && median <= most) {
			problems = append(problems, fmt.Sprintf("%s: %s", row[0], row[1]))
		}
		if wanted, err := strconv.ParseFloat(row[4], 64); err == nil && median > wanted {
			problems = append(problems, fmt.Sprintf("%s: median %v, want at most %v", row[0], median, wanted))
		}
	}
	return problems
}
