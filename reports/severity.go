package reports

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Severity ranks a finding for somebody who relies on the claim, from 1, the gravest.
type Severity int

const (
	PrivacyViolated Severity = 1 + iota // the privacy loss is infinite, or more than twice the claimed one
	PrivacyWeaker                       // the privacy loss is at most twice the claimed one, or not quantified
	UtilityFails                        // nothing is learned, or a statement on errors, rates or means is false
	FormulaFails                        // another formula, step of a proof or reported number is wrong
	Overstated                          // the privacy loss is smaller than claimed: safe, but wasteful
)

// Words names a severity.
func (s Severity) Words() string {
	switch s {
	case PrivacyViolated:
		return "privacy violated"
	case PrivacyWeaker:
		return "privacy weaker than claimed"
	case UtilityFails:
		return "utility"
	case FormulaFails:
		return "formula"
	case Overstated:
		return "privacy loss overstated"
	}
	return ""
}

// letter begins the labels of findings with a severity: P1 is a finding about privacy.
func (s Severity) letter() string {
	switch s {
	case PrivacyViolated, PrivacyWeaker:
		return "P"
	case UtilityFails:
		return "U"
	}
	return "F"
}

// Directions of a finding: the privacy loss is larger or smaller than claimed.
const (
	DirectionViolated   = "violated"
	DirectionOverstated = "overstated"
	DirectionNone       = "none"
)

// severity is the severity of a claim that fails, and its direction.
type severity struct {
	Severity
	direction string
}

// severityOf computes the severity of a claim that fails, and the direction, from its evidence and the impact
// that a reviewer assigned.
func severityOf(r verify.Result, impact verify.Impact) (Severity, string) {
	aboutLoss := (r.Claim.Kind == verify.Privacy || r.Claim.Kind == verify.Sensitivity) &&
		r.Claim.Origin != verify.Observation // an observation holds, so its figures violate nothing
	if found, ok := worstLoss(r.Evidence); aboutLoss && ok && r.Verdict != verify.Vacuous {
		switch claimed := r.Claimed.X; {
		case found > claimed && !(found <= 2*claimed):
			return PrivacyViolated, DirectionViolated
		case found > claimed:
			return PrivacyWeaker, DirectionViolated
		case found < claimed:
			return Overstated, DirectionOverstated
		}
	}
	small := impact == verify.ImpactProof || impact == verify.ImpactExtreme || r.Verdict == verify.Vacuous
	utility := []verify.Kind{verify.Rate, verify.Unbiasedness, verify.Law, verify.Experiment}
	switch {
	case small:
		return FormulaFails, DirectionNone
	case impact == verify.ImpactPrivacy || aboutLoss:
		return PrivacyWeaker, DirectionNone
	case impact == verify.ImpactUtility || slices.Contains(utility, r.Claim.Kind):
		return UtilityFails, DirectionNone
	}
	return FormulaFails, DirectionNone
}

// worstLoss returns the figure that decided against a claim on privacy loss: the certified end of its interval, else
// the computed or measured value. It reports false if there is no such figure or no claimed one.
func worstLoss(e verify.Evidence) (found float64, ok bool) {
	if !e.Claimed.Set {
		return 0, false
	}
	number := e.Measured
	switch {
	case e.Lower.Set && e.Lower.X > e.Claimed.X:
		number = e.Lower
	case e.Upper.Set && e.Upper.X < e.Claimed.X && !format.IsUpperBound(e.Sense):
		number = e.Upper
	}
	return number.X, number.Set && !math.IsNaN(number.X)
}
