package verifytest

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// Rows lists checks with their expected verdicts and parts of their explanations.
type Rows []struct {
	Reason string
	Check  verify.Check
	Want   verify.Verdict
	Says   []string
}

// Hold judges each check. It fails unless the verdict is the expected one and the explanation contains all of Says.
func (all Rows) Hold(t *testing.T) {
	t.Helper()
	for _, c := range all {
		e := JudgeAt(t, c.Check, 1)
		text := Look(t, c.Reason, e)
		for _, says := range c.Says {
			if e.Verdict != c.Want || !strings.Contains(text, says) {
				t.Errorf("%s: %s, %q; want %s, %q", c.Reason, e.Verdict, text, c.Want, says)
			}
		}
	}
}

// NeededOf matches the text that says how many samples an inconclusive check needs, and how many it had.
var NeededOf = regexp.MustCompile(`^about (\d+) .*; this run had (?:at most )?(\d+)`)

// OpenRows lists checks that are inconclusive with a given number of samples.
type OpenRows []struct {
	Reason string
	Size   int64 // samples in the first run
	Check  func(n int64) verify.Check
}

// Decided fails unless four times the number of samples that a check says it needs decide the claim, and a fifth of
// this number does not.
func (all OpenRows) Decided(t *testing.T) {
	t.Helper()
	for _, c := range all {
		needed := func(e verify.Evidence) (need, have int64) {
			found := NeededOf.FindStringSubmatch(Look(t, c.Reason, e))
			if e.Verdict != verify.Inconclusive || found == nil {
				t.Fatalf("%s: %s, %q", c.Reason, e.Verdict, e.Needed)
			}
			need, _ = strconv.ParseInt(found[1], 10, 64)
			have, _ = strconv.ParseInt(found[2], 10, 64)
			return need, have
		}
		need, have := needed(JudgeAt(t, c.Check(c.Size), 1))
		if math.Abs(float64(have)/float64(c.Size)-1) > 0.6 || need <= have {
			t.Errorf("%s: %d samples, but the text says %d and needs %d", c.Reason, c.Size, have, need)
		}
		// A pilot with few samples may underestimate the noise by half, and the size is proportional to its square.
		if e := JudgeAt(t, c.Check(4*need), 1); e.Verdict == verify.Inconclusive {
			t.Errorf("%s: the text needs %d samples, but four times as many do not suffice: %s", c.Reason, need, e.Needed)
		}
		if e := JudgeAt(t, c.Check(need/5), 1); e.Verdict != verify.Inconclusive {
			t.Errorf("%s: the text needs %d samples, but a fifth of them suffice: %s", c.Reason, need, e.Verdict)
		}
	}
}
