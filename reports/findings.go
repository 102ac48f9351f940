package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

func (p *page) refuted(d Document) error {
	title := markdown("Refuted")
	if len(d.byVerdict(verify.Inconsistent)) > 0 {
		title = "Refuted or inconsistent"
	}
	return p.findings(d, title, d.byVerdict(verify.Refuted, verify.Inconsistent))
}

func (p *page) vacuous(d Document) error {
	return p.findings(d, "True but empty", d.byVerdict(verify.Vacuous))
}

func (p *page) findings(d Document, title markdown, results []verify.Result) error {
	if len(results) == 0 {
		return nil
	}
	p.heading(2, title)
	for _, r := range results {
		if err := p.finding(d, r); err != nil {
			return err
		}
	}
	return nil
}

// finding says what was measured where, what repairs it, and how to repeat it.
func (p *page) finding(d Document, r verify.Result) error {
	p.claimHeading(r)
	p.say("%s", measuredSentence(r))
	if len(r.Cells) > 1 {
		if err := p.cells(r.Evidence); err != nil {
			return err
		}
	}
	for _, warning := range r.Warnings {
		p.say("Note: %s", text(sentence(warning)))
	}
	if r.Claim.Corrected != "" {
		p.say("%s", correctedSentence(d, r.Claim.Corrected))
	}
	p.shell(Reproduce(r.Claim.ID, d.Run.Options))
	return nil
}

func (p *page) claimHeading(r verify.Result) {
	p.heading(3, markdown(r.Verdict.Symbol()+" ")+code(r.Claim.ID)+", "+text(r.Claim.Source))
	p.quote(text(sentence(r.Claim.Statement)))
}

// measuredSentence says what was found at the worst point.
func measuredSentence(r verify.Result) markdown {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s%s**", strings.ToUpper(string(r.Verdict[:1])), r.Verdict[1:])
	if r.Witness != "" {
		fmt.Fprintf(&b, " at %s", code(r.Witness))
	}
	if r.Measured.Set || r.Lower.Set || r.Upper.Set {
		fmt.Fprintf(&b, ". The claim says %s", comparison(r.Evidence))
	}
	fmt.Fprintf(&b, ". %s", certainty(r))
	return markdown(b.String())
}

// comparison is "privacy loss ε ≤ 2; measured 2.5 [2.4, 2.6], ratio 1.25".
func comparison(e verify.Evidence) markdown {
	quantity := text(oneLine(e.Quantity))
	if quantity == "" {
		quantity = "the figure"
	}
	sense := e.Sense
	if sense == "" {
		sense = verify.Equals
	}
	f := compare(e.Claimed, e.Measured, e.Lower, e.Upper, e.Ratio, sameAs(e.Verdict))
	s := fmt.Sprintf("%s %s %s; ", quantity, sense, f.Claimed)
	if !e.Claimed.Set {
		s = fmt.Sprintf("nothing of %s; ", quantity)
	}
	if e.Exact {
		s += "computed " + f.Measured
	} else {
		s += "measured " + f.Measured
	}
	if c := worstCell(e); c >= 0 && e.Cells[c].Samples > 0 && e.Cells[c].ExactValue.Set {
		s += ", computed " + Figure(e.Cells[c].ExactValue)
	}
	if e.Ratio.Set {
		s += ", ratio " + f.Ratio
	}
	return markdown(s)
}

// certainty says how sure the verdict is.
func certainty(r verify.Result) string {
	switch {
	case r.Exact:
		return "Computed: there is no error probability."
	case r.Samples > 0:
		return fmt.Sprintf("From %s samples over all points; error probability at most %s.", whole(r.Samples), probability(r.Alpha))
	}
	return fmt.Sprintf("Error probability at most %s.", probability(r.Alpha))
}

// cells shows the points of a claim; the columns that would be empty are left out.
func (p *page) cells(e verify.Evidence) error {
	worst, chosen := worstCell(e), chooseCells(e)
	var exact, sampled, interval bool
	for _, i := range chosen {
		c := e.Cells[i]
		interval = interval || measurement{value: c.Measured, lower: c.Lower, upper: c.Upper}.interval()
		exact = exact || c.ExactValue.Set && c.Samples > 0
		sampled = sampled || c.Samples > 0
	}
	columns := []column{left("at"), right("theory"), right("measured")}
	if interval {
		columns[2] = right("measured [interval]")
	}
	if exact {
		columns = append(columns, right("computed"))
	}
	if sampled {
		columns = append(columns, right("samples"))
	}
	t := newTable(columns...)
	for _, i := range chosen {
		c := e.Cells[i]
		f := compareCell(e.Sense, c)
		at := text(c.At)
		if i == worst {
			at = "**" + at + "**"
		}
		row := []markdown{at, markdown(f.Claimed), markdown(f.Measured)}
		if exact {
			row = append(row, markdown(Figure(c.ExactValue)))
		}
		if sampled && c.Samples > 0 {
			row = append(row, markdown(whole(c.Samples)))
		} else if sampled {
			row = append(row, absent)
		}
		t.row(row...)
	}
	if err := p.table(t); err != nil {
		return err
	}
	if len(chosen) < len(e.Cells) && worst >= 0 {
		p.say("The worst of %s points, the worst of all in bold; %s has the others.", whole(int64(len(e.Cells))), code("--format json"))
	}
	return nil
}

func correctedSentence(d Document, id string) markdown {
	r, ok := d.find(id)
	if !ok {
		return "A corrected statement is " + code(id) + ", which is not part of this run."
	}
	s := fmt.Sprintf("**Corrected** as %s (%s): %s", code(id), verdictCell(r.Verdict), text(sentence(r.Claim.Statement)))
	if r.Measured.Set && r.Witness != "" {
		s += fmt.Sprintf(" At its worst point, %s, it says %s.", code(r.Witness), comparison(r.Evidence))
	}
	return markdown(s)
}

// undecided lists what has no answer, with the reasons.
func (p *page) undecided(d Document) error {
	results := d.byVerdict(verify.Error, verify.Inconclusive, verify.NotRun, verify.Untestable)
	if len(results) == 0 {
		return nil
	}
	p.heading(2, "Not decided")
	for _, r := range results {
		p.claimHeading(r)
		p.say("**%s%s**: %s.", strings.ToUpper(string(r.Verdict[:1])), r.Verdict[1:], r.Verdict.Meaning())
		if list := reasons(r); len(list) > 0 {
			p.items(list)
		}
		p.shell(Reproduce(r.Claim.ID, d.Run.Options))
	}
	return nil
}

func reasons(r verify.Result) []markdown {
	var list []markdown
	for _, warning := range r.Warnings {
		list = append(list, text(sentence(warning)))
	}
	if r.Data != "" {
		list = append(list, "Data: "+text(stopped(r.Data)))
	}
	if r.Measured.Set {
		list = append(list, "The claim says "+comparison(r.Evidence)+".")
	}
	if r.Power != "" {
		list = append(list, text(sentence(r.Power)))
	}
	if len(list) == 0 && r.Method != "" {
		list = append(list, text(sentence(r.Method)))
	}
	return list
}
