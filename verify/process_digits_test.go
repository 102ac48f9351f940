//go:build unix

package verify

import (
	"encoding/json"
	"strings"
	"testing"
)

// Inputs go to a process, and come back from it, with all their digits.
func TestProcessOfIDs(t *testing.T) {
	for _, c := range longIDs {
		if strings.ContainsAny(c.A, "[\"") {
			continue // what the helper takes is a number
		}
		p := helperProcess(t, "verbatim")
		e := judgeAt(t, Processed{Process: p, Check: Audit[json.RawMessage, any]{
			Mechanism: p, Guarantee: ApproximateDP(1, 0), Samples: 600,
			Pairs: []Neighbours[json.RawMessage]{{Name: c.Reason, A: json.RawMessage(c.A), B: json.RawMessage(c.B)}},
		}}, 1)
		if e.Verdict != Refuted {
			t.Errorf("%s: %s: %s", c.Reason, e.Verdict, e.Power)
		}
	}
}
