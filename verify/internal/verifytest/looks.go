package verifytest

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// Rows lists checks with their expected verdicts and explanations.
type Rows []struct {
	Reason string
	Check  verify.Check
	Want   verify.Verdict
	Says   []string
}

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

var NeededOf = regexp.MustCompile(`^about (\d+) .*; this run had (?:at most )?(\d+)`)

// OpenRows lists checks that are inconclusive at a size.
type OpenRows []struct {
	Reason string
	Size   int64 // samples in the first run
	Check  func(n int64) verify.Check
}

// Decided fails unless the stated size decides an open claim and a fifth of it does not.
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
			t.Errorf("%s: %d samples, said to be %d; %d are needed", c.Reason, c.Size, have, need)
		}
		// A pilot with few samples may underestimate the noise by half, and the size is proportional to its square.
		if e := JudgeAt(t, c.Check(4*need), 1); e.Verdict == verify.Inconclusive {
			t.Errorf("%s: %d samples are said to suffice, but four times as many do not: %s", c.Reason, need, e.Needed)
		}
		if e := JudgeAt(t, c.Check(need/5), 1); e.Verdict != verify.Inconclusive {
			t.Errorf("%s: %d samples are said to be needed, but a fifth of them suffice: %s", c.Reason, need, e.Verdict)
		}
	}
}
