package reports

import (
	"io"
	"strconv"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// ExperimentSchema names the JSON form of an experiment's series. New versions only add fields, and no field changes
// its meaning.
const ExperimentSchema = "dpverify/experiment/v1"

type jsonExperiment struct {
	Schema     string      `json:"schema"`
	Version    string      `json:"version"`
	Seed       string      `json:"seed"`
	Go         string      `json:"go"`
	Experiment string      `json:"experiment"`
	Title      string      `json:"title"`
	Source     string      `json:"source"`
	Command    string      `json:"command"`
	Confidence float64     `json:"confidence"` // of each interval, not of all together
	Interval   string      `json:"interval"`   // the method of the intervals
	Panels     []jsonPanel `json:"panels"`
}

type jsonPanel struct {
	Name     string       `json:"name"`
	Title    string       `json:"title"`
	State    result.State `json:"state"`
	Reason   string       `json:"reason"` // of a state other than "finished"
	XLabel   string       `json:"x_label"`
	YLabel   string       `json:"y_label"`
	LogX     bool         `json:"log_x"`
	LogY     bool         `json:"log_y"`
	Labels   []string     `json:"labels"` // of x = 0, 1, …; empty if x is a number
	Series   []jsonSeries `json:"series"`
	Notes    []string     `json:"notes"`
	Findings []string     `json:"findings"`
}

// jsonSeries has null for a missing figure: deviation and interval of a single repeat, and values that the paper does
// not print.
type jsonSeries struct {
	Name      string          `json:"name"`
	X         []verify.Number `json:"x"`
	Mean      []verify.Number `json:"mean"`
	SD        []verify.Number `json:"sd"`
	Lower     []verify.Number `json:"lower"`
	Upper     []verify.Number `json:"upper"`
	Repeats   []int           `json:"repeats"`
	Printed   []verify.Number `json:"printed"`
	PrintedSD []verify.Number `json:"printed_sd"`
}

// ExperimentJSON writes an experiment as dpverify/experiment/v1, in full precision.
func ExperimentJSON(w io.Writer, o ExperimentRun) error {
	out := jsonExperiment{
		Schema: ExperimentSchema, Version: o.Version, Seed: strconv.FormatUint(o.Seed, 10), Go: o.Go,
		Experiment: o.Experiment.Name, Title: o.Experiment.Title, Source: o.Experiment.Source, Command: o.Command,
		Confidence: result.Confidence, Interval: "Student's t over the repeats", Panels: []jsonPanel{},
	}
	for _, r := range o.Results {
		panel := jsonPanel{
			Name: r.Name, Title: r.Title, State: r.State, Reason: r.Reason, XLabel: r.XLabel, YLabel: r.YLabel, LogX: r.LogX,
			LogY:   r.LogY,
			Labels: append([]string{}, r.Labels...), Series: []jsonSeries{}, Notes: append([]string{}, r.Notes...),
			Findings: append([]string{}, r.Findings...),
		}
		if panel.State == "" {
			panel.State = result.Finished
		}
		for _, s := range r.Series {
			panel.Series = append(panel.Series, jsonSeries{
				s.Name, numbers(s.X), numbers(s.Mean), knownNumbers(s.SD), knownNumbers(s.Lower), knownNumbers(s.Upper),
				append([]int{}, s.N...), knownNumbers(s.Reported), knownNumbers(s.ReportedSD),
			})
		}
		out.Panels = append(out.Panels, panel)
	}
	return format.WriteJSON(w, out)
}

func numbers(xs []float64) []verify.Number {
	out := make([]verify.Number, len(xs))
	for i, x := range xs {
		out[i] = verify.Num(x)
	}
	return out
}

// knownNumbers returns unset numbers for NaN.
func knownNumbers(xs []float64) []verify.Number {
	out := make([]verify.Number, len(xs))
	for i, x := range xs {
		out[i] = format.NumberUnlessNaN(x)
	}
	return out
}
