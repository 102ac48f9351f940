package meter

import (
	"bytes"
	"testing"
	"time"

	"github.com/dpverify/dpverify/verify"
)

// A claim is told of when it is judged, long before the run is over, where that is asked for, and not else.
func TestClaimsAreToldAsTheyAreJudged(t *testing.T) {
	for _, each := range []bool{true, false} {
		var b bytes.Buffer
		m := New(&b, time.Hour, "judging claims")
		m.Each = each
		show := m.Claims()
		show(verify.Progress{Claim: "a", Of: 9})
		if b.Len() > 0 {
			t.Errorf("told of a claim that is not judged: %q", &b)
		}
		show(verify.Progress{Claim: "a", Finished: true, Verdict: verify.Holds, Done: 1, Of: 9})
		show(verify.Progress{Claim: "b/c", Finished: true, Verdict: verify.Refuted, Done: 2, Of: 9})
		want := map[bool]string{true: "✓ holds         a (1 of 9)\n✗ refuted       b/c (2 of 9)\n"}[each]
		if got := b.String(); got != want {
			t.Errorf("each %t: told %q, want %q", each, got, want)
		}
		m.Close()
	}
}
