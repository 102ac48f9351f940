package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/verify"
)

// Outcome is an experiment that was run, with what a reader needs around it.
// Like [Document] it holds nothing that depends on the time or the machine.
type Outcome struct {
	Experiment study.Experiment
	Results    []study.Result
	Seed       uint64
	Version    string // of dpverify
	Go         string // version of the toolchain
	Command    string // repeats the run
}

// ExperimentMarkdown writes each panel as a table: a row for each x, a column
// for each series, with mean ± deviation and the interval of the mean.
func ExperimentMarkdown(w io.Writer, o Outcome) error {
	var p page
	p.heading(1, text(o.Experiment.Title))
	p.say("%s (%s), run by dpverify %s (%s) with seed %d:", text(o.Experiment.Source), code(o.Experiment.Name), text(o.Version), text(o.Go), o.Seed)
	p.shell(o.Command)
	for _, r := range o.Results {
		if err := p.panel(r); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) panel(r study.Result) error {
	p.heading(2, text(r.Title)+" ("+code(r.Name)+")")
	p.say("Cells: %s, mean ± standard deviation over the repeats [interval of the mean].", text(r.YLabel))
	columns := []column{right(r.XLabel)}
	var xs []float64
	for _, s := range r.Series {
		if err := sameLength(s); err != nil {
			return err
		}
		columns = append(columns, right(s.Name))
		for _, x := range s.X {
			if !slices.Contains(xs, x) {
				xs = append(xs, x)
			}
		}
	}
	t := newTable(columns...)
	for _, x := range xs {
		row := []markdown{markdown(Figure(verify.Num(x)))}
		for _, s := range r.Series {
			row = append(row, seriesCell(s, x))
		}
		t.row(row...)
	}
	if err := p.table(t); err != nil {
		return err
	}
	var notes []markdown
	for _, note := range r.Notes {
		notes = append(notes, text(sentence(note)))
	}
	p.items(notes)
	return nil
}

func sameLength(s study.Series) error {
	for _, column := range [][]float64{s.Mean, s.SD, s.Lower, s.Upper} {
		if len(column) != len(s.X) {
			return fmt.Errorf("series %q has columns of %d and %d values", s.Name, len(s.X), len(column))
		}
	}
	return nil
}

// seriesCell is "0.173 ± 0.012 [0.167, 0.179]", in the decimals of its interval.
func seriesCell(s study.Series, x float64) markdown {
	i := slices.Index(s.X, x)
	if i < 0 {
		return absent
	}
	m := measurement{value: verify.Num(s.Mean[i]), lower: verify.Num(s.Lower[i]), upper: verify.Num(s.Upper[i])}
	if !m.interval() {
		return markdown(m.alone(aloneDigits) + " ± " + Figure(verify.Num(s.SD[i])))
	}
	last := exponent(m.width()) - 1
	style := scientific(math.Max(math.Abs(s.Lower[i]), math.Abs(s.Upper[i])))
	return markdown(fmt.Sprintf("%s ± %s [%s, %s]", rounded(s.Mean[i], last, style), rounded(s.SD[i], last, style),
		outward(m.lower, last, style, false), outward(m.upper, last, style, true)))
}

// ExperimentSchema names the JSON form of an experiment's series.
const ExperimentSchema = "dpverify/experiment/v1"

type jsonOutcome struct {
	Schema     string      `json:"schema"`
	Version    string      `json:"version"`
	Seed       string      `json:"seed"`
	Go         string      `json:"go"`
	Experiment string      `json:"experiment"`
	Title      string      `json:"title"`
	Source     string      `json:"source"`
	Command    string      `json:"command"`
	Panels     []jsonPanel `json:"panels"`
}

type jsonPanel struct {
	Name   string       `json:"name"`
	Title  string       `json:"title"`
	XLabel string       `json:"x_label"`
	YLabel string       `json:"y_label"`
	Series []jsonSeries `json:"series"`
	Notes  []string     `json:"notes"`
}

type jsonSeries struct {
	Name  string          `json:"name"`
	X     []verify.Number `json:"x"`
	Mean  []verify.Number `json:"mean"`
	SD    []verify.Number `json:"sd"`
	Lower []verify.Number `json:"lower"`
	Upper []verify.Number `json:"upper"`
}

// ExperimentJSON writes an experiment as dpverify/experiment/v1, in full precision.
func ExperimentJSON(w io.Writer, o Outcome) error {
	out := jsonOutcome{
		Schema: ExperimentSchema, Version: o.Version, Seed: strconv.FormatUint(o.Seed, 10), Go: o.Go,
		Experiment: o.Experiment.Name, Title: o.Experiment.Title, Source: o.Experiment.Source, Command: o.Command, Panels: []jsonPanel{},
	}
	for _, r := range o.Results {
		panel := jsonPanel{Name: r.Name, Title: r.Title, XLabel: r.XLabel, YLabel: r.YLabel, Series: []jsonSeries{}, Notes: append([]string{}, r.Notes...)}
		for _, s := range r.Series {
			panel.Series = append(panel.Series, jsonSeries{s.Name, numbers(s.X), numbers(s.Mean), numbers(s.SD), numbers(s.Lower), numbers(s.Upper)})
		}
		out.Panels = append(out.Panels, panel)
	}
	return writeJSON(w, out)
}

func numbers(xs []float64) []verify.Number {
	out := make([]verify.Number, len(xs))
	for i, x := range xs {
		out[i] = verify.Num(x)
	}
	return out
}
