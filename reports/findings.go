package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/curves"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// claim is the section of one claim: what is said, what was found, where, how,
// and the command that finds it again.
func (l *lookup) claim(r verify.Result) article.Section {
	s := article.Section{Anchor: article.Anchor(r.Claim.ID), Level: 4, Tone: string(r.Verdict), Folded: l.Full && l.long}
	s.Facets = []article.Facet{{Name: "kind", Value: string(r.Claim.Kind)}, {Name: "origin",
		Value: string(r.Claim.Origin)}}
	s.Title = article.Words(r.Verdict.Symbol()+" ", article.Mono(r.Claim.ID), ", "+r.Claim.Source)
	s.Add(article.Quotation(article.Words(markdown.Sentence(r.Claim.Statement))))
	if r.Claim.Place != "" {
		s.Say(markdown.Sentence(r.Claim.Origin.Words() + ": " + r.Claim.Place))
	}
	s.Say(verdictSentence(r)...)
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
		} else if !figures.Stands(r.Verdict) {
			l.cells(&s, r)
		}
	}
	for _, warning := range r.Warnings {
		s.Say("Note: " + markdown.Sentence(warning))
	}
	if r.Claim.Corrected != "" {
		s.Say(l.corrected(r.Claim.Corrected)...)
	}
	curves.Add(&s, r)
	var notes article.Listing
	for _, n := range l.notes(r) {
		notes = append(notes, article.Item{Head: n})
	}
	s.Add(notes)
	if !l.long || !figures.Stands(r.Verdict) { // the summary says how any claim is repeated
		s.Add(article.Command(l.again(r)))
	}
	return s
}

// again is the command that judges a claim again; one that lacked its data gets it.
func (l *lookup) again(r verify.Result) string {
	line := l.repeat(r.Claim.ID)
	if r.Verdict == verify.NotRun && !l.Whole && !strings.HasSuffix(line, dataFlag) {
		line += dataFlag
	}
	return line
}

// notes tell how a claim was measured, and of its other readings.
func (l *lookup) notes(r verify.Result) []article.Inline {
	var list []article.Inline
	add := func(title, s string) {
		if s != "" {
			list = append(list, article.Words(article.Label(title), " "+s))
		}
	}
	kind := "Kind: " + string(r.Claim.Kind) + "."
	if r.Quantity != "" { // a formula, which a full stop would spoil
		list = append(list, article.Words(article.Label(kind), " Quantity: "+r.Quantity))
	} else {
		list = append(list, article.Words(article.Label(kind)))
	}
	add("Method:", markdown.Stopped(r.Method))
	if r.Delta.Set {
		add("Certified δ at the claimed ε:",
			fmt.Sprintf("at least %s, with a hundredth of the error probability.", figures.Figure(r.Delta)))
	}
	add("Power:", markdown.Stopped(r.Power))
	if r.Samples > 0 {
		add(article.Capital(drawnNoun(r.Claim.Kind))+"s:",
			fmt.Sprintf("%s in all, error probability %s.", figures.Whole(r.Samples), figures.Probability(r.Alpha)))
	}
	if r.Verdict != verify.NotRun || len(r.Warnings) == 0 { // which tell of the file
		add("Data:", markdown.Stopped(r.Data))
	}
	if experiments := l.experimentsOf(r); len(experiments) > 0 {
		list = append(list, drawing(experiments))
	}
	if of := l.corrects[r.Claim.ID]; len(of) > 0 {
		list = append(list, article.Words(article.Label("Corrects:"), " ", l.named(of), "."))
	}
	return list
}

// named lists claims with their verdicts.
func (l *lookup) named(ids []string) article.Inline {
	var all article.Inline
	for i, id := range ids {
		if i > 0 {
			all = article.Words(all, ", ")
		}
		all = article.Words(all, article.ClaimLink(id), " (", article.VerdictSpan(l.results[id].Verdict), ")")
	}
	return all
}

// verdictSentence says what was found at the worst point, and how sure that is.
func verdictSentence(r verify.Result) []any {
	parts := []any{article.Span{Style: article.Bold, Text: article.Capital(r.Verdict), Tone: string(r.Verdict)}}
	measured := r.Measured.Set || r.Lower.Set || r.Upper.Set
	if r.Verdict == verify.Vacuous {
		parts = append(parts, " ("+r.Verdict.Meaning()+")")
	}
	switch {
	case !measured && !figures.Wrong(r.Verdict) && r.Verdict != verify.Vacuous:
		return append(parts, ": "+r.Verdict.Meaning()+".")
	case r.Witness != "" && figures.Stands(r.Verdict):
		parts = append(parts, "; its worst point is ", article.Mono(r.Witness))
	case r.Witness != "":
		parts = append(parts, " at ", article.Mono(r.Witness))
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
	return compare(e, figures.Compared(e.Claimed, e.Measured, e.Lower, e.Upper, e.Ratio, figures.SameAs(e.Verdict)))
}

// compare puts figures of a claim into words.
func compare(e verify.Evidence, f figures.Figures) compared {
	quantity, _, _ := strings.Cut(markdown.OneLine(e.Quantity), "; ") // what follows is the setting
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
		c.claimed = "nothing of " + quantity
	}
	if e.Exact {
		c.verb = "Computed"
	}
	if i := chart.WorstCell(e); i >= 0 && e.Cells[i].Samples > 0 && e.Cells[i].ExactValue.Set {
		c.found += ", computed " + figures.Figure(e.Cells[i].ExactValue)
	}
	return c
}

// certainty says how sure the verdict is.
func certainty(r verify.Result) string {
	switch {
	case r.Exact && r.Basis != nil && r.Basis.Method == "replay":
		return "Computed from replays, not sampled."
	case r.Exact:
		return "Computed: there is no error probability."
	case r.Samples > 0:
		return fmt.Sprintf("From %s in all; error probability at most %s.", sampled(r), figures.Probability(r.Alpha))
	}
	return fmt.Sprintf("Error probability at most %s.", figures.Probability(r.Alpha))
}

// drawnNoun is what is counted: outputs of a mechanism, or runs of an algorithm.
func drawnNoun(k verify.Kind) string {
	if k == verify.Privacy || k == verify.Unbiasedness {
		return "sample"
	}
	return "run"
}

func sampled(r verify.Result) string {
	return figures.Whole(r.Samples) + " " + drawnNoun(r.Claim.Kind) + "s"
}

// cells shows the points of a claim; the columns that would be empty are left out.
func (l *lookup) cells(s *article.Section, r verify.Result) {
	e := r.Evidence
	worst, chosen := chart.WorstCell(e), chart.ChooseCells(e)
	var claimed, exact, sampled, interval bool
	for _, i := range chosen {
		c := e.Cells[i]
		interval = interval || figures.Measurement{Value: c.Measured, Lower: c.Lower, Upper: c.Upper}.Interval()
		claimed = claimed || c.Claimed.Set
		exact = exact || c.ExactValue.Set && c.Samples > 0
		sampled = sampled || c.Samples > 0
	}
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("at")}}
	if claimed {
		t.Columns = append(t.Columns, markdown.Right("theory"))
	}
	if interval {
		t.Columns = append(t.Columns, markdown.Right("measured [interval]"))
	} else {
		t.Columns = append(t.Columns, markdown.Right("measured"))
	}
	if exact {
		t.Columns = append(t.Columns, markdown.Right("computed"))
	}
	if sampled {
		t.Columns = append(t.Columns, markdown.Right(drawnNoun(r.Claim.Kind)+"s"))
	}
	for _, i := range chosen {
		c := e.Cells[i]
		f := figures.CompareCell(e.Sense, c)
		at := article.Words(c.At)
		if i == worst {
			at = article.Words(article.Strong(c.At))
		}
		row := []article.Inline{at}
		if claimed {
			row = append(row, article.Words(f.Claimed))
		}
		row = append(row, article.Words(f.Measured))
		if exact {
			row = append(row, article.Words(figures.Figure(c.ExactValue)))
		}
		if sampled && c.Samples > 0 {
			row = append(row, article.Words(figures.Whole(c.Samples)))
		} else if sampled {
			row = append(row, article.Words(figures.Absent))
		}
		t.Row(row...)
	}
	s.Add(t)
	if len(chosen) < len(e.Cells) && worst >= 0 {
		s.Say(fmt.Sprintf("The worst of %s points, the worst of all in bold; ", figures.Whole(int64(len(e.Cells)))),
			article.Mono("--format json"), " has the others.")
	}
}

// corrected leads to the corrected statement, which follows in a section of its own.
func (l *lookup) corrected(id string) []any {
	r, ok := l.results[id]
	if !ok {
		return []any{article.Strong("Corrected"), " as ", article.Mono(id), ", which is not part of this run."}
	}
	return []any{article.Strong("Corrected"), " as ", article.ClaimLink(id), " (", article.VerdictSpan(r.Verdict), ")."}
}

// planeGrid is the table of a plane: a row for each value of the first variable. A cross marks
// what breaks the claim.
func planeGrid(p chart.Plane, e verify.Evidence) *article.Grid {
	t := &article.Grid{Columns: []markdown.Column{markdown.Right(p.Down + " ↓  " + p.Across + " →")}}
	if !p.Constant {
		t.Columns = append(t.Columns, markdown.Right("theory"))
	}
	for _, v := range p.Columns {
		t.Columns = append(t.Columns, markdown.Right(v))
	}
	for i, v := range p.Rows {
		row := []article.Inline{article.Words(v)}
		if !p.Constant {
			row = append(row, article.Words(figures.CompareCell(e.Sense, p.Cells[i][0]).Claimed))
		}
		for _, c := range p.Cells[i] {
			shown := figures.ToDigits(c.Measured, chart.PlaneDigits)
			if p.Breaks(e, c) {
				shown = verify.Refuted.Symbol() + " " + shown
			}
			text := article.Words(shown)
			if c.At == e.Witness {
				text = article.Words(article.Strong(shown))
			}
			row = append(row, text)
		}
		t.Row(row...)
	}
	return t
}
