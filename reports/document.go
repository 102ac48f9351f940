package reports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Document is a run of claims, with what a reader needs around it. Nothing in it
// depends on the time, the machine or the number of workers.
type Document struct {
	Title   string // of the Markdown
	Run     verify.Run
	Papers  []Paper // in the order of the report
	Version string  // of dpverify
	Go      string  // version of the toolchain
	Command string  // repeats the run; see [Command]
	// Whole says that claims are repeated by Command alone: they are in no ledger.
	Whole bool
	// Strict says that an undecided claim fails the run.
	Strict bool
	Notes  []string
	// Full asks for every claim with its evidence, after what is readable.
	Full bool
	// Remarks tell what findings bear on, and why they are so; those of a paper in the order of gravity.
	Remarks []verify.ReviewerNote
	// Times adds to the JSON form how long each claim took, in which two runs of one seed differ.
	Times bool
	// Experiments are those that can be drawn: claims that stand at one lead to it.
	Experiments []result.About

	// For forms that a machine reads, by the ids of claims; both may be nil.
	Places  map[string]Place  // where a claim stands
	Excused map[string]Excuse // findings that are no failure of the run
}

// Place is a spot in a file of the repository that is checked.
type Place struct {
	File         string // with slashes, relative to the root where it can be
	Line, Column int    // from 1; 0 if not known
}

// Excuse says why a finding is no failure of the run.
type Excuse struct {
	Reason string
	Known  bool // the baseline has it; else it is a warning
}

// place is where a claim stands: one of the ledger, if nothing better is known, in the
// file of its paper. File is empty where none is known.
func (d Document) place(c verify.Claim) Place {
	if p, ok := d.Places[c.ID]; ok {
		return p
	}
	if i := slices.IndexFunc(d.Papers, func(p Paper) bool { return p.ID == c.Paper }); i >= 0 {
		return Place{File: d.Papers[i].File}
	}
	return Place{}
}

// Paper is what a report says of a paper before it judges its claims.
type Paper struct {
	ID      string `json:"id"` // the part of a claim's id before the first slash
	Title   string `json:"title"`
	Authors string `json:"authors"`
	Year    int    `json:"year"`
	// Edition names the text that was read: where it was published, with its DOI or arXiv number if it has one.
	Edition string `json:"edition,omitempty"`
	// Assessment is a reviewer's answer to two questions: can a reader rely on the paper, and what breaks?
	Assessment string `json:"assessment,omitempty"`
	// Items are the second parts of the ids in the paper's order, as "lemma-2". Unlisted items follow the listed ones.
	Items []string `json:"items,omitempty"`
	// File is where its claims stand, relative to the root, with slashes; "" if not known.
	File   string           `json:"-"`
	Errata []verify.Erratum `json:"errata,omitempty"`
}

// DataDir stands for the directory of the data sets in a command: its name is of one
// machine.
const DataDir = "DIR"

const dataFlag = " --data " + DataDir

// Reproduce is the command that repeats the verdict on one claim, bit for bit.
func Reproduce(id string, o verify.Options) string { return Command(o, "verify", id) }

// Command is a dpverify command with the options that decide its results: the
// number of workers and the timeout are not among them.
func Command(o verify.Options, words ...string) string {
	name := o.Program
	if name == "" {
		name = "dpverify"
	}
	line := Shell(append(append([]string{name}, words...),
		"--seed", strconv.FormatUint(o.Seed, 10), "--alpha", format.Shortest(o.Alpha), "--budget", string(o.Budget))...)
	if o.Data != "" {
		line += dataFlag
	}
	return line
}

// Shell joins words to a line for a shell, quoted where they need it.
func Shell(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellQuote(w)
	}
	return strings.Join(quoted, " ")
}

func shellQuote(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%"
	if word != "" && strings.Trim(word, safe) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// group is the claims of one paper.
type group struct {
	Paper
	results []verify.Result
}

// groups parts the results by paper: the papers of the document first, in their
// order, then any others in the order in which they occur.
func (d Document) groups() []group {
	var all []group
	at := make(map[string]int)
	for _, p := range d.Papers {
		at[p.ID] = len(all)
		all = append(all, group{Paper: p})
	}
	for _, r := range d.Run.Results {
		i, ok := at[r.Claim.Paper]
		if !ok {
			i = len(all)
			at[r.Claim.Paper] = i
			all = append(all, group{Paper: Paper{ID: r.Claim.Paper}})
		}
		all[i].results = append(all[i].results, r)
	}
	var used []group
	for _, g := range all {
		if len(g.results) > 0 {
			g.sortByItem()
			used = append(used, g)
		}
	}
	return used
}

// row is a claim in the table of its paper.
type row struct {
	verify.Result
	correction bool // of the claim in the row above
}

// rows are the claims in ledger order, but that readings stand together with
// the statement that they are readings of, and each correction right below the
// first claim that it corrects.
func (g group) rows() []row {
	results := make(map[string]verify.Result)
	corrects := make(map[string]string) // a correction's id → the first claim that names it
	for _, r := range g.results {
		results[r.Claim.ID] = r
		if c := r.Claim.Corrected; c != "" && corrects[c] == "" {
			corrects[c] = r.Claim.ID
		}
	}
	rows := make([]row, 0, len(g.results))
	placed := make(map[string]bool)
	var place func(r verify.Result, correction bool)
	place = func(r verify.Result, correction bool) {
		if placed[r.Claim.ID] {
			return
		}
		placed[r.Claim.ID] = true
		rows = append(rows, row{r, correction})
		if below, ok := results[r.Claim.Corrected]; ok && corrects[r.Claim.Corrected] == r.Claim.ID {
			place(below, true)
		}
	}
	known := func(id string) bool { _, ok := results[id]; return ok }
	family := make(map[string][]verify.Result) // of a statement, without what waits for the claim that it corrects
	for _, r := range g.results {
		if !known(corrects[r.Claim.ID]) {
			root := rootOf(r.Claim.ID, known)
			family[root] = append(family[root], r)
		}
	}
	for _, first := range g.results {
		if known(corrects[first.Claim.ID]) {
			continue
		}
		for _, r := range family[rootOf(first.Claim.ID, known)] {
			place(r, false)
		}
	}
	for _, r := range g.results { // what is left corrects itself, in a circle
		place(r, false)
	}
	return rows
}

// repeat is the command that repeats the verdict on a claim.
func (d Document) repeat(id string) string {
	if d.Whole {
		return d.Command
	}
	return Reproduce(id, d.Run.Options)
}

// lookup is a document with its claims by id.
type lookup struct {
	Document
	results  map[string]verify.Result
	corrects map[string][]string // the claims that name this one as their correction
	long     bool                // the report has more than a reader takes in at once
	groups   []group
	found    map[string][]finding // of each paper, the gravest first
	// severities are those of the papers' claims that fail, by their ids.
	severities map[string]severity
}

func newLookup(d Document) *lookup {
	l := &lookup{Document: d, results: make(map[string]verify.Result), corrects: make(map[string][]string),
		groups: d.groups()}
	for _, r := range d.Run.Results {
		l.results[r.Claim.ID] = r
		if c := r.Claim.Corrected; c != "" {
			l.corrects[c] = append(l.corrects[c], r.Claim.ID)
		}
	}
	l.labelFindings(l.groups)
	return l
}

// root is the statement that a claim is a reading of: the shortest id above it
// that is a claim of the run, or its own.
func (l *lookup) root(id string) string {
	return rootOf(id, func(s string) bool { _, ok := l.results[s]; return ok })
}

func rootOf(id string, known func(string) bool) string {
	for i, r := range id {
		if r == '/' && known(id[:i]) {
			return id[:i]
		}
	}
	return id
}

// tally is how many results have a verdict, and how many of these are about statements of ours.
type tally struct {
	verdict verify.Verdict
	n, ours int
}

// count tallies the verdicts that occur, in the order of a report; warnings follow what is false.
func (d Document) count(results []verify.Result) []tally {
	var all []tally
	for _, v := range slices.Insert(slices.Clone(verify.Verdicts), 2, warning) {
		t := tally{verdict: v}
		for _, r := range results {
			if d.shown(r) == v {
				t.n++
				if r.Claim.Origin.Ours() {
					t.ours++
				}
			}
		}
		if t.n > 0 {
			all = append(all, t)
		}
	}
	return all
}

// byOrigin divides results into those of papers and users, and those about statements of ours.
func byOrigin(results []verify.Result) (theirs, ours []verify.Result) {
	for _, r := range results {
		if r.Claim.Origin.Ours() {
			ours = append(ours, r)
		} else {
			theirs = append(theirs, r)
		}
	}
	return theirs, ours
}

// verdictTable has a row for each verdict: how many claims have it, and what it means. If some of the statements are
// ours, they are counted in a column of their own.
func (d Document) verdictTable(results []verify.Result) (columns []format.Column, rows [][]string) {
	_, ours := byOrigin(results)
	row := func(name string, n, own int, meaning string) []string {
		if len(ours) == 0 {
			return []string{name, format.Count(int64(n)), meaning}
		}
		return []string{name, format.Count(int64(n - own)), format.Count(int64(own)), meaning}
	}
	columns = []format.Column{format.Left("verdict"), format.Right("claims"), format.Left("meaning")}
	if len(ours) > 0 {
		columns = []format.Column{format.Left("verdict"), format.Right("the papers'"), format.Right("ours"),
			format.Left("meaning")}
	}
	for _, c := range d.count(results) {
		rows = append(rows, row(string(c.verdict), c.n, c.ours, meaning(c.verdict)))
	}
	return columns, append(rows, row("all", len(results), len(ours), ""))
}
