package claimsfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// IsWarning tells whether a claim is about precision, and its findings are warnings.
func IsWarning(subjects []Subject, id string) bool {
	return slices.ContainsFunc(subjects, func(s Subject) bool {
		return s.Precision == PrecisionWarn && id == s.ID()+PrecisionSuffix
	})
}

// Coverage says in one line what an audit did not look at.
func Coverage(subjects []Subject, run verify.Run) string {
	pairs, tried, described, recorded, more := 0, 0, false, "", ""
	runs := "and training runs, of which it is no canary audit"
	for _, s := range subjects {
		if s.Found != nil {
			tried += s.Found.Search
		} else if s.Sampled() {
			pairs += max(1, len(s.Pairs)) // recorded outputs are one pair
		}
		described = described || s.Account != nil
		if s.canaries != nil || s.Sampled() && s.ofRuns() {
			runs = "and what another attack would show of the training"
		}
		if s.Recorded != nil {
			recorded = ", and whether the outputs were recorded independently of one another"
		}
		if len(s.Stated) > 0 {
			more = "inputs other than those at which something else is stated; "
		}
	}
	if described {
		more += "whether a program is what an account describes, beyond what an audit of it finds; "
	}
	if pairs == 0 && tried == 0 {
		if strings.HasPrefix(runs, "and what") {
			more += strings.TrimPrefix(runs, "and ")
		}
		return "What this audit did not cover: " + strings.TrimSuffix(more, "; ") + "."
	}
	inputs := "the pair of inputs that was given"
	if pairs > 1 {
		inputs = fmt.Sprintf("the %d pairs of inputs that were given", pairs)
	}
	if tried > 0 {
		inputs = fmt.Sprintf("the %d that searches tried, of which they chose", tried)
		if pairs > 0 {
			inputs += fmt.Sprintf(", and %d pairs that were given", pairs)
		}
	}
	events := "events of any kind, for no claim was sampled"
	if mass := minMass(run); mass > 0 {
		events = fmt.Sprintf("events of probability below about %.2g", mass)
	}
	text := fmt.Sprintf("What this audit did not cover: %sinputs other than %s, and whether those are neighbours as "+
		"the claim means it%s; %s; "+
		"time, memory and other side channels; %s.", more, inputs, recorded, events, runs)
	for _, r := range run.Results {
		if IsWarning(subjects, r.Claim.ID) && r.Verdict == verify.Refuted {
			text += " A finding about precision is a warning here and does not change the exit code; --precision " +
				"fail makes it do so."
			break
		}
	}
	return text
}

// minMass is the smallest probability at which an event that never happens under the
// other input would have refuted the claim: the largest of the privacy claims'.
func minMass(run verify.Run) (worst float64) {
	for _, r := range run.Results {
		n := r.Samples / 2
		if r.Fewer > 0 {
			n = r.Fewer
		}
		if n == 0 || r.Claim.Kind != verify.Privacy || strings.HasSuffix(r.Claim.ID, PrecisionSuffix) {
			continue
		}
		worst = max(worst, confidence.MinEventShare(n, n, r.Claimed.X, 0, r.Alpha/2)) // of each of two views
	}
	return worst
}
