package reports

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/verify"
)

// Outcome is an experiment that was run, with what a reader needs around it.
// Like [Document] it holds nothing that depends on the time or the machine.
type Outcome struct {
	Experiment study.About
	Results    []study.Result
	Seed       uint64
	Version    string // of dpverify
	Go         string // version of the toolchain
	Command    string // repeats the run
}

// mostRows is the longest table of a panel with numbers for x; of a longer one
// as many rows are shown, at even distances.
const mostRows = 24

// ExperimentMarkdown writes each panel as a table: a row for each x or label, a
// column for each series, with mean ± deviation and the interval of the mean, and
// another column for what the paper prints.
func ExperimentMarkdown(w io.Writer, o Outcome) error {
	a, err := composeExperiment(o)
	if err != nil {
		return err
	}
	return a.writeMarkdown(w)
}

// ExperimentHTML writes what [ExperimentMarkdown] writes as a page that stands alone,
// with a picture of each panel.
func ExperimentHTML(w io.Writer, o Outcome) error {
	a, err := composeExperiment(o)
	if err != nil {
		return err
	}
	return a.writeHTML(w)
}

func composeExperiment(o Outcome) (article, error) {
	a := article{title: o.Experiment.Title, body: section{Level: 1, Title: words(o.Experiment.Title)}}
	a.body.say(o.Experiment.Source+" (", mono(o.Experiment.Name), fmt.Sprintf("), run by dpverify %s (%s) with seed %d:", o.Version, o.Go, o.Seed))
	a.body.add(command(o.Command))
	for _, r := range o.Results {
		s, err := panel(r)
		if err != nil {
			return a, fmt.Errorf("%s: %w", r.Name, err)
		}
		a.body.add(s)
	}
	return a, nil
}

func panel(r study.Result) (section, error) {
	s := section{Level: 2, Title: words(r.Title+" (", mono(r.Name), ")")}
	if r.State != study.Finished && r.State != "" {
		s.say(strong(string(r.State)), ": "+stopped(r.Reason))
	}
	xs, err := places(r)
	if err != nil || len(xs) == 0 {
		return s, err
	}
	if p := panelPicture(r); len(p.all()) > 1 {
		if c := p.draw(); c != nil {
			s.add(c)
		}
	}
	s.say("Cells: " + r.YLabel + cellsSay(r) + ".")
	some := xs
	if r.Labels == nil {
		some = thinned(xs, mostRows)
	}
	s.add(seriesTable(r, some))
	var items listing
	for _, finding := range r.Findings {
		items = append(items, item{Head: words(strong("Found:"), " "+sentence(finding))})
	}
	if len(some) < len(xs) {
		items = append(items, item{Head: words(fmt.Sprintf("The table has %d of %d points; the JSON form has all.", len(some), len(xs)))})
	}
	for _, note := range r.Notes {
		items = append(items, item{Head: words(sentence(shortExponents(note)))})
	}
	s.add(items)
	return s, nil
}

// cellsSay tells what a cell of the table is made of.
func cellsSay(r study.Result) string {
	least, most := math.MaxInt, 0
	for _, s := range r.Series {
		for _, n := range s.N {
			least, most = min(least, n), max(most, n)
		}
	}
	interval := fmt.Sprintf("[%.0f %% interval of the mean, Student's t]", 100*study.Confidence)
	switch {
	case most == 1:
		return "; nothing is drawn at random"
	case most == 0:
		return ", mean ± standard deviation over the repeats " + interval
	case least < most:
		return fmt.Sprintf(", mean ± standard deviation over %d to %d repeats %s; cells without a deviation have one", least, most, interval)
	}
	return fmt.Sprintf(", mean ± standard deviation over %d repeats %s", most, interval)
}

// places are the x of all series, in their order; in that of the numbers where
// the series differ.
func places(r study.Result) ([]float64, error) {
	var xs []float64
	same := true
	for _, s := range r.Series {
		if err := checkSeries(r, s); err != nil {
			return nil, err
		}
		same = same && slices.Equal(s.X, r.Series[0].X)
		xs = append(xs, s.X...)
	}
	if same && len(r.Series) > 0 {
		return r.Series[0].X, nil
	}
	slices.Sort(xs)
	return slices.Compact(xs), nil
}

func seriesTable(r study.Result, xs []float64) *grid {
	first := right(r.XLabel)
	if r.Labels != nil {
		first = left(r.XLabel)
	}
	t := &grid{Columns: []column{first}, Wide: true, Long: true}
	for _, s := range r.Series {
		t.Columns = append(t.Columns, right(s.Name))
		if s.Printed != nil {
			t.Columns = append(t.Columns, right("printed"))
		}
	}
	for _, x := range xs {
		row := []inline{words(Figure(verify.Num(x)))}
		if r.Labels != nil {
			row[0] = words(r.Labels[int(x)])
		}
		for _, s := range r.Series {
			i := slices.Index(s.X, x)
			row = append(row, words(seriesCell(s, i)))
			if s.Printed != nil {
				row = append(row, words(printedCell(s, i)))
			}
		}
		t.row(row...)
	}
	return t
}

func checkSeries(r study.Result, s study.Series) error {
	for _, n := range []int{len(s.Mean), len(s.SD), len(s.Lower), len(s.Upper), orAll(s.N, s), orAll(s.Printed, s), orAll(s.PrintedSD, s)} {
		if n != len(s.X) {
			return fmt.Errorf("series %q has columns of %d and %d values", s.Name, len(s.X), n)
		}
	}
	for _, x := range s.X {
		if r.Labels != nil && !(x >= 0 && x < float64(len(r.Labels)) && x == math.Trunc(x)) {
			return fmt.Errorf("series %q: x = %v is not the index of one of %d labels", s.Name, x, len(r.Labels))
		}
	}
	return nil
}

// orAll is the length of a column that may be absent.
func orAll[T any](column []T, s study.Series) int {
	if column == nil {
		return len(s.X)
	}
	return len(column)
}

// seriesCell is "0.173 ± 0.012 [0.167, 0.179]", in the decimals of its interval;
// the value alone where there is one repeat; nothing for i < 0.
func seriesCell(s study.Series, i int) string {
	if i < 0 {
		return absent
	}
	if math.IsNaN(s.SD[i]) {
		return Figure(verify.Num(s.Mean[i]))
	}
	m := measurement{value: verify.Num(s.Mean[i]), lower: known(s.Lower[i]), upper: known(s.Upper[i])}
	if !m.interval() {
		return m.alone(aloneDigits) + " ± " + Figure(verify.Num(s.SD[i]))
	}
	last := exponent(m.width()) - 1
	style := scientific(math.Max(math.Abs(s.Lower[i]), math.Abs(s.Upper[i])))
	return fmt.Sprintf("%s ± %s [%s, %s]", rounded(s.Mean[i], last, style), rounded(s.SD[i], last, style),
		outward(m.lower, last, style, false), outward(m.upper, last, style, true))
}

// printedCell is what the paper prints, with its deviation where it prints one.
func printedCell(s study.Series, i int) string {
	if i < 0 || math.IsNaN(s.Printed[i]) {
		return absent
	}
	cell := plain(s.Printed[i])
	if s.PrintedSD != nil && !math.IsNaN(s.PrintedSD[i]) {
		cell += " ± " + plain(s.PrintedSD[i])
	}
	return cell
}

// known is a figure that is there unless it is NaN.
func known(x float64) verify.Number {
	if math.IsNaN(x) {
		return verify.Number{}
	}
	return verify.Num(x)
}
