package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// shortReport is the most claims of one paper that are shown without a digest
// and a table of contents before them.
const shortReport = 8

const correctionMark = "↳"

// compose builds the report of a run: how it was made, a summary by verdict,
// then paper by paper what its user must know, what is not decided, the table
// of all claims, and each claim with its evidence.
func compose(d Document) Sheet {
	d.Run = format.TidyRun(d.Run)
	title := d.Title
	if title == "" {
		title = "dpverify report"
	}
	l := newLookup(d)
	groups := d.groups()
	a := Sheet{Title: title, Contents: len(d.Run.Results) > shortReport || len(groups) > 1}
	l.long = a.Contents
	a.Body = section{Level: 1, Title: words(title)}
	a.Body.Blocks = preamble(d)
	papers := make([]section, len(groups))
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
		a.Body.Add(glossary())
	}
	return a
}

func preamble(d Document) []block {
	o := d.Run.Options
	var s section
	s.Say(fmt.Sprintf("Differential-privacy claims, measured beside theory by dpverify %s (%s) with seed %d, error "+
		"probability α = %s for the whole ledger, and the %s budget.",
		d.Version, d.Go, o.Seed, format.Shortest(o.Alpha), o.Budget))
	if d.Run.Interrupted {
		s.Say(strong("This run was interrupted."), " It shows "+finished(d.Run)+".")
	}
	for _, note := range d.Notes {
		s.Say(note)
	}
	if d.Command != "" {
		s.Say(repeatable(d.Run.Results)...)
		s.Add(command(d.Command))
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
		sentence = append(sentence, mono(r.Claim.ID))
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
	return fmt.Sprintf("%s of %s", format.Count(int64(len(r.Results))), plural(r.Selected, "claim"))
}

// contents leads to the papers and to the parts of each.
func contents(groups []group, papers []section) section {
	s := section{Anchor: "contents", Level: 2, Title: words("Contents")}
	list := listing{{Head: words(span{Text: "Summary", Anchor: "summary"})}}
	for i, g := range groups {
		it := item{
			Head: words(
				span{Text: g.title(), Anchor: g.anchor("paper")},
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
func partsOf(paper section) inline {
	var parts inline
	for _, b := range paper.Blocks {
		if part, ok := b.(section); ok {
			if len(parts) > 0 {
				parts = words(parts, " · ")
			}
			parts = words(parts, span{Text: part.Title[0].Text, Anchor: part.Anchor})
		}
	}
	return parts
}

func summary(l *lookup, groups []group) section {
	s := section{Anchor: "summary", Level: 2, Title: words("Summary")}
	results := l.Run.Results
	if len(results) == 0 {
		s.Say("No claim was judged.")
		return s
	}
	columns, rows := verdictTable(results)
	t := &grid{Columns: columns}
	for i, row := range rows {
		cells := []inline{words(row[0])}
		if i < len(rows)-1 {
			cells[0] = words(verdictSpan(verify.Verdict(row[0])))
		}
		for _, text := range row[1:] {
			cells = append(cells, words(text))
		}
		t.Row(cells...)
	}
	s.Add(t)
	if len(columns) > 3 {
		s.Say("Ours are our readings, our corrections, and our observations at the settings of a paper.")
	}
	if len(groups) > 1 {
		s.Add(papersTable(l, groups))
	}
	if l.Command != "" && !l.Whole {
		s.Say("Any single claim is repeated by ", mono(Reproduce("ID", l.Run.Options)),
			" with its id; it gets the verdict and the figures that it has here"+exceptUnseeded(results)+".")
	}
	return s
}

// papersTable has a row for each paper: how its claims fared, and the gravest finding.
func papersTable(l *lookup, groups []group) *grid {
	columns := []format.Column{format.Left("paper"), format.Right("claims"), format.Left("verdicts")}
	_, ours := byOrigin(l.Run.Results)
	if len(ours) > 0 {
		columns = append(columns, format.Right("ours"), format.Left("verdicts"))
	}
	t := &grid{Columns: append(columns, format.Left("gravest finding")), Wide: true}
	for _, g := range groups {
		gravest := words("none")
		if found := l.findings(g.results); len(found) > 0 {
			gravest = words(cmp.Or(found[0].Title, found[0].worst.Claim.Source))
		}
		theirs, own := byOrigin(g.results)
		row := []inline{words(span{Text: g.title(), Anchor: g.anchor("paper")}), words(format.Count(int64(len(theirs)))),
			words(marks(theirs))}
		if len(ours) > 0 {
			row = append(row, words(format.Count(int64(len(own)))), words(marks(own)))
		}
		t.Row(append(row, gravest)...)
	}
	return t
}

func (g group) title() string {
	if g.Title == "" {
		return g.ID
	}
	return g.Title
}

func (g group) heading() inline {
	if g.Title == "" {
		return words(mono(g.ID))
	}
	return words(g.Title)
}

// anchor of the paper's section, or of a part of it.
func (g group) anchor(part string) string {
	return part + "-" + strings.ReplaceAll(anchor(g.ID), "/", "-")
}

func (g group) fared() string {
	theirs, ours := byOrigin(g.results)
	inWords := func(results []verify.Result) string {
		var parts []string
		for _, c := range count(results) {
			parts = append(parts, fmt.Sprintf("%s %d", c.verdict, c.n))
		}
		return strings.Join(parts, ", ")
	}
	if len(ours) == 0 {
		return inWords(theirs)
	}
	return fmt.Sprintf("%s; ours: %s", inWords(theirs), inWords(ours))
}

func (g group) section(l *lookup, readable bool) section {
	s := section{Anchor: g.anchor("paper"), Level: 2, Title: g.heading()}
	s.Say(g.about(), mono(g.ID+"/"), ": "+g.fared()+".")
	if readable {
		s.Add(g.readable(l)...)
	}
	switch {
	case !readable:
		s.Add(g.table(), g.claims(l))
	case l.Full:
		table := section{Anchor: g.anchor("table"), Level: 3, Title: words("Theory and measurement"),
			Folded: true}
		table.Say(tableSays)
		table.Add(g.table())
		s.Add(table)
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

func (g group) claims(l *lookup) section {
	s := section{Anchor: g.anchor("claims"), Level: 3, Title: words("Claim by claim")}
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
	return format.Stopped(g.Authors) + " " + claims
}

func (g group) table() *grid {
	t := &grid{
		Columns: []format.Column{format.Left("claim"), format.Left("where"), format.Right("theory"),
			format.Right("measured [interval]"), format.Right("ratio"), format.Left("verdict")},
		Wide: true,
	}
	for _, r := range g.rows() {
		f := format.CompareWorst(r.Evidence)
		name := words(claimLink(r.Claim.ID))
		if r.correction {
			name = words(correctionMark+" ", name)
		}
		t.Row(
			name,
			words(r.Claim.Source),
			words(f.Claimed),
			words(f.Measured),
			words(f.Ratio),
			words(verdictSpan(r.Verdict)),
		)
	}
	return t
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return format.Count(int64(n)) + " " + noun + "s"
}

// lower is a title within a sentence.
func lower(title string) string { return strings.ToLower(title[:1]) + title[1:] }

// reportFile is the Markdown in a directory of results.
const reportFile = "report.md"

// FileNames are those that [Files] can give to a report on some papers, the one to begin with first.
func FileNames(papers []Paper) []string {
	names := []string{reportFile}
	for _, p := range papers {
		names = append(names, pictureFile(p))
	}
	return names
}

// Files is the Markdown with its pictures, by the names of files for one directory: a picture for each
// paper with a finding that one can show.
func Files(d Document) (map[string][]byte, error) { return compose(d).Files(reportFile) }

// Markdown writes what a reader of the papers must know, and, where the document is full, every
// claim with its evidence after it. A report of few claims is these claims alone.
func Markdown(w io.Writer, d Document) error { return compose(d).Markdown(w) }

// HTML writes the full document as one page that stands alone, with pictures of the points of
// each claim.
func HTML(w io.Writer, d Document) error {
	d.Full = true
	return compose(d).HTML(w)
}

// glossary explains the words of the report that a reader of the papers need not know.
func glossary() section {
	s := section{Anchor: "glossary", Level: 2, Title: words("Words")}
	var list listing
	for _, term := range [][2]string{
		{"α", "the probability, over the report's own randomness, that any sampled verdict against a claim is " +
			"wrong; divided over all claims. Computed verdicts spend none of it. Letters in a claim are those of " +
			"its paper"},
		{"computed, measured", "worked out exactly or within proven bounds, against estimated from samples; [a, b] is " +
			"the interval " +
			"that holds at the claim's share of α"},
		{"privacy loss", "the logarithm of the ratio of the probabilities of an output under two neighbouring inputs; ε " +
			"bounds " +
			"it"},
		{"neighbouring inputs", "data sets that differ in one record, as the paper defines it"},
		{"worst point", "the point of the stated domain at which a claim fares worst; the figures are those found there"},
		{"✗", "refuted by a counterexample, or contradicted by the paper itself"},
		{"∅", "true but empty: nothing follows from it"},
		{"✓", "shown by computation over the stated domain, or sampled and not refuted by a test that would have " +
			"seen the violation named"},
	} {
		list = append(list, item{Head: words(strong(term[0]), ": "+term[1]+".")})
	}
	s.Add(list)
	return s
}
