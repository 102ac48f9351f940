package measured

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// Outcome is an experiment that was run, with what a reader needs around it.
// Like a document of package reports it holds nothing that depends on the time or the machine.
type Outcome struct {
	Experiment result.About
	Results    []result.Result
	Seed       uint64
	Version    string // of dpverify
	Go         string // version of the toolchain
	Command    string // repeats the run
}

// mostRows is the longest table of a panel with numbers for x; of a longer one
// as many rows are shown, at even distances.
const mostRows = 24

// Markdown writes each panel as a table: a row for each x or label, a
// column for each series, with mean ± deviation and the interval of the mean, and
// another column for what the paper prints.
func Markdown(w io.Writer, o Outcome) error {
	a, err := compose(o)
	if err != nil {
		return err
	}
	return a.Markdown(w)
}

// HTML writes what [Markdown] writes as a page that stands alone,
// with a picture of each panel.
func HTML(w io.Writer, o Outcome) error {
	a, err := compose(o)
	if err != nil {
		return err
	}
	return a.HTML(w)
}

func compose(o Outcome) (article.Article, error) {
	a := article.Article{Title: o.Experiment.Title, Body: article.Section{Level: 1,
		Title: article.Words(o.Experiment.Title)}}
	a.Body.Say(o.Experiment.Source+" (", article.Mono(o.Experiment.Name),
		fmt.Sprintf("), run by dpverify %s (%s) with seed %d:", o.Version, o.Go, o.Seed))
	a.Body.Add(article.Command(o.Command))
	for _, r := range o.Results {
		s, err := panel(r)
		if err != nil {
			return a, fmt.Errorf("%s: %w", r.Name, err)
		}
		a.Body.Add(s)
	}
	return a, nil
}

func panel(r result.Result) (article.Section, error) {
	s := article.Section{Level: 2, Title: article.Words(r.Title+" (", article.Mono(r.Name), ")")}
	if r.State != result.Finished && r.State != "" {
		s.Say(article.Strong(string(r.State)), ": "+markdown.Stopped(r.Reason))
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
	s.Say("Cells: " + r.YLabel + cellsSay(r) + ".")
	some := xs
	if r.Labels == nil {
		some = figures.Thinned(xs, mostRows)
	}
	s.Add(seriesTable(r, some))
	var items article.Listing
	for _, finding := range r.Findings {
		items = append(items, article.Item{Head: article.Words(article.Strong("Found:"), " "+markdown.Sentence(finding))})
	}
	if len(some) < len(xs) {
		items = append(items, article.Item{Head: article.Words(fmt.Sprintf("The table has %d of %d points; the JSON form "+
			"has all.", len(some),
			len(xs)))})
	}
	for _, note := range r.Notes {
		items = append(items, article.Item{Head: article.Words(markdown.Sentence(figures.ShortExponents(note)))})
	}
	s.Add(items)
	return s, nil
}

// cellsSay tells what a cell of the table is made of.
func cellsSay(r result.Result) string {
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

func seriesTable(r result.Result, xs []float64) *article.Grid {
	first := markdown.Right(r.XLabel)
	if r.Labels != nil {
		first = markdown.Left(r.XLabel)
	}
	t := &article.Grid{Columns: []markdown.Column{first}, Wide: true, Long: true}
	for _, s := range r.Series {
		t.Columns = append(t.Columns, markdown.Right(s.Name))
		if s.Printed != nil {
			t.Columns = append(t.Columns, markdown.Right("printed"))
		}
	}
	for _, x := range xs {
		row := []article.Inline{article.Words(figures.Figure(verify.Num(x)))}
		if r.Labels != nil {
			row[0] = article.Words(r.Labels[int(x)])
		}
		for _, s := range r.Series {
			i := slices.Index(s.X, x)
			row = append(row, article.Words(seriesCell(s, i)))
			if s.Printed != nil {
				row = append(row, article.Words(printedCell(s, i)))
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
		return figures.Absent
	}
	if math.IsNaN(s.SD[i]) {
		return figures.Figure(verify.Num(s.Mean[i]))
	}
	m := figures.Measurement{Value: verify.Num(s.Mean[i]), Lower: figures.Known(s.Lower[i]),
		Upper: figures.Known(s.Upper[i])}
	if !m.Interval() {
		return m.Alone(figures.AloneDigits) + " ± " + figures.Figure(verify.Num(s.SD[i]))
	}
	last := figures.Exponent(m.Width()) - 1
	style := figures.Scientific(math.Max(math.Abs(s.Lower[i]), math.Abs(s.Upper[i])))
	return fmt.Sprintf("%s ± %s [%s, %s]", figures.Rounded(s.Mean[i], last, style), figures.Rounded(s.SD[i], last, style),
		figures.Outward(m.Lower, last, style, false), figures.Outward(m.Upper, last, style, true))
}

// printedCell is what the paper prints, with its deviation where it prints one.
func printedCell(s result.Series, i int) string {
	if i < 0 || math.IsNaN(s.Printed[i]) {
		return figures.Absent
	}
	cell := figures.Shortest(s.Printed[i])
	if s.PrintedSD != nil && !math.IsNaN(s.PrintedSD[i]) {
		cell += " ± " + figures.Shortest(s.PrintedSD[i])
	}
	return cell
}
