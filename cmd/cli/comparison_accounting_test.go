package cli

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// accountedEvents lists the reference values of COMPARISON.md, with the command that computes a bracket for each.
var accountedEvents = []struct{ id, event, account string }{
	{"sgm_eps_q0.01_s1.0_k10000_d0.001", "10⁴ × sampled Gaussian, q = 0.01, σ = 1", "sgm --sampling-rate 0.01 --noise-multiplier 1 --count 10000"},
	{"sgm_eps_q0.01_s2.0_k10000_d1e-05", "10⁴ × sampled Gaussian, q = 0.01, σ = 2", "sgm --sampling-rate 0.01 --noise-multiplier 2 --count 10000"},
	{"sgm_eps_q0.001_s0.5_k1000_d1e-08", "10³ × sampled Gaussian, q = 0.001, σ = 0.5", "sgm --sampling-rate 0.001 --noise-multiplier 0.5 --count 1000"},
	{"gaussian_eps_s5.0_k10_d1e-05", "10 × Gaussian, σ = 5", "gaussian --sigma 5 --count 10"},
	{"gaussian_eps_s20.0_k1000_d1e-05", "10³ × Gaussian, σ = 20", "gaussian --sigma 20 --count 1000"},
	{"laplace_eps_e1.0_k10_d1e-05", "10 × Laplace, scale 1", "laplace --scale 1 --count 10"},
	{"laplace_eps_e0.1_k1000_d1e-05", "10³ × Laplace, scale 10", "laplace --scale 10 --count 1000"},
}

// trainingEvents lists events of the training of large models. The values are those of TestRareLargeLosses in
// bounds/accountant: an independent tilted lattice, extrapolated to spacing 0. Half is half a unit of the last digit.
var trainingEvents = []struct {
	event, account     string
	delta, value, half float64
}{
	{"10³ × sampled Gaussian, q = 1e-5, σ = 0.3", "sgm --sampling-rate 1e-5 --noise-multiplier 0.3 --count 1000", 1e-5, 3.66759, 5e-6},
	{"10⁵ × sampled Gaussian, q = 4e-5, σ = 0.614", "sgm --sampling-rate 4e-5 --noise-multiplier 0.614 --count 100000", 1.1e-10, 1.690, 5e-4},
	{"10⁶ × sampled Gaussian, q = 1e-4, σ = 0.5", "sgm --sampling-rate 1e-4 --noise-multiplier 0.5 --count 1000000", 1e-8, 6.377, 5e-4},
}

var accountingHead = []string{"event", "δ", "dpverify: lower – upper", "width", "reference", "what the reference is"}

// Columns of the accounting table.
const (
	atEvent, atDelta, atBracket, atWidth, atReference, atSource = 0, 1, 2, 3, 4, 5
)

// accountingTable returns the accounting table: the command's bracket and the reference value of each event.
func accountingTable(t *testing.T) []string {
	t.Helper()
	references := accountingReferences(t)
	var rows [][]string
	for _, a := range accountedEvents {
		r, ok := references[a.id]
		if !ok {
			t.Fatalf("no reference value %s", a.id)
		}
		value := fmt.Sprintf("%.6f", r.Value)
		if r.Lower < r.Upper {
			value = span(r.Lower, r.Upper)
		}
		rows = append(rows, accountingRow(t, a.event, a.account, r.Params.Delta, value, r.Source))
	}
	for _, a := range trainingEvents {
		rows = append(rows, accountingRow(t, a.event, a.account, a.delta, span(a.value-a.half, a.value+a.half),
			"an independent tilted lattice, extrapolated to spacing 0"))
	}
	return aligned(accountingHead, rows)
}

func accountingRow(t *testing.T, event, account string, delta float64, reference, source string) []string {
	t.Helper()
	best := accounts(t, fmt.Sprintf("%s --delta %g", account, delta))
	width := "< 1e-11" // the ends have 12 digits
	if w := best.Upper - best.Lower; w > 1e-11 {
		width = fmt.Sprintf("%.0e", w)
	}
	return []string{event, fmt.Sprintf("%g", delta), span(best.Lower, best.Upper), width, reference, source}
}

// accounts runs `dpverify account` and returns the bracket of the method best, which combines all methods.
func accounts(t *testing.T, args string) (best struct {
	Method       string
	Lower, Upper float64
}) {
	t.Helper()
	var account struct{ Results []json.RawMessage } // an infinite end is a string
	output := comparisonRun(t, "account "+args+" --format json")
	if err := json.Unmarshal([]byte(output), &account); err != nil || len(account.Results) == 0 {
		t.Fatalf("account %s: %v:\n%s", args, err, output)
	}
	if err := json.Unmarshal(account.Results[0], &best); err != nil || best.Method != "best" {
		t.Fatalf("account %s: %v: the first method is %s", args, err, account.Results[0])
	}
	return best
}

// span formats a bracket, rounded outward.
func span(lower, upper float64) string {
	return fmt.Sprintf("%.6f – %.6f", math.Floor(lower*1e6)/1e6, math.Ceil(upper*1e6)/1e6)
}

type accountingReference struct {
	ID                  string
	Params              struct{ Delta float64 }
	Value, Lower, Upper float64
	Source              string
}

// accountingReferences returns the rows of testdata/accounting about ε, by id.
func accountingReferences(t *testing.T) map[string]accountingReference {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "testdata", "accounting", "accounting.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage // an infinite value is a string
	if err := json.NewDecoder(unzip).Decode(&all); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]accountingReference)
	for _, raw := range all {
		var r accountingReference
		if json.Unmarshal(raw, &r) == nil {
			out[r.ID] = r
		}
	}
	return out
}

// accountingProblems compares a computed table with the document's table. Widths may differ, but the brackets must
// overlap and contain the reference.
func accountingProblems(computed, document []string) (problems []string) {
	now, then := cellsOf(computed), cellsOf(document)
	if len(now) != len(then) {
		return []string{fmt.Sprintf("%d rows, want %d", len(then), len(now))}
	}
	for i, row := range then {
		for _, column := range []int{atEvent, atDelta, atReference, atSource} {
			if row[column] != now[i][column] {
				problems = append(problems, fmt.Sprintf("row %d: %q, want %q", i+1, row[column], now[i][column]))
			}
		}
		if !meet(row[atBracket], now[i][atBracket]) || !meet(row[atBracket], row[atReference]) {
			problems = append(problems, fmt.Sprintf("%s: %s, computed %s, reference %s", row[atEvent], row[atBracket], now[i][atBracket], row[atReference]))
		}
	}
	return problems
}

// meet reports whether two spans, or a span and a value, have a common point.
func meet(a, b string) bool {
	ends := func(s string) (lower, upper float64) {
		from, to, ok := strings.Cut(s, " – ")
		if !ok {
			to = from
		}
		return asNumber(from), asNumber(to)
	}
	al, au := ends(a)
	bl, bu := ends(b)
	return al <= bu && bl <= au
}

// accountingProblems detects wrong figures.
func TestAccountingProblems(t *testing.T) {
	testutil.Skip(t)
	table := accountingTable(t)
	for _, c := range []struct{ reason, from, to string }{
		{"another reference value", " 2.594383 |", " 2.594384 |"},
		{"a bracket without the true value", "2.594383 – 2.594384", "2.594385 – 2.594386"},
		{"another source", "mpmath exact", "mpmath guess"},
	} {
		text := strings.Join(table, "\n")
		spoilt := strings.Replace(text, c.from, c.to, 1)
		if spoilt == text || len(accountingProblems(table, strings.Split(spoilt, "\n"))) == 0 {
			t.Errorf("%s is not detected", c.reason)
		}
	}
	if problems := accountingProblems(table, table); len(problems) > 0 {
		t.Errorf("the correct table: %v", problems)
	}
}
