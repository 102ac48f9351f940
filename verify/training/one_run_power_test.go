package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// scored holds the values that the scores of an answer may have.
type scored struct {
	name    string
	out, in func(r *rand.Rand) float64
}

func oneOf(values ...float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return values[r.IntN(len(values))] }
}

var responses = []scored{
	{"two values", oneOf(0), oneOf(1)},
	{"four values", oneOf(0, 1), oneOf(2, 3)},
	{"ties in one answer", oneOf(0, 1, 2), oneOf(3)},
	{"no ties", (*rand.Rand).NormFloat64, func(r *rand.Rand) float64 { return 20 + 3*r.NormFloat64() }},
}

// respond draws scores of canaries through randomized response.
func respond(t *testing.T, r *rand.Rand, m int, epsilon, inclusion float64, s scored) *training.Scores {
	return drawn(t, m, func() (float64, bool) {
		in := r.Float64() < inclusion
		if in == (r.Float64() < 1/(1+math.Exp(-epsilon))) {
			return s.in(r), in
		}
		return s.out(r), in
	})
}

// If the training is randomized response at 1.25 ε, the verdict is consistent with probability at most 0.01. The
// numbers of canaries suffice for this verdict on a training at ε. The errors of each row are the errors of
// [verifytest.Wald]: a rate of 0.06, in the long form 0.02, passes with probability 0.01.
func TestConsistentIsRareAtNearViolations(t *testing.T) {
	const alpha, most = 0.05, 64_000
	for i, epsilon := range []float64{1, 4} {
		for j, inclusion := range []float64{0.3, 0.5, 0.7} {
			for k, s := range responses {
				if !testutil.Asked() && (i+j+k)%4 != 0 {
					continue
				}
				r := rand.New(rand.NewPCG(45, uint64(i*100+j*10+k)))
				consistent := func(m int, value float64) bool {
					a := training.OneRunAudit{Scores: respond(t, r, m, value, inclusion, s), Chance: inclusion,
						Guarantee: privacy.ApproximateDP(epsilon, 0)}
					return judged(t, a, alpha).Verdict == verify.Consistent
				}
				m := 1000
				for m < most && !consistent(m, epsilon) {
					m += m / 4
				}
				rate := verifytest.Wald{Most: 0.01, Fault: 0.06}
				if testutil.Asked() {
					rate.Fault = 0.02
				}
				for !rate.Decided() {
					rate.Add(consistent(m, 1.25*epsilon))
				}
				rate.Report(t, fmt.Sprintf("ε = %g, inclusion %g, %s, %d canaries: consistent at 1.25 ε", epsilon, inclusion,
					s.name, m))
				if m >= most {
					t.Errorf("%s: %d canaries are too few for a verdict", s.name, m)
				}
			}
		}
	}
}

// Only an attack with the ties of the file counts. If a third of the answers abstain, no number of answers fits
// randomized response. With an account only a score with a known distribution counts.
func TestConsistentNeedsItsAttack(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	abstaining := scored{"", oneOf(0, 0, 1), oneOf(2, 2, 1)}
	binary := responses[0]
	for _, c := range []struct {
		reason string
		scores scored
		law    training.Score
		told   *training.Described
		want   verify.Verdict
	}{
		{"two values, no stated score", binary, training.Score{}, nil, verify.Consistent},
		{"two values, stated as answers", binary, training.Score{Kind: training.ResponseScore}, nil, verify.Consistent},
		{"a third of the answers abstain", abstaining, training.Score{}, nil, verify.Inconclusive},
		{"a score with another law", binary, training.Score{Kind: training.GaussianScore}, nil, verify.Inconclusive},
		{"an account, no stated score", binary, training.Score{},
			&training.Described{Null: confidence.Lines{{Epsilon: 1}}, Description: "ε = 1"}, verify.Inconclusive},
	} {
		scores := respond(t, r, 20_000, 0.9, 0.5, c.scores)
		scores.Score = c.law
		a := training.OneRunAudit{Scores: scores, Guarantee: privacy.ApproximateDP(1, 0), Described: c.told}
		e := judged(t, a, 0.05)
		if e.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.reason, e.Verdict, c.want, e.Power)
		}
		const words = "randomized response at 1.25 ε, with these ties and this inclusion"
		if want := c.want == verify.Consistent && c.law == (training.Score{}); strings.Contains(e.Power, words) != want {
			t.Errorf("%s: %q", c.reason, e.Power)
		}
	}
}

// Canaries with equal scores have equal guesses. For scores with two values no guess is random.
func TestTiesAreNotGuessedByCoin(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	for range 20 {
		e := judged(t, training.OneRunAudit{Scores: respond(t, r, 1001, 40, 0.5, responses[0]),
			Guarantee: privacy.ApproximateDP(5, 0)}, 0.05)
		if !strings.HasPrefix(e.Cells[0].Label, "500 of 500") {
			t.Errorf("scores that show all coins: %s", e.Cells[0].Label)
		}
	}
}

// The number of canaries with an event depends on the scores, and a fault of the training changes it. A stated score
// therefore shows no power for the event. An earlier version reported that half the noise would have been refuted,
// which never happened.
func TestEventsShowNoPowerOfStatedScores(t *testing.T) {
	const sum = "sum sampling-rate=1 noise-multiplier=1.8157622817575643 steps=10 signs=alternating"
	sums := func(noise float64) *training.Scores {
		r := rand.New(rand.NewPCG(45, 3))
		scores := drawn(t, 828, func() (float64, bool) {
			in, x := r.IntN(2) == 1, math.Sqrt(10)*noise*r.NormFloat64()
			if in {
				x += 10
			}
			return x, in
		})
		scores.Score = scoreOf(t, sum)
		return scores
	}
	for _, c := range []struct {
		noise float64
		event training.Event
		power bool
	}{
		{1.8157622817575643, training.Event{}, true},
		{1.8157622817575643, training.ScoresAtLeast(13.7), false},
		{1.8157622817575643 / 2, training.ScoresAtLeast(13.7), false},
	} {
		e := judged(t, training.OneRunAudit{Scores: sums(c.noise), Guarantee: privacy.GaussianDP(0.507),
			Event: c.event}, 0.05)
		if strings.Contains(e.Power, "would have been refuted") != c.power {
			t.Errorf("noise %g, event %q: %s with %s", c.noise, c.event, e.Verdict, e.Power)
		}
		if strings.Contains(e.Needed, "without an event") != (e.Verdict == verify.Inconclusive && !c.power) {
			t.Errorf("noise %g, event %q: %s needs %s", c.noise, c.event, e.Verdict, e.Needed)
		}
	}
}
