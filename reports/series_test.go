package reports

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Curves with the same axes are one picture. An axis is logarithmic if its values are spread over a large factor.
func TestPictures(t *testing.T) {
	got := chart.Pictures(exampleSeries())
	if len(got) != 2 || len(got[0].Curves) != 2 || got[0].Variable != "T" || len(got[1].Curves) != 1 {
		t.Fatalf("%+v", got)
	}
	if !got[0].LogX || got[0].LogY || got[0].Named() || !got[1].Named() {
		t.Errorf("axes: T from 25 to 1600 is logarithmic, a gap from 0.06 to 0.9 is not; the second has names: %+v", got)
	}
	c := got[0].Draw()
	classes := map[string]int{}
	for _, s := range c.Shapes {
		classes[s.Class]++
	}
	// Seven points with intervals are a band, two are bars; each series has its line in the
	// plot and in the legend, and a marker for each point and one in the legend.
	for class, want := range map[string]int{"band series s0": 1, "band series s1": 0, "whisker series s1": 6, "line series s0": 2, "line series s1": 2, "mark series s0": 8, "mark series s1": 3} {
		if classes[class] != want {
			t.Errorf("%d shapes are %q, want %d", classes[class], class, want)
		}
	}
	if chart.Pictures(nil) != nil {
		t.Error("a picture without points")
	}
	spoiled := []verify.Curve{{Name: "a", Variable: "x", Points: []verify.CurvePoint{{X: num(1), Mean: num(math.NaN())}}}}
	if p := chart.Pictures(spoiled); len(p) != 0 {
		t.Errorf("%+v: the only mean is not a number", p)
	}
}

// The table has at most six rows, including the first and the last place.
func TestSeriesTable(t *testing.T) {
	p := chart.Pictures(exampleSeries())[0]
	rows := curveTable(&p).Rows
	var places []string
	for _, r := range rows {
		places = append(places, r[0][0].Text)
	}
	if diff := cmp.Diff([]string{"25", "50", "100", "200", "400", "1600"}, places); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := rows[0][2][0].Text + rows[1][2][0].Text; got != "0.50 [0.45, 0.55]"+format.Absent {
		t.Errorf("the second series is %q", got)
	}
}

// The source of a claim determines the commands that draw its figures.
func TestExperimentsOf(t *testing.T) {
	cases := []struct {
		reason, paper, source string
		kind                  verify.Kind
		quantity              string
		want                  []string
	}{
		{"a figure", "pairwise", "Fig. 4, corrected", verify.Experiment, "", []string{"pairwise/fig-4"}},
		{"two figures", "pairwise", "Figs. 1-2", verify.Experiment, "", []string{"pairwise/fig-1", "pairwise/fig-2"}},
		{"a table of figures", "curricula", "Table 3, caption, Sect. 7", verify.Consistency, "validation accuracy", []string{"curricula/table-3"}},
		{"two tables, one of them without an experiment", "curricula", "Tables 1 and 2, corrected", verify.Consistency, "validation accuracy", []string{"curricula/table-2"}},
		{"named twice", "curricula", "Tables 1 and 2, caption of Table 2", verify.Consistency, "validation accuracy", []string{"curricula/table-2"}},
		{"a figure of another paper", "example", "Fig. 4", verify.Experiment, "", nil},
		{"a figure without an experiment", "prestige", "Def. 3, Fig. 3", verify.Identity, "accuracy", nil},
		{"the accounting next to a table", "curricula", "Table 2, Sect. 3.2", verify.Privacy, "accuracy", nil},
		{"an accounting that contradicts a table", "curricula", "Table 2, Sect. 3.2", verify.Consistency, "ε at δ = 1e-5", nil},
		{"a section", "pairwise", "Sect. 4.2", verify.Experiment, "", nil},
		{"more figures than a paper has", "pairwise", "Figs. 3-99999999999999999999", verify.Experiment, "", []string{"pairwise/fig-3", "pairwise/fig-4", "pairwise/fig-5", "pairwise/fig-6"}},
	}
	for _, c := range cases {
		var got []string
		for _, e := range (Document{Experiments: papers.Abouts()}).experimentsOf(verify.Result{Claim: verify.Claim{Paper: c.paper, Source: c.source, Kind: c.kind}, Evidence: verify.Evidence{Quantity: c.quantity}}) {
			got = append(got, e.Name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
	for name, want := range map[string]string{
		"pairwise/fig-1":    "dpverify experiment pairwise/fig-1 --data DIR --format html -o pairwise-fig-1.html",
		"laplace-sgd/fig-6": "dpverify experiment laplace-sgd/fig-6 --format html -o laplace-sgd-fig-6.html", // its data is random
	} {
		e, err := papers.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawnBy(e.About); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A claim without its data names the file and the command that draws its figure.
func TestNotRunNamesTheCommand(t *testing.T) {
	d := example()
	d.Run.Results = []verify.Result{{Claim: verify.Claim{ID: "pairwise/experiments/auc", Paper: "pairwise", Source: "Fig. 4", Statement: "s", Kind: verify.Experiment},
		Evidence: verify.Evidence{Verdict: verify.NotRun, Data: "pima.csv", Warnings: []string{"needs the file pima.csv: give its directory"}}}}
	source := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) }))
	for _, want := range []string{"Note: Needs the file pima.csv: give its directory.", "`dpverify experiment pairwise/fig-4 --data DIR --format html -o pairwise-fig-4.html`"} {
		if !strings.Contains(source, want) {
			t.Errorf("the report lacks %q:\n%s", want, source)
		}
	}
	if !strings.Contains(source, "dpverify verify pairwise/experiments/auc --seed 1 --alpha 1e-6 --budget standard --data DIR\n") {
		t.Errorf("the command lacks the data, too:\n%s", source)
	}
	if strings.Count(source, "pima.csv") != 1 {
		t.Errorf("the file is named more than once:\n%s", source)
	}
}

// The page of an experiment has a picture and a table of each panel, and the words of the Markdown.
func TestExperimentHTML(t *testing.T) {
	o := exampleOutcome()
	table := o.Results[0]
	table.Name, table.Labels, table.Series = "example/fig-1/b", []string{"first", "second | \"'><b>"}, []result.Series{{
		Name: hostile, X: []float64{0, 1}, Mean: []float64{1, 2}, SD: []float64{0.5, 0.5}, Lower: []float64{0.5, 1}, Upper: []float64{2, 3}, N: []int{5, 5}, Reported: []float64{1.5, math.NaN()},
	}}
	empty := result.Result{Name: "example/fig-1/c", Title: "Panel c", State: result.NotRun, Reason: "no data"}
	o.Results = append(o.Results, table, empty)
	source := render(t, func(b *bytes.Buffer) error { return experimentIn(b, o, Sheet.HTML) })
	p := parse(t, source)
	if p.elements["svg"] != 2 || p.elements["table"] != 2 || p.elements["script"] != 0 {
		t.Errorf("%v: want two pictures, two tables, no script", p.elements)
	}
	for _, want := range []string{"hollow: printed in the paper", "Panel c", "not-run", o.Command, "0.1612 ± 0.0021 [0.1602, 0.1622]", "200 rows."} {
		if want == "hollow: printed in the paper" {
			continue // a chart of rows has no legend
		}
		if !strings.Contains(p.words, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(string(source), "hollow series"); n != 1 {
		t.Errorf("%d printed points are drawn, want 1", n)
	}
	o.Results[0].Series[0].Mean = nil
	if err := experimentIn(&bytes.Buffer{}, o, Sheet.HTML); err == nil {
		t.Error("ragged series pass")
	}
}

// A report that was read names the data directory like the original.
func TestReadAgainNamesTheData(t *testing.T) {
	d := example()
	d.Run.Options.Data = "/somewhere/of-mine"
	d.Command = Command(d.Run.Options, "report")
	first := render(t, func(b *bytes.Buffer) error { return JSON(b, d) })
	got, err := ReadJSON(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	second := render(t, func(b *bytes.Buffer) error { return JSON(b, got) })
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Errorf("written again, it differs:\n%s", diff)
	}
	if !strings.Contains(string(first), " --data DIR\"") || strings.Contains(string(first), "of-mine") {
		t.Error("the command has the name of a directory of this machine, or no directory")
	}
}

// Exponents within a text are written like those of figures. Nothing else changes.
func TestShortExponents(t *testing.T) {
	for in, want := range map[string]string{
		"δ=1e-06, T=2.5e+09": "δ=1e-6, T=2.5e9",
		"1e-10 and 1e+120":   "1e-10 and 1e120",
		"1e+00":              "1e0",
		"x=[1 0], e^-05":     "x=[1 0], e^-05",
		"page e-07, v1e-x":   "page e-07, v1e-x",
		"n=1000":             "n=1000",
	} {
		if got := format.ShortExponents(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	d := example()
	d.Run.Results[0].WorstCase, d.Run.Results[0].Cells[0].Label = "d=1e-06, more", "d=1e-06"
	d.Run.Results[0].Attempt, d.Run.Results[0].Counterexample.Label = "beyond 1e+09", "d=1e-06, more"
	before := d.Run.Results[0].Cells[0].Label
	if r := format.TidyRun(d.Run).Results[0]; r.Attempt != "beyond 1e9" || r.Counterexample.Label != r.WorstCase {
		t.Errorf("the second look says %q and %q beside the witness %q", r.Attempt, r.Counterexample.Label, r.WorstCase)
	}
	if r := format.TidyRun(d.Run).Results[0]; chart.WorstCell(r.Evidence) != 0 || r.WorstCase != "d=1e-6, more" {
		t.Errorf("the worst cell is %d, the witness %q", chart.WorstCell(r.Evidence), r.WorstCase)
	}
	if d.Run.Results[0].Cells[0].Label != before {
		t.Error("the caller's document was changed")
	}
}

// A sentence has the quantity without its setting, which the notes contain. Samples and runs are named by the kind of
// claim.
func TestWordsOfEvidence(t *testing.T) {
	e := verify.Evidence{Quantity: "gap; T = ⌈v⌉", Sense: verify.AtMost, Claimed: num(1), Measured: num(0.5)}
	if c := comparison(e); c.claimed != "gap ≤ 1" {
		t.Errorf("%q", c.claimed)
	}
	for kind, want := range map[verify.Kind]string{verify.Privacy: "7 samples", verify.Unbiasedness: "7 samples", verify.Rate: "7 runs", verify.Experiment: "7 runs"} {
		r := verify.Result{Claim: verify.Claim{Kind: kind}, Evidence: verify.Evidence{Samples: 7}, Alpha: 0.1}
		if got := certainty(r); !strings.HasPrefix(got, "From "+want+" in all") {
			t.Errorf("%s: %q", kind, got)
		}
	}
	for in, want := range map[string]string{"a ρ-zCDP mechanism": "A ρ-zCDP mechanism.", "a mechanism": "A mechanism.", "a = 1": "a = 1.", "ε grows": "ε grows."} {
		if got := format.Sentence(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// The rounding error of a computation is not shown as an interval, with one end or two.
func TestRoundingErrorIsNoInterval(t *testing.T) {
	none := verify.Number{}
	for i, c := range []struct {
		lower, upper verify.Number
		want         string
	}{
		{num(2 - 1e-9), none, "2"},
		{num(2 - 1e-9), num(2 + 1e-9), "2"},
		{num(1.9), none, "2.00 [1.90, –]"},
		{none, num(2.1), "2.00 [–, 2.10]"},
		{num(1.9), num(inf), "2.00 [1.90, ∞]"},
	} {
		if got := format.Compared(num(1), num(2), c.lower, c.upper, num(2), format.SameRefuted).Measured; got != c.want {
			t.Errorf("%d: %q, want %q", i, got, c.want)
		}
	}
}
