package reports

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/reports/internal/tex"
	"github.com/dpverify/dpverify/verify"
)

// The readable report is for somebody who has the paper and an hour: of each paper what matters
// to who uses it, how it is known, and what is right instead. What it leaves out is in the
// report of all claims.
const (
	mostExplained = 5 // findings of a paper that are told in full
	mostInLine    = 3 // findings in a line each
	mostSettings  = 4 // lines on the settings of its experiments
	mostStanding  = 3 // statements that stand, beside the items
)

// longestQuantity and longestPlace in characters are named in a line, before and after its figures.
const longestQuantity, longestPlace = 70, 45

// link leads to the section of a claim where the report has one.
func (l *lookup) link(id string) article.Span {
	if l.Full {
		return article.ClaimLink(id)
	}
	return article.Mono(id)
}

// finding is what one statement comes to: its worst reading, then the others that fail.
type finding struct {
	worst  verify.Result
	others []verify.Result
	verify.ReviewerNote
	rank   int
	inFull bool // it is told with its reason and with what holds at the paper's settings
}

// findings of a paper, the gravest first: by what they bear on, then in the order of the
// remarks, then as ranked by kind and verdict. Readings of one statement are one finding, but
// for those with remarks of their own.
func (l *lookup) findings(results []verify.Result) []finding {
	byStatement := make(map[string]*finding)
	var order []*finding
	for _, r := range results {
		if !figures.Wrong(r.Verdict) && r.Verdict != verify.Vacuous || r.Claim.Origin == verify.Reading {
			continue // what fails of a reading that is ours alone is no finding about the paper
		}
		of := l.told(r.Claim.ID)
		f := byStatement[of]
		if f == nil {
			f = &finding{rank: len(l.Remarks)}
			byStatement[of] = f
			order = append(order, f)
		}
		f.take(r, l)
	}
	found := make([]finding, len(order))
	for i, f := range order {
		if f.Bearing == "" {
			f.Bearing = usualBearing(f.worst)
		}
		found[i] = *f
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(slices.Index(verify.Impacts, a.Bearing), slices.Index(verify.Impacts, b.Bearing)),
			cmp.Compare(a.rank, b.rank), cmp.Compare(gravity(a.worst), gravity(b.worst)))
	})
	n := 0
	for i, f := range found {
		if f.Title != "" && n < mostExplained {
			found[i].inFull = true
			n++
		}
	}
	return found
}

// told is the claim with which one that fails is told: the nearest at or above it that has a
// remark, else the first of the same statement that has one, else the statement.
func (l *lookup) told(id string) string {
	root := l.root(id)
	for above := id; len(above) >= len(root); above = path.Dir(above) {
		if slices.ContainsFunc(l.Remarks, func(m verify.ReviewerNote) bool { return m.ID == above }) {
			return above
		}
	}
	for _, m := range l.Remarks {
		if l.root(m.ID) == root {
			return m.ID
		}
	}
	return root
}

// take adds a claim that fails. The worst is that with the first remark.
func (f *finding) take(r verify.Result, l *lookup) {
	rank := slices.IndexFunc(l.Remarks, func(m verify.ReviewerNote) bool { return m.ID == r.Claim.ID })
	if rank < 0 {
		rank = len(l.Remarks)
	}
	if f.worst.Claim.ID == "" || rank < f.rank {
		if f.worst.Claim.ID != "" {
			f.others = append(f.others, f.worst)
		}
		f.worst, f.rank = r, rank
		if rank < len(l.Remarks) {
			f.ReviewerNote = l.Remarks[rank]
		}
		return
	}
	f.others = append(f.others, r)
}

// usualBearing is that of a finding without a remark: a guarantee or a rate is a statement, the
// rest is taken for a step of a proof.
func usualBearing(r verify.Result) verify.Impact {
	switch {
	case r.Claim.Kind == verify.Privacy || r.Claim.Kind == verify.Rate || r.Claim.Kind == verify.Unbiasedness:
		return verify.ImpactTheorem
	case r.Claim.Kind == verify.Experiment:
		return verify.ImpactUtility
	}
	return verify.ImpactProof
}

// gravity is the place of a result among the consequences, the gravest first.
func gravity(r verify.Result) int {
	return slices.IndexFunc(consequences, func(of func(verify.Result) bool) bool { return of(r) })
}

// readable are the sections of a paper: its settings, findings, items, what stands, what is open.
func (g group) readable(l *lookup) []article.Block {
	var blocks []article.Block
	add := func(s article.Section) {
		if len(s.Blocks) > 0 {
			blocks = append(blocks, s)
		}
	}
	found := l.findings(g.results)
	add(g.settings(l, found))
	add(g.explained(l, found))
	add(g.items(l, found))
	add(g.standing(l))
	add(g.undecided(l))
	return blocks
}

// explained tells the findings: the gravest in full, the others in a line each.
func (g group) explained(l *lookup, found []finding) article.Section {
	s := article.Section{Anchor: g.anchor("findings"), Level: 3, Title: article.Words("Findings, the gravest first")}
	if len(found) == 0 {
		s.Say("No claim of this run was refuted, none is empty, and the paper does not contradict itself in any of them.")
		return s
	}
	var rest article.Listing
	var small []finding
	n, drawn := 0, l.picture(g, found)
	for _, f := range found {
		switch {
		case f.inFull:
		case l.Full:
			rest = append(rest, article.Item{Head: f.titled(l.inLine(f.worst, f.Why))})
			continue
		case f.Bearing == verify.ImpactProof || f.Bearing == verify.ImpactExtreme || len(rest) == mostInLine:
			small = append(small, f)
			continue
		default:
			rest = append(rest, article.Item{Head: f.titled(l.inLine(f.worst, ""))})
			continue
		}
		n++
		told := l.inFull(n, f)
		if drawn != nil && f.worst.Claim.ID == drawn.of {
			told.Add(drawn.Figure)
		}
		s.Add(told)
	}
	if len(rest) > 0 {
		if n > 0 {
			s.Say(article.Strong("Also found:"))
		}
		s.Add(rest)
	}
	if len(small) > 0 {
		s.Say(listed(small)...)
	}
	return s
}

// titled is the line on a finding, after its title if it has one.
func (f finding) titled(line article.Inline) article.Inline {
	if f.Title == "" {
		return line
	}
	return article.Words(article.Strong(f.Title+"."), " ", line)
}

// listed are the findings of less consequence: lesser statements, steps of proofs, extremes, details.
func listed(small []finding) []any {
	said := []any{article.Strong("Lesser findings:"), " "}
	for i, f := range small {
		if i > 0 {
			said = append(said, ", ")
		}
		said = append(said, cmp.Or(markdown.OneLine(f.Title), f.worst.Claim.Source)+" (", article.Mono(f.worst.Claim.ID), ")")
	}
	return append(said, "; ", article.Mono("dpverify explain ID"), " and ", article.Mono("--full"), " tell of each.")
}

// inFull is a finding with its reason and what holds instead.
func (l *lookup) inFull(n int, f finding) article.Section {
	r := f.worst
	s := article.Section{Level: 4, Tone: string(r.Verdict),
		Title: article.Words(fmt.Sprintf("%d. %s", n, markdown.OneLine(f.Title)))}
	s.Say(article.Strong("The paper"), " ("+r.Claim.Source+"): "+markdown.Sentence(r.Claim.Statement))
	if f.Formula != "" {
		s.Add(l.formula(f.Formula))
	}
	so, claimed := article.Words(article.Strong("What is so:")), "Claimed"
	shown := l.results[f.Shown] // without a verdict where the run does not have it
	if decided := figures.Stands(shown.Verdict) || figures.Wrong(shown.Verdict); decided && f.Shown != r.Claim.ID {
		at := "At its settings: "
		if figures.Wrong(shown.Verdict) {
			at = "At its settings, where it is " + string(shown.Verdict) + ": "
		}
		so = article.Words(so, " ", at+markdown.Sentence(shown.Claim.Statement)+" ("+briefly(shown)+") In general,")
		claimed = "claimed"
	}
	so = article.Words(so, " ", inNumbers(r, claimed))
	if f.Why != "" {
		so = article.Words(so, " ", article.Strong("Why:"), " "+markdown.Sentence(f.Why))
	}
	s.Say(so, " Bears on "+f.Bearing.Words()+" (", l.link(r.Claim.ID), ").")
	if id := r.Claim.Corrected; id != "" {
		s.Say(l.instead(id))
	}
	if f.Instead != "" {
		s.Add(l.formula(f.Instead))
	}
	return s
}

// formula is one in TeX, or in plain text where that is asked for.
func (l *lookup) formula(source string) article.Block {
	if l.PlainMath {
		if f, err := tex.Parse(source); err == nil {
			return article.Paragraph(article.Words(article.Mono(f.Plain())))
		}
	}
	return article.Formula(source)
}

// inLine is a claim in a line, with its figures and why they are so.
func (l *lookup) inLine(r verify.Result, why string) article.Inline {
	line := article.Words(r.Verdict.Symbol()+" ", l.link(r.Claim.ID), ": "+markdown.Sentence(r.Claim.Statement))
	if r.Claimed.Set && r.Measured.Set {
		line = article.Words(line, " ("+briefly(r)+")")
	}
	if why != "" {
		line = article.Words(line, " "+markdown.Sentence(why))
	}
	return line
}

// briefly are the figures of a claim in a few words: "z of a record: claimed ≤ 2, computed 3". What is not
// the paper's to claim, and stands, has no claimed figure: its statement says it.
func briefly(r verify.Result) string {
	c := figures.Brief(r.Evidence).InWords(r.Sense)
	said := lower(comparison(r.Evidence).verb) + " " + c.Measured
	if r.Claim.Origin == verify.Stated || !figures.Stands(r.Verdict) {
		said = "claimed " + c.Claimed + ", " + said
	}
	at := markdown.OneLine(r.Witness)
	if figures.Stands(r.Verdict) && at != "" && utf8.RuneCountInString(at) <= longestPlace {
		said += " at " + at
	}
	q, _, _ := strings.Cut(markdown.OneLine(r.Quantity), "; ")
	if q != "" && utf8.RuneCountInString(q) <= longestQuantity {
		return q + ": " + said
	}
	return said
}

// inNumbers is "Claimed: ε ≤ 1; computed: 2.5, at `d=1`.", after the word for claimed.
func inNumbers(r verify.Result, claimed string) article.Inline {
	if !r.Claimed.Set && !r.Measured.Set {
		return article.Words(article.Capital(r.Verdict) + ".")
	}
	c := compare(r.Evidence, figures.Brief(r.Evidence))
	said := article.Words(claimed + ": " + c.claimed + "; " + lower(c.verb) + ": " + c.found)
	if r.Witness != "" {
		said = article.Words(said, ", at ", article.Mono(r.Witness))
	}
	return article.Words(said, ".")
}

// instead is the corrected statement of a claim, and whether it is true.
func (l *lookup) instead(id string) article.Inline {
	r, ok := l.results[id]
	switch {
	case !ok:
		return article.Words(article.Strong("Instead:"), " ", article.Mono(id), ", which is not part of this run.")
	case figures.Stands(r.Verdict):
		return article.Words(article.Strong("Instead:"), " "+markdown.Sentence(r.Claim.Statement)+" (",
			article.VerdictSpan(r.Verdict), ")")
	}
	return article.Words(article.Strong("Instead, not decided:"), " "+markdown.Sentence(r.Claim.Statement)+" (",
		article.VerdictSpan(r.Verdict), ")")
}

// items is a table with a row for each item of the paper; those of which all stands are named by
// standing.
func (g group) items(l *lookup, found []finding) article.Section {
	s := article.Section{Anchor: g.anchor("items"), Level: 3, Title: article.Words("Item by item")}
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("item"), markdown.Left("as printed"),
		markdown.Left("corrected")}}
	for _, it := range g.byItem() {
		var printed, corrected []verify.Result
		for _, r := range it.results {
			if len(l.corrects[r.Claim.ID]) > 0 {
				corrected = append(corrected, r)
			} else {
				printed = append(printed, r)
			}
		}
		if l.Full || !allStand(it.results) {
			t.Row(article.Words(it.name), article.Words(marks(printed)), article.Words(marks(corrected)))
		}
	}
	if len(t.Rows) > 0 {
		s.Add(t)
	}
	return s
}

func allStand(results []verify.Result) bool {
	return !slices.ContainsFunc(results, func(r verify.Result) bool { return !figures.Stands(r.Verdict) })
}

// marks counts verdicts by their symbols: "✗ 2, ✓ 3".
func marks(results []verify.Result) string {
	var parts []string
	for _, c := range count(results) {
		mark := c.verdict.Symbol()
		if i := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, mark) }); i >= 0 {
			continue
		}
		n := 0
		for _, r := range results {
			if r.Verdict.Symbol() == mark {
				n++
			}
		}
		parts = append(parts, fmt.Sprintf("%s\u00a0%d", mark, n))
	}
	return strings.Join(parts, ", ")
}

// standing lists what the paper states and what was not refuted of it, privacy first.
func (g group) standing(l *lookup) article.Section {
	s := article.Section{Anchor: g.anchor("stands"), Level: 3, Title: article.Words("What stands")}
	var names []string
	var stated []verify.Result
	for _, it := range g.byItem() {
		whole := true
		for _, r := range it.results {
			stands := figures.Stands(r.Verdict)
			whole = whole && stands
			if stands && r.Claim.Origin == verify.Stated && len(l.corrects[r.Claim.ID]) == 0 {
				stated = append(stated, r)
			}
		}
		if whole {
			names = append(names, it.name)
		}
	}
	rank := func(r verify.Result) int {
		return slices.Index([]verify.Kind{verify.Experiment, verify.Consistency, verify.Identity, verify.Sensitivity,
			verify.Unbiasedness, verify.Rate, verify.Privacy}, r.Claim.Kind)
	}
	slices.SortStableFunc(stated, func(a, b verify.Result) int { return cmp.Compare(rank(b), rank(a)) })
	var list article.Listing
	for _, r := range stated[:min(len(stated), mostStanding)] {
		list = append(list, article.Item{Head: article.Words(r.Verdict.Symbol()+" "+r.Claim.Source+": "+
			markdown.Sentence(r.Claim.Statement)+" ", l.link(r.Claim.ID))})
	}
	if len(list) > 0 {
		s.Add(list)
	}
	if len(names) > 0 {
		s.Say("All that was judged of them stands: " + strings.Join(names, "; ") + ".")
	}
	return s
}
