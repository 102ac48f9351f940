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

// The readable report is for a reader who has the paper and an hour. For each paper it shows the findings that matter
// to a user, their evidence and the corrected statements. The full report contains all other claims.
const (
	maxCards    = 3 // maximum number of a paper's findings with a card
	maxSettings = 2 // maximum number of observations at the settings of its experiments
)

// longestQuantity and longestPlace are the maximum lengths, in characters, of the quantity before the figures of a line
// and of the place after them.
const longestQuantity, longestPlace = 70, 45

// longestWorstCase is the maximum length, in characters, of a worst case in a sentence about a finding.
const longestWorstCase = 80

// link names a claim, with a link to its section if the report has one.
func (l *lookup) link(id string) span {
	if l.Full {
		return claimLink(id)
	}
	return mono(id)
}

// finding is a statement that fails: its worst reading, and the other readings that fail.
type finding struct {
	worst  verify.Result
	others []verify.Result
	verify.ReviewerNote
	rank      int
	severity  Severity
	direction string
	label     string // "P1"
	card      bool   // the report shows it in full
}

// anchor returns the anchor of the finding's card.
func (f finding) anchor() string { return "finding-" + f.label }

// findings returns the findings of a paper, the gravest first. The readings of one statement are one finding, except
// for readings with their own remarks.
func (l *lookup) findings(results []verify.Result) []finding {
	byStatement := make(map[string]*finding)
	var order []*finding
	for _, r := range results {
		if !l.isFinding(r) {
			continue
		}
		id := l.reportedAs(r.Claim.ID)
		f := byStatement[id]
		if f == nil {
			f = &finding{rank: len(l.Remarks)}
			byStatement[id] = f
			order = append(order, f)
		}
		f.take(r, l)
	}
	found := make([]finding, len(order))
	for i, f := range order {
		f.severity, f.direction = severityOf(f.worst, f.Impact)
		f.Title = filledTitle(f.ReviewerNote, f.worst.Evidence)
		found[i] = *f
	}
	slices.SortStableFunc(found, compareFindings)
	chooseCards(found)
	return found
}

// chooseCards gives cards to the gravest findings for which a reviewer states a consequence, or to the gravest ones
// with a title if no finding of the paper has one.
func chooseCards(found []finding) {
	eligible := func(f finding) bool { return f.Consequence != "" }
	if !slices.ContainsFunc(found, eligible) {
		eligible = func(f finding) bool { return f.Title != "" }
	}
	cards := 0
	for i, f := range found {
		if eligible(f) && cards < maxCards {
			found[i].card = true
			cards++
		}
	}
}

// filledTitle returns the title of a note on one line, with the figures of the claim for {claimed} and {found}.
func filledTitle(n verify.ReviewerNote, e verify.Evidence) string {
	figures := format.Brief(e)
	found, _, _ := strings.Cut(figures.Measured, " [") // without its interval
	return strings.NewReplacer("{claimed}", figures.Claimed, "{found}", found).Replace(format.OneLine(n.Title))
}

// isFinding reports whether a result is a finding about its paper: a claim of the paper that fails or is empty, or an
// observation of ours with a remark that holds.
func (l *lookup) isFinding(r verify.Result) bool {
	if r.Claim.Origin == verify.Observation {
		return format.IsSupported(r.Verdict) &&
			slices.ContainsFunc(l.Remarks, func(m verify.ReviewerNote) bool { return m.ID == r.Claim.ID })
	}
	return (format.IsWrong(r.Verdict) || r.Verdict == verify.Vacuous) && !r.Claim.Origin.Ours()
}

// compareFindings orders findings by severity, then stated claims before implied ones, then by the order of the
// remarks, then computed ones before sampled ones.
func compareFindings(a, b finding) int {
	return cmp.Or(cmp.Compare(a.severity, b.severity),
		cmp.Compare(slices.Index(verify.Origins, a.worst.Claim.Origin), slices.Index(verify.Origins, b.worst.Claim.Origin)),
		cmp.Compare(a.rank, b.rank), -compareBools(a.worst.Exact, b.worst.Exact))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// labelFindings collects the findings of each paper and numbers them over all papers.
func (l *lookup) labelFindings(groups []group) {
	l.found = make(map[string][]finding)
	var all []*finding
	for _, g := range groups {
		l.found[g.ID] = l.findings(g.results)
		for i := range l.found[g.ID] {
			all = append(all, &l.found[g.ID][i])
		}
	}
	slices.SortStableFunc(all, func(a, b *finding) int { return cmp.Compare(a.severity, b.severity) })
	numbers := make(map[string]int)
	l.severities = make(map[string]severity)
	for _, f := range all {
		for _, r := range append(f.others, f.worst) {
			rank, direction := severityOf(r, f.Impact)
			l.severities[r.Claim.ID] = severity{rank, direction}
		}
		letter := f.severity.letter()
		numbers[letter]++
		f.label = fmt.Sprint(letter, numbers[letter])
	}
}

// reportedAs returns the id under which a failing claim is reported: the nearest id at or above it with a remark,
// else the first id with a remark in the same statement, else the statement's id.
func (l *lookup) reportedAs(id string) string {
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

// take adds a failing claim. The claim with the first remark is the worst one of the finding.
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

// readable returns the sections of a paper: findings, observations at its settings, claims that hold, errata, claims
// without an answer.
func (g group) readable(l *lookup) []block {
	var blocks []block
	add := func(s section) {
		if len(s.Blocks) > 0 {
			blocks = append(blocks, s)
		}
	}
	found := l.found[g.ID]
	add(g.explained(l, found))
	add(g.settings(l, found))
	if l.Full {
		add(g.items(l))
	}
	add(g.standing(l))
	add(g.errata(!l.Full))
	add(g.undecided(l))
	return blocks
}

// errata lists the paper's slips of the pen. If brief is set, slips without consequences are only counted.
func (g group) errata(brief bool) section {
	s := section{Anchor: g.anchor("errata"), Level: 3, Title: words("Slips of the pen")}
	var list listing
	for _, e := range g.Errata {
		if !brief || !strings.HasPrefix(e.Bearing, "nothing") {
			list = append(list, item{Head: words(capital(e.Place)+": printed ", mono(e.Printed), ", meant ", mono(e.Meant),
				". "+format.Sentence(e.Reason)+" Impact: "+format.Stopped(e.Bearing))})
		}
	}
	if len(list) > 0 {
		s.Add(list)
	}
	if more := len(g.Errata) - len(list); more > 0 {
		s.Say("Slips without impact: "+fmt.Sprint(more)+", listed by ", mono("--format erratum"), ".")
	}
	return s
}

// explained shows the findings: first those with a card, then the others in one line each.
func (g group) explained(l *lookup, found []finding) section {
	s := section{Anchor: g.anchor("findings"), Level: 3, Title: words("Findings")}
	if len(found) == 0 {
		s.Say("No claim of this run is refuted, contradictory or empty.")
		return s
	}
	var rest listing
	drawn := l.picture(g, found)
	for _, f := range found {
		if !f.card {
			rest = append(rest, item{Head: l.line(f)})
			continue
		}
		card := l.card(f)
		if drawn != nil && f.worst.Claim.ID == drawn.claimID {
			card.Blocks = append([]block{drawn.figure}, card.Blocks...) // on a page, the text flows around the figure
		}
		s.Add(card)
	}
	if len(rest) > 0 {
		if len(rest) < len(found) {
			s.Say(strong("Other findings"), ", each a claim that fails:")
		}
		s.Add(rest)
	}
	return s
}

// card shows a finding in full: the claimed and the found figures, the reason, the corrected statement, and the
// command that reproduces it.
func (l *lookup) card(f finding) section {
	r := f.worst
	s := section{Anchor: f.anchor(), Level: 4, Tone: string(r.Verdict),
		Title: words(f.label + ". " + r.Claim.Source + ": " + f.Title)}
	fields := listing{}
	field := func(name string, parts ...any) {
		fields = append(fields, item{Head: words(append([]any{strong(name), ": "}, parts...)...)})
	}
	if r.Claim.Origin == verify.Observation {
		field("Found", format.Sentence(r.Claim.Statement)+figuresInParentheses(r)+" ("+f.class()+")")
	} else {
		claim := []any{format.Sentence(r.Claim.Statement)}
		if f.Formula != "" {
			claim = append(claim, " ", mono(f.Formula))
		}
		field("Claim", claim...)
		field("Found", inNumbers(r), " ("+f.class()+")")
	}
	shown := l.results[f.SettingsClaim] // the zero value if the run does not include this claim
	switch {
	case f.SettingsClaim == r.Claim.ID:
	case format.IsSupported(shown.Verdict):
		field("At its settings", format.Sentence(shown.Claim.Statement)+figuresInParentheses(shown))
	case format.IsWrong(shown.Verdict):
		field("At its settings", inNumbers(shown))
	}
	if f.Reason != "" {
		field("Why", format.Sentence(f.Reason))
	}
	if len(f.Also) > 0 {
		field("Also", "the same fault is in "+strings.Join(f.Also, " and ")+".")
	}
	if f.Consequence != "" {
		field("Consequence", format.Sentence(f.Consequence))
	}
	if id := r.Claim.Corrected; id != "" {
		corrected := []any{l.correction(id)}
		if f.CorrectedFormula != "" {
			corrected = append(corrected, " ", mono(f.CorrectedFormula))
		}
		field("Correction", corrected...)
	}
	field("Reproduce", mono("dpverify verify "+r.Claim.ID))
	s.Add(fields)
	return s
}

// class names the severity, the origin and the certainty of a finding.
func (f finding) class() string {
	words := []string{f.severity.Words()}
	if f.worst.Verdict == verify.Vacuous {
		words[0] = "true but empty"
	}
	if o := f.worst.Claim.Origin; o != "" {
		words = append(words, string(o))
	}
	if f.worst.Exact {
		words = append(words, "computed")
	} else {
		words = append(words, "sampled")
	}
	return strings.Join(words, ", ")
}

// line shows a finding in one line: its title or the claim that fails, and the figures.
func (l *lookup) line(f finding) inline {
	r := f.worst
	head := words(strong(f.label+" "+r.Claim.Source), ": ")
	switch {
	case f.Title != "":
		head = words(head, f.Title+figuresInParentheses(r)+".")
	case r.Verdict == verify.Vacuous:
		head = words(head, "true but empty: "+format.Sentence(r.Claim.Statement))
	default:
		head = words(head, "claimed: “"+format.Sentence(r.Claim.Statement)+"” Found: ", inNumbers(r))
	}
	if (l.Full || f.severity <= PrivacyWeaker) && f.Reason != "" {
		head = words(head, " "+format.Sentence(f.Reason))
	}
	return words(head, " ", l.link(r.Claim.ID))
}

// figuresInParentheses returns the figures of a claim after a sentence, "" if it has none.
func figuresInParentheses(r verify.Result) string {
	if !r.Claimed.Set || !r.Measured.Set {
		return ""
	}
	return " (" + briefly(r) + ")"
}

// briefly returns the figures of a claim in a few words: "z of a record: claimed ≤ 2, computed 3". It omits the
// claimed figure of a supported claim with another origin than stated, since the statement contains it.
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

// inNumbers returns "privacy loss ε at `d=1`: claimed ≤ 1, computed 2.5."
func inNumbers(r verify.Result) inline {
	if !r.Claimed.Set && !r.Measured.Set {
		return words(string(r.Verdict) + ".")
	}
	quantity, _, _ := strings.Cut(format.OneLine(r.Quantity), "; ")
	said := words(quantity)
	if at := format.OneLine(r.WorstCase); at != "" && utf8.RuneCountInString(at) <= longestWorstCase {
		said = words(quantity+" at ", mono(at))
	}
	f := format.Brief(r.Evidence)
	c := compare(r.Evidence, f)
	claimed := f.InWords(r.Sense).Claimed
	if r.Sense == verify.Equals {
		claimed = "= " + claimed
	}
	return words(said, ": claimed "+claimed+", "+lower(c.verb)+" "+c.found+".")
}

// correction returns the corrected statement of a claim, and its verdict.
func (l *lookup) correction(id string) inline {
	r, ok := l.results[id]
	switch {
	case !ok:
		return words(mono(id), ", which is not part of this run.")
	case format.IsSupported(r.Verdict):
		return words(format.Sentence(r.Claim.Statement)+" (", verdictSpan(r.Verdict), ")")
	}
	return words("not decided: "+format.Sentence(r.Claim.Statement)+" (", verdictSpan(r.Verdict), ")")
}

// items returns a table with a row for each item of the paper.
func (g group) items(l *lookup) section {
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
		t.Row(words(it.name), words(l.marks(printed)), words(l.marks(corrected)))
	}
	if len(t.Rows) > 0 {
		s.Add(t)
	}
	return s
}

// marks counts verdicts by their symbols, as in "✗ 2, ✓ 3".
func (d Document) marks(results []verify.Result) string {
	var parts []string
	for _, c := range d.count(results) {
		symbol := mark(c.verdict)
		if i := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, symbol) }); i >= 0 {
			continue
		}
		n := 0
		for _, r := range results {
			if mark(d.shown(r)) == symbol {
				n++
			}
		}
		parts = append(parts, fmt.Sprintf("%s\u00a0%d", symbol, n))
	}
	return strings.Join(parts, ", ")
}

// standing lists the items of the paper whose claims all hold, and the places of stated claims that hold in the other
// items. It names no item or place that a finding names.
func (g group) standing(l *lookup) section {
	s := section{Anchor: g.anchor("stands"), Level: 3, Title: words("Claims that hold")}
	faulty := make(map[string]bool) // names of items and places, in lower case
	for _, f := range l.found[g.ID] {
		for _, r := range append(f.others, f.worst) {
			faulty[strings.ToLower(r.Claim.Source)], faulty[strings.ToLower(itemName(r.Claim.Source))] = true, true
		}
		for _, name := range f.Also {
			faulty[strings.ToLower(name)] = true
		}
	}
	var whole, stated []string
	for _, it := range g.byItem() {
		theirs, _ := byOrigin(it.results)
		doubtful := func(r verify.Result) bool { return !format.IsSupported(r.Verdict) }
		if !slices.ContainsFunc(theirs, doubtful) && !faulty[strings.ToLower(it.name)] {
			if len(theirs) > 0 {
				whole = append(whole, it.name)
			}
			continue
		}
		for _, r := range theirs {
			place := r.Claim.Source
			if format.IsSupported(r.Verdict) && r.Claim.Origin == verify.Stated && len(l.corrects[r.Claim.ID]) == 0 &&
				!faulty[strings.ToLower(place)] && !slices.Contains(stated, place) {
				stated = append(stated, place)
			}
		}
	}
	if len(whole) > 0 {
		s.Say("All tested claims about these items hold: " + strings.Join(whole, "; ") + ".")
	}
	if len(stated) > 0 {
		s.Say("In the other items, tested statements at these places hold: " + strings.Join(stated, "; ") + ".")
	}
	return s
}
