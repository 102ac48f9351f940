package reports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Document is a run of claims with its context. Nothing in it depends on the time, the machine or the number of
// workers, except the times that [Document.Times] requests.
type Document struct {
	Title   string // of the Markdown
	Run     verify.Run
	Papers  []Paper // in the order of the report
	Version string  // of dpverify
	Go      string  // version of the toolchain
	Command string  // repeats the run; see [Command]
	// Continues is a file that the run added to: Command repeats the run with the file as it was before. "" for none.
	Continues string
	// Whole says that only Command repeats a claim: the claims are a user's, not part of the claim set.
	Whole bool
	// Strict says that an undecided claim fails the run.
	Strict bool
	Notes  []string
	// Full adds every claim with its evidence to the readable report.
	Full bool
	// Remarks give the impact and the reason of findings, for each paper the gravest first.
	Remarks []verify.ReviewerNote
	// Times adds the duration of each claim to the JSON form. Runs with the same seed differ in it.
	Times bool
	// Experiments are the ones that can be drawn. Claims about a figure or table name its command.
	Experiments []result.About

	// Places and Excused are keyed by the ids of claims; both may be nil.
	Places  map[string]Place  // the place of a claim in a file
	Excused map[string]Excuse // findings that do not fail the run
}

// Place is a position in a file of the checked repository.
type Place struct {
	File         string // with slashes, relative to the root if possible
	Line, Column int    // from 1; 0 if not known
}

// Excuse says why a finding does not fail the run.
type Excuse struct {
	Reason string
	Known  bool // the baseline contains it; else it is a warning
}

// place returns the place of a claim, else the file of its paper. File is empty if neither is known.
func (d Document) place(c verify.Claim) Place {
	if p, ok := d.Places[c.ID]; ok {
		return p
	}
	if i := slices.IndexFunc(d.Papers, func(p Paper) bool { return p.ID == c.Paper }); i >= 0 {
		return Place{File: d.Papers[i].File}
	}
	return Place{}
}

// Paper is the description of a paper in a report.
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
	// File contains the paper's claims; its path is relative to the root, with slashes. It is "" if not known.
	File   string           `json:"-"`
	Errata []verify.Erratum `json:"errata,omitempty"`
}

// DataDir replaces the directory of the data sets in a command, because its name differs between machines.
const DataDir = "DIR"

const dataFlag = " --data " + DataDir

// Reproduce returns the command that repeats the verdict on one claim, bit for bit.
func Reproduce(id string, o verify.Options) string { return Command(o, "verify", id) }

// Command returns a dpverify command with the options that affect its results. The number of workers and the timeout
// do not.
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

// Shell joins words to a shell command, and quotes them if needed.
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

// group holds the results of one paper.
type group struct {
	Paper
	results []verify.Result
}

// groups divides the results by paper: the papers of the document first, in their order, then the others in the order
// in which they occur.
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

// rows returns the claims in the order of the claim set, with two exceptions: readings follow their statement, and a
// correction follows the first claim that it corrects.
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
	family := make(map[string][]verify.Result) // the readings of a statement, without corrections
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
	for _, r := range g.results { // the remaining claims correct each other in a cycle
		place(r, false)
	}
	return rows
}

// repeat returns the command that repeats the verdict on a claim.
func (d Document) repeat(id string) string {
	if d.Whole {
		return d.Command
	}
	return Reproduce(id, d.Run.Options)
}

// lookup is a document with indices of its claims.
type lookup struct {
	Document
	results  map[string]verify.Result
	corrects map[string][]string // for a correction, the claims that it corrects
	long     bool                // the report has a table of contents
	groups   []group
	found    map[string][]finding // of each paper, the gravest first
	// severities holds the severity of each of the papers' claims that fail, by its id.
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

// root returns the statement that a claim is a reading of: the shortest prefix of its id that is a claim of the run,
// or the id itself.
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

// tally counts the results with a verdict, and those among them about statements of ours.
type tally struct {
	verdict verify.Verdict
	n, ours int
}

// count tallies the verdicts that occur, in the order of a report. Warnings follow the false claims.
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

// byOrigin divides results into those about statements of papers and users, and those about statements of ours.
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

// verdictTable returns a row for each verdict: how many claims have it, and its meaning. If some statements are ours,
// a separate column counts them.
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
