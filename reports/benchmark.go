package reports

import (
	"fmt"
	"io"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/benchmark"
)

// Schemas of the benchmark's outputs.
const (
	PowerSchema       = "dpverify/power/v1"
	CalibrationSchema = "dpverify/calibration/v1"
)

// PowerJSON writes the power table.
func PowerJSON(w io.Writer, rows []benchmark.PowerRow, command string) error {
	return writeJSON(w, struct {
		Schema  string               `json:"schema"`
		Command string               `json:"command"`
		Rows    []benchmark.PowerRow `json:"rows"`
	}{PowerSchema, command, rows})
}

// PowerMarkdown writes the power table beside the public tools' figures.
func PowerMarkdown(w io.Writer, rows []benchmark.PowerRow, command string) error {
	var p page
	p.heading(1, "Power of the audit")
	p.say("The ε certified at 95 %% confidence by a black-box audit with n samples of each input of each pair, search and certification together: the median of the runs, with the least and the most. " +
		"Reachable is the exact ε over the inputs; the oracle knows the best event of one pair and certifies it with all n samples. " +
		"The public tools' n is per phase, of which they have up to four.")
	p.shell(command)
	t := newTable(left("mechanism"), right("n"), right("reachable"), right("certified [least, most]"), right("oracle"), right("share"), right("seconds"), left("public tools"))
	for _, r := range rows {
		t.row(code(r.Mechanism), markdown(fmt.Sprintf("%.0e", float64(r.Samples))), fixed(r.Reachable),
			markdown(fmt.Sprintf("%.3f [%.3f, %.3f]", r.Certified.X, r.Least.X, r.Most.X)), fixed(r.Oracle),
			markdown(fmt.Sprintf("%.0f %%", 100*r.Share())), markdown(fmt.Sprintf("%.2f", r.Seconds)), text(publicWords(r)))
	}
	if err := p.table(t); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func fixed(n verify.Number) markdown {
	if n.Set && n.X < 1e6 {
		return markdown(fmt.Sprintf("%.3f", n.X))
	}
	return markdown(Figure(n))
}

// publicWords are the public tools' figures at the row's n.
func publicWords(r benchmark.PowerRow) string {
	var words string
	for _, f := range benchmark.Public(r.Mechanism) {
		figure := ""
		switch r.Samples {
		case 1e5:
			figure = f.At1e5
		case 1e6:
			figure = f.At1e6
		}
		if figure == "" || figure == "–" {
			continue
		}
		if words != "" {
			words += ", "
		}
		words += f.Tool + " " + figure
	}
	return words
}

// CalibrationJSON writes the calibration table.
func CalibrationJSON(w io.Writer, rows []benchmark.CalibrationRow, command string) error {
	return writeJSON(w, struct {
		Schema  string                     `json:"schema"`
		Command string                     `json:"command"`
		Rows    []benchmark.CalibrationRow `json:"rows"`
	}{CalibrationSchema, command, rows})
}

// CalibrationMarkdown writes the calibration table.
func CalibrationMarkdown(w io.Writer, rows []benchmark.CalibrationRow, command string) error {
	var p page
	p.heading(1, "Calibration of the privacy checks")
	p.say("How often each check refutes a claim that is true with equality, its worst case, and a claim with a known fault; with exact 99.9 %% intervals of the rates.")
	p.shell(command)
	t := newTable(left("check"), left("claim"), right("α"), right("runs"), right("refuted"), right("rate [interval]"), left("expected"), left("calibrated"))
	for _, r := range rows {
		claim, calibrated := "true", "✓ yes"
		if !r.True {
			claim = "false"
		}
		if !r.Calibrated() {
			calibrated = "✗ no"
		}
		t.row(text(r.Name), markdown(claim), markdown(fmt.Sprintf("%g", r.Alpha)), markdown(fmt.Sprint(r.Runs)), markdown(fmt.Sprint(r.Refuted)),
			markdown(fmt.Sprintf("%.4f [%.4f, %.4f]", float64(r.Refuted)/float64(r.Runs), r.Lower.X, r.Upper.X)), text(r.Expected), markdown(calibrated))
	}
	if err := p.table(t); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
