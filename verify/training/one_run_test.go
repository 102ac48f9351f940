package training_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// gaussian draws scores N(μ, 1) of included canaries and N(0, 1) of the others.
func gaussian(t testing.TB, seed uint64, m int, mu float64) *training.Scores {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 29))
	return drawn(t, m, func() (float64, bool) {
		in := r.IntN(2) == 1
		x := r.NormFloat64()
		if in {
			x += mu
		}
		return x, in
	})
}

func drawn(t testing.TB, m int, draw func() (float64, bool)) *training.Scores {
	t.Helper()
	values, coins := make([]float64, m), make([]bool, m)
	for i := range values {
		values[i], coins[i] = draw()
	}
	s, err := training.NewScores("scores.csv", values, coins)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The audit certifies most of the limit that the best number of guesses, known beforehand, would certify. The
// ceilings are medians over seeds of the published bounds at alpha 0.05, for Gaussian scores.
func TestCertifiesMostOfTheCeiling(t *testing.T) {
	seeds := testutil.Size(5, 20)
	for _, c := range []struct {
		mu           float64
		m            int
		gdp, epsilon float64
	}{
		{0.5, 500, .187, .43}, {0.5, 2000, .294, .77}, {0.5, 10_000, .352, 1.09},
		{1, 500, .516, 1.25}, {1, 2000, .646, 1.81}, {1, 10_000, .750, 2.33},
		{2, 500, 1.160, 3.01}, {2, 2000, 1.288, 3.69}, {2, 10_000, 1.441, 4.48},
		{4, 500, 1.979, 4.74}, {4, 2000, 2.144, 5.65}, {4, 10_000, 2.446, 6.92},
	} {
		if c.m > 2000 && !testutil.Asked() {
			continue
		}
		var mus, epsilons []float64
		for seed := range seeds {
			s := gaussian(t, uint64(seed), c.m, c.mu)
			mus = append(mus, judged(t, training.OneRunAudit{Scores: s, Guarantee: privacy.GaussianDP(9)}, 0.05).Lower.X)
			epsilons = append(epsilons,
				judged(t, training.OneRunAudit{Scores: s, Guarantee: privacy.ApproximateDP(9, 1e-5)}, 0.05).Lower.X)
		}
		want := 0.75
		if c.m >= 2000 {
			want = 0.85
		}
		if !testutil.Asked() { // medians of few seeds have larger errors
			want -= 0.2
		}
		mu, epsilon := median(mus)/c.gdp, median(epsilons)/c.epsilon
		t.Logf("μ = %g, m = %d: μ ≥ %.3f (%.0f %%), ε ≥ %.2f (%.0f %%)", c.mu, c.m, median(mus), 100*mu,
			median(epsilons), 100*epsilon)
		if mu < want || epsilon < want {
			t.Errorf("μ = %g, m = %d: %.2f of the ceiling of μ, %.2f of that of ε; want %.2f", c.mu, c.m, mu, epsilon, want)
		}
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// A fixed event has the published bounds, as in empirical/confidence/one_run.csv.
func TestEventHasThePublishedBound(t *testing.T) {
	event, err := training.ParseEvent("score >= 0.5")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	s := drawn(t, 100, func() (float64, bool) { // 45 right guesses of 50
		n++
		if n <= 50 {
			return 0.5, n <= 45
		}
		return 0.1, n%2 == 0
	})
	for _, c := range []struct {
		guarantee privacy.Guarantee
		want      float64
		reason    string
	}{
		{privacy.ApproximateDP(1, 0), 1.393604123, "ε at δ = 0"},
		{privacy.ApproximateDP(1, 1e-5), 1.392790984, "ε at δ = 1e-5"},
		{privacy.GaussianDP(1), 0.6751465898, "μ"},
	} {
		e := judged(t, training.OneRunAudit{Scores: s, Guarantee: c.guarantee, Event: event, Chance: 0.5}, 0.05)
		if math.Abs(e.Lower.X-c.want) > 1e-6 || (e.Verdict == verify.Refuted) != (c.want > 1) {
			t.Errorf("%s: at least %v, %s; want %v", c.reason, e.Lower.X, e.Verdict, c.want)
		}
	}
}

// Scores are answers of randomized response at ε. A claim of 2 ε is not refuted and a claim of ε/2 is, at the usual
// alpha. Too few canaries leave it open.
func TestVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	answers := func(m int, epsilon float64) *training.Scores {
		return drawn(t, m, func() (float64, bool) {
			in := r.IntN(2) == 1
			x := 0.0
			if in == (r.Float64() < 1/(1+math.Exp(-epsilon))) {
				x = 1
			}
			return x, in
		})
	}
	for _, c := range []struct {
		m              int
		claimed, delta float64
		alpha          float64
		want           verify.Verdict
		reason         string
	}{
		{20_000, 1, 0, 1e-6, verify.Refuted, "half of the privacy loss"},
		{20_000, 3, 0, 1e-6, verify.Consistent, "more than the privacy loss"},
		{100, 3, 0, 1e-6, verify.Inconclusive, "too few canaries"},
		{20_000, 1, 1e-5, 1e-6, verify.Inconclusive, "δ alone may show all with a larger probability"},
		{20_000, 1, 1e-5, 1e-3, verify.Refuted, "the same at an alpha above δ"},
	} {
		e := judged(t, training.OneRunAudit{Scores: answers(c.m, 2), Guarantee: privacy.ApproximateDP(c.claimed,
			c.delta)}, c.alpha)
		if e.Verdict != c.want {
			t.Errorf("%s: %s, want %s (%s; %s)", c.reason, e.Verdict, c.want, e.Power, e.Needed)
		}
		if (e.Needed == "") == (e.Verdict == verify.Inconclusive) {
			t.Errorf("%s: needed %q", c.reason, e.Needed)
		}
	}
}

// The two definitions have different limits. Randomized response at ε = 5 has a large μ, but its ε is not refuted.
func TestGaussianIsNoApproximate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	s := drawn(t, 2000, func() (float64, bool) {
		in := r.IntN(2) == 1
		if in == (r.Float64() < 1/(1+math.Exp(-5))) {
			return 1, in
		}
		return 0, in
	})
	e := judged(t, training.OneRunAudit{Scores: s, Guarantee: privacy.ApproximateDP(5, 1e-5)}, 0.05)
	if e.Verdict == verify.Refuted || e.Lower.X > 5 {
		t.Errorf("randomized response at its ε is %s: at least %v", e.Verdict, e.Lower.X)
	}
	if i := slices.IndexFunc(e.Cells,
		func(c verify.Cell) bool { return c.Label == "μ, if the distribution is Gaussian" }); i < 0 ||
		e.Cells[i].Claimed.Set || e.Cells[i].Lower.X < 1.2 {
		t.Errorf("the cell of μ is %d of %v", i, e.Cells)
	}
}

func ExampleAudit() {
	values, coins := make([]float64, 400), make([]bool, 400)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		coins[i] = r.IntN(2) == 1
		if values[i] = r.NormFloat64(); coins[i] {
			values[i] += 4
		}
	}
	s, err := training.NewScores("scores.csv", values, coins)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := training.OneRunAudit{Scores: s, Guarantee: privacy.ApproximateDP(2, 1e-5)}
	e, err := verify.Judge(context.Background(), a, verify.Settings{Alpha: 0.01, Seed: empirical.NewSeed(1)},
		empirical.NewPool(1), nil)
	fmt.Printf("%s: ε ≥ %.1f %v\n", e.Verdict, e.Lower.X, err)
	// Output: refuted: ε ≥ 3.7 <nil>
}
