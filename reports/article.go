package reports

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/reports/internal/replayed"
	"github.com/dpverify/dpverify/verify"
)

// shortReport is the most claims of one paper that are shown without a digest
// and a table of contents before them.
const shortReport = 8

const correctionMark = "↳"

// compose builds the report of a run: how it was made, a summary by verdict,
// then paper by paper what its user must know, what is not decided, the table
// of all claims, and each claim with its evidence.
func compose(d Document) article.Article {
	d.Run = figures.Tidied(d.Run)
	title := d.Title
	if title == "" {
		title = "dpverify report"
	}
	l := newLookup(d)
	groups := d.groups()
	a := article.Article{Title: title, Contents: len(d.Run.Results) > shortReport || len(groups) > 1}
	l.long = a.Contents
	a.Body = article.Section{Level: 1, Title: article.Words(title)}
	a.Body.Blocks = preamble(d)
	papers := make([]article.Section, len(groups))
	for i, g := range groups {
		papers[i] = g.section(l, a.Contents)
	}
	if a.Contents && d.Full {
		a.Body.Add(contents(groups, papers))
	}
	a.Body.Add(summary(l, groups))
	for _, p := range papers {
		a.Body.Add(p)
	}
	if a.Contents {
		a.Body.Add(article.Glossary())
	}
	return a
}

func preamble(d Document) []article.Block {
	o := d.Run.Options
	var s article.Section
	s.Say(fmt.Sprintf("Differential-privacy claims, measured beside theory by dpverify %s (%s) with seed %d, error "+
		"probability α = %s for the whole ledger, and the %s budget.",
		d.Version, d.Go, o.Seed, figures.Shortest(o.Alpha), o.Budget))
	if d.Run.Interrupted {
		s.Say(article.Strong("This run was interrupted."), " It shows "+finished(d.Run)+".")
	}
	for _, note := range d.Notes {
		s.Say(note)
	}
	if d.Command != "" {
		s.Say(repeatable(d.Run.Results)...)
		s.Add(article.Command(d.Command))
	}
	return s.Blocks
}

// repeatable says what the command of the report repeats.
func repeatable(results []verify.Result) (sentence []any) {
	own := unseeded(results)
	if len(own) == 0 {
		return []any{"The same command gives the same report, byte for byte:"}
	}
	sentence = append(sentence, "The same command gives the same report, but for "+plural(len(own),
		"claim")+" about mechanisms with randomness of their own: ")
	for i, r := range own {
		if i > 0 {
			sentence = append(sentence, ", ")
		}
		sentence = append(sentence, article.Mono(r.Claim.ID))
	}
	return append(
		sentence,
		". Their figures, and what follows from them, differ from run to run; the error probability "+
			"is that of each run, and m runs spend it m times. All else is the same, byte for byte:",
	)
}

func exceptUnseeded(results []verify.Result) string {
	if len(unseeded(results)) == 0 {
		return ""
	}
	return ", unless its mechanism has randomness of its own"
}

// unseeded are the results about mechanisms with randomness of their own.
func unseeded(results []verify.Result) (out []verify.Result) {
	for _, r := range results {
		if r.Unseeded {
			out = append(out, r)
		}
	}
	return out
}

// finished is how much of an interrupted run there is; a report of an older
// version does not say how much was to be.
func finished(r verify.Run) string {
	if r.Selected == 0 {
		return "the " + plural(len(r.Results), "claim") + " finished before that"
	}
	return fmt.Sprintf("%s of %s", figures.Whole(int64(len(r.Results))), plural(r.Selected, "claim"))
}

// contents leads to the papers and to the parts of each.
func contents(groups []group, papers []article.Section) article.Section {
	s := article.Section{Anchor: "contents", Level: 2, Title: article.Words("Contents")}
	list := article.Listing{{Head: article.Words(article.Span{Text: "Summary", Anchor: "summary"})}}
	for i, g := range groups {
		it := article.Item{
			Head: article.Words(
				article.Span{Text: g.title(), Anchor: g.anchor("paper")},
				": "+plural(len(g.results), "claim"),
			),
		}
		it.Notes = append(it.Notes, partsOf(papers[i]))
		list = append(list, it)
	}
	s.Add(list)
	return s
}

// partsOf leads to the sections of a paper.
func partsOf(paper article.Section) article.Inline {
	var parts article.Inline
	for _, b := range paper.Blocks {
		if part, ok := b.(article.Section); ok {
			if len(parts) > 0 {
				parts = article.Words(parts, " · ")
			}
			parts = article.Words(parts, article.Span{Text: part.Title[0].Text, Anchor: part.Anchor})
		}
	}
	return parts
}

func summary(l *lookup, groups []group) article.Section {
	s := article.Section{Anchor: "summary", Level: 2, Title: article.Words("Summary")}
	results := l.Run.Results
	if len(results) == 0 {
		s.Say("No claim was judged.")
		return s
	}
	t := &article.Grid{
		Columns: []markdown.Column{markdown.Left("verdict"), markdown.Right("claims"), markdown.Left("meaning")},
	}
	for _, c := range count(results) {
		t.Row(
			article.Words(article.VerdictSpan(c.verdict)),
			article.Words(figures.Whole(int64(c.n))),
			article.Words(c.verdict.Meaning()),
		)
	}
	t.Row(article.Words("all"), article.Words(figures.Whole(int64(len(results)))), nil)
	s.Add(t)
	if len(groups) > 1 {
		s.Add(papersTable(l, groups))
	}
	if !l.Full {
		replayed.Line(&s, l.Replays)
	}
	if l.Command != "" && !l.Whole {
		s.Say("Any single claim is repeated by ", article.Mono(Reproduce("ID", l.Run.Options)),
			" with its id; it gets the verdict and the figures that it has here"+exceptUnseeded(results)+".")
	}
	return s
}

// papersTable has a row for each paper: how its claims fared, and the gravest finding.
func papersTable(l *lookup, groups []group) *article.Grid {
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("paper"), markdown.Right("claims"),
		markdown.Left("verdicts"), markdown.Left("gravest finding")}, Wide: true}
	for _, g := range groups {
		gravest := article.Words("none")
		if found := l.findings(g.results); len(found) > 0 {
			gravest = article.Words(cmp.Or(found[0].Title, found[0].worst.Claim.Source))
		}
		t.Row(
			article.Words(article.Span{Text: g.title(), Anchor: g.anchor("paper")}),
			article.Words(figures.Whole(int64(len(g.results)))),
			article.Words(marks(g.results)),
			gravest,
		)
	}
	return t
}

func (g group) title() string {
	if g.Title == "" {
		return g.ID
	}
	return g.Title
}

func (g group) heading() article.Inline {
	if g.Title == "" {
		return article.Words(article.Mono(g.ID))
	}
	return article.Words(g.Title)
}

// anchor of the paper's section, or of a part of it.
func (g group) anchor(part string) string {
	return part + "-" + strings.ReplaceAll(article.Anchor(g.ID), "/", "-")
}

func (g group) fared() string {
	var parts []string
	for _, c := range count(g.results) {
		parts = append(parts, fmt.Sprintf("%s %d", c.verdict, c.n))
	}
	return strings.Join(parts, ", ")
}

func (g group) section(l *lookup, readable bool) article.Section {
	s := article.Section{Anchor: g.anchor("paper"), Level: 2, Title: g.heading()}
	s.Say(g.about(), article.Mono(g.ID+"/"), ": "+g.fared()+".")
	if readable {
		s.Add(g.readable(l)...)
	}
	switch {
	case !readable:
		s.Add(g.table(), g.claims(l))
	case l.Full:
		table := article.Section{Anchor: g.anchor("table"), Level: 3, Title: article.Words("Theory and measurement"),
			Folded: true}
		table.Say(tableSays)
		table.Add(g.table())
		s.Add(table)
		replayed.Table(&s, g.anchor("replayed"), g.ID, l.Replays, l.results, l.link)
		s.Add(g.claims(l))
	}
	return s
}

// tableSays tells how the table of all claims is read.
const tableSays = "Theory is the value that a claim states, or its bound, and measured is what was found, both at " +
	"the " +
	"claim's worst point; the section of the claim says of what quantity. An end of an interval in brackets " +
	"that decides the verdict errs with probability at most the claim's share of α; in audits of privacy that " +
	"is the lower one, and the upper one, which decides nothing, errs with as much of its own; a figure " +
	"without one was computed, not sampled. The ratio is measured over theory. " + correctionMark + " marks what the " +
	"claim above " +
	"it becomes when it is corrected. Letters in a claim are those of its paper, so that α there can be a " +
	"privacy parameter, a weight or an order; in the sentences about errors it is the report's."

func (g group) claims(l *lookup) article.Section {
	s := article.Section{Anchor: g.anchor("claims"), Level: 3, Title: article.Words("Claim by claim")}
	for _, r := range g.rows() {
		s.Add(l.claim(r.Result))
	}
	return s
}

// about says who wrote the paper, and how many of its claims there are.
func (g group) about() string {
	claims := plural(len(g.results), "claim") + " under "
	switch {
	case g.Authors == "":
		return claims
	case g.Year != 0:
		return fmt.Sprintf("%s (%d). %s", g.Authors, g.Year, claims)
	}
	return markdown.Stopped(g.Authors) + " " + claims
}

func (g group) table() *article.Grid {
	t := &article.Grid{
		Columns: []markdown.Column{markdown.Left("claim"), markdown.Left("where"), markdown.Right("theory"),
			markdown.Right("measured [interval]"), markdown.Right("ratio"), markdown.Left("verdict")},
		Wide: true,
	}
	for _, r := range g.rows() {
		f := figures.CompareWorst(r.Evidence)
		name := article.Words(article.ClaimLink(r.Claim.ID))
		if r.correction {
			name = article.Words(correctionMark+" ", name)
		}
		t.Row(
			name,
			article.Words(r.Claim.Source),
			article.Words(f.Claimed),
			article.Words(f.Measured),
			article.Words(f.Ratio),
			article.Words(article.VerdictSpan(r.Verdict)),
		)
	}
	return t
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return figures.Whole(int64(n)) + " " + noun + "s"
}

// lower is a title within a sentence.
func lower(title string) string { return strings.ToLower(title[:1]) + title[1:] }
