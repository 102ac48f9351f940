package reports

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// shortReport is the maximum number of claims in a report about one paper that has neither a summary table nor a
// table of contents.
const shortReport = 8

const correctionMark = "↳"

// compose builds the report of a run: how it was made, a summary, then paper by paper the findings, the claims
// without an answer, the table of all claims, and each claim with its evidence.
func compose(d Document) Sheet {
	d.Run = format.TidyRun(d.Run)
	title := d.Title
	if title == "" {
		title = "dpverify report"
	}
	l := newLookup(d)
	groups := l.groups
	a := Sheet{Title: title, Contents: len(d.Run.Results) > shortReport || len(groups) > 1}
	l.long = a.Contents
	a.Body = section{Level: 1, Title: words(title)}
	a.Body.Blocks = preamble(d)
	papers := make([]section, len(groups))
	for i, g := range groups {
		papers[i] = g.section(l, a.Contents)
	}
	a.Body.Add(summary(l, groups))
	if a.Contents && d.Full {
		a.Body.Add(contents(groups, papers))
	}
	if a.Contents {
		a.Body.Add(howToRead())
	}
	if slices.ContainsFunc(d.Run.Results, hasOrigin) && a.Contents {
		a.Body.Add(privacyFindings(l, groups))
	}
	for _, p := range papers {
		a.Body.Add(p)
	}
	return a
}

func preamble(d Document) []block {
	o := d.Run.Options
	var s section
	s.Say(fmt.Sprintf("Differential-privacy claims, checked by dpverify %s (%s) with seed %d, error "+
		"probability α = %s for the whole claim set, and the %s budget.",
		d.Version, d.Go, o.Seed, format.Shortest(o.Alpha), o.Budget))
	if d.Run.Interrupted {
		s.Say(strong("This run was interrupted."), " It shows "+finished(d.Run)+".")
	}
	for _, note := range d.Notes {
		s.Say(note)
	}
	if d.Command != "" {
		if d.Continues != "" {
			s.Say("To repeat this run, restore the file ", mono(d.Continues), " to its state before the run.")
		}
		s.Say(repeatable(d.Run.Results)...)
		s.Add(command(d.Command))
	}
	return s.Blocks
}

// repeatable introduces the command of the report, and names the claims whose figures it does not repeat.
func repeatable(results []verify.Result) (sentence []any) {
	own := unseeded(results)
	if len(own) == 0 {
		return []any{"The same command gives the same report, byte for byte:"}
	}
	sentence = append(sentence, "The same command gives the same report, except for "+plural(len(own),
		"claim")+" about mechanisms that use other randomness than the seed: ")
	for i, r := range own {
		if i > 0 {
			sentence = append(sentence, ", ")
		}
		sentence = append(sentence, mono(r.Claim.ID))
	}
	return append(
		sentence,
		". Their figures, and the text derived from them, differ between runs. Without an evidence file, the "+
			"error probability applies to each run, so m runs spend it m times. Everything else is the same, byte for byte:",
	)
}

func exceptUnseeded(results []verify.Result) string {
	if len(unseeded(results)) == 0 {
		return ""
	}
	return ", unless its mechanism uses other randomness than the seed"
}

// unseeded returns the results about mechanisms that use other randomness than the seed.
func unseeded(results []verify.Result) (out []verify.Result) {
	for _, r := range results {
		if r.Unseeded {
			out = append(out, r)
		}
	}
	return out
}

// finished counts the finished claims of an interrupted run. Reports of older versions do not record how many claims
// were selected.
func finished(r verify.Run) string {
	if r.Selected == 0 {
		return "the " + plural(len(r.Results), "claim") + " finished before that"
	}
	return fmt.Sprintf("%s of %s", format.Count(int64(len(r.Results))), plural(r.Selected, "claim"))
}

// contents returns a table of contents, with links to the papers and their sections.
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

// partsOf returns links to the sections of a paper.
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

// cited returns "Doe et al. 2020", or the title or id of a paper without authors.
func (p Paper) cited() string {
	if p.Authors == "" {
		return cmp.Or(p.Title, p.ID)
	}
	name, _, several := strings.Cut(p.Authors, ", ")
	if several {
		name += " et al."
	}
	if p.Year != 0 {
		name += fmt.Sprintf(" %d", p.Year)
	}
	return name
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

// anchor returns the anchor of the paper's section, or of a part of it.
func (g group) anchor(part string) string {
	return part + "-" + strings.ReplaceAll(anchor(g.ID), "/", "-")
}

// inWords writes the counts of verdicts, as in "holds 3, refuted 1".
func (d Document) inWords(results []verify.Result) string {
	var parts []string
	for _, c := range d.count(results) {
		parts = append(parts, fmt.Sprintf("%s %d", c.verdict, c.n))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

func (g group) verdicts(l *lookup) string {
	theirs, ours := byOrigin(g.results)
	if len(ours) == 0 {
		return l.inWords(theirs)
	}
	return fmt.Sprintf("%s; ours: %s", l.inWords(theirs), l.inWords(ours))
}

func (g group) section(l *lookup, readable bool) section {
	s := section{Anchor: g.anchor("paper"), Level: 2, Title: g.heading()}
	s.Say(g.about(), mono(g.ID+"/"), ": "+g.verdicts(l)+".")
	if readable && g.Assessment != "" {
		s.Say(strong("Our assessment"), ": "+format.Sentence(g.Assessment))
	}
	if readable {
		s.Add(g.readable(l)...)
	}
	switch {
	case !readable:
		s.Add(g.table(l))
		s.Add(tableNotes(g.results)...)
		s.Add(g.claims(l))
	case l.Full:
		table := section{Anchor: g.anchor("table"), Level: 3, Title: words("Theory and measurement"),
			Folded: true}
		table.Say(tableSays)
		table.Add(g.table(l))
		table.Add(tableNotes(g.results)...)
		s.Add(table)
		s.Add(g.claims(l))
	}
	return s
}

// tableSays explains the columns of the table of all claims.
const tableSays = "Theory is the value or bound that a claim states, and measured is the value that was found. Both " +
	"are at the claim's worst point; the section of the claim names the quantity. Intervals are in brackets. The end " +
	"that decides the verdict errs with probability at most the claim's share of α. In privacy audits this is the " +
	"lower end; the upper end decides nothing and has its own error probability of the same size. A figure without " +
	"an interval was computed, not sampled. The ratio is measured divided by theory. " + correctionMark + " marks the " +
	"correction of the claim above it. Letters in a claim are its paper's letters: α there can be a privacy parameter, " +
	"a weight or an order. In sentences about errors, α is the report's error probability."

func (g group) claims(l *lookup) section {
	s := section{Anchor: g.anchor("claims"), Level: 3, Title: words("Claim by claim")}
	for _, r := range g.rows() {
		s.Add(l.claim(r.Result))
	}
	return s
}

// published returns "Doe (2020), doi:10.1000/1".
func (p Paper) published() string {
	s := fmt.Sprintf("%s (%d)", p.Authors, p.Year)
	if p.Edition != "" {
		s += ", " + p.Edition
	}
	return s
}

// about names the authors of the paper and the number of its claims.
func (g group) about() string {
	claims := plural(len(g.results), "claim") + " under "
	switch {
	case g.Authors == "":
		return claims
	case g.Year != 0:
		return format.Stopped(g.published()) + " " + claims
	}
	return format.Stopped(g.Authors) + " " + claims
}

func (g group) table(l *lookup) *grid {
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
		verdict := words(verdictSpan(l.shown(r.Result)))
		if decidedBy(r.Result) != "" {
			verdict = words(verdict, decidedMark)
		}
		t.Row(
			name,
			words(r.Claim.Source),
			words(f.Claimed),
			words(f.Measured),
			words(f.Ratio),
			verdict,
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

// lower writes the first letter of a title in lower case, for use within a sentence.
func lower(title string) string { return strings.ToLower(title[:1]) + title[1:] }

// reportFile is the Markdown in a directory of results.
const reportFile = "report.md"

// FileNames returns the file names that [Files] can use for a report on the given papers, the main file first.
func FileNames(papers []Paper) []string {
	names := []string{reportFile}
	for _, p := range papers {
		names = append(names, pictureFile(p))
	}
	return names
}

// Files returns the Markdown and its pictures, keyed by file name within one directory. There is one picture for each
// paper with a finding that can be drawn.
func Files(d Document) (map[string][]byte, error) { return compose(d).Files(reportFile) }

// Markdown writes the readable report and, if the document is full, every claim with its evidence after it. A report of
// few claims contains only these claims.
func Markdown(w io.Writer, d Document) error { return compose(d).Markdown(w) }

// HTML writes the full document as one self-contained page, with pictures of the points of each claim.
func HTML(w io.Writer, d Document) error {
	d.Full = true
	return compose(d).HTML(w)
}
