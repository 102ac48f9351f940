package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// sideFlags holds the flags for outputs other than the report, and for the baseline.
type sideFlags struct {
	events, summary  string
	annotations      bool
	progress         bool
	baseline, record string

	command *cobra.Command // for the flags that were given
}

// Variables that GitHub sets for the steps of a workflow.
const (
	actionsVariable = "GITHUB_ACTIONS"
	summaryVariable = "GITHUB_STEP_SUMMARY"
)

func (f *sideFlags) add(c *cobra.Command) {
	flags := c.Flags()
	fileFlag{to: &f.events, use: claimsfile.WritesFile, result: true, standardOutput: "-"}.add(c, "events", "",
		"write progress to `FILE` as JSON lines; - is standard output")
	fileFlag{to: &f.summary, use: claimsfile.AddsToFile, variable: summaryVariable, optional: true}.add(c, "summary", "",
		"add a summary to `FILE` (default $"+summaryVariable+")")
	flags.BoolVar(&f.progress, "progress", false, "report each claim on standard error when it is judged")
	flags.BoolVar(&f.annotations, "annotations", false,
		"annotate findings (default true if $"+actionsVariable+" is true)")
	f.command = c
}

// addBaseline adds the baseline flags to a command that fails on a refuted claim.
func (f *sideFlags) addBaseline(c *cobra.Command) {
	fileFlag{to: &f.baseline, use: claimsfile.ReadsFile}.add(c, "baseline", "",
		"`FILE` of known findings, which do not change the exit code")
	fileFlag{to: &f.record, use: claimsfile.ReplacesFile}.add(c, "write-baseline", "",
		"record the verdicts in `FILE`; keep its reasons")
	c.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
}

// side holds the outputs of a run other than the report, and its baseline.
type side struct {
	app      *app
	flags    sideFlags
	events   *eventLog        // nil without --events
	baseline reports.Baseline // with the known findings; with --write-baseline, the earlier ones
	// isWarning reports whether a refutation of a claim is only a warning; nil if none is.
	isWarning func(id string) bool
}

// open reads the baseline and opens the outputs, so that mistakes in the flags are found before the work begins.
func (f sideFlags) open(a *app, out outputFlags) (*side, error) {
	s := &side{app: a, flags: f}
	if !f.command.Flags().Changed("summary") {
		s.flags.summary = os.Getenv(summaryVariable)
	}
	if !f.command.Flags().Changed("annotations") {
		s.flags.annotations = os.Getenv(actionsVariable) == "true"
	}
	if path := f.baseline + f.record; path != "" { // one of them is empty
		var b reports.Baseline
		var err error
		if f.record == "" || claimsfile.IsRegular(f.record) { // a pipe has no former baseline
			b, err = readFile(path, "a baseline", reports.ReadBaseline)
		}
		if f.record != "" && errors.Is(err, fs.ErrNotExist) {
			err = nil // a new baseline
		}
		if err != nil {
			return nil, usage(fmt.Errorf("the baseline: %w", err))
		}
		s.baseline = b
	}
	var err error
	s.events, err = openEventLog(a.stdout, f.events, out.path != "")
	return s, usage(err)
}

// watch returns the run of the chosen claims, with its progress shown and logged.
func (s *side) watch(l *verify.Ledger, chosen []verify.Claim, o verify.Options, m *progressMeter,
	command string) func(context.Context) (verify.Run, error) {
	show := m.Claims()
	kept, _ := o.Checkpoint.(*checkpoint.File)
	o.Progress = func(p verify.Progress) {
		show(p)
		s.events.Progress(p)
		if p.Finished {
			kept.Finished(p.Done, p.Total)
		}
	}
	return func(ctx context.Context) (verify.Run, error) {
		s.events.Start(s.app.version, command, len(chosen))
		run, err := l.Run(ctx, chosen, o)
		if err == nil {
			s.events.Done(run)
		}
		return run, err
	}
}

// publish writes all outputs of a run and returns its outcome, which depends only on the verdicts that are not excused.
func (s *side) publish(l *verify.Ledger, d reports.Document, out outputFlags,
	outcome func(verify.Run, func(verify.Result) bool) error) error {
	var recorded error
	if s.flags.record != "" {
		recorded = s.recordBaseline(d.Run)
	}
	s.describe(&d)
	err := errors.Join(s.app.writeDocument(out, d), s.events.Close(), s.tell(l, d), recorded)
	s.app.tellFailures(d.Run)
	switch {
	case err != nil && d.Run.Interrupted: // the exit code is the interruption's
		s.app.say("%v", err)
	case err != nil:
		return unwritten(err)
	}
	return outcome(d.Run, exempt(d))
}

// describe adds the places and excuses of the baseline to a document.
func (s *side) describe(d *reports.Document) {
	path := s.flags.baseline + s.flags.record
	if path == "" {
		return
	}
	places := s.baseline.Places(claimsfile.FromRoot(path))
	maps.Copy(places, d.Places) // the claims file is a better place than the baseline
	d.Places = places
	excused := make(map[string]reports.Excuse)
	maps.Copy(excused, d.Excused)
	maps.Copy(excused, s.baseline.Excused(d.Run))
	d.Excused = excused
}

// exempt returns a function that reports whether a result is an excused finding: one that the baseline knows or a
// warning.
func exempt(d reports.Document) func(verify.Result) bool {
	return func(r verify.Result) bool {
		_, excused := d.Excused[r.Claim.ID]
		return excused && (r.Verdict == verify.Refuted || r.Verdict == verify.Contradictory)
	}
}

// recordBaseline writes a new baseline, which keeps the reasons of the old one.
func (s *side) recordBaseline(run verify.Run) error {
	fresh, err := reports.NewBaseline(run, s.baseline)
	if err != nil {
		return internal(fmt.Errorf("%s is not written: %w", s.flags.record, err))
	}
	var b bytes.Buffer
	if err := fresh.Write(&b); err != nil {
		return internal(err)
	}
	if s.baseline, err = reports.ReadBaseline(bytes.NewReader(b.Bytes())); err != nil { // read again for the line numbers
		return internal(err)
	}
	return s.app.writeFile(s.flags.record, b.Bytes())
}

// tell prints the differences to the baseline, annotates findings, and adds to the summary.
func (s *side) tell(l *verify.Ledger, d reports.Document) error {
	if s.flags.baseline != "" {
		for _, news := range s.baseline.News(d.Run) {
			s.app.say("%s", news)
		}
		for _, id := range s.baseline.Removed(func(id string) bool {
			_, ok := l.Find(id)
			return ok || l.Retired(id) != ""
		}) {
			s.app.say("gone: %s is in %s, but there is no claim with this id", id, s.flags.baseline)
		}
	}
	if s.flags.annotations {
		if err := reports.Annotations(s.app.stderr, d); err != nil {
			return err
		}
	}
	if s.flags.summary == "" {
		return nil
	}
	return addSummary(s.flags.summary, d)
}

// addSummary appends the summary to a file, to which other commands of the workflow step may also append. It keeps the
// file below the size limit of GitHub, which rejects larger files as a whole.
func addSummary(path string, d reports.Document) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	left := int64(reports.SummaryLimit)
	if info.Mode().IsRegular() {
		left -= info.Size()
	}
	var b bytes.Buffer
	if err := reports.Summary(&b, d, int(left)); err != nil {
		return err
	}
	if int64(b.Len()) >= left {
		return nil // there is not even room for the counts
	}
	_, err = file.Write(b.Bytes())
	return err
}
