package cli

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/calibration"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

var comparisonDocument = filepath.Join("..", "..", "verify", "calibration", "COMPARISON.md")

// With -update, -power measures the table of power again, with the given flags of the command. Twenty runs of 1e5
// samples take almost an hour.
var renewedPower = flag.String("power", "", "flags of `dpverify experiment power` with which -update measures the table of COMPARISON.md")

// Marks in the document. A table is between its mark and excerptEnd.
const (
	powerMark      = "<!-- power -->"
	accountingMark = "<!-- accounting -->"
)

// The figures of COMPARISON.md agree with the command above them, the registered mechanisms, the public tools and the
// reference values. Measuring the fast rows again gives the same figures.
func TestComparisonDocument(t *testing.T) {
	if !*update {
		testutil.Skip(t)
	}
	text := read(t, comparisonDocument)
	if *update {
		text = withTable(t, text, accountingMark, accountingTable(t))
		text = withTable(t, text, eventsMark, eventsTable(t))
		text = withTable(t, text, disagreeMark, disagreeTable(t))
		if *renewedPower != "" {
			args := "experiment power " + *renewedPower
			rows, command := measuredPower(t, args)
			text = withTable(t, powerCommand.ReplaceAllLiteralString(text, command), powerMark, aligned(powerHead, rows))
		}
		put(t, comparisonDocument, text)
	}
	again, _ := measuredPower(t, remeasuring(text))
	for _, problem := range append(powerProblems(t, text), remeasured(again, text)...) {
		t.Errorf("COMPARISON.md, power: %s; `go test ./cmd/cli -run ComparisonDocument -update -power '--samples 100000 --runs 20' -timeout 60m` measures it again", problem)
	}
	for _, problem := range accountingProblems(accountingTable(t), tableAfter(text, accountingMark)) {
		t.Errorf("COMPARISON.md, accounting: %s; `go test ./cmd/cli -run ComparisonDocument -update` renews it", problem)
	}
	for _, problem := range eventsProblems(eventsTable(t), tableAfter(text, eventsMark)) {
		t.Errorf("COMPARISON.md, further events: %s; `go test ./cmd/cli -run ComparisonDocument -update` renews it", problem)
	}
	for _, problem := range disagreeProblems(disagreeTable(t), tableAfter(text, disagreeMark)) {
		t.Errorf("COMPARISON.md, where tools disagree: %s; `go test ./cmd/cli -run ComparisonDocument -update` renews it", problem)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(comparisonDocument), link[1])); err != nil {
			t.Errorf("COMPARISON.md links to %s: %v", link[1], err)
		}
	}
}

// Columns of the power table.
const (
	byMechanism, byReachable, byOracle, byAudit, byTools = 0, 1, 2, 3, 4
)

var powerHead = []string{"mechanism", "reachable", "oracle", "dpverify [min, max]",
	"DP-Sniper 1e5", "1e6", "StatDP 1e5", "1e6", "DP-Auditorium 1e5", "1e6"}

var powerCommand = regexp.MustCompile(`dpverify experiment power --samples (\d+) --runs (\d+) --seed (\d+).*`)

// measuredPower runs the command and returns the rows that it prints, with the figures of the public tools, and the
// command that it prints.
func measuredPower(t *testing.T, args string) (rows [][]string, command string) {
	t.Helper()
	output := comparisonRun(t, args)
	if command = powerCommand.FindString(output); command == "" {
		t.Fatalf("dpverify %s: want exactly one value of --samples:\n%s", args, output)
	}
	for _, cells := range cellsOf(strings.Split(output, "\n")) {
		id := strings.Trim(cells[0], "`")
		if !comparable(id) {
			continue
		}
		// columns of the command: mechanism, n, reachable, certified, oracle
		rows = append(rows, append([]string{cells[0], cells[2], cells[4], cells[3]}, publicCells(id)...))
	}
	return rows, command
}

func publicCells(id string) (cells []string) {
	for _, f := range results.Public(id) {
		cells = append(cells, f.At1e5, f.At1e6)
	}
	return cells
}

// compared returns the registered mechanisms that have figures of public tools.
func compared() ([]calibration.Subject, error) {
	all, err := calibration.Subjects()
	return slices.DeleteFunc(all, func(s calibration.Subject) bool { return !comparable(s.ID) }), err
}

func comparable(id string) bool {
	return slices.ContainsFunc(publicCells(id), func(cell string) bool { return cell != "–" })
}

// subjects returns the ids of the document's mechanisms and their true ε on the inputs. The first call takes seconds.
func subjects() (ids []string, reachable []float64, err error) {
	all, err := compared()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	return ids, reachableOnce(), nil
}

var reachableOnce = sync.OnceValue(func() (reachable []float64) {
	all, _ := compared()
	for _, s := range all {
		reachable = append(reachable, s.Reachable())
	}
	return reachable
})

var certifiedCell = regexp.MustCompile(`^(\d+\.\d{3}) \[(\d+\.\d{3}), (\d+\.\d{3})\]$`)

// powerProblems lists the disagreements between the power table and its command, the mechanisms and the public figures.
func powerProblems(t *testing.T, text string) (problems []string) {
	t.Helper()
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	m := powerCommand.FindStringSubmatch(text)
	if m == nil {
		return []string{"the command is missing"}
	}
	if strings.Contains(m[0], "--only") {
		say("%q does not measure all mechanisms", m[0])
	}
	runs, _ := strconv.Atoi(m[2])
	ids, reachables, err := subjects()
	if err != nil {
		t.Fatal(err)
	}
	written := cellsOf(tableAfter(text, powerMark))
	var shown []string
	for _, row := range written {
		shown = append(shown, strings.Trim(row[byMechanism], "`"))
	}
	if diff := cmp.Diff(ids, shown); diff != "" {
		say("mechanisms (-registered +document):\n%s", diff)
		return problems
	}
	above := 0
	for i, id := range ids {
		row := written[i]
		if diff := cmp.Diff(publicCells(id), row[byTools:]); diff != "" {
			say("%s: public tools (-public.go +document):\n%s", id, diff)
		}
		reachable := reachables[i]
		if shown, err := strconv.ParseFloat(strings.Replace(row[byReachable], "∞", "Inf", 1), 64); err != nil || shown != reachable && !(math.Abs(shown-reachable) <= 5.001e-4) {
			say("%s: reachable %s, computed %v", id, row[byReachable], reachable)
		}
		c := certifiedCell.FindStringSubmatch(row[byAudit])
		if c == nil {
			say("%s: no certified ε: %q", id, row[byAudit])
			continue
		}
		median, least, most := asNumber(c[1]), asNumber(c[2]), asNumber(c[3])
		if !(least <= median && median <= most) || runs == 1 && least != most {
			say("%s: %s of %d runs", id, row[byAudit], runs)
		}
		if median > reachable+5.001e-4 {
			above++
		}
	}
	if most := wrongMedians(len(ids), runs); above > most {
		say("%d of %d medians are above the true ε: want at most %d", above, len(ids), most)
	}
	return problems
}

func asNumber(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// wrongMedians returns the 99.9 % quantile of the number of rows whose median is above the truth, if each run is above
// the truth with probability 5 %. A median is above the truth if at least half of its runs are.
func wrongMedians(rows, runs int) int {
	half := distuv.Binomial{N: float64(runs), P: 0.05}
	wrong := distuv.Binomial{N: float64(rows), P: 1 - half.CDF(math.Ceil(float64(runs)/2)-1)}
	for k := 0; ; k++ {
		if wrong.CDF(float64(k)) >= 0.999 {
			return k
		}
	}
}

// remeasuring returns the document's command, restricted to fast rows. The seed of a row does not depend on the other
// rows.
func remeasuring(text string) string {
	return strings.TrimPrefix(powerCommand.FindString(text), "dpverify ") + " --only " + testutil.Size("rr_1", "rr_0.1,rr_1")
}

// remeasured compares repeated rows with the document's rows.
func remeasured(again [][]string, text string) (problems []string) {
	written := cellsOf(tableAfter(text, powerMark))
	for _, row := range again {
		i := slices.IndexFunc(written, func(w []string) bool { return w[byMechanism] == row[byMechanism] })
		if i < 0 {
			return append(problems, "missing row "+row[byMechanism])
		}
		if diff := cmp.Diff(row, written[i]); diff != "" && runtime.GOARCH == "amd64" { // other architectures may round differently
			problems = append(problems, fmt.Sprintf("%s (-command +document):\n%s", row[byMechanism], diff))
		}
	}
	return problems
}

// powerProblems and remeasured detect wrong figures.
func TestPowerProblems(t *testing.T) {
	testutil.Skip(t)
	text := read(t, comparisonDocument)
	rows := cellsOf(tableAfter(text, powerMark))
	at := slices.IndexFunc(rows, func(r []string) bool { return r[byMechanism] == "`rr_1`" })
	again, _ := measuredPower(t, remeasuring(text))
	problemsOf := func(text string) []string { return append(powerProblems(t, text), remeasured(again, text)...) }
	if problems := problemsOf(text); at < 0 || len(problems) > 0 {
		t.Fatalf("the correct document: %v", problems)
	}
	for _, c := range []struct {
		reason, want string
		spoil        func(row []string)
	}{
		{"another reachable ε", "reachable", func(row []string) { row[byReachable] = "1.001" }},
		{"another certified ε", "-command", func(row []string) { row[byAudit] = "0.900 [0.900, 0.900]" }},
		{"a certified ε that is not a number", "no certified ε", func(row []string) { row[byAudit] = "about 1" }},
		{"a median outside its runs", "runs", func(row []string) { row[byAudit] = "0.900 [0.910, 0.990]" }},
		{"another figure of a public tool", "public tools", func(row []string) { row[byTools] = ".5" }},
		{"an unknown mechanism", "-registered", func(row []string) { row[byMechanism] = "`rr_2`" }},
	} {
		spoilt := cloned(rows)
		c.spoil(spoilt[at])
		if problems := strings.Join(problemsOf(withTable(t, text, powerMark, aligned(powerHead, spoilt))), "\n"); !strings.Contains(problems, c.want) {
			t.Errorf("%s is not detected: %q", c.reason, problems)
		}
	}
	flattered := cloned(rows)
	for _, row := range flattered {
		row[byAudit] = "99.000 [99.000, 99.000]"
	}
	if problems := powerProblems(t, withTable(t, text, powerMark, aligned(powerHead, flattered))); !strings.Contains(strings.Join(problems, "\n"), "above the true ε") {
		t.Errorf("medians above the true ε are not detected: %v", problems)
	}
	command := powerCommand.FindString(text)
	if only := strings.Replace(text, command, command+" --only rr_1", 1); len(powerProblems(t, only)) == 0 {
		t.Error("a command for only some mechanisms is not detected")
	}
	other := strings.Replace(text, command, strings.Replace(command, " --seed ", " --seed 4", 1), 1)
	if again, _ := measuredPower(t, remeasuring(other)); len(remeasured(again, other)) == 0 {
		t.Error("a command with another seed is not detected")
	}
}

func cloned(rows [][]string) (out [][]string) {
	for _, r := range rows {
		out = append(out, slices.Clone(r))
	}
	return out
}

func TestWrongMedians(t *testing.T) {
	for runs, want := range map[int]int{1: 5, 3: 2, 20: 0} { // binomial quantiles at 99.9 % of 21 rows
		if got := wrongMedians(21, runs); got != want {
			t.Errorf("%d runs: %d rows, want %d", runs, got, want)
		}
	}
}
