package reports

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// ExperimentRun is an experiment that was run, with what a reader needs around it.
// Like a [Document] it holds nothing that depends on the time or the machine.
type ExperimentRun struct {
	Experiment result.About
	Results    []result.Result
	Seed       uint64
	Version    string // of dpverify
	Go         string // version of the toolchain
	Command    string // repeats the run
}

// maxPanelRows is the longest table of a panel with numbers for x; of a longer one
// as many rows are shown, at even distances.
const maxPanelRows = 24

// Experiment returns a table of each panel, with a picture on a page: a row for each x or label, a
// column for each series, with mean ± deviation and the interval of the mean, and
// another column for what the paper prints.
func Experiment(o ExperimentRun) (Sheet, error) {
	a := Sheet{Title: o.Experiment.Title, Body: section{Level: 1,
		Title: words(o.Experiment.Title)}}
	a.Body.Say(o.Experiment.Source+" (", mono(o.Experiment.Name),
		fmt.Sprintf("), run by dpverify %s (%s) with seed %d:", o.Version, o.Go, o.Seed))
	a.Body.Add(command(o.Command))
	for _, r := range o.Results {
		s, err := panelSection(r)
		if err != nil {
			return a, fmt.Errorf("%s: %w", r.Name, err)
		}
		a.Body.Add(s)
	}
	return a, nil
}

func panelSection(r result.Result) (section, error) {
	s := section{Level: 2, Title: words(r.Title+" (", mono(r.Name), ")")}
	if r.State != result.Finished && r.State != "" {
		s.Say(strong(string(r.State)), ": "+format.Stopped(r.Reason))
	}
	xs, err := chart.Places(r)
	if err != nil || len(xs) == 0 {
		return s, err
	}
	if p := chart.PanelPicture(r); len(p.All()) > 1 {
		if c := p.Draw(); c != nil {
			s.Add(c)
		}
	}
	s.Say("Cells: " + r.YLabel + panelCellsText(r) + ".")
	some := xs
	if r.Labels == nil {
		some = format.Thin(xs, maxPanelRows)
	}
	s.Add(seriesTable(r, some))
	var items listing
	for _, finding := range r.Findings {
		items = append(items, item{Head: words(strong("Found:"), " "+format.Sentence(finding))})
	}
	if len(some) < len(xs) {
		items = append(items, item{Head: words(fmt.Sprintf("The table has %d of %d points; the JSON form "+
			"has all.", len(some),
			len(xs)))})
	}
	for _, note := range r.Notes {
		items = append(items, item{Head: words(format.Sentence(format.ShortExponents(note)))})
	}
	s.Add(items)
	return s, nil
}

// panelCellsText tells what a cell of the table is made of.
func panelCellsText(r result.Result) string {
	least, most := math.MaxInt, 0
	for _, s := range r.Series {
		for _, n := range s.N {
			least, most = min(least, n), max(most, n)
		}
	}
	interval := fmt.Sprintf("[%.0f %% interval of the mean, Student's t]", 100*result.Confidence)
	switch {
	case most == 1:
		return "; nothing is drawn at random"
	case most == 0:
		return ", mean ± standard deviation over the repeats " + interval
	case least < most:
		return fmt.Sprintf(", mean ± standard deviation over %d to %d repeats %s; cells without a deviation have one", least,
			most, interval)
	}
	return fmt.Sprintf(", mean ± standard deviation over %d repeats %s", most, interval)
}

func seriesTable(r result.Result, xs []float64) *grid {
	first := format.Right(r.XLabel)
	if r.Labels != nil {
		first = format.Left(r.XLabel)
	}
	t := &grid{Columns: []format.Column{first}, Wide: true, Long: true}
	for _, s := range r.Series {
		t.Columns = append(t.Columns, format.Right(s.Name))
		if s.Reported != nil {
			t.Columns = append(t.Columns, format.Right("printed"))
		}
	}
	for _, x := range xs {
		row := []inline{words(format.Figure(verify.Num(x)))}
		if r.Labels != nil {
			row[0] = words(r.Labels[int(x)])
		}
		for _, s := range r.Series {
			i := slices.Index(s.X, x)
			row = append(row, words(seriesCell(s, i)))
			if s.Reported != nil {
				row = append(row, words(printedCell(s, i)))
			}
		}
		t.Row(row...)
	}
	return t
}

// seriesCell is "0.173 ± 0.012 [0.167, 0.179]", in the decimals of its interval;
// the value alone where there is one repeat; nothing for i < 0.
func seriesCell(s result.Series, i int) string {
	if i < 0 {
		return format.Absent
	}
	if math.IsNaN(s.SD[i]) {
		return format.Figure(verify.Num(s.Mean[i]))
	}
	m := format.Measurement{Value: verify.Num(s.Mean[i]), Lower: format.NumberUnlessNaN(s.Lower[i]),
		Upper: format.NumberUnlessNaN(s.Upper[i])}
	if !m.Interval() {
		return m.Alone(format.AloneDigits) + " ± " + format.Figure(verify.Num(s.SD[i]))
	}
	last := format.Exponent(m.Width()) - 1
	style := format.Scientific(math.Max(math.Abs(s.Lower[i]), math.Abs(s.Upper[i])))
	return fmt.Sprintf("%s ± %s [%s, %s]", format.Rounded(s.Mean[i], last, style), format.Rounded(s.SD[i], last, style),
		format.Outward(m.Lower, last, style, false), format.Outward(m.Upper, last, style, true))
}

// printedCell is what the paper prints, with its deviation where it prints one.
func printedCell(s result.Series, i int) string {
	if i < 0 || math.IsNaN(s.Reported[i]) {
		return format.Absent
	}
	cell := format.Shortest(s.Reported[i])
	if s.ReportedSD != nil && !math.IsNaN(s.ReportedSD[i]) {
		cell += " ± " + format.Shortest(s.ReportedSD[i])
	}
	return cell
}
