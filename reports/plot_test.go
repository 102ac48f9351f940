package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/chart"
)

// look writes the test's picture to a file: go test ./reports -run SVG -args -look FILE.svg.
var look = flag.String("look", "", "write the picture of TestSVG to a file")

// examplePanels has a panel of each kind: printed figures on logarithmic axes with a bar to below 0, a long curve, a
// table, seven series, a panel without data and an interrupted one.
func examplePanels() []result.Result {
	nan := math.NaN()
	logs := result.Result{Name: "e/log", Title: "Excess risk of the averaged iterate against the number of records, logarithmic axes", XLabel: "number of records n", YLabel: "excess risk", LogX: true, LogY: true}
	for k, name := range []string{"non-private", "OnPairStrC, ε = 0.5", "OnPairStrC, ε = 2.5"} {
		s := result.Series{Name: name}
		for i, n := range []float64{50, 100, 200, 400, 800} {
			y := float64(k+1) * 2 / n
			s.X, s.Mean, s.SD = append(s.X, n), append(s.Mean, y), append(s.SD, y/2)
			s.Lower, s.Upper = append(s.Lower, y-y*float64(k)*0.6), append(s.Upper, y*1.4)
			s.Reported = append(s.Reported, []float64{y * 1.1, nan, y * 1.6, nan, nan}[i])
		}
		logs.Series = append(logs.Series, s)
	}
	curve := result.Result{Name: "e/curve", Title: "Objective value against the number of iterations", XLabel: "iterations", YLabel: "objective value", State: result.Partial, Reason: "interrupted: 3 of 4 runs were finished"}
	for k, name := range []string{"SGD", "private, b = 1", "private, b = 10"} {
		s := result.Series{Name: name}
		for i := range 400 {
			y := 0.2 + float64(k)*0.1 + math.Exp(-float64(i)/80) + 0.02*float64(k)*math.Sin(float64(i))
			s.X, s.Mean, s.SD = append(s.X, float64(i)), append(s.Mean, y), append(s.SD, 0.1)
			s.Lower, s.Upper = append(s.Lower, y-0.05*float64(k)), append(s.Upper, y+0.05*float64(k))
		}
		curve.Series = append(curve.Series, s)
	}
	table := result.Result{Name: "e/table", Title: "Accuracy of the schedules", XLabel: "schedule", YLabel: "validation accuracy, %", Labels: []string{"linear", "exponential", "logarithmic", "cosine & <half>"}}
	for k, name := range []string{"decreasing", "increasing"} {
		table.Series = append(table.Series, result.Series{
			Name: name, X: []float64{0, 1, 2, 3}, Mean: []float64{94.1, 93.2 - float64(k), 95.5, 96.125 - 2*float64(k)}, SD: []float64{1, 1, 1, nan},
			Lower: []float64{93.5, 92 - float64(k), 95, nan}, Upper: []float64{94.7, 94 - float64(k), 96, nan}, N: []int{5, 5, 5, 1}, Reported: []float64{94.6, 93.3, nan, 96}, ReportedSD: []float64{0.4, nan, nan, nan},
		})
	}
	many := result.Result{Name: "e/many", Title: "Many series", XLabel: "ε", YLabel: "error"}
	for k := range 9 {
		s := result.Series{Name: fmt.Sprintf("series %d", k)}
		for x := range 5 {
			y := float64(k) + 0.3*float64(x*x%7)
			s.X, s.Mean, s.SD = append(s.X, float64(x)), append(s.Mean, y), append(s.SD, 0.1)
			s.Lower, s.Upper = append(s.Lower, y-0.3), append(s.Upper, y+0.3)
		}
		many.Series = append(many.Series, s)
	}
	return []result.Result{logs, {Name: "e/absent", Title: "Not here", State: result.NotRun, Reason: "no file real-sim.gz"}, curve, table, many}
}

func experimentIn(w io.Writer, o ExperimentRun, form func(Sheet, io.Writer) error) error {
	s, err := Experiment(o)
	if err != nil {
		return err
	}
	return form(s, w)
}

// The picture is well-formed, deterministic, and free of NaN, and contains its titles and legends.
func TestSVG(t *testing.T) {
	svg := render(t, func(b *bytes.Buffer) error { return chart.ExperimentSVG(b, examplePanels()) })
	if *look != "" {
		if err := os.WriteFile(*look, svg, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if again := render(t, func(b *bytes.Buffer) error { return chart.ExperimentSVG(b, examplePanels()) }); !bytes.Equal(svg, again) {
			t.Error("the same results give other bytes")
		}
	}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, word := range []string{
		"number of records n", "excess risk", "OnPairStrC, ε = 0.5", "hollow: printed in the paper", "95 % intervals",
		"(partial)", "validation accuracy, %", "cosine &amp; &lt;half&gt;", "series 8", ">0.01<", ">100<",
	} {
		if !strings.Contains(string(svg), word) {
			t.Errorf("the picture lacks %q", word)
		}
	}
	for _, word := range []string{"NaN", "Inf", "Not here"} {
		if strings.Contains(string(svg), word) {
			t.Errorf("the picture has %q", word)
		}
	}
}

func TestSVGOfFewPoints(t *testing.T) {
	point := func(x, y, half float64) result.Series {
		return result.Series{Name: "s", X: []float64{x}, Mean: []float64{y}, SD: []float64{half}, Lower: []float64{y - half}, Upper: []float64{y + half}}
	}
	cases := []struct {
		reason string
		result result.Result
		want   error
	}{
		{"no series", result.Result{}, chart.ErrNothingToDraw},
		{"not a number", result.Result{Series: []result.Series{point(1, math.NaN(), 0)}}, chart.ErrNothingToDraw},
		{"zero on a logarithmic axis", result.Result{LogY: true, Series: []result.Series{point(1, 0, 1)}}, chart.ErrNothingToDraw},
		{"one point without a bar", result.Result{Series: []result.Series{point(1, 1, 0)}}, nil},
		{"one point at 0", result.Result{Series: []result.Series{point(0, 0, 0)}}, nil},
		{"a bar to below 0 on a logarithmic axis", result.Result{LogX: true, LogY: true, Series: []result.Series{point(1, 1, 2)}}, nil},
		{"an infinite bar", result.Result{Series: []result.Series{point(1, 1, math.Inf(1))}}, nil},
		{"values far apart", result.Result{LogY: true, Series: []result.Series{point(1, 1e-300, 0), point(2, 1e300, 0)}}, nil},
	}
	for _, c := range cases {
		var b bytes.Buffer
		if err := chart.ExperimentSVG(&b, []result.Result{c.result}); !errors.Is(err, c.want) || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: %v, want %v", c.reason, err, c.want)
		}
	}
	if err := chart.ExperimentSVG(io.Discard, []result.Result{{Name: "ragged", Series: []result.Series{{Name: "s", X: []float64{1}}}}}); err == nil || errors.Is(err, chart.ErrNothingToDraw) {
		t.Errorf("a ragged series gives %v", err)
	}
}

// The table has printed and measured values, and the page names the panels that were not run.
func TestPanelsInMarkdown(t *testing.T) {
	o := exampleOutcome()
	o.Results = examplePanels()
	o.Results[3].Findings = []string{"decreasing beats increasing"}
	page := string(render(t, func(b *bytes.Buffer) error { return experimentIn(b, o, Sheet.Markdown) }))
	for _, word := range []string{
		"**not-run**: no file real-sim.gz.", "**partial**: interrupted: 3 of 4 runs were finished.", "| printed |",
		"94.1 ± 1.0 [93.5, 94.7] | 94.6 ± 0.4 |", "| cosine & \\<half> ", "**Found:** Decreasing beats increasing.",
		"over 1 to 5 repeats [95 % interval of the mean, Student's t]", "The table has 24 of 400 points",
	} {
		if !strings.Contains(page, word) {
			t.Errorf("the page lacks %q:\n%s", word, page)
		}
	}
	json := string(render(t, func(b *bytes.Buffer) error { return ExperimentJSON(b, o) }))
	for _, word := range []string{`"state": "not-run"`, `"reason": "no file real-sim.gz"`, `"log_x": true`, `"labels": [`, `"confidence": 0.95`, "null"} {
		if !strings.Contains(json, word) {
			t.Errorf("the JSON form lacks %s", word)
		}
	}
}
