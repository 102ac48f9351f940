package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

func scoreOf(t *testing.T, text string) training.Score {
	t.Helper()
	s, err := training.ParseScore(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file states its score before the columns. Errors name the line.
func TestReadsTheScore(t *testing.T) {
	const rows = "score,included\n1,1\n2,0\n"
	s, err := training.ReadScores("a.csv", strings.NewReader("# by hand\n# score: sum noise-multiplier=2 steps=30 "+
		"signs=alternating "+
		"sampling-rate=0.1\n"+rows))
	want := training.Score{Kind: training.SumScore, Rate: 0.1, Noise: 2, Steps: 30, Signs: "alternating"}
	if err != nil || s.Score != want {
		t.Errorf("read %+v, %v; want %+v", s, err, want)
	}
	for text, want := range map[string]string{
		"# score: luck\n" + rows:                             `a.csv:1: score "luck": want one of`,
		"# score:\n" + rows:                                  "a.csv:1: score: want one of",
		"# score: gaussian steps=3\n" + rows:                 "score gaussian has no parameters",
		"# score: gaussian\n# score: gaussian\n" + rows:      "a.csv:2: a second line",
		"# a\n" + rows + "x,1\n":                             "a.csv:5: score",
		"# score: sum steps=3 signs=halves turns=1\n" + rows: "noise-multiplier=0",
		"# score: likelihood-ratio noise-multiplier=2 steps=3 signs=halves turns=4\n" + rows:                   "turns=4",
		"# score: likelihood-ratio noise-multiplier=2 steps=3 signs=up turns=3\n" + rows:                       "signs=up",
		"# score: likelihood-ratio noise-multiplier=2 steps=3 signs=halves turns=3 sampling-rate=0.1\n" + rows: "sampling-rate=0.1",
		"# score: sum steps=many\n" + rows:      `"steps=many"`,
		"# score: sum steps=3 steps=4\n" + rows: "twice",
	} {
		if _, err := training.ReadScores("a.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// Trainings with a named fault are consistent with probability at most 0.01, at a number of canaries that gives the
// verdict to a sound training. This test simulates the scores independently: ten steps with a canary, σ = 4, which has
// Gaussian privacy with μ = √10/4.
func TestConsistentIsRareForNamedFaults(t *testing.T) {
	law := scoreOf(t, "likelihood-ratio noise-multiplier=4 steps=10 turns=10 signs=halves")
	verdict := func(r *rand.Rand, m int, fault string) verify.Evidence {
		i := 0
		scores := drawn(t, m, func() (float64, bool) {
			in, sigma, sum, kept := r.IntN(2) == 1, 4.0, 0.0, 0.0
			if fault == "half the noise" {
				sigma = 2
			}
			constant := i%2 == 0
			i++
			for step := range 10 {
				x := 0.0
				switch {
				case !in:
				case fault != "sums kept":
					x = 1
				case constant:
					kept++
					x = kept
				case step%2 == 0: // a gradient of 1 to a sum of 0; the next is −1, and restores 0
					x = 1
				}
				sum += (2*(x+sigma*r.NormFloat64()) - 1) / 32
			}
			return sum, in
		})
		scores.Score = law
		return judged(t, training.OneRunAudit{Scores: scores, Guarantee: privacy.GaussianDP(math.Sqrt(10) / 4)}, 0.05)
	}
	r := rand.New(rand.NewPCG(45, 4))
	m := 1000
	for ; m < 16_000 && verdict(r, m, "").Verdict != verify.Consistent; m += m / 2 {
	}
	e := verdict(r, m, "")
	const words = "half the noise, sums of gradients kept between steps would have been refuted, each with " +
		"probability at least 0.99"
	if e.Verdict != verify.Consistent || !strings.Contains(e.Power, words) {
		t.Errorf("%d canaries of a sound training: %s, %s", m, e.Verdict, e.Power)
	}
	for _, fault := range []string{"half the noise", "sums kept"} {
		rate := verifytest.Wald{Most: 0.01, Fault: 0.2}
		if testutil.Asked() {
			rate.Fault = 0.03
		}
		for !rate.Decided() {
			rate.Add(verdict(r, m, fault).Verdict == verify.Consistent)
		}
		rate.Report(t, fmt.Sprintf("%s, %d canaries: consistent", fault, m))
	}
}
