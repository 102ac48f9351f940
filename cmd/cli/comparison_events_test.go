package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dpverify/dpverify/internal/testutil"
)

const eventsMark = "<!-- events -->"

// Contents of files for `account FILE`. The first two have dp_accounting's form.
const (
	sampledLaplace = `{"class_name": "SelfComposedDpEvent", "count": 100, "event": {"class_name": "PoissonSampledDpEvent",
	"sampling_probability": 0.1, "event": {"class_name": "LaplaceDpEvent", "noise_multiplier": 1}}}`
	bestOfRuns = `{"class_name": "RepeatAndSelectDpEvent", "mean": 10, "shape": 1,
	"event": {"class_name": "GaussianDpEvent", "noise_multiplier": 5}}`
	allocatedLaplace = "- {mechanism: laplace, scale: 1, sampling: allocation, steps: 100, picks: 1, count: 3}\n"
)

// otherEvents lists the events of the table “Further events”. The flags in account or the content of a file describe
// the event. If testdata/accounting/others.json has a row with the id, it is the other accountant's value.
var otherEvents = []struct {
	id, event, neighbors, account, file string
	delta                               float64
}{
	{"truncated-poisson", "10³ × Poisson sample cut to 150 of 10⁴ records, q = 0.01, σ = 1", "add or remove",
		"truncated-poisson --sigma 1 --sampling-rate 0.01 --records 10000 --batch 150 --count 1000", "", 1e-5},
	{"without-replacement", "10³ × 100 of 10⁴ records without replacement, σ = 2", "replace one",
		"without-replacement --sigma 2 --records 10000 --batch 100 --count 1000 --adjacency replace-one", "", 1e-5},
	{"with-replacement", "10³ × 100 of 10⁴ records with replacement, σ = 2", "replace one",
		"with-replacement --sigma 2 --records 10000 --batch 100 --count 1000 --adjacency replace-one", "", 1e-5},
	{"sampled-laplace", "100 × sampled Laplace, q = 0.1, scale 1", "add or remove", "", sampledLaplace, 1e-5},
	{"allocation-gaussian", "3 epochs, 1 of 100 steps with Gaussian noise, σ = 1", "add or remove",
		"allocation --sigma 1 --steps 100 --count 3", "", 1e-5},
	{"allocation-laplace", "3 epochs, 1 of 100 steps with Laplace noise, scale 1", "add or remove", "",
		allocatedLaplace, 1e-5},
	{"mixture", "10 × Gaussian mixture, shifts 0, 1, 2, σ = 1", "add or remove",
		"gaussian-mixture --sigma 1 --shifts 0,1,2 --weights 0.81,0.18,0.01 --count 10", "", 1e-5},
	{"group-sampled", "10³ × sampled Gaussian, q = 0.01, σ = 1", "group of 3",
		"sgm --sampling-rate 0.01 --noise-multiplier 1 --count 1000 --group 3", "", 1e-5},
	{"discrete-gaussian", "10 × discrete Gaussian, σ = 3", "add or remove",
		"discrete-gaussian --sigma 3 --count 10", "", 1e-6},
	{"tree", "tree aggregation of 1024 steps, σ = 5", "add or remove",
		"matrix --strategy tree --steps 1024 --noise-multiplier 5", "", 1e-5},
	{"permute-and-flip", "10³ × permute-and-flip, ε₀ = 0.1", "add or remove",
		"permute-and-flip --epsilon0 0.1 --count 1000", "", 1e-6},
	{"repeat-and-select", "best of 10 Gaussian runs on average, σ = 5", "add or remove", "", bestOfRuns, 1e-5},
	{"noisy-argmax", "100 × PATE vote with Gaussian noise, σ = 40", "add or remove",
		"noisy-argmax --sigma 40 --count 100", "", 1e-5},
	{"laplace-argmax", "100 × PATE vote with Laplace noise, scale 20", "add or remove",
		"laplace-argmax --scale 20 --count 100", "", 1e-5},
	{"shuffled-reports", "10⁴ shuffled reports of randomized response, ε₀ = 1", "replace one",
		"shuffled-reports --epsilon0 1 --records 10000 --adjacency replace-one", "", 1e-6},
}

var eventsHead = []string{"event", "neighbors", "δ", "dpverify: lower – upper", "width", "seconds", "other ε", "tool"}

// Columns of the table.
const eventBracket, eventSeconds, eventOther, eventTool = 3, 5, 6, 7

// otherValue is the answer of another accountant: an upper bound, and a lower bound if Lower is above 0.
type otherValue struct {
	ID, Tool, Method    string
	Delta, Lower, Upper float64
}

func otherValues(t *testing.T) map[string]otherValue {
	t.Helper()
	text := read(t, "..", "..", "testdata", "accounting", "others.json")
	var all []otherValue
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]otherValue)
	for _, v := range all {
		out[v.ID] = v
	}
	return out
}

// eventsTable runs the command for each event and returns the table of brackets, relative widths and seconds.
func eventsTable(t *testing.T) []string {
	t.Helper()
	others := otherValues(t)
	var rows [][]string
	for _, e := range otherEvents {
		args := e.account
		if e.file != "" {
			args = filepath.Join(t.TempDir(), "event.yaml")
			put(t, args, e.file)
		}
		start := time.Now()
		best := accounts(t, fmt.Sprintf("%s --delta %g", args, e.delta))
		seconds := time.Since(start).Seconds()
		other, tool := "–", "–"
		if v, ok := others[e.id]; ok {
			if v.Delta != e.delta {
				t.Fatalf("%s: δ = %v, its reference has %v", e.id, e.delta, v.Delta)
			}
			if other = fmt.Sprintf("≤ %.6f", v.Upper); v.Lower > 0 {
				other = span(v.Lower, v.Upper)
			}
			tool = v.Tool + ", " + v.Method
			delete(others, e.id)
		}
		rows = append(rows, []string{e.event, e.neighbors, fmt.Sprintf("%g", e.delta), span(best.Lower, best.Upper),
			percent(best.Upper/best.Lower - 1), fmt.Sprintf("%.2f", seconds), other, tool})
	}
	if len(others) > 0 {
		t.Errorf("no event for the references %v", others)
	}
	return aligned(eventsHead, rows)
}

// percent formats a relative width. Ends have 12 digits, so widths below 1e-11 are unknown.
func percent(width float64) string {
	switch {
	case width < 1e-11:
		return "< 1e-9 %"
	case width < 0.095:
		return fmt.Sprintf("%.2g %%", 100*width)
	}
	return fmt.Sprintf("%.0f %%", 100*width)
}

var secondsCell = regexp.MustCompile(`^\d+\.\d\d$`)

// eventsProblems compares a computed table with the document's table. Widths and seconds may differ. The document's
// bracket must overlap the computed one. The other accountant's upper bound must be at least the lower end, and its
// bracket must overlap.
func eventsProblems(computed, document []string) (problems []string) {
	now, then := cellsOf(computed), cellsOf(document)
	if len(now) != len(then) {
		return []string{fmt.Sprintf("%d rows, want %d", len(then), len(now))}
	}
	for i, row := range then {
		for _, column := range []int{0, 1, 2, eventOther, eventTool} {
			if row[column] != now[i][column] {
				problems = append(problems, fmt.Sprintf("row %d: %q, want %q", i+1, row[column], now[i][column]))
			}
		}
		if !secondsCell.MatchString(row[eventSeconds]) {
			problems = append(problems, fmt.Sprintf("%s: %q seconds", row[0], row[eventSeconds]))
		}
		lower, _, _ := strings.Cut(row[eventBracket], " – ")
		other, upper := strings.CutPrefix(row[eventOther], "≤ ")
		if !meet(row[eventBracket], now[i][eventBracket]) || upper && !(asNumber(other) >= asNumber(lower)) ||
			!upper && other != "–" && !meet(row[eventBracket], other) {
			problems = append(problems, fmt.Sprintf("%s: %s, computed %s, other %s", row[0], row[eventBracket],
				now[i][eventBracket], row[eventOther]))
		}
	}
	return problems
}

// eventsProblems detects wrong figures.
func TestEventsProblems(t *testing.T) {
	testutil.Skip(t)
	table := eventsTable(t)
	if problems := eventsProblems(table, table); len(problems) > 0 {
		t.Errorf("the correct table: %v", problems)
	}
	text := strings.Join(table, "\n")
	for _, c := range []struct{ reason, from, to string }{
		{"another value", "≤ 18.950287", "≤ 18.950288"},
		{"a bracket without the true value", "2.737785 – 2.737786", "2.737787 – 2.737788"},
		{"another event", "ε₀ = 0.1", "ε₀ = 0.2"},
		{"another tool", "dp_accounting 0.6.0", "dp_accounting 0.6.1"},
	} {
		spoilt := strings.Replace(text, c.from, c.to, 1)
		if spoilt == text || len(eventsProblems(table, strings.Split(spoilt, "\n"))) == 0 {
			t.Errorf("%s is not detected", c.reason)
		}
	}
	low := strings.Split(strings.Replace(text, "≤ 18.950287", "≤ 18.700000", 1), "\n") // below 18.750960
	if len(eventsProblems(low, low)) == 0 {
		t.Error("an upper bound below the lower end is not detected")
	}
}
