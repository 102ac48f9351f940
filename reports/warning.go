package reports

import (
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// warning is the word that a report shows for a refuted claim that does not fail the run, for example a floating-point
// leak under --precision warn. It is not a verdict: the JSON form keeps the claim's own.
const warning verify.Verdict = "warning"

// shown returns the word that a report shows for the verdict on a claim.
func (d Document) shown(r verify.Result) verify.Verdict {
	if e, ok := d.Excused[r.Claim.ID]; ok && !e.Known && format.IsWrong(r.Verdict) {
		return warning
	}
	return r.Verdict
}

// mark returns the symbol of a shown word.
func mark(v verify.Verdict) string {
	if v == warning {
		return "!"
	}
	return v.Symbol()
}

// meaning returns the meaning of a shown word.
func meaning(v verify.Verdict) string {
	if v == warning {
		return "refuted, but the exit code does not change"
	}
	return v.Meaning()
}
