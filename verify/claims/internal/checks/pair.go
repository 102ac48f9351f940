package checks

import (
	"cmp"

	"github.com/dpverify/dpverify/verify"
)

// Verdicts on a statement that holds, and on one that fails.
var (
	accepted = []verify.Verdict{verify.Holds, verify.Consistent}
	rejected = []verify.Verdict{verify.Refuted, verify.Contradictory}
)

// Pair returns a claim that fails and its correction. Each check is the control of the other one: repair says what the
// correction does right, fault what the first claim does wrong. The correction has the id of the first claim followed
// by "/corrected", its kind and the origin [verify.Correction], unless it states others.
func Pair(fails, corrected verify.Claim, repair, fault string) []verify.Claim {
	corrected.ID = cmp.Or(corrected.ID, fails.ID+"/corrected")
	corrected.Kind = cmp.Or(corrected.Kind, fails.Kind)
	corrected.Origin = cmp.Or(corrected.Origin, verify.Correction)
	fails.Corrected = corrected.ID
	fails.Check, corrected.Check = Shared(fails.Check), Shared(corrected.Check)
	fails.Control = verify.Control{Check: corrected.Check, Want: accepted, Fault: "none: " + repair}
	corrected.Control = verify.Control{Check: fails.Check, Want: rejected, Fault: fault}
	return []verify.Claim{fails, corrected}
}
