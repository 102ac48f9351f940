package privacy

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/outputs"
)

// releaseOf is a mechanism without noise.
type releaseOf func(r *rand.Rand, x float64) any

func (f releaseOf) Release(r *rand.Rand, x float64) (any, error) { return f(r, x), nil }

// TestConstantOutputsAreReported checks that an audit whose outputs are all one value says so. A constant release is
// private, so it is never refuted.
func TestConstantOutputsAreReported(t *testing.T) {
	const word = "under every input, are the same value"
	pairs := []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}, {Name: "1 and 2", A: 1, B: 2}}
	for name, c := range map[string]struct {
		release releaseOf
		want    string // "" is no warning
	}{
		"null":         {func(*rand.Rand, float64) any { return nil }, word + ", null (None in Python): check"},
		"number":       {func(*rand.Rand, float64) any { return 2.5 }, word + ", 2.5: check"},
		"not a number": {func(*rand.Rand, float64) any { return math.NaN() }, word + ", NaN: check"},
		"long text":    {func(*rand.Rand, float64) any { return strings.Repeat("a", 200) }, word + ": check"},
		"one pair varies": {func(r *rand.Rand, x float64) any {
			if x == 2 {
				return r.IntN(2) == 0
			}
			return false
		}, ""},
		"lowest bit varies": {func(r *rand.Rand, _ float64) any { return 1 + float64(r.IntN(2))*0x1p-52 }, ""},
		"fair bit":          {func(r *rand.Rand, _ float64) any { return r.IntN(2) == 0 }, ""},
	} {
		for _, anytime := range []bool{false, true} {
			a := Audit[float64, any]{Mechanism: c.release, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: 2000,
				Anytime: anytime}
			e := judgeAudit(t, a, 1, 2)
			if said := strings.Join(e.Warnings, "\n"); c.want == "" && strings.Contains(said, word) ||
				!strings.Contains(said, c.want) {
				t.Errorf("%s, anytime %v: warnings %q, want %q", name, anytime, said, c.want)
			}
			if c.want != "" && e.Verdict == verify.Refuted {
				t.Errorf("%s, anytime %v: %s", name, anytime, e.Verdict)
			}
		}
	}
}

// TestConstantRecordingsAreReported checks the same for recorded outputs, of which one may differ.
func TestConstantRecordingsAreReported(t *testing.T) {
	constant := func(name string) outputs.Recording {
		return recordingOf(name, 3000, func() any { return 0.0 })
	}
	a, b := constant("a.csv"), constant("b.csv")
	audit := RecordedAudit{A: a, B: b, Guarantee: ApproximateDP(1, 0)}
	const word = "all 6000 compared outputs, under every input, are the same value, 0: check"
	e := verifytest.JudgeAt(t, audit, 1)
	if !strings.Contains(strings.Join(e.Warnings, "\n"), word) || e.Verdict == verify.Refuted {
		t.Errorf("%s, warnings %q, want %q", e.Verdict, e.Warnings, word)
	}
	b.Outputs[2999] = 1.0
	if e := verifytest.JudgeAt(t, audit, 1); strings.Contains(strings.Join(e.Warnings, "\n"), "same value") {
		t.Errorf("an output differs, warnings %q", e.Warnings)
	}
}
