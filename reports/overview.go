package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// summary counts the verdicts. For papers it counts the tested claims of each and lists the findings about privacy.
func summary(l *lookup, groups []group) section {
	s := section{Anchor: "summary", Level: 2, Title: words("Summary")}
	results := l.Run.Results
	if len(results) == 0 {
		s.Say("No claim was judged.")
		return s
	}
	if l.long && slices.ContainsFunc(results, hasOrigin) {
		_, ours := byOrigin(results)
		s.Add(papersTable(l, groups))
		said := []any{"The table counts false claims out of the tested ones; a finding can combine several of them. A " +
			"stated claim " +
			"is in the paper, an implied claim is one that a careful reader draws at once, and a program claim is about " +
			"the published code. Our own claims are readings, corrections and observations at a paper's settings: " +
			l.inWords(ours) + "."}
		refuted := ours[:0:0]
		for _, r := range ours {
			if format.IsWrong(r.Verdict) {
				refuted = append(refuted, r)
			}
		}
		if n := len(refuted); 0 < n && n <= 3 {
			said = append(said, " The refuted ones are ")
			for i, r := range refuted {
				if i > 0 {
					said = append(said, ", ")
				}
				said = append(said, mono(r.Claim.ID), " ("+string(r.Claim.Origin)+")")
			}
			said = append(said, ".")
		}
		s.Say(said...)
	} else {
		s.Add(l.verdictGrid(results))
	}
	if l.Command != "" && !l.Whole {
		s.Say("To repeat a single claim, run ", mono(Reproduce("ID", l.Run.Options)),
			" with its id; the verdict and the figures are the same as here"+exceptUnseeded(results)+".")
	}
	if n := countOf(results, verify.NotRun); n > 0 {
		theirs, _ := byOrigin(results)
		counted := plural(n, "claim")
		if own := n - countOf(theirs, verify.NotRun); own > 0 {
			counted += fmt.Sprintf(", %d of them ours", own)
		}
		s.Say("Not run, because the data is missing: "+counted+". Give the directory of the data sets with ",
			mono("--data DIR"), ".")
	}
	return s
}

func hasOrigin(r verify.Result) bool { return r.Claim.Origin != "" }

func (d Document) verdictGrid(results []verify.Result) *grid {
	columns, rows := d.verdictTable(results)
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
	return t
}

// papersTable returns a table with a row for each paper: how many of its claims are false and how many were tested, by
// origin, how many were not run, and the gravest finding.
func papersTable(l *lookup, groups []group) *grid {
	origins := []verify.Origin{verify.Stated, verify.Implied, verify.Program, ""}
	origins = slices.DeleteFunc(origins, func(o verify.Origin) bool {
		return !slices.ContainsFunc(l.Run.Results, func(r verify.Result) bool { return r.Claim.Origin == o })
	})
	t := &grid{Columns: []format.Column{format.Left("paper")}, Wide: true, Linked: true}
	for _, o := range origins {
		t.Columns = append(t.Columns, format.Right(strings.TrimSpace("false "+string(o))))
	}
	t.Columns = append(t.Columns, format.Right("not run"), format.Left("gravest finding"))
	for _, g := range groups {
		row := []inline{words(span{Text: g.cited(), Anchor: g.anchor("paper")})}
		counts := g.byOrigins()
		for _, o := range origins {
			row = append(row, words(testedOf(counts, o)))
		}
		theirs, _ := byOrigin(g.results)
		gravest := words("none")
		if found := l.found[g.ID]; len(found) > 0 {
			gravest = words(g.findingLink(found[0]), " ", cmp.Or(found[0].Title, found[0].worst.Claim.Source),
				" ("+found[0].severity.Words()+")")
		}
		t.Row(append(row, words(format.Count(int64(countOf(theirs, verify.NotRun)))), gravest)...)
	}
	return t
}

// countOf counts the results that have a verdict.
func countOf(results []verify.Result, v verify.Verdict) (n int) {
	for _, r := range results {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

// testedOf returns "3 of 20": how many claims of an origin are false, and how many were tested.
func testedOf(counts []originCount, o verify.Origin) string {
	i := slices.IndexFunc(counts, func(c originCount) bool { return c.Origin == o })
	if i < 0 || counts[i].Tested == 0 {
		return format.Absent
	}
	return fmt.Sprintf("%d of %d", counts[i].False, counts[i].Tested)
}

// privacyFindings lists the findings about privacy of all papers, the gravest first, one line each.
func privacyFindings(l *lookup, groups []group) section {
	s := section{Anchor: "privacy-findings", Level: 2, Title: words("Privacy findings")}
	type line struct {
		finding
		paper group
	}
	var all []line
	for _, g := range groups {
		for _, f := range l.found[g.ID] {
			if f.severity <= PrivacyWeaker {
				all = append(all, line{f, g})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.severity, b.severity) })
	var list listing
	for _, f := range all {
		said := inNumbers(f.worst)
		if f.Title != "" {
			said = words(f.Title + figuresInParentheses(f.worst) + ".")
		}
		list = append(list, item{Head: words(f.paper.findingLink(f.finding),
			" "+f.paper.cited()+", "+f.worst.Claim.Source+": ",
			said,
			" ("+f.class()+")")})
	}
	if len(list) == 0 {
		s.Say("None.")
		return s
	}
	s.Add(list)
	return s
}

// findingLink returns the label of a finding, with a link to its card, or to the paper if it has no card.
func (g group) findingLink(f finding) span {
	if f.card {
		return span{Style: bold, Text: f.label, Anchor: f.anchor()}
	}
	return span{Style: bold, Text: f.label, Anchor: g.anchor("paper")}
}

// howToRead explains the marks and words of the report.
func howToRead() section {
	s := section{Anchor: "how-to-read", Level: 2, Title: words("How to read this report")}
	var list listing
	for _, line := range [][2]string{
		{"P1, U1, F1", "findings about privacy, about utility, and about formulas or reported numbers. Violated privacy " +
			"comes before weaker privacy; within a class the papers follow in order"},
		{"Found", "the figures at the worst point of the stated domain. Computed figures are exact or within proven " +
			"bounds; measured ones are estimated from samples, with an interval [a, b] at the claim's share of α"},
		{"Verdicts", "holds, shown over the stated domain; consistent, sampled without the stated violation; refuted, by " +
			"a counterexample; contradictory, excluded by another statement of the paper; true but empty, if nothing " +
			"follows; not run and untestable"},
		{"α", "a bound on the probability, over the report's own randomness, that a sampled verdict against any claim is " +
			"wrong. Letters in a claim are those of its paper"},
		{"Privacy loss", "the logarithm of the ratio of an output's probabilities under two neighboring inputs, which " +
			"differ in one record; ε bounds it, except with a probability of about δ. Algorithms are our implementations " +
			"of the printed lines"},
	} {
		list = append(list, item{Head: words(strong(line[0]), ": "+line[1]+".")})
	}
	s.Add(list)
	return s
}
