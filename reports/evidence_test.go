package reports

import (
	"bytes"
	"strings"
	"testing"
)

// The largest double is near e^709.8. Evidence above e^700 is shown as a bound, and smaller evidence as a value.
func TestHugeEvidence(t *testing.T) {
	page := render(t, func(b *bytes.Buffer) error {
		return WriteEvidence(b, []EvidenceRow{{Claim: "c", Version: "v", Runs: []string{"1"}, LogEvidence: 699, LogPeak: 701,
			LogNeeded: 3, Verdict: "x"}})
	})
	if text := string(page); !strings.Contains(text, "| 3.73e+303 | > 1e304 |") {
		t.Errorf("no value and bound in\n%s", text)
	}
}
