package formula

import (
	"math"
	"slices"
	"strings"
	"testing"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// printed returns a cell with the given text.
func printed(text string) Cell { return Cell{Place: "here", Text: text} }

func printedAs(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i] = printed(text)
	}
	return cells
}

func asPrinted(text string) Cell {
	return Cell{Place: "here", Text: text, Rounding: AsReported}
}

func TestPrintedNumbers(t *testing.T) {
	cases := []struct {
		reason, text     string
		rounding         Rounding
		value, low, high float64
	}{
		{"a share", "0.155", Nearest, 0.155, 0.1545, 0.1555},
		{"trailing zeros are places", "0.9470", Nearest, 0.947, 0.94695, 0.94705},
		{"a percentage", "98.3%", Nearest, 0.983, 0.9825, 0.9835},
		{"a percentage with a space", " 98 % ", Nearest, 0.98, 0.975, 0.985},
		{"a count, rounded", "16,100", Nearest, 16100, 16099.5, 16100.5},
		{"a count, as printed", "16,100", AsReported, 16100, 16100, 16100},
		{"perhaps truncated", "1.5", AnyRounding, 1.5, 1.4, 1.6},
		{"a negative number", "-0.5", Nearest, -0.5, -0.55, -0.45},
		{"with a typographic minus", "−0.5", Nearest, -0.5, -0.55, -0.45},
		{"a power of ten moves the last place", "1.2e-3", Nearest, 0.0012, 0.00115, 0.00125},
		{"a power of ten above 1", "5E+3", Nearest, 5000, 4500, 5500},
		{"no leading digit", ".5", Nearest, 0.5, 0.45, 0.55},
		{"no trailing digit", "5.", Nearest, 5, 4.5, 5.5},
		{"a number with its deviation", "0.1980±0.0019", Nearest, 0.198, 0.19795, 0.19805},
		{"a deviation in TeX", `0.5 \pm 0.1`, Nearest, 0.5, 0.45, 0.55},
		{"one percent sign for both", "98.3±0.2%", Nearest, 0.983, 0.9825, 0.9835},
	}
	for _, c := range cases {
		d, err := Cell{Text: c.text, Rounding: c.rounding}.number()
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if value, low, high := d.floats(); value != c.value || low != c.low || high != c.high {
			t.Errorf("%s: %v in [%v, %v], want %v in [%v, %v]", c.reason, value, low, high, c.value, c.low, c.high)
		}
	}
	for _, text := range []string{"", "-", "x", "1.2.3", "1,23", "12,34,567", "1e", "1e201", "1e-999", "--1", "0x1p3",
		"NaN", "inf", "%", ".", "1 2",
		"1±", "±1", "1±-2", "1±x", "1%±2", strings.Repeat("1", 65)} {
		if _, err := printed(text).number(); err == nil || !strings.Contains(err.Error(), "here") {
			t.Errorf("%q: error %v; want one that names the place", text, err)
		}
	}
	if _, err := (Cell{Text: "1", Rounding: 9}).number(); err == nil {
		t.Error("an unknown rounding passed")
	}
}

func TestPrintedDeviations(t *testing.T) {
	cases := []struct {
		text             string
		value, low, high float64
	}{
		{"0.1980±0.0019", 0.0019, 0.00185, 0.00195},
		{"0.1980 +/- 0.0000", 0, 0, 0.00005}, // never negative
		{"98.3±0.2%", 0.002, 0.0015, 0.0025},
		{"98.3% ± 0.2%", 0.002, 0.0015, 0.0025},
	}
	for _, c := range cases {
		_, d, err := printed(c.text).parse()
		if err != nil || d == nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if value, low, high := d.floats(); value != c.value || low != c.low || high != c.high {
			t.Errorf("%s: deviation %v in [%v, %v]", c.text, value, low, high)
		}
	}
	if _, d, err := printed("0.5").parse(); d != nil || err != nil {
		t.Errorf("a number without a deviation has the deviation %+v, %v", d, err)
	}
	for _, text := range []string{"x±1", "1±x", "1±-1", "98%±1"} {
		if _, _, err := printed(text).parse(); err == nil {
			t.Errorf("%q has a deviation", text)
		}
	}
}

// losses is a part of Table 3 of Han et al., "Privacy-preserving stochastic
// gradual learning": testing error rates and their deviations over 20 runs.
var losses = Table{Table: paper.Table{
	Name:    "Table 3",
	Columns: []string{"hinge", "Gompertz", "logistic", "ramp"},
	Rows: []paper.Row{
		{Name: "A7A", Cells: []string{"0.1791±0.0009", "0.1732±0.0002", "0.1738±0.0002", "0.2126±0.0294"}},
		{Name: "MNIST38", Cells: []string{"0.0763±0.0002", "0.0746±0.0002", "0.0796±0.0002", "0.4005±0.0001"}},
		{Name: "Diabetes", Cells: []string{"0.3281±0.0034", "0.3125±0.0028", "0.3203±0.0082", "—"}},
	},
}}

func TestPrintedTable(t *testing.T) {
	if c := losses.Cell("MNIST38", "logistic"); c.Text != "0.0796±0.0002" || c.Place != "Table 3, MNIST38, logistic" {
		t.Errorf("cell %+v", c)
	}
	if column := losses.Column("ramp"); len(column) != 2 || column[1].Text != "0.4005±0.0001" {
		t.Errorf("a column without its blank: %+v", column)
	}
	ragged, twice, empty, sameColumn := losses, losses, losses, losses
	ragged.Rows = append(slices.Clone(losses.Rows), paper.Row{Name: "SUSY", Cells: []string{"0.1"}})
	twice.Rows = append(slices.Clone(losses.Rows), losses.Rows[0])
	empty.Rows = nil
	sameColumn.Columns = []string{"hinge", "hinge", "logistic", "ramp"}
	cases := []struct {
		reason string
		cells  []Cell
		names  string
	}{
		{"no such row", []Cell{losses.Cell("SUSY", "ramp")}, `row "SUSY"`},
		{"no such column", []Cell{losses.Cell("A7A", "huber")}, `column "huber"`},
		{"a blank", []Cell{losses.Cell("Diabetes", "ramp")}, "blank"},
		{"no such column, all cells", losses.Column("huber"), `column "huber"`},
		{"a ragged table", ragged.Column("hinge"), "1 entries for 4 columns"},
		{"two rows with one name", []Cell{twice.Cell("A7A", "hinge")}, "two rows"},
		{"two columns with one name", sameColumn.Column("hinge"), "two columns"},
		{"no rows", empty.Column("hinge"), "0 rows"},
	}
	first := func(x []float64) float64 { return x[0] }
	for _, c := range cases {
		for _, check := range []verify.Check{
			Order{Quantity: "q", Sense: verify.AtMost, Pairs: Pairs(printedAs("1"), c.cells, 0, 0)},
			Formulas{{Result: c.cells[0], Inputs: printedAs("1"), Formula: first}},
			Formulas{{Result: printed("1"), Inputs: c.cells, Formula: first}},
			Significance{Sense: verify.Above, Test: SignOfRows, Pairs: Pairs(c.cells, printedAs("1"), 0, 0)},
			Significance{Sense: verify.Below, Test: RepeatedRuns, Pairs: Pairs(c.cells, printedAs("1±1"), 5, 0)},
			CorrelationP{R: c.cells[0], P: printed("0.5"), N: 5},
		} {
			if err := verifytest.FailureOf(t, check); !strings.Contains(err.Error(),
				c.names) || !strings.Contains(err.Error(), "Table 3") {
				t.Errorf("%s, %T: %v; want one that names %s", c.reason, check, err, c.names)
			}
		}
	}
}

// printedPair compares two printed numbers.
func printedPair(left, right string) Pair {
	return Pair{Left: printed(left), Right: printed(right)}
}

func TestPrintedOrder(t *testing.T) {
	cases := []struct {
		reason      string
		left, right Cell
		// verdicts of <, ≤, ≥, >
		want [4]verify.Verdict
	}{
		{"a unit less", printed("0.154"), printed("0.156"), [4]verify.Verdict{verify.Holds, verify.Holds,
			verify.Contradictory, verify.Contradictory}},
		{"swapped", printed("0.156"), printed("0.154"), [4]verify.Verdict{verify.Contradictory, verify.Contradictory,
			verify.Holds, verify.Holds}},
		{"the next number touches", printed("0.154"), printed("0.155"), [4]verify.Verdict{verify.Inconclusive,
			verify.Holds, verify.Inconclusive, verify.Contradictory}},
		{"printed alike", printed("0.155"), printed("0.155"), [4]verify.Verdict{verify.Inconclusive, verify.Inconclusive,
			verify.Inconclusive, verify.Inconclusive}},
		{"counts alike", asPrinted("155"), asPrinted("155"), [4]verify.Verdict{verify.Contradictory, verify.Holds,
			verify.Holds, verify.Contradictory}},
		{"counts a unit apart", asPrinted("154"), asPrinted("155"), [4]verify.Verdict{verify.Holds, verify.Holds,
			verify.Contradictory, verify.Contradictory}},
		{"more places against fewer", printed("0.1549"), printed("0.15"), [4]verify.Verdict{verify.Inconclusive,
			verify.Inconclusive, verify.Inconclusive, verify.Inconclusive}},
		{"a percentage against a share", printed("15.4%"), printed("0.156"), [4]verify.Verdict{verify.Holds, verify.Holds,
			verify.Contradictory, verify.Contradictory}},
		{"deviations do not matter", printed("0.154±0.1"), printed("0.156±0.1"), [4]verify.Verdict{verify.Holds,
			verify.Holds, verify.Contradictory, verify.Contradictory}},
	}
	for _, c := range cases {
		for i, sense := range []verify.Sense{verify.Below, verify.AtMost, verify.AtLeast, verify.Above} {
			e := verifytest.EvidenceOf(t, Order{Quantity: "q", Sense: sense, Pairs: []Pair{{Left: c.left, Right: c.right}}})
			if e.Verdict != c.want[i] || !e.Exact || !strings.Contains(e.WorstCase, c.left.Text) {
				t.Errorf("%s: %s %s %s is %s (%s), want %s", c.reason, c.left.Text, sense, c.right.Text, e.Verdict,
					e.WorstCase, c.want[i])
			}
		}
	}
}

func TestPrintedOrderNeeds(t *testing.T) {
	yes, no, open := printedPair("1", "5"), printedPair("5", "1"), printedPair("3", "3")
	cases := []struct {
		reason string
		need   int
		pairs  []Pair
		want   verify.Verdict
	}{
		{"all pairs hold", 0, []Pair{yes, yes}, verify.Holds},
		{"one impossible pair, all needed", 0, []Pair{yes, no}, verify.Contradictory},
		{"one impossible pair, two of three needed", 2, []Pair{yes, no, yes}, verify.Holds},
		{"two impossible pairs, two of three needed", 2, []Pair{yes, no, no}, verify.Contradictory},
		{"an open pair may be the second", 2, []Pair{yes, no, open}, verify.Inconclusive},
		{"an open pair is not needed", 1, []Pair{yes, no, open}, verify.Holds},
		{"an open pair cannot help", 3, []Pair{yes, no, open}, verify.Contradictory},
	}
	for _, c := range cases {
		if e := verifytest.EvidenceOf(t, Order{Sense: verify.Below, Pairs: c.pairs, Need: c.need}); e.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.reason, e.Verdict, c.want)
		}
	}
	for _, bad := range []Order{
		{Sense: verify.Below}, {Sense: verify.Equals, Pairs: []Pair{yes}}, {Pairs: []Pair{yes}},
		{Sense: verify.Below, Pairs: []Pair{yes}, Need: 2}, {Sense: verify.Below, Pairs: []Pair{yes}, Need: -1},
		{Sense: verify.Below, Pairs: []Pair{printedPair("x", "1")}}, {Sense: verify.Below, Pairs: []Pair{printedPair("1",
			"x")}},
		{Sense: verify.Below, Pairs: Pairs(printedAs("1"), printedAs("2", "3"), 0, 0)},
		{Sense: verify.Below, Pairs: Pairs(printedAs("1", "2"), printedAs("3"), 0, 0)},
	} {
		verifytest.FailureOf(t, bad)
	}
}

// Text and table of Han et al.: for their method, Gompertz loss is claimed to
// be ahead of logistic loss.
func TestPrintedOrderOfATable(t *testing.T) {
	check := Order{Quantity: "testing error rate", Sense: verify.Below,
		Pairs: Pairs(losses.Column("Gompertz"), losses.Column("logistic"), 20, 0)}
	if e := verifytest.EvidenceOf(t, check); e.Verdict != verify.Holds || len(e.Cells) != 3 || e.Upper.X >= 0 {
		t.Errorf("Gompertz below logistic: %+v", e)
	}
	swapped := check
	swapped.Pairs = Pairs(losses.Column("logistic"), losses.Column("Gompertz"), 20, 0)
	if e := verifytest.EvidenceOf(t, swapped); e.Verdict != verify.Contradictory || !strings.Contains(e.WorstCase,
		"Diabetes") {
		t.Errorf("the columns swapped: %s at %s", e.Verdict, e.WorstCase)
	}
}

func TestPrintedFormulas(t *testing.T) {
	ratio := func(x []float64) float64 { return x[0] / x[1] }
	cases := []struct {
		reason string
		result Cell
		inputs []Cell
		f      func([]float64) float64
		want   verify.Verdict
	}{
		{"a ratio", printed("0.50"), printedAs("1.0", "2.0"), ratio, verify.Holds},
		{"the largest that rounding allows, 1.05/1.95 = 0.5385", printed("0.53"), printedAs("1.0", "2.0"), ratio,
			verify.Holds},
		{"rounding allows 0.54", printed("0.54"), printedAs("1.0", "2.0"), ratio, verify.Holds},
		{"rounding does not allow 0.55", printed("0.55"), printedAs("1.0", "2.0"), ratio, verify.Contradictory},
		{"exact inputs do not allow 0.51", printed("0.51"), []Cell{asPrinted("1.0"), asPrinted("2.0")}, ratio,
			verify.Contradictory},
		{"a copy of another number", printed("0.9572"), printedAs("0.9572"), func(x []float64) float64 { return x[0] },
			verify.Holds},
		{"a copy off by two units", printed("0.9574"), printedAs("0.9572"), func(x []float64) float64 { return x[0] },
			verify.Contradictory},
		{"rising here and falling there", printed("0.0"), printedAs("0.0", "0.0"),
			func(x []float64) float64 { return x[0] * x[1] }, verify.Holds},
		{"floating point is forgiven", asPrinted("0.3"), []Cell{asPrinted("0.1"), asPrinted("0.2")},
			func(x []float64) float64 { return x[0] + x[1] }, verify.Holds},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, Formulas{{Result: c.result, Inputs: c.inputs, Formula: c.f}})
		if e.Verdict != c.want || !(e.Lower.X <= e.Measured.X && e.Measured.X <= e.Upper.X) {
			t.Errorf("%s: %s, %v in [%v, %v], want %s", c.reason, e.Verdict, e.Measured.X, e.Lower.X, e.Upper.X, c.want)
		}
	}
	identity := func(x []float64) float64 { return x[0] }
	for reason, bad := range map[string]Formulas{
		"no formulas": nil,
		"no function": {{Result: printed("1"), Inputs: printedAs("1")}},
		"bad result":  {{Result: printed("x"), Inputs: printedAs("1"), Formula: identity}},
		"bad input":   {{Result: printed("1"), Inputs: printedAs("x"), Formula: identity}},
		"a NaN": {{Result: printed("1"), Inputs: printedAs("0"),
			Formula: func(x []float64) float64 { return math.Log(x[0]) }}},
		"not monotone": {{Result: printed("1"), Inputs: printedAs("0"),
			Formula: func(x []float64) float64 { return x[0] * x[0] }}},
		"a NaN as error":    {{Result: printed("1"), Inputs: printedAs("1"), Formula: identity, Error: math.NaN()}},
		"too many corners":  {{Result: printed("1"), Inputs: slices.Repeat(printedAs("1"), 17), Formula: identity}},
		"an error beyond 1": {{Result: printed("1"), Inputs: printedAs("1"), Formula: identity, Error: 1}},
	} {
		t.Log(reason, verifytest.FailureOf(t, bad))
	}
}
