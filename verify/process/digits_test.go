//go:build unix

package process

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Integers keep all their digits in requests and replies.
func TestProcessOfIDs(t *testing.T) {
	for _, c := range verifytest.LongIDs {
		if strings.ContainsAny(c.A, "[\"") {
			continue // the helper takes only numbers
		}
		p := helperProcess(t, "verbatim")
		e := verifytest.JudgeAt(t, Check{Process: p, Check: privacy.Audit[json.RawMessage, any]{
			Mechanism: p, Guarantee: privacy.ApproximateDP(1, 0), Samples: 600,
			Pairs: []inputs.Pair[json.RawMessage]{{Name: c.Reason, A: json.RawMessage(c.A), B: json.RawMessage(c.B)}},
		}}, 1)
		if e.Verdict != verify.Refuted {
			t.Errorf("%s: %s: %s", c.Reason, e.Verdict, e.Power)
		}
	}
}
