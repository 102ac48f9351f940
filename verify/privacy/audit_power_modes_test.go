package privacy

import (
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// TestHiddenLeaksInOtherModes checks the promised power of sequential audits and of recorded outputs.
func TestHiddenLeaksInOtherModes(t *testing.T) {
	claim := ApproximateDP(1, 0)
	plain, leaks := (*rand.Rand).Float64, func(*rand.Rand) float64 { return 0.5 }
	betting := func(p, q float64) verify.Check {
		return Audit[float64, float64]{Mechanism: leak[float64]{p, q, plain, leaks}, Pairs: zeroAndOne, Guarantee: claim, Samples: 20_000, EventProbability: 0.2, Anytime: true}
	}
	recorded := func(p, q float64) verify.Check {
		r := rand.New(rand.NewPCG(1, 2))
		draw := func(x float64) func() any {
			return func() any {
				v, _ := leak[float64]{p, q, plain, leaks}.Release(r, x) // never fails
				return v
			}
		}
		return RecordedAudit{A: recordingOf("a", 14_000, draw(0)), B: recordingOf("b", 14_000, draw(1)), Guarantee: claim, Mass: 0.2}
	}
	for name, check := range map[string]func(p, q float64) verify.Check{"betting": betting, "recorded": recorded} {
		private := verifytest.JudgeAt(t, check(0, 0), 1)
		least := private.Sizes.LargeProbability
		if private.Verdict != verify.Consistent || !least.Set || least.X > 0.2 {
			t.Errorf("%s, private: %s: %s", name, private.Verdict, private.Power)
			continue
		}
		q, _ := claim.Large(least.X)
		for seed := range testutil.Size[uint64](1, 3) {
			if e := verifytest.JudgeAt(t, check(least.X, q), seed); e.Verdict != verify.Refuted {
				t.Errorf("%s, seed %d, event probability %.3g: %s by %s: %s", name, seed, least.X, e.Verdict, e.WorstCase, e.Power)
			}
		}
	}
}
