package training_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// limits returns the limits of an audit under each assumption, by name.
func limits(t testing.TB, a training.OneRunAudit) map[string]verify.AssumedLimit {
	t.Helper()
	all := make(map[string]verify.AssumedLimit)
	for _, l := range judged(t, a, 0.05).Assumed {
		all[l.Name] = l
	}
	return all
}

// muOf returns the μ at which Gaussian DP has a given ε at δ = 1e-5.
func muOf(epsilon float64) float64 {
	low, high := 0.0, 5.0
	for range 50 {
		if middle := (low + high) / 2; confidence.GaussianTradeOff(middle).Epsilon(1e-5) < epsilon {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// The median limits for Gaussian scores are at least the medians of a public library under the same assumption.
func TestAssumedLimitsOfGaussianScores(t *testing.T) {
	names := []string{"coins", "f-DP", "independent scores", "Gaussian scores"}
	for _, c := range []struct {
		m       int
		epsilon float64
		public  []float64
	}{
		{1000, 4, []float64{1.05, 0.81, 0.89, 2.72}}, {1000, 8, []float64{2.28, 3.65, 2.08, 6.77}},
		{10_000, 4, []float64{1.75, 2.22, 1.53, 3.45}}, {10_000, 8, []float64{3.33, 4.64, 3.20, 7.52}},
	} {
		found := make(map[string][]float64)
		for seed := range 20 {
			for name, l := range limits(t, training.OneRunAudit{Scores: gaussian(t, uint64(seed), c.m, muOf(c.epsilon)),
				Guarantee: privacy.ApproximateDP(c.epsilon, 1e-5)}) {
				found[name] = append(found[name], l.Lower.X)
			}
		}
		for i, name := range names {
			slices.Sort(found[name])
			if median := found[name][9]; !(median >= c.public[i] && median <= c.epsilon) {
				t.Errorf("m = %d, ε = %v: %s certifies %v, want at least %v", c.m, c.epsilon, name, median, c.public[i])
			}
		}
	}
}

// response draws a randomized response of ε to each coin. Without coins, a record of one of two kinds is a member with
// odds Γ or 1/Γ, and the kind is part of the score.
func response(t *testing.T, seed uint64, m int, epsilon, logGamma float64) *training.Scores {
	r := rand.New(rand.NewPCG(seed, 56))
	return drawn(t, m, func() (float64, bool) {
		kind := float64(2*r.IntN(2) - 1)
		in := r.Float64() < 1/(1+math.Exp(-kind*logGamma))
		answer := 2*r.IntN(2) - 1
		if r.Float64() < math.Tanh(epsilon/2) {
			if answer = -1; in {
				answer = 1
			}
		}
		return float64(answer)*epsilon + kind*logGamma, in
	})
}

// Each limit exceeds the true ε with probability at most its alpha, if its assumption holds.
func TestAssumedLimitsErr(t *testing.T) {
	const m, gamma = 150, 3.0
	runs := testutil.Size(120, 1000)
	mu := muOf(4)
	for _, c := range []struct {
		name    string
		hold    []string
		epsilon float64 // at the δ of the limit
		shift   float64 // log Γ
		claim   privacy.Guarantee
		scores  func(seed uint64) *training.Scores
	}{
		{"randomized response", []string{"coins", "independent scores", "no coins"}, 1, 0, privacy.ApproximateDP(9, 0),
			func(seed uint64) *training.Scores { return response(t, seed, m, 1, 0) }},
		{"Gaussian", []string{"coins", "f-DP", "independent scores", "Gaussian scores"}, 4, 0,
			privacy.ApproximateDP(9, 1e-5), func(seed uint64) *training.Scores { return gaussian(t, seed, m, mu) }},
		{"members that can be recognized", []string{"no coins"}, 1, math.Log(gamma), privacy.ApproximateDP(9, 0),
			func(seed uint64) *training.Scores { return response(t, seed, m, 1, math.Log(gamma)) }},
	} {
		wrong, best := make(map[string]int), 0.0
		for seed := range runs {
			for name, l := range limits(t, training.OneRunAudit{Scores: c.scores(uint64(seed)), Guarantee: c.claim}) {
				if name == "independent scores" {
					best = max(best, l.Lower.X)
				}
				if name == "no coins" {
					l.Lower.X -= c.shift
				}
				if l.Lower.X > c.epsilon {
					wrong[name]++
				}
			}
		}
		if c.shift == 0 && !(best > c.epsilon/4) { // equal scores are in random order
			t.Errorf("%s: the largest limit of independent scores is %v", c.name, best)
		}
		allowed := 0.05*float64(runs) + 4*math.Sqrt(0.05*0.95*float64(runs))
		for _, name := range c.hold {
			if float64(wrong[name]) > allowed {
				t.Errorf("%s: %d of %d limits by %s exceed ε, want at most %.0f", c.name, wrong[name], runs, name, allowed)
			}
		}
		if c.shift > 0 && wrong["coins"] < runs/3 && wrong["independent scores"] < runs/3 {
			t.Errorf("%s: the control does not exceed ε by coins: %v of %d", c.name, wrong, runs)
		}
	}
}

// Without coins the limit is 0 at GammaZero and the claim at GammaClaim. A claim about μ has no GammaClaim.
func TestGammaOfTheLimit(t *testing.T) {
	s := gaussian(t, 1, 1000, 3)
	l := limits(t, training.OneRunAudit{Scores: s, Guarantee: privacy.ApproximateDP(1, 1e-5)})["no coins"]
	if l.Delta != 0 || math.Abs(l.Lower.X-math.Log(l.GammaZero.X)) > 1e-9 ||
		math.Abs(l.Lower.X-1-math.Log(l.GammaClaim.X)) > 1e-9 {
		t.Errorf("%+v: want log Γ equal to the limit, and to the limit minus 1", l)
	}
	l = limits(t, training.OneRunAudit{Scores: s, Guarantee: privacy.GaussianDP(1)})["no coins"]
	if !l.GammaZero.Set || l.GammaClaim.Set {
		t.Errorf("%+v: want only GammaZero for a claim about μ", l)
	}
}

// TestAssumedLimitsOfSmallScores negates the scores. If the event says that small scores are evidence for inclusion, the
// limits stay the same.
func TestAssumedLimitsOfSmallScores(t *testing.T) {
	one := func(sign float64, event string) map[string]verify.AssumedLimit {
		r := rand.New(rand.NewPCG(5, 6))
		s := drawn(t, 400, func() (float64, bool) {
			in := r.IntN(2) == 1
			x := r.NormFloat64()
			if in {
				x += 2
			}
			return sign * x, in
		})
		e, err := training.ParseEvent(event)
		if err != nil {
			t.Fatal(err)
		}
		return limits(t, training.OneRunAudit{Scores: s, Event: e, Guarantee: privacy.ApproximateDP(1, 1e-5)})
	}
	large, small := one(1, "score >= 1"), one(-1, "score <= -1")
	for name, l := range large {
		if math.Abs(l.Lower.X-small[name].Lower.X) > 1e-9 || !(l.Lower.X > 0) {
			t.Errorf("%s: %v for large scores, %v for small ones", name, l.Lower.X, small[name].Lower.X)
		}
	}
}

// Scores whose squares overflow, or that are equal for each kind, have no Gaussian limit. The others remain.
func TestAssumedLimitsWithoutMoments(t *testing.T) {
	for name, scale := range map[string]float64{"overflow": 1e300, "equal": 0} {
		r := rand.New(rand.NewPCG(7, 8))
		a := training.OneRunAudit{Guarantee: privacy.ApproximateDP(1, 1e-5),
			Scores: drawn(t, 200, func() (float64, bool) {
				in := r.IntN(2) == 1
				x := scale * r.NormFloat64()
				if in {
					x++
				}
				return x, in
			})}
		if e := judged(t, a, 0.05); e.Statistics.Reason != "" {
			t.Errorf("%s: no statistics: %s", name, e.Statistics.Reason)
		}
		all := limits(t, a)
		if _, ok := all["Gaussian scores"]; ok || len(all) != 4 {
			t.Errorf("%s: got %v, want four limits and no Gaussian one", name, all)
		}
	}
}

// The limits follow from stored counts. A report of an older version has none, and impossible counts are an error.
func TestAssumedLimitsAreRecomputed(t *testing.T) {
	e := judged(t, training.OneRunAudit{Scores: gaussian(t, 1, 300, 2), Guarantee: privacy.ApproximateDP(1, 1e-5)},
		0.05)
	again := func(edit func(string) string) (verify.Evidence, error) {
		stored := *e.Statistics
		stored.Values = json.RawMessage(edit(string(stored.Values)))
		return stored.Judge(verify.Settings{Alpha: 0.05})
	}
	if got, err := again(func(s string) string { return s }); err != nil || !slices.Equal(got.Assumed, e.Assumed) {
		t.Errorf("got %v, %v, want %v", got.Assumed, err, e.Assumed)
	}
	if got, err := again(func(s string) string {
		return s[:strings.Index(s, `,"assumed"`)] + "}"
	}); err != nil || got.Assumed != nil || got.Verdict != e.Verdict {
		t.Errorf("older report: got %v, %v, %v, want no limits", got.Verdict, got.Assumed, err)
	}
	for _, c := range [][2]string{{`"above":[`, `"above":[-1,`}, {`"above":[`, `"above":[999,`}, {`"below":[`, `"below":[0,0,0,`},
		{`"included_moments":{"n":`, `"included_moments":{"n":1`}} {
		if _, err := again(func(s string) string { return strings.Replace(s, c[0], c[1], 1) }); err == nil {
			t.Errorf("%s: no error", c[1])
		}
	}
}
