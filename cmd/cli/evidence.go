package cli

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
)

// evidenceFlags holds the flags that add an audit to the evidence of earlier runs.
type evidenceFlags struct {
	file     string
	fresh    bool
	start    int // 0 if it is not given
	runID    string
	collects bool
}

const evidenceName, evidenceStartName = "evidence", "evidence-start"

func (f *evidenceFlags) add(c *cobra.Command) {
	fileFlag{to: &f.file, use: claimsfile.WritesFile}.add(c, evidenceName, "", "add the run to the evidence in `FILE`")
	c.Flags().BoolVar(&f.fresh, "evidence-new", false, "begin the evidence of a project or of a new start")
	c.Flags().IntVar(&f.start, evidenceStartName, 0, "`NUMBER` of the start, 1 higher after each loss of FILE")
	c.Flags().StringVar(&f.runID, "run-id", "", "unique `ID` of the run in the evidence (default: its number)")
	c.Flags().BoolVar(&f.collects, "collect", false, "add to the evidence and leave the decision to a later run")
	complete(c, "run-id", cobra.NoFileCompletions)
}

// runEvidence is the evidence file of an audit and what the audit adds to it.
type runEvidence struct {
	file     *eprocess.File
	path     string
	id       string
	collects bool
	stated   bool // the claims file or a flag states the start

	mu       sync.Mutex
	outcomes map[string]eprocess.Outcome
}

// open opens the evidence file of an audit, and returns nil if it has none.
func (f evidenceFlags) open(a *app, stated claimsfile.EvidenceFile, journal journalFlags,
	alpha float64) (*runEvidence, error) {
	path := stated.Path
	if f.file != "" {
		path = f.file
	}
	switch {
	case path == "" && (f.fresh || f.start != 0 || f.runID != "" || f.collects):
		return nil, usage(errors.New("--evidence-new, --evidence-start, --run-id and --collect need an evidence file: give " +
			"--evidence FILE, or evidence: {file: FILE, start: 1} in the claims file"))
	case path == "":
		return nil, nil
	case journal != journalFlags{}:
		return nil, usage(errors.New("--evidence cannot be combined with --shard, --checkpoint or --prepared: " +
			"leave them out"))
	}
	start, err := f.startOf(stated)
	if err != nil {
		return nil, usage(err)
	}
	file, err := eprocess.Open(path, eprocess.Options{Alpha: alpha, Start: start, New: f.fresh})
	if err != nil {
		return nil, usage(err)
	}
	a.warn(file.Flaws())
	e := &runEvidence{file: file, path: path, id: f.runID, collects: f.collects, stated: start > 0,
		outcomes: make(map[string]eprocess.Outcome)}
	if e.id == "" {
		e.id = file.NextID()
	}
	if err := file.Unused(e.id); err != nil {
		return nil, usage(errors.Join(err, file.Close()))
	}
	return e, nil
}

// startOf returns the number of the start in the claims file or in the flag, and 0 if neither states it.
func (f evidenceFlags) startOf(stated claimsfile.EvidenceFile) (int, error) {
	switch {
	case f.start < 0:
		return 0, fmt.Errorf("--evidence-start %d: want a whole number from 1", f.start)
	case f.start > 0 && stated.Start > 0 && f.start != stated.Start:
		return 0, fmt.Errorf("--evidence-start %d, and the claims file says start: %d: leave one of them out", f.start,
			stated.Start)
	}
	return max(f.start, stated.Start), nil
}

// seedID returns the part of the seed that makes the samples of this run differ from those of all other runs.
func (e *runEvidence) seedID() string { return fmt.Sprintf("%d/%s", e.file.Start, e.id) }

// claims returns the claims of the subjects, whose checks add their factors to the run.
func (e *runEvidence) claims(subjects []claimsfile.Subject) (claims []verify.Claim, err error) {
	for i := range subjects {
		s := &subjects[i]
		version, err := s.Version()
		if err != nil {
			return nil, err
		}
		data := s.RecordedData()
		for _, hashes := range data {
			if run := eprocess.Recorded(e.file.Runs, s.ID(), hashes); run != "" {
				return nil, fmt.Errorf("%s: claim %q: its recorded data is part of run %s already, and samples count once: "+
					"record new data", s.Source, s.Name, run)
			}
		}
		s.Remember()
		if s.Bets != nil {
			s.Bets.After(e.file.Runs, s.ID(), version)
		}
		for _, c := range s.Claims() {
			if claimsfile.IsWarning(subjects, c.ID) { // it decides nothing
				claims = append(claims, c)
				continue
			}
			check := eprocess.Check{Check: c.Check, Claim: c.ID, Version: version, RunID: e.id, Start: e.file.Start,
				Collects: e.collects, Runs: e.file.Runs, Add: func(o eprocess.Outcome) { e.take(c.ID, o) }}
			if c.ID == s.ID() {
				check.Bets = s.Bets
				for _, hashes := range data {
					check.Data = append(check.Data, eprocess.NewRecording(hashes))
				}
			}
			c.Check = check
			claims = append(claims, c)
		}
	}
	for i, c := range claims { // all claims of an audit have the same weight
		if check, ok := c.Check.(eprocess.Check); ok {
			check.Weight = 1 / float64(len(claims))
			claims[i].Check = check
		}
	}
	return claims, nil
}

func (e *runEvidence) take(claim string, o eprocess.Outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outcomes[claim] = o
}

// end adds the run to the file and closes it. An interrupted run is not added.
func (e *runEvidence) end(a *app, run verify.Run) error {
	if e == nil {
		return nil
	}
	var err error
	switch {
	case run.Interrupted:
		a.say("interrupted: the run is not added to the evidence")
	case len(e.outcomes) == 0:
		a.say("no claim was sampled: the run is not added to the evidence")
	default:
		err = e.file.Add(e.id, e.collects, e.outcomes)
	}
	return unwritten(errors.Join(err, e.file.Close()))
}

// note describes the evidence for the report, or returns "".
func (e *runEvidence) note() string {
	if e == nil {
		return ""
	}
	return evidenceNote(e.id, strconv.Itoa(e.file.Start), e.stated)
}

// evidenceNote describes a run of a start. The claims file or a flag states the start, or neither does.
func evidenceNote(run, start string, stated bool) string {
	n := fmt.Sprintf("This is run %s of start %s. The evidence of all runs decides, and alpha is the error probability "+
		"of all of them together.", run, start)
	if !stated {
		n += " The number of the start is not stated, so alpha applies to each start. State it with " +
			"--evidence-start, or with " +
			"the key evidence in the claims file."
	}
	return n
}

var runNote = regexp.MustCompile(`^This is run (\S+) of start (\d+)\.`)

// evidenceNotes returns the note on the evidence that a report with these notes must have.
func evidenceNotes(stored []string, stated bool) (notes []string) {
	for _, note := range stored {
		if m := runNote.FindStringSubmatch(note); m != nil {
			return []string{evidenceNote(m[1], m[2], stated)}
		}
	}
	return nil
}

func (a *app) evidenceCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "evidence FILE…",
		Short: "Show and merge the evidence of many runs",
		Long: `Evidence shows the evidence against each version of each claim. Several files are
merged: the result is the union of their runs, in which a run counts once. With -o it
writes the merged file, which a later audit can continue.

A version is refuted when its evidence reaches the needed evidence, which is 1 divided
by the claim's share of alpha. If the claim is true for a version, this happens with
probability at most alpha over all runs of a start.

The exit code is 1 if the version in a claim's last run is refuted.`,
		Example: `  dpverify evidence evidence.jsonl
  dpverify evidence night-a.jsonl night-b.jsonl -o evidence.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error { return a.evidence(files, out) },
	}
	argumentsAreFiles(c)
	fileFlag{to: &out, use: claimsfile.WritesFile}.add(c, "output", "o", "write the merged evidence to `FILE`")
	return c
}

// evidence merges evidence files and shows their verdicts.
func (a *app) evidence(files []string, out string) error {
	m, err := eprocess.Read(files...)
	if err != nil {
		return usage(err)
	}
	a.warn(m.Flaws)
	if forks := eprocess.Forks(m.Runs); len(forks) > 0 {
		a.say("the runs %s decided on separate branches, so alpha applies to each branch, and once more to the "+
			"merged runs: next time give --collect to all branches but one", strings.Join(forks, ", "))
	}
	if out != "" {
		if err := m.Write(out); err != nil {
			return unwritten(err)
		}
	}
	refuted, err := a.showEvidence(m)
	if err == nil && refuted > 0 {
		err = withCode(codeRefuted, fmt.Errorf("%s refuted", verify.Plural(refuted, "claim")))
	}
	return err
}

// showEvidence writes a table of all versions. It returns the number of claims whose version in the last run is
// refuted.
func (a *app) showEvidence(m eprocess.Merged) (refuted int, err error) {
	last := make(map[string]eprocess.Outcome) // of each claim
	for _, r := range m.Runs {
		maps.Copy(last, r.Claims)
	}
	var rows []reports.EvidenceRow
	for _, id := range slices.Sorted(maps.Keys(last)) {
		weight := last[id].Weight
		need := -math.Log(m.Alpha * weight)
		for _, v := range eprocess.WealthOf(m.Runs, id, weight) {
			verdict := "not refuted"
			if run := v.Reached(need); run != "" {
				verdict = "✗ refuted by run " + run
				if v.Version == last[id].Version {
					refuted++
				}
			}
			rows = append(rows, reports.EvidenceRow{Claim: id, Version: v.Short(), Runs: v.Runs,
				LogEvidence: v.Log[len(v.Log)-1], LogPeak: v.Peak(), LogNeeded: need, Verdict: verdict})
		}
	}
	return refuted, reports.WriteEvidence(a.stdout, rows)
}
