package claimsfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// IsWarning reports whether a claim is about floating-point leaks and its findings are only warnings.
func IsWarning(subjects []Subject, id string) bool {
	return slices.ContainsFunc(subjects, func(s Subject) bool {
		return s.Precision == PrecisionWarn && id == s.ID()+PrecisionSuffix
	})
}

// ReportFailureOnce replaces the error of a claim about floating-point leaks if the claim about the same mechanism
// failed too. The mechanism is then at fault, and a report prints its error once.
func ReportFailureOnce(subjects []Subject, results []verify.Result) {
	failed := func(id string) *verify.Result {
		i := slices.IndexFunc(results, func(r verify.Result) bool { return r.Claim.ID == id && r.Verdict == verify.Error })
		if i < 0 {
			return nil
		}
		return &results[i]
	}
	for _, s := range subjects {
		if bits := failed(s.ID() + PrecisionSuffix); bits != nil && failed(s.ID()) != nil {
			bits.Warnings = []string{"not checked, because the run of " + s.ID() + " failed"}
		}
	}
}

// Coverage returns one line that lists the limits of an audit.
func Coverage(subjects []Subject, run verify.Run) string {
	pairs, tried, described, recorded, logged, more := 0, 0, false, "", "", ""
	runs := "and training runs (this was not a canary audit)"
	for _, s := range subjects {
		if s.Found != nil {
			tried += s.Found.Search
		} else if s.Sampled() {
			pairs += max(1, len(s.Pairs)) // recorded outputs are one pair
		}
		described = described || s.Account != nil
		if s.canaries != nil || s.Sampled() && s.isMultiRun() {
			runs = "and other attacks on the training"
		}
		if s.Recorded != nil {
			recorded = ", and whether the outputs were recorded independently"
		}
		if s.training != nil {
			logged = "a deployed training that differs from the logged run; what was not logged; the ε of the training, " +
				"which a refuted premise does not refute; "
		}
		if len(s.Stated) > 0 {
			more = "inputs other than those of the other statements; "
		}
	}
	more += logged
	if described {
		more += "whether a program implements its account, except as far as its audit tests it; "
	}
	if pairs == 0 && tried == 0 {
		if strings.HasPrefix(runs, "and other") {
			more += strings.TrimPrefix(runs, "and ")
		}
		return "This audit did not cover: " + strings.TrimSuffix(more, "; ") + "."
	}
	inputs := "the given pair of inputs"
	if pairs > 1 {
		inputs = fmt.Sprintf("the %d given pairs of inputs", pairs)
	}
	if tried > 0 {
		inputs = fmt.Sprintf("the %d among which searches chose", tried)
		if pairs > 0 {
			inputs += fmt.Sprintf(", and %d given pairs", pairs)
		}
	}
	events := "events of any probability, because no claim was sampled"
	if mass := minMass(run); mass > 0 {
		events = fmt.Sprintf("events of probability below about %.2g", mass)
	}
	text := fmt.Sprintf("This audit did not cover: %sinputs other than %s, and whether those are neighbors as "+
		"the claim means it%s; %s; "+
		"time, memory and other side channels; %s.", more, inputs, recorded, events, runs)
	for _, r := range run.Results {
		if IsWarning(subjects, r.Claim.ID) && r.Verdict == verify.Refuted {
			text += " A floating-point finding is only a warning and does not change the exit code; --precision " +
				"fail makes it do so."
			break
		}
	}
	return text
}

// minMass returns the smallest event probability that the audit could detect: an event of this probability under one
// input that never happens under the other would have refuted every privacy claim.
func minMass(run verify.Run) (worst float64) {
	for _, r := range run.Results {
		n := r.Samples / 2
		if r.Fewer > 0 {
			n = r.Fewer
		}
		if n == 0 || r.Claim.Kind != verify.Privacy || strings.HasSuffix(r.Claim.ID, PrecisionSuffix) {
			continue
		}
		worst = max(worst, confidence.MinEventShare(n, n, r.Claimed.X, 0, r.Alpha/2)) // each of two views has half of α
	}
	return worst
}
