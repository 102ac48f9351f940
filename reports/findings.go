package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// claim returns the section of one claim: the statement, the verdict with its evidence, and the command that
// reproduces it.
func (l *lookup) claim(r verify.Result) section {
	s := section{Anchor: anchor(r.Claim.ID), Level: 4, Tone: string(l.shown(r)), Folded: l.Full && l.long}
	s.Facets = []facet{{Name: "kind", Value: string(r.Claim.Kind)}, {Name: "origin",
		Value: string(r.Claim.Origin)}}
	s.Title = words(mark(l.shown(r))+" ", mono(r.Claim.ID), ", "+r.Claim.Source)
	s.Add(quotation(words(format.Sentence(r.Claim.Statement))))
	if r.Claim.Place != "" {
		s.Say(format.Sentence(r.Claim.Origin.Words() + ": " + r.Claim.Place))
	}
	s.Say(verdictSentence(r, l.shown(r))...)
	if look := secondLook(r.Evidence); look != nil {
		s.Say(look)
	}
	for _, line := range whyLines(r.Evidence) {
		s.Say(line)
	}
	if len(r.Cells) > 1 {
		if c := chart.NewChart(r); c != nil {
			s.Add(c)
		}
		if p, ok := chart.PlaneOf(r.Evidence); ok {
			s.Add(planeGrid(p, r.Evidence))
		} else if !format.IsSupported(r.Verdict) {
			l.cells(&s, r)
		}
	}
	for _, warning := range r.Warnings {
		s.Say("Note: " + format.Sentence(warning))
	}
	if r.Claim.Corrected != "" {
		s.Say(l.corrected(r.Claim.Corrected)...)
	}
	addAssumed(&s, r.Evidence)
	addObserved(&s, r.Evidence)
	addCurves(&s, r)
	var notes listing
	for _, n := range l.notes(r) {
		notes = append(notes, item{Head: n})
	}
	s.Add(notes)
	if !l.long || !format.IsSupported(r.Verdict) { // the summary has the command for all claims
		s.Add(command(l.again(r)))
	}
	return s
}

// again returns the command that judges a claim again, with the data set if the run did not have it.
func (l *lookup) again(r verify.Result) string {
	line := l.repeat(r.Claim.ID)
	if r.Verdict == verify.NotRun && !l.Whole && !strings.HasSuffix(line, dataFlag) {
		line += dataFlag
	}
	return line
}

// notes says how a claim was measured, and names the claims that it corrects.
func (l *lookup) notes(r verify.Result) []inline {
	var list []inline
	add := func(title, s string) {
		if s != "" {
			list = append(list, words(label(title), " "+s))
		}
	}
	kind := "Kind: " + string(r.Claim.Kind) + "."
	if r.Quantity != "" { // a formula, which gets no period
		list = append(list, words(label(kind), " Quantity: "+r.Quantity))
	} else {
		list = append(list, words(label(kind)))
	}
	add("Method:", format.Stopped(r.Method))
	if r.Delta.Set {
		add("Certified δ at the claimed ε:",
			fmt.Sprintf("at least %s, at 0.01 of the error probability.", format.Figure(r.Delta)))
	}
	add("Power:", format.Stopped(r.Power))
	if r.Samples > 0 {
		add(capital(drawnNoun(r.Claim.Kind))+"s:",
			fmt.Sprintf("%s %s, error probability %s.", format.Count(r.Samples), countedSamples(r),
				format.Probability(r.Alpha)))
	}
	if r.Verdict != verify.NotRun || len(r.Warnings) == 0 { // else a warning names the file
		add("Data:", format.Stopped(r.Data))
	}
	if experiments := l.experimentsOf(r); len(experiments) > 0 {
		list = append(list, drawing(experiments))
	}
	if corrected := l.corrects[r.Claim.ID]; len(corrected) > 0 {
		list = append(list, words(label("Corrects:"), " ", l.named(corrected), "."))
	}
	return list
}

// named lists claims with their verdicts.
func (l *lookup) named(ids []string) inline {
	var all inline
	for i, id := range ids {
		if i > 0 {
			all = words(all, ", ")
		}
		all = words(all, claimLink(id), " (", verdictSpan(l.shown(l.results[id])), ")")
	}
	return all
}

// verdictSentence writes the verdict, the figures at the worst point, and the error probability.
func verdictSentence(r verify.Result, word verify.Verdict) []any {
	parts := []any{span{Style: bold, Text: capital(word), Tone: string(word)}}
	measured := r.Measured.Set || r.Lower.Set || r.Upper.Set
	if r.Verdict == verify.Vacuous {
		parts = append(parts, " ("+r.Verdict.Meaning()+")")
	}
	switch {
	case !measured && !format.IsWrong(r.Verdict) && r.Verdict != verify.Vacuous:
		return append(parts, ": "+r.Verdict.Meaning()+".")
	case r.WorstCase != "" && format.IsSupported(r.Verdict):
		parts = append(parts, "; its worst point is ", mono(r.WorstCase))
	case r.WorstCase != "":
		parts = append(parts, " at ", mono(r.WorstCase))
	}
	if measured {
		c := comparison(r.Evidence)
		s := fmt.Sprintf(". The claim says %s; %s %s", c.claimed, lower(c.verb), c.found)
		if r.Ratio.Set {
			s += ", ratio " + c.ratio
		}
		parts = append(parts, s)
	}
	return append(parts, ". "+certainty(r))
}

// compared is a comparison in words.
type compared struct {
	claimed     string // "privacy loss ε ≤ 2"
	verb, found string // "Measured", "2.5 [2.4, 2.6], computed 2.51"
	ratio       string
}

func comparison(e verify.Evidence) compared {
	return compare(e, format.Evidence(e))
}

// compare puts figures of a claim into words.
func compare(e verify.Evidence, f format.Figures) compared {
	quantity, _, _ := strings.Cut(format.OneLine(e.Quantity), "; ") // the setting follows
	if quantity == "" {
		quantity = "the figure"
	}
	sense := e.Sense
	if sense == "" {
		sense = verify.Equals
	}
	c := compared{claimed: fmt.Sprintf("%s %s %s", quantity, sense, f.Claimed), verb: "Measured", found: f.Measured,
		ratio: f.Ratio}
	if !e.Claimed.Set {
		c.claimed = "no value of " + quantity
	}
	if e.Exact {
		c.verb = "Computed"
	}
	if i := chart.WorstCell(e); i >= 0 && e.Cells[i].Samples > 0 && e.Cells[i].ExactValue.Set {
		c.found += ", computed " + format.Figure(e.Cells[i].ExactValue)
	}
	return c
}

// certainty states the error probability of a verdict.
func certainty(r verify.Result) string {
	switch {
	case r.Exact && r.Statistics != nil && r.Statistics.Method == "replay":
		return "Computed from replays, not sampled."
	case r.Exact:
		return "Computed: there is no error probability."
	case r.Samples > 0:
		return fmt.Sprintf("From %s %s; error probability at most %s.", sampled(r), countedSamples(r),
			format.Probability(r.Alpha))
	}
	return fmt.Sprintf("Error probability at most %s.", format.Probability(r.Alpha))
}

// drawnNoun names one sample: an output of a mechanism, or a run of an algorithm.
func drawnNoun(k verify.Kind) string {
	if k == verify.Privacy || k == verify.Unbiasedness {
		return "sample"
	}
	return "run"
}

// countedSamples returns which of the samples the figures of a claim count. An audit counts those that did not choose
// the event, unless it is a sequential test, which counts all.
func countedSamples(r verify.Result) string {
	if len(r.Events) > 0 && len(r.Levels) == 0 {
		if len(r.Cells) > 1 {
			return "of all rows that did not choose the event of their row"
		}
		return "that did not choose the event"
	}
	return "in all"
}

func sampled(r verify.Result) string {
	return format.Count(r.Samples) + " " + drawnNoun(r.Claim.Kind) + "s"
}

// cells shows the points of a claim in a table without empty columns.
func (l *lookup) cells(s *section, r verify.Result) {
	e := r.Evidence
	worst, chosen := chart.WorstCell(e), chart.ChooseCells(e)
	var claimed, exact, sampled, interval bool
	for _, i := range chosen {
		c := e.Cells[i]
		interval = interval || format.Measurement{Value: c.Measured, Lower: c.Lower, Upper: c.Upper}.Interval()
		claimed = claimed || c.Claimed.Set
		exact = exact || c.ExactValue.Set && c.Samples > 0
		sampled = sampled || c.Samples > 0
	}
	t := &grid{Columns: []format.Column{format.Left("at")}}
	if claimed {
		t.Columns = append(t.Columns, format.Right("theory"))
	}
	if interval {
		t.Columns = append(t.Columns, format.Right("measured [interval]"))
	} else {
		t.Columns = append(t.Columns, format.Right("measured"))
	}
	if exact {
		t.Columns = append(t.Columns, format.Right("computed"))
	}
	if sampled {
		t.Columns = append(t.Columns, format.Right(drawnNoun(r.Claim.Kind)+"s"))
	}
	for _, i := range chosen {
		c := e.Cells[i]
		f := format.CompareCell(e.Sense, c)
		at := words(c.Label)
		if i == worst {
			at = words(strong(c.Label))
		}
		row := []inline{at}
		if claimed {
			row = append(row, words(f.Claimed))
		}
		row = append(row, words(f.Measured))
		if exact {
			row = append(row, words(format.Figure(c.ExactValue)))
		}
		if sampled && c.Samples > 0 {
			row = append(row, words(format.Count(c.Samples)))
		} else if sampled {
			row = append(row, words(format.Absent))
		}
		t.Row(row...)
	}
	s.Add(t)
	if len(chosen) < len(e.Cells) && worst >= 0 {
		s.Say(fmt.Sprintf("The worst of %s points, with the overall worst in bold; ", format.Count(int64(len(e.Cells)))),
			mono("--format json"), " has the others.")
	}
}

// corrected links to the corrected statement, which has its own section.
func (l *lookup) corrected(id string) []any {
	r, ok := l.results[id]
	if !ok {
		return []any{strong("Corrected"), " as ", mono(id), ", which is not part of this run."}
	}
	return []any{strong("Corrected"), " as ", claimLink(id), " (", verdictSpan(r.Verdict), ")."}
}

// planeGrid returns the table of a plane: a row for each value of the first variable. A cross marks the points that
// break the claim.
func planeGrid(p chart.Plane, e verify.Evidence) *grid {
	t := &grid{Columns: []format.Column{format.Right(p.Down + " ↓  " + p.Across + " →")}}
	if !p.Constant {
		t.Columns = append(t.Columns, format.Right("theory"))
	}
	for _, v := range p.Columns {
		t.Columns = append(t.Columns, format.Right(v))
	}
	for i, v := range p.Rows {
		row := []inline{words(v)}
		if !p.Constant {
			row = append(row, words(format.CompareCell(e.Sense, p.Cells[i][0]).Claimed))
		}
		for _, c := range p.Cells[i] {
			shown := format.ToDigits(c.Measured, chart.PlaneDigits)
			if p.Breaks(e, c) {
				shown = verify.Refuted.Symbol() + " " + shown
			}
			text := words(shown)
			if c.Label == e.WorstCase {
				text = words(strong(shown))
			}
			row = append(row, text)
		}
		t.Row(row...)
	}
	return t
}
