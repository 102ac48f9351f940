package checks

import (
	"cmp"

	"github.com/dpverify/dpverify/verify"
)

// accepted are the verdicts on a true statement, rejected those on a false one.
var (
	accepted = []verify.Verdict{verify.Holds, verify.Consistent}
	rejected = []verify.Verdict{verify.Refuted, verify.Contradictory}
)

// Pair returns a false claim and its correction. Each check is the control of the other. The texts of the controls are
// repair, the change that makes the claim true, and fault, the change that makes it false. By default the correction
// has the id of the false claim followed by "/corrected", its kind, and the origin [verify.Correction].
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
