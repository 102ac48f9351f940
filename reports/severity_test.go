package reports

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// The severity follows from the figures if the claim is about privacy loss, else from the kind and the impact.
func TestSeverity(t *testing.T) {
	for _, c := range []struct {
		name            string
		kind            verify.Kind
		sense           verify.Sense
		claimed, lower  float64
		measured, upper float64
		impact          verify.Impact
		verdict         verify.Verdict
		want            Severity
		direction       string
	}{
		{"infinite loss", verify.Privacy, verify.AtMost, 1, inf, inf, inf, "", verify.Refuted, PrivacyViolated, DirectionViolated},
		{"three times the loss", verify.Privacy, verify.AtMost, 1, 3, 3, 3, "", verify.Refuted, PrivacyViolated, DirectionViolated},
		{"the certified loss decides, not the estimate", verify.Privacy, verify.AtMost, 1, 1.5, 3, 4, "", verify.Refuted, PrivacyWeaker,
			DirectionViolated},
		{"twice the sensitivity", verify.Sensitivity, verify.AtMost, 1, 2, 2, 2, "", verify.Refuted, PrivacyWeaker, DirectionViolated},
		{"a smaller loss than stated", verify.Privacy, verify.Equals, 50, 1, 1, 1, "", verify.Refuted, Overstated,
			DirectionOverstated},
		{"an empty bound", verify.Privacy, verify.AtMost, inf, 1, 1, 1, "", verify.Vacuous, FormulaFails, DirectionNone},
		{"a formula that affects privacy", verify.Identity, verify.Equals, 1, 2, 2, 2, verify.ImpactPrivacy, verify.Refuted,
			PrivacyWeaker, DirectionNone},
		{"a rate", verify.Rate, verify.AtMost, 1, 2, 2, 2, verify.ImpactTheorem, verify.Refuted, UtilityFails, DirectionNone},
		{"a rate within a proof", verify.Rate, verify.AtMost, 1, 2, 2, 2, verify.ImpactProof, verify.Refuted, FormulaFails, DirectionNone},
		{"a useless release", verify.Identity, verify.AtMost, 1, 2, 2, 2, verify.ImpactUtility, verify.Refuted, UtilityFails,
			DirectionNone},
		{"a formula", verify.Identity, verify.Equals, 1, 2, 2, 2, "", verify.Contradictory, FormulaFails, DirectionNone},
	} {
		r := verify.Result{Claim: verify.Claim{Kind: c.kind}, Evidence: verify.Evidence{Verdict: c.verdict, Sense: c.sense,
			Claimed: verify.Num(c.claimed), Lower: verify.Num(c.lower), Measured: verify.Num(c.measured), Upper: verify.Num(c.upper)}}
		if got, direction := severityOf(r, c.impact); got != c.want || direction != c.direction {
			t.Errorf("%s: severity %d (%s), %s, want %d (%s), %s", c.name, got, got.Words(), direction, c.want, c.want.Words(), c.direction)
		}
	}
}
