package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// With -update, -nights measures the table of nights again. Twenty runs take half an hour of processor time.
var renewedNights = flag.String("nights", "",
	"flags of `dpverify experiment nights` with which -update measures the table of COMPARISON.md")

const nightsMark = "<!-- nights -->"

var (
	nightsHead = []string{"claimed ε", "factor", "sound nights", "new version", "oracle", "bound", "evidence", "projects", "union bound",
		"one audit"}
	nightsCommand = regexp.MustCompile(`dpverify experiment nights --alpha [\d.]+ --runs (\d+) --seed \d+`)
	nightsCell    = regexp.MustCompile(`^([\d.]+) \[([\d.]+), (\S+)\]$`)
)

// In the table of nights, the median of the evidence is at most twice the oracle's figure if there are no sound nights,
// and at most 1.3 times the bound otherwise.
func TestComparisonNights(t *testing.T) {
	page, err := os.ReadFile(comparisonDocument)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if *update && *renewedNights != "" {
		output := comparisonRun(t, "experiment nights "+*renewedNights)
		command := nightsCommand.FindString(output)
		rows := cellsOf(strings.Split(output, "\n"))
		text = withTable(t, nightsCommand.ReplaceAllLiteralString(text, command), nightsMark, aligned(nightsHead, rows))
		if err := os.WriteFile(comparisonDocument, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, problem := range nightsProblems(text) {
		t.Errorf("COMPARISON.md, nights until refuted: %s; `go test ./cmd/cli -run ComparisonNights -update -nights '--runs 20' -timeout 60m` measures it again", problem)
	}
	rows := cellsOf(tableAfter(text, nightsMark))
	for reason, spoil := range map[string]func(row []string){
		"a median above the wanted one": func(row []string) { row[6] = "50 [1, 90]" },
		"a median outside its projects": func(row []string) { row[6] = "5 [6, 9]" },
		"another number of projects":    func(row []string) { row[7] = "3" },
	} {
		spoilt := cloned(rows)
		spoil(spoilt[0])
		if len(nightsProblems(withTable(t, text, nightsMark, aligned(nightsHead, spoilt)))) == 0 {
			t.Errorf("%s is not detected", reason)
		}
	}
}

func nightsProblems(text string) (problems []string) {
	command := nightsCommand.FindStringSubmatch(text)
	if command == nil {
		return []string{"the command is missing"}
	}
	rows := cellsOf(tableAfter(text, nightsMark))
	if len(rows) != 9 {
		problems = append(problems, fmt.Sprintf("%d rows, want 9", len(rows)))
	}
	for _, row := range rows {
		name := strings.Join(row[:4], ", ")
		m := nightsCell.FindStringSubmatch(row[6])
		if m == nil || row[7] != command[1] {
			problems = append(problems, fmt.Sprintf("%s: %q of %s projects: want a median with a range, and the runs of the command", name,
				row[6], row[7]))
			continue
		}
		median, least := asNumber(m[1]), asNumber(m[2])
		most, err := strconv.ParseFloat(m[3], 64) // or "never"
		if median < least || err == nil && median > most {
			problems = append(problems, fmt.Sprintf("%s: %s", name, row[6]))
		}
		wanted := 2 * asNumber(row[4])
		if row[2] != "0" {
			wanted = 1.3 * asNumber(row[5])
		}
		if median > wanted {
			problems = append(problems, fmt.Sprintf("%s: median %v, want at most %.3g", name, median, wanted))
		}
	}
	return problems
}
