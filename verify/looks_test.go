package verify

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// look is the one text that stands behind a verdict; it fails where there is another.
func look(t *testing.T, reason string, e Evidence) string {
	t.Helper()
	x := e.Counterexample
	var texts []string
	for _, s := range []string{e.Attempt, x.At + x.Choice, e.Needed} {
		if s != "" {
			texts = append(texts, s)
		}
	}
	if len(texts) != 1 {
		t.Errorf("%s: %s, and behind it %q; want one text", reason, e.Verdict, texts)
		return ""
	}
	if x.At != "" {
		return x.At + ": " + x.Choice
	}
	return texts[0]
}

// lookRows are checks, the verdicts they must get, and what the second look at each says.
type lookRows []struct {
	Reason string
	Check  Check
	Want   Verdict
	Says   []string
}

func (all lookRows) want(t *testing.T) {
	t.Helper()
	for _, c := range all {
		e := judgeAt(t, c.Check, 1)
		text := look(t, c.Reason, e)
		for _, says := range c.Says {
			if e.Verdict != c.Want || !strings.Contains(text, says) {
				t.Errorf("%s: %s, %q; want %s, %q", c.Reason, e.Verdict, text, c.Want, says)
			}
		}
	}
}

var neededOf = regexp.MustCompile(`^about (\d+) .*; this run had (?:at most )?(\d+)`)

// openRows are checks that are open at the size given.
type openRows []struct {
	Reason string
	Size   int64 // of the first run
	Check  func(n int64) Check
}

// decided wants the size that an open claim is said to take to decide it, and a fifth of it not to.
func (all openRows) decided(t *testing.T) {
	t.Helper()
	for _, c := range all {
		needed := func(e Evidence) (need, have int64) {
			found := neededOf.FindStringSubmatch(look(t, c.Reason, e))
			if e.Verdict != Inconclusive || found == nil {
				t.Fatalf("%s: %s, %q", c.Reason, e.Verdict, e.Needed)
			}
			need, _ = strconv.ParseInt(found[1], 10, 64)
			have, _ = strconv.ParseInt(found[2], 10, 64)
			return need, have
		}
		need, have := needed(judgeAt(t, c.Check(c.Size), 1))
		if math.Abs(float64(have)/float64(c.Size)-1) > 0.6 || need <= have {
			t.Errorf("%s: %d samples, said to be %d; %d are needed", c.Reason, c.Size, have, need)
		}
		// What a pilot of few samples said of the noise may be half of it: sizes go with its square.
		if e := judgeAt(t, c.Check(4*need), 1); e.Verdict == Inconclusive {
			t.Errorf("%s: %d samples were said to do, and four times as many do not: %s", c.Reason, need, e.Needed)
		}
		if e := judgeAt(t, c.Check(need/5), 1); e.Verdict != Inconclusive {
			t.Errorf("%s: %d samples were said to be needed, and a fifth of them do: %s", c.Reason, need, e.Verdict)
		}
	}
}
