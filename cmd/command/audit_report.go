package command

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/dpverify/dpverify/cmd/command/internal/auditfile"
	"github.com/dpverify/dpverify/cmd/command/internal/paths"
	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/journal"
)

// auditJob is an audit that is ready to run.
type auditJob struct {
	ledger   *verify.Ledger
	subjects []auditfile.Subject
	words    []string
	reads    []paths.File // that the claims name
	options  verify.Options
	out      outputFlags
	side     sideFlags
	journal  journalFlags
	strict   bool
	times    bool
	broken   error // why some accounts cannot be read
}

// outcome is that of the claims, unless some could not be read.
func (j auditJob) outcome(run verify.Run) error {
	if j.broken != nil && !run.Interrupted {
		return usage(errors.New("there are accounts that cannot be read; the other claims were judged"))
	}
	return outcome(j.counted(run), true, j.strict)
}

// work is the most that the audit asks of its mechanisms, or of its part of them.
func (j auditJob) work() work {
	scale := map[verify.Budget]float64{verify.Quick: 1. / 8, verify.Standard: 1, verify.Thorough: 10}[j.options.Budget]
	w := work{what: "outputs of mechanisms", perSecond: 1e6, workers: j.options.Workers}
	for _, s := range j.subjects {
		w.amount += 2 * float64(s.Samples) * float64(len(s.Pairs)) * scale
	}
	if _, of, err := j.journal.part(); err == nil {
		w.amount /= float64(of)
	}
	return w
}

// head is that of the audit's journal. Audits read none of the papers' data.
func (j auditJob) head(version string) journal.Head {
	o := j.options
	o.Data = ""
	head := journal.NewHead(version, j.words, j.ledger.Claims(), o)
	head.Config = auditfile.Digest(j.subjects)
	return head
}

// document is the report, with the places of its claims.
func (j auditJob) document(a *app, run verify.Run) reports.Document {
	d := reports.Document{
		Title: "dpverify audit", Run: run, Version: a.version, Go: runtime.Version(),
		Papers:  []reports.Paper{{ID: "audit", Title: "Audited claims"}},
		Command: reports.Command(j.options, j.words...), Whole: true, Times: j.times,
		Notes: []string{j.coverage(run)},
	}
	d.Places, d.Excused = make(map[string]reports.Place), make(map[string]reports.Excuse)
	for _, s := range j.subjects {
		for _, id := range s.IDs() {
			d.Places[id] = s.At
		}
		if s.Precision == auditfile.PrecisionWarn {
			d.Excused[s.ID()+auditfile.PrecisionSuffix] = reports.Excuse{
				Reason: "a finding about precision is a warning, unless --precision is fail"}
		}
	}
	return d
}

// warned tells the claims about precision whose findings are warnings.
func (j auditJob) warned(id string) bool {
	for _, s := range j.subjects {
		if s.Precision == auditfile.PrecisionWarn && id == s.ID()+auditfile.PrecisionSuffix {
			return true
		}
	}
	return false
}

// counted is the run as the exit code sees it: a finding of the precision probe is not
// in it, unless it is to fail; a mechanism that fails is.
func (j auditJob) counted(run verify.Run) verify.Run {
	var results []verify.Result
	for _, r := range run.Results {
		if r.Verdict == verify.Error || !j.warned(r.Claim.ID) {
			results = append(results, r)
		}
	}
	run.Results = results
	return run
}

// coverage says in one line what the audit did not look at.
func (j auditJob) coverage(run verify.Run) string {
	pairs, accounts := 0, ""
	for _, s := range j.subjects {
		if s.Sampled() {
			pairs += max(1, len(s.Pairs)) // recorded outputs are one pair
		}
		if s.Account != nil {
			accounts = "whether a program is what an account describes, beyond what an audit of it finds"
		}
	}
	if pairs == 0 {
		return "What this audit did not cover: " + accounts + "."
	} else if accounts != "" {
		accounts += "; "
	}
	inputs := "the pair of inputs that was given"
	if pairs > 1 {
		inputs = fmt.Sprintf("the %d pairs of inputs that were given", pairs)
	}
	recorded := ""
	for _, s := range j.subjects {
		if s.Recorded != nil {
			recorded = ", and whether the outputs were recorded independently of one another"
		}
	}
	events := "events of any kind, for no claim was sampled"
	if mass := j.leastMass(run); mass > 0 {
		events = fmt.Sprintf("events of probability below about %.2g", mass)
	}
	text := fmt.Sprintf("What this audit did not cover: %sinputs other than %s, and whether those are neighbours as "+
		"the claim means it%s; %s; "+
		"time, memory and other side channels; and training runs, of which it is no canary audit.", accounts, inputs,
		recorded, events)
	for _, r := range run.Results {
		if j.warned(r.Claim.ID) && r.Verdict == verify.Refuted {
			text += " A finding about precision is a warning here and does not change the exit code; --precision " +
				"fail makes it do so."
			break
		}
	}
	return text
}

// leastMass is the smallest probability at which an event that never happens under the
// other input would have refuted the claim: the largest of the privacy claims'.
func (j auditJob) leastMass(run verify.Run) (worst float64) {
	for _, r := range run.Results {
		n := r.Samples / 2
		if n == 0 || strings.HasSuffix(r.Claim.ID, auditfile.PrecisionSuffix) {
			continue
		}
		worst = max(worst, limits.LeastMass(n, r.Claimed.X, 0, r.Alpha/2)) // of each of two views
	}
	return worst
}
