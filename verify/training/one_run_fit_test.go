package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// tenSteps returns likelihood ratios of ten steps with a canary at σ = 4, or another function of their sum.
func tenSteps(t *testing.T, seed uint64, m int, of func(x float64) float64) *training.Scores {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 46))
	return drawn(t, m, func() (float64, bool) {
		in, loss := r.IntN(2) == 1, 0.0
		for range 10 {
			x := 4 * r.NormFloat64()
			if in {
				x++
			}
			loss += (2*x - 1) / 32
		}
		return of(loss), in
	})
}

const tenStepsScore = "likelihood-ratio noise-multiplier=%g steps=%d %s signs=halves"

// gaussianSteps bounds the trade-off function of count steps at noise multiplier 4 by its lines.
func gaussianSteps(count int64) confidence.Lines {
	var lines confidence.Lines
	mu := math.Sqrt(float64(count)) / 4
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for i := range 60 {
		epsilon := float64(i) / 8
		lines = append(lines, confidence.Line{Epsilon: epsilon,
			Delta: normal(mu/2-epsilon/mu) - math.Exp(epsilon)*normal(-mu/2-epsilon/mu) + 1e-12})
	}
	return lines
}

// A score whose parameters differ from the account's gives no power. At half of the account's noise, or with more
// steps, the named faults are larger. The verdict is inconclusive, and refutations do not change.
func TestScoreIsTheAccounts(t *testing.T) {
	told := &training.Steps{Rate: 1, Noise: 4, Count: 10}
	for _, c := range []struct {
		reason string
		score  string
		steps  *training.Steps
		warns  string // "": consistent
	}{
		{"the same", fmt.Sprintf(tenStepsScore, 4., 10, "turns=10"), told, ""},
		{"the same at rate 1", fmt.Sprintf(tenStepsScore, 4., 10, "sampling-rate=1"), told, ""},
		{"a rounded noise multiplier", fmt.Sprintf(tenStepsScore, 4., 10, "turns=10"),
			&training.Steps{Rate: 1, Noise: 4.0004, Count: 10}, ""},
		{"the turns of fixed batches", fmt.Sprintf(tenStepsScore, 4., 20, "turns=10"),
			told, ""},
		{"another noise multiplier", fmt.Sprintf(tenStepsScore, 3.9, 10, "turns=10"), told,
			"for noise multiplier 3.9, and the account has 4"},
		{"another number of steps", fmt.Sprintf(tenStepsScore, 4., 11, "sampling-rate=1"), told,
			"for 11 steps, and the account has 10"},
		{"another sampling rate", fmt.Sprintf(tenStepsScore, 4., 10, "sampling-rate=1"),
			&training.Steps{Rate: 0.9, Noise: 4, Count: 10}, "for sampling rate 1, and the account has 0.9"},
		{"another number of steps in a known order", fmt.Sprintf(tenStepsScore, 4., 10, "turns=10"),
			&training.Steps{Rate: 0.9, Noise: 4, Count: 30}, "for 10 steps, and the account has 30"},
		{"an account without equal steps", fmt.Sprintf(tenStepsScore, 4., 10, "turns=10"), nil, "cannot be compared"},
	} {
		scores := tenSteps(t, 1, 8000, func(x float64) float64 { return x })
		scores.Score = scoreOf(t, c.score)
		a := training.OneRunAudit{Scores: scores, Guarantee: privacy.ApproximateDP(4, 1e-5),
			Described: &training.Described{Null: gaussianSteps(10), Description: "ten steps", Steps: c.steps}}
		e := judged(t, a, 0.05)
		text := strings.Join(e.Warnings, "\n")
		want := verify.Consistent
		if c.warns != "" {
			want = verify.Inconclusive
		}
		if e.Verdict != want || (text == "") != (c.warns == "") || !strings.Contains(text, c.warns) {
			t.Errorf("%s: %s with %q, want %s with %q (%s)", c.reason, e.Verdict, text, want, c.warns, e.Power)
		}
		if c.warns != "" && strings.Contains(e.Power, "would have been refuted") {
			t.Errorf("%s: %s", c.reason, e.Power)
		}
		a.Described.Null = gaussianSteps(1)
		if e := judged(t, a, 0.05); e.Verdict != verify.Refuted || len(e.Warnings) > 0 {
			t.Errorf("%s, against one step: %s with %q, want refuted", c.reason, e.Verdict, e.Warnings)
		}
	}
}

// Scores that do not have the distribution stated by their file give no power.
func TestScoresHaveTheirLaw(t *testing.T) {
	ratio, gaussian := fmt.Sprintf(tenStepsScore, 4., 10, "turns=10"), training.GaussianScore
	noisy := func(x float64) float64 { return x }
	for _, c := range []struct {
		reason string
		score  string
		of     func(x float64) float64
		fits   bool
	}{
		{"the law", ratio, noisy, true},
		{"the law, in two digits", ratio, func(x float64) float64 { return math.Round(x*100) / 100 }, true},
		{"two values", ratio, func(x float64) float64 { return math.Copysign(1, x) }, false},
		{"half of the ratio", ratio, func(x float64) float64 { return x / 2 }, false},
		{"a quarter in one value", ratio, func(x float64) float64 { return math.Max(x, -0.5) }, false},
		{"ten times the ratio", ratio, func(x float64) float64 { return 1e300 * x }, false},
		{"a Gaussian law in another unit", gaussian, func(x float64) float64 { return 1e6 * (x - 4) }, true},
		{"two values for a Gaussian law", gaussian, func(x float64) float64 { return math.Copysign(1, x) }, false},
		{"squares for a Gaussian law", gaussian, func(x float64) float64 { return x * math.Abs(x) }, false},
		{"huge values for a Gaussian law", gaussian, func(x float64) float64 { return math.Copysign(1e308, x) }, false},
	} {
		scores := tenSteps(t, 2, 40_000, c.of)
		scores.Score = scoreOf(t, c.score)
		e := judged(t, training.OneRunAudit{Scores: scores, Guarantee: privacy.GaussianDP(1)}, 0.05)
		text := strings.Join(e.Warnings, "\n")
		if warned := strings.Contains(text,
			"do not have the distribution"); warned == c.fits || !c.fits && e.Verdict != verify.Inconclusive {
			t.Errorf("%s: %s with %q", c.reason, e.Verdict, text)
		}
	}
}

// Gaussian scores at 1.25 times the claimed μ are not consistent. The number of right guesses that they reach in 99 of
// 100 runs does not refute μ, as the bound certifies about 0.75 of it.
func TestGaussianScoresAtNearViolations(t *testing.T) {
	for seed := range uint64(20) {
		scores := gaussian(t, seed, 3000, 1.25*0.3)
		scores.Score = scoreOf(t, training.GaussianScore)
		if e := judged(t, training.OneRunAudit{Scores: scores, Guarantee: privacy.GaussianDP(0.3)},
			0.05); e.Verdict == verify.Consistent {
			t.Errorf("seed %d: %s (%s)", seed, e.Verdict, e.Power)
		}
	}
}
