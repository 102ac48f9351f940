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

// ExperimentRun is the run of an experiment with its context. Like a [Document] it does not depend on the time or the
// machine.
type ExperimentRun struct {
	Experiment result.About
	Results    []result.Result
	Seed       uint64
	Version    string // of dpverify
	Go         string // version of the toolchain
	Command    string // repeats the run
}

// maxPanelRows is the maximum number of rows in a table of a panel with numbers for x. A longer table shows rows at
// equal distances.
const maxPanelRows = 24

// Experiment returns a table of each panel, and a picture on a page. The table has a row for each x or label, and a
// column for each series with mean ± standard deviation and the interval of the mean. Another column has the values
// that the paper prints. It returns an error if a series is malformed.
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

// panelCellsText explains the cells of a table.
func panelCellsText(r result.Result) string {
	minRepeats, maxRepeats := math.MaxInt, 0
	for _, s := range r.Series {
		for _, n := range s.N {
			minRepeats, maxRepeats = min(minRepeats, n), max(maxRepeats, n)
		}
	}
	interval := fmt.Sprintf("[%.0f %% interval of the mean, Student's t]", 100*result.Confidence)
	switch {
	case maxRepeats == 1:
		return "; from a single repeat"
	case maxRepeats == 0:
		return ", mean ± standard deviation over the repeats " + interval
	case minRepeats < maxRepeats:
		return fmt.Sprintf(", mean ± standard deviation over %d to %d repeats %s; a cell without a deviation has one repeat",
			minRepeats, maxRepeats, interval)
	}
	return fmt.Sprintf(", mean ± standard deviation over %d repeats %s", maxRepeats, interval)
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

// seriesCell writes "0.173 ± 0.012 [0.167, 0.179]", with the decimals of the interval. It writes only the value if
// there is one repeat, and a dash if i < 0.
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

// printedCell writes the value that the paper prints, with its standard deviation if the paper prints one.
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
