package reports

import (
	"cmp"
	"fmt"
	"io"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Erratum writes a draft erratum for the authors of each paper: its findings, the gravest first, each with its place,
// the printed statement, the corrected one, the reason, and the command that reproduces it. It omits claims that hold
// or were not decided.
func Erratum(w io.Writer, d Document) error {
	d.Run = format.TidyRun(d.Run)
	d.Full = false
	l := newLookup(d)
	a := Sheet{Title: "Errata", Body: section{Level: 1, Title: words("Errata")}}
	groups := d.groups()
	for _, g := range groups {
		s := g.erratum(l)
		if len(groups) == 1 {
			s.Level, s.Title = 1, words("Erratum: "+g.title())
			a.Title, a.Body = s.Title.Line(), s
			break
		}
		a.Body.Add(s)
	}
	return a.Markdown(w)
}

func (g group) erratum(l *lookup) section {
	s := section{Level: 2, Title: g.heading()}
	found := l.found[g.ID]
	if len(found) == 0 {
		s.Say("No judged claim is wrong.")
		return s
	}
	switch {
	case g.Year != 0:
		s.Say(format.Stopped(g.published()))
	case g.Authors != "":
		s.Say(format.Stopped(g.Authors))
	}
	s.Say("Each item can be checked by hand, or by the command below it with dpverify " + l.Version +
		". Statements are in our words, with the letters of the paper.")
	for i, f := range found {
		s.Add(l.erratumItem(i+1, f)...)
	}
	if slips := g.errata(false); len(slips.Blocks) > 0 {
		s.Add(slips)
	}
	return s
}

// erratumItem returns a numbered finding with its place, the printed statement, the reason, and the corrected
// statement.
func (l *lookup) erratumItem(n int, f finding) []block {
	r := f.worst
	place := cmp.Or(format.OneLine(r.Claim.Place), r.Claim.Source)
	title := cmp.Or(f.Title, r.Claim.Source)
	var blocks []block
	say := func(parts ...any) { blocks = append(blocks, paragraph(words(parts...))) }
	say(strong(fmt.Sprintf("%d. %s.", n, title)), " Place: "+format.Stopped(place))
	said := "Printed: "
	if r.Claim.Origin != verify.Stated {
		said = "Implied: "
	}
	say(said + format.Sentence(r.Claim.Statement))
	if f.Formula != "" {
		blocks = append(blocks, paragraph(words(mono(f.Formula))))
	}
	say("Found: ", inNumbers(r))
	if f.Reason != "" {
		say("Why: " + format.Sentence(f.Reason))
	}
	if c, ok := l.results[r.Claim.Corrected]; ok && format.IsSupported(c.Verdict) {
		say("Corrected: " + format.Sentence(c.Claim.Statement))
		if f.CorrectedFormula != "" {
			blocks = append(blocks, paragraph(words(mono(f.CorrectedFormula))))
		}
	}
	return append(blocks, command(l.repeat(r.Claim.ID)))
}
