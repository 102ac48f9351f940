package cli

import (
	"errors"
	"os"
	"runtime"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// auditJob is an audit that is ready to run.
type auditJob struct {
	ledger   *verify.Ledger
	subjects []claimsfile.Subject
	words    []string
	reads    []claimsfile.NamedFile // files that the claims name
	options  verify.Options
	out      outputFlags
	side     sideFlags
	journal  journalFlags
	strict   bool
	times    bool
	broken   error        // errors of the claims that cannot be read
	evidence *runEvidence // evidence of earlier runs; nil for an audit without it
}

// outcome returns the error of the audit: a usage error if claims do not fit, else the error by verdicts. Findings
// about precision that are only warnings are exempt, but failed checks are not.
func (j auditJob) outcome(run verify.Run, exempt func(verify.Result) bool) error {
	if err := j.unfit(run); err != nil {
		return err
	}
	return outcome(run, func(r verify.Result) bool {
		return exempt(r) || r.Verdict != verify.Error && claimsfile.IsWarning(j.subjects, r.Claim.ID)
	}, true, j.strict)
}

// unfit returns a usage error if some claims cannot be read or do not fit the outputs of their mechanism.
func (j auditJob) unfit(run verify.Run) error {
	switch {
	case run.Interrupted:
	case j.broken != nil:
		return usage(errors.New("some claims cannot be read; the other claims were judged"))
	case claimsfile.HasMisfits(j.subjects):
		return usage(errors.New("some claims do not fit the outputs of their mechanism; the other claims were judged"))
	}
	return nil
}

// work returns the maximum number of outputs that the audit, or one shard of it, requests from its mechanisms.
func (j auditJob) work() plannedWork {
	scale := map[verify.Budget]float64{verify.Quick: 1. / 8, verify.Standard: 1, verify.Thorough: 10}[j.options.Budget]
	w := plannedWork{What: "outputs of mechanisms", PerSecond: 1e6, Workers: j.options.Workers}
	for _, s := range j.subjects {
		w.Amount += s.Draws() * scale
	}
	if part, _, err := parseShard(j.journal.shard, os.Getenv); err == nil {
		w.Amount /= float64(part.Of)
	}
	return w
}

// head returns the header of the audit's checkpoint. It has no data directory: audits do not read the papers' data.
func (j auditJob) head(version string) checkpoint.Head {
	o := j.options
	o.Data = ""
	head := checkpoint.NewHead(version, j.words, j.ledger.Claims(), o)
	head.Config = claimsfile.Digest(j.subjects)
	return head
}

// document returns the report with the places of its claims.
func (j auditJob) document(a *app, run verify.Run) reports.Document {
	d := reports.Document{
		Title: "dpverify audit", Full: true, Run: run, Version: a.version, Go: runtime.Version(),
		Papers:  auditPapers,
		Command: reports.Command(j.options, j.words...), Whole: true, Strict: j.strict, Times: j.times,
		Notes: []string{claimsfile.Coverage(j.subjects, run)},
	}
	if note := j.evidence.note(); note != "" {
		d.Notes, d.Continues = append(d.Notes, note), j.evidence.path
	}
	d.Places, d.Excused = make(map[string]reports.Place), make(map[string]reports.Excuse)
	for _, s := range j.subjects {
		for _, id := range s.IDs() {
			d.Places[id] = s.At
		}
		if s.Precision == claimsfile.PrecisionWarn {
			d.Excused[s.ID()+claimsfile.PrecisionSuffix] = reports.Excuse{
				Reason: "a finding about precision is a warning, unless --precision is fail"}
		}
	}
	return d
}
