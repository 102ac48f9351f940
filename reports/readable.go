package reports

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/reports/internal/format"
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
func (l *lookup) link(id string) span {
	if l.Full {
		return claimLink(id)
	}
	return mono(id)
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
		if !format.IsWrong(r.Verdict) && r.Verdict != verify.Vacuous || r.Claim.Origin == verify.Reading ||
			r.Claim.Origin == verify.Correction {
			continue // a reading or correction of ours that fails is no finding about the paper
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
		if f.Impact == "" {
			f.Impact = usualBearing(f.worst)
		}
		found[i] = *f
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(slices.Index(verify.Impacts, a.Impact), slices.Index(verify.Impacts, b.Impact)),
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
func (g group) readable(l *lookup) []block {
	var blocks []block
	add := func(s section) {
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
	add(g.errata(!l.Full))
	return blocks
}

// errata lists the slips of the pen in the paper. In brief, those on which nothing rests are listed without a reason.
func (g group) errata(brief bool) section {
	s := section{Anchor: g.anchor("errata"), Level: 3, Title: words("Slips of the pen")}
	var list listing
	for _, e := range g.Errata {
		head := words(capital(e.Place)+": printed ", mono(e.Printed), ", meant ", mono(e.Meant), ".")
		if !brief || !strings.HasPrefix(e.Bearing, "nothing") {
			head = words(head, " "+format.Sentence(e.Reason)+" Rests on it: "+format.Stopped(e.Bearing))
		}
		list = append(list, item{Head: head})
	}
	if len(list) > 0 {
		s.Add(list)
	}
	return s
}

// explained tells the findings: the gravest in full, the others in a line each.
func (g group) explained(l *lookup, found []finding) section {
	s := section{Anchor: g.anchor("findings"), Level: 3, Title: words("Findings, the gravest first")}
	if len(found) == 0 {
		s.Say("No claim of this run was refuted, none is empty, and the paper does not contradict itself in any of them.")
		return s
	}
	var rest listing
	var small []finding
	n, drawn := 0, l.picture(g, found)
	for _, f := range found {
		switch {
		case f.inFull:
		case l.Full:
			rest = append(rest, item{Head: f.titled(l.inLine(f.worst, f.Reason))})
			continue
		case f.Impact == verify.ImpactProof || f.Impact == verify.ImpactExtreme || len(rest) == mostInLine:
			small = append(small, f)
			continue
		default:
			rest = append(rest, item{Head: f.titled(l.inLine(f.worst, ""))})
			continue
		}
		n++
		told := l.inFull(n, f)
		if drawn != nil && f.worst.Claim.ID == drawn.of {
			told.Add(drawn.figure)
		}
		s.Add(told)
	}
	if len(rest) > 0 {
		if n > 0 {
			s.Say(strong("Also found:"))
		}
		s.Add(rest)
	}
	if len(small) > 0 {
		s.Say(listed(small)...)
	}
	return s
}

// titled is the line on a finding, after its title if it has one.
func (f finding) titled(line inline) inline {
	if f.Title == "" {
		return line
	}
	return words(strong(f.Title+"."), " ", line)
}

// listed are the findings of less consequence: lesser statements, steps of proofs, extremes, details.
func listed(small []finding) []any {
	said := []any{strong("Lesser findings:"), " "}
	for i, f := range small {
		if i > 0 {
			said = append(said, ", ")
		}
		said = append(said, cmp.Or(format.OneLine(f.Title), f.worst.Claim.Source)+" (", mono(f.worst.Claim.ID), ")")
	}
	return append(said, "; ", mono("dpverify explain ID"), " and ", mono("--full"), " tell of each.")
}

// inFull is a finding with its reason and what holds instead.
func (l *lookup) inFull(n int, f finding) section {
	r := f.worst
	s := section{Level: 4, Tone: string(r.Verdict),
		Title: words(fmt.Sprintf("%d. %s", n, format.OneLine(f.Title)))}
	s.Say(strong("The paper"), " ("+r.Claim.Source+"): "+format.Sentence(r.Claim.Statement))
	if f.Formula != "" {
		s.Add(paragraph(words(mono(f.Formula))))
	}
	so, claimed := words(strong("What is so:")), "Claimed"
	shown := l.results[f.SettingsClaim] // without a verdict where the run does not have it
	if decided := format.IsSupported(shown.Verdict) || format.IsWrong(shown.Verdict); decided &&
		f.SettingsClaim != r.Claim.ID {
		at := "At its settings: "
		if format.IsWrong(shown.Verdict) {
			at = "At its settings, where it is " + string(shown.Verdict) + ": "
		}
		so = words(so, " ", at+format.Sentence(shown.Claim.Statement)+" ("+briefly(shown)+") In general,")
		claimed = "claimed"
	}
	so = words(so, " ", inNumbers(r, claimed))
	if f.Reason != "" {
		so = words(so, " ", strong("Why:"), " "+format.Sentence(f.Reason))
	}
	s.Say(so, " Bears on "+f.Impact.Words()+" (", l.link(r.Claim.ID), ").")
	if id := r.Claim.Corrected; id != "" {
		s.Say(l.instead(id))
	}
	if f.CorrectedFormula != "" {
		s.Add(paragraph(words(mono(f.CorrectedFormula))))
	}
	return s
}

// inLine is a claim in a line, with its figures and why they are so.
func (l *lookup) inLine(r verify.Result, why string) inline {
	line := words(r.Verdict.Symbol()+" ", l.link(r.Claim.ID), ": "+format.Sentence(r.Claim.Statement))
	if r.Claimed.Set && r.Measured.Set {
		line = words(line, " ("+briefly(r)+")")
	}
	if why != "" {
		line = words(line, " "+format.Sentence(why))
	}
	return line
}

// briefly are the figures of a claim in a few words: "z of a record: claimed ≤ 2, computed 3". What is not
// the paper's to claim, and stands, has no claimed figure: its statement says it.
func briefly(r verify.Result) string {
	c := format.Brief(r.Evidence).InWords(r.Sense)
	said := lower(comparison(r.Evidence).verb) + " " + c.Measured
	if r.Claim.Origin == verify.Stated || !format.IsSupported(r.Verdict) {
		said = "claimed " + c.Claimed + ", " + said
	}
	at := format.OneLine(r.WorstCase)
	if format.IsSupported(r.Verdict) && at != "" && utf8.RuneCountInString(at) <= longestPlace {
		said += " at " + at
	}
	q, _, _ := strings.Cut(format.OneLine(r.Quantity), "; ")
	if q != "" && utf8.RuneCountInString(q) <= longestQuantity {
		return q + ": " + said
	}
	return said
}

// inNumbers is "Claimed: ε ≤ 1; computed: 2.5, at `d=1`.", after the word for claimed.
func inNumbers(r verify.Result, claimed string) inline {
	if !r.Claimed.Set && !r.Measured.Set {
		return words(capital(r.Verdict) + ".")
	}
	c := compare(r.Evidence, format.Brief(r.Evidence))
	said := words(claimed + ": " + c.claimed + "; " + lower(c.verb) + ": " + c.found)
	if r.WorstCase != "" {
		said = words(said, ", at ", mono(r.WorstCase))
	}
	return words(said, ".")
}

// instead is the corrected statement of a claim, and whether it is true.
func (l *lookup) instead(id string) inline {
	r, ok := l.results[id]
	switch {
	case !ok:
		return words(strong("Instead:"), " ", mono(id), ", which is not part of this run.")
	case format.IsSupported(r.Verdict):
		return words(strong("Instead:"), " "+format.Sentence(r.Claim.Statement)+" (",
			verdictSpan(r.Verdict), ")")
	}
	return words(strong("Instead, not decided:"), " "+format.Sentence(r.Claim.Statement)+" (",
		verdictSpan(r.Verdict), ")")
}

// items is a table with a row for each item of the paper; those of which all stands are named by
// standing.
func (g group) items(l *lookup, found []finding) section {
	s := section{Anchor: g.anchor("items"), Level: 3, Title: words("Item by item")}
	t := &grid{Columns: []format.Column{format.Left("item"), format.Left("as printed"),
		format.Left("corrected")}}
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
			t.Row(words(it.name), words(marks(printed)), words(marks(corrected)))
		}
	}
	if len(t.Rows) > 0 {
		s.Add(t)
	}
	return s
}

func allStand(results []verify.Result) bool {
	return !slices.ContainsFunc(results, func(r verify.Result) bool { return !format.IsSupported(r.Verdict) })
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
func (g group) standing(l *lookup) section {
	s := section{Anchor: g.anchor("stands"), Level: 3, Title: words("What stands")}
	var names []string
	var stated []verify.Result
	for _, it := range g.byItem() {
		whole := true
		for _, r := range it.results {
			stands := format.IsSupported(r.Verdict)
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
	var list listing
	for _, r := range stated[:min(len(stated), mostStanding)] {
		list = append(list, item{Head: words(r.Verdict.Symbol()+" "+r.Claim.Source+": "+
			format.Sentence(r.Claim.Statement)+" ", l.link(r.Claim.ID))})
	}
	if len(list) > 0 {
		s.Add(list)
	}
	if len(names) > 0 {
		s.Say("All that was judged of them stands: " + strings.Join(names, "; ") + ".")
	}
	return s
}
