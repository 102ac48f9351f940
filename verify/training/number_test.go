package training_test

import (
	"math"
	"math/bits"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// answered returns the scores of canaries whose coins and answers are the bits of two words. If there are no answers,
// the scores are 0, 1 and so on.
func answered(t *testing.T, m int, coins, answers uint) *training.Scores {
	i := -1
	return drawn(t, m, func() (float64, bool) {
		i++
		score := float64(i)
		if answers != 0 {
			score = float64(answers >> i & 1)
		}
		return score, coins>>i&1 == 1
	})
}

// refuted returns the probability that randomized response at ε is refuted at ε, if all sets of n of the m canaries
// are equally probable. At ε = 0 the scores are distinct.
func refuted(t *testing.T, m, n int, chance, epsilon, alpha float64, event training.Event) (probability float64) {
	right := 1 / (1 + math.Exp(-epsilon))
	sets := 0.0
	for coins := range uint(1) << m {
		if bits.OnesCount(coins) != n {
			continue
		}
		sets++
		for answers := range uint(1) << m {
			weight, agree := 1.0, m-bits.OnesCount(coins^answers)
			if epsilon == 0 {
				if answers > 0 {
					break
				}
			} else if weight = math.Pow(right, float64(agree)) * math.Pow(1-right,
				float64(m-agree)); answers == 0 || answers == 1<<m-1 {
				continue // the file is rejected, since all scores are equal
			}
			a := training.OneRunAudit{Scores: answered(t, m, coins, answers), Guarantee: privacy.ApproximateDP(epsilon, 0),
				Event:  event,
				Chance: chance}
			if judged(t, a, alpha).Verdict == verify.Refuted {
				probability += weight
			}
		}
	}
	return probability / sets
}

// If exactly n of m canaries are included, the coins are not independent, and the error probability is still at most
// alpha. All sets and all answers are enumerated.
func TestFixedNumberOfIncludedCanaries(t *testing.T) {
	for _, c := range []struct {
		m, n            int
		chance, epsilon float64
		event           training.Event
	}{
		{10, 5, 0.5, 0, training.Event{}}, {9, 4, 0.5, 0, training.Event{}}, {9, 5, 0.5, 0, training.Event{}},
		{8, 4, 0.5, 0, training.ScoresAtLeast(4)}, {10, 3, 0.3, 0, training.Event{}}, {10, 7, 0.7, 0,
			training.ScoresAtLeast(7)},
		{5, 2, 0.4, 1, training.Event{}}, {5, 2, 0.5, 1, training.ScoresAtLeast(1)},
	} {
		for _, alpha := range []float64{0.035, 0.07, 0.38} {
			if p := refuted(t, c.m, c.n, c.chance, c.epsilon, alpha, c.event); p > alpha {
				t.Errorf("%d of %d canaries, ε = %v, event %q: refuted with probability %.4f, want at most %v", c.n, c.m,
					c.epsilon, c.event, p, alpha)
			}
		}
	}
}

// The power of a file with a fixed number of included canaries is less than the power of a file with independent coins.
func TestPowerAtFixedNumbers(t *testing.T) {
	verdict := func(m, n int) verify.Verdict {
		i := -1
		scores := drawn(t, m, func() (float64, bool) { // three of four answers are right
			i++
			in := i < n
			return map[bool]float64{true: 1, false: 0}[in == (i%4 > 0)], in
		})
		return judged(t, training.OneRunAudit{Scores: scores, Guarantee: privacy.ApproximateDP(1.2, 0)}, 0.05).Verdict
	}
	least := func(off int) int {
		for m := 200; m < 20_000; m += m / 50 * 2 {
			if m%2 == 0 && verdict(m, m/2+off) == verify.Consistent {
				return m
			}
		}
		return 0
	}
	even, odd := least(0), least(2)
	if odd == 0 || even <= odd {
		t.Errorf("consistent from %d canaries on if half of them are included, and from %d on if 2 more are", even, odd)
	}
}
