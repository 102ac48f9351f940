package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// maxCellRows is the most points of a claim that the Markdown shows; the JSON
// has them all.
const maxCellRows = 12

func (p *page) refuted(d Document) error {
	return p.findings(d, "Refuted", d.byVerdict(verify.Refuted, verify.Inconsistent))
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
		if err := p.cells(r.Cells); err != nil {
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

func measuredSentence(r verify.Result) markdown {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s%s.** ", strings.ToUpper(string(r.Verdict[:1])), r.Verdict[1:])
	f := compareWorst(r.Evidence)
	quantity := text(oneLine(r.Quantity))
	if quantity == "" {
		quantity = "the figure"
	}
	switch {
	case r.Measured.Set || r.Lower.Set || r.Upper.Set:
		fmt.Fprintf(&b, "Measured for %s: %s", quantity, f.Measured)
		if r.Claimed.Set {
			fmt.Fprintf(&b, ", claimed: %s", f.Claimed)
		}
		if r.Ratio.Set {
			fmt.Fprintf(&b, ", ratio %s", f.Ratio)
		}
		if r.Witness != "" {
			fmt.Fprintf(&b, "; at %s", code(r.Witness))
		}
		b.WriteString(". ")
	case r.Witness != "":
		fmt.Fprintf(&b, "Witness: %s. ", code(r.Witness))
	}
	b.WriteString(certainty(r))
	return markdown(b.String())
}

// certainty says how sure the verdict is.
func certainty(r verify.Result) string {
	switch {
	case r.Exact:
		return "Exact: computed, with no error probability."
	case r.Samples > 0:
		return fmt.Sprintf("From %s samples; error probability at most %s.", whole(r.Samples), probability(r.Alpha))
	}
	return fmt.Sprintf("Error probability at most %s.", probability(r.Alpha))
}

// cells shows the points of a claim; the columns that would be empty are left out.
func (p *page) cells(cells []verify.Cell) error {
	shown := cells[:min(len(cells), maxCellRows)]
	var exact, sampled, interval bool
	for _, c := range shown {
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
	for _, c := range shown {
		f := compareCell(c)
		row := []markdown{text(c.At), markdown(f.Claimed), markdown(f.Measured)}
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
	if more := len(cells) - len(shown); more > 0 {
		p.say("And %s: %s has them all.", plural(more, "more point"), code("--format json"))
	}
	return nil
}

func correctedSentence(d Document, id string) markdown {
	r, ok := d.find(id)
	if !ok {
		return "A corrected statement is " + code(id) + ", which is not part of this run."
	}
	f := compareWorst(r.Evidence)
	figures := ""
	if r.Measured.Set {
		figures = "Measured: " + f.Measured
		if r.Claimed.Set {
			figures += ", by theory: " + f.Claimed
		}
		figures += ". "
	}
	return markdown(fmt.Sprintf("**Corrected** (%s): %s %s%s: %s.",
		code(id), text(sentence(r.Claim.Statement)), figures, verdictCell(r.Verdict), r.Verdict.Meaning()))
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
		f := compareWorst(r.Evidence)
		list = append(list, markdown(fmt.Sprintf("Measured for %s: %s, claimed: %s.", text(oneLine(r.Quantity)), f.Measured, f.Claimed)))
	}
	if r.Power != "" {
		list = append(list, text(sentence(r.Power)))
	}
	if len(list) == 0 && r.Method != "" {
		list = append(list, text(sentence(r.Method)))
	}
	return list
}
