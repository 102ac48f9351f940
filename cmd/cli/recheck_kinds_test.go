package cli

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// recheckKind is a check and its expected result.
type recheckKind struct {
	check  verify.Check
	method string
	want   verify.Verdict
}

// describedAccount is the trade-off function of an account.
var describedAccount = &training.Described{Description: "an account", Null: confidence.Lines{{Epsilon: 0, Delta: 0.38}, {Epsilon: 1, Delta: 0.13},
	{Epsilon: 3, Delta: 0}}}

// canaries returns scores N(μ, 1) for canaries that a coin includes, and N(0, 1) for the others.
func canaries(m int, mu, chance float64, spoil ...func(values []float64, included []bool)) *training.Scores {
	r := rand.New(rand.NewPCG(1, 2))
	values, included := make([]float64, m), make([]bool, m)
	for i := range m {
		values[i], included[i] = r.NormFloat64(), r.Float64() < chance
		if included[i] {
			values[i] += mu
		}
	}
	for _, f := range spoil {
		f(values, included)
	}
	s, err := training.NewScores("scores.csv", values, included)
	if err != nil {
		panic(err)
	}
	return s
}

// worlds returns scores N(μ, 1) for runs with the record, and N(0, 1) for runs without it.
func worlds(n1, n2 int, mu float64) training.MultiRunAudit {
	r := rand.New(rand.NewPCG(3, 4))
	a := training.MultiRunAudit{A: outputs.Recording{Name: "with"}, B: outputs.Recording{Name: "without"},
		Guarantee: privacy.ApproximateDP(1, 0)}
	for range n1 {
		a.A.Outputs = append(a.A.Outputs, mu+r.NormFloat64())
	}
	for range n2 {
		a.B.Outputs = append(a.B.Outputs, r.NormFloat64())
	}
	return a
}

func withChange[T any](x T, change func(*T)) T { change(&x); return x }

type trainer func(r *rand.Rand, with bool) float64

func (f trainer) Release(r *rand.Rand, with bool) (any, error) { return f(r, with), nil }

// noisyCount returns the number of records, with too little noise if there are at most two.
type noisyCount struct{ scale, few float64 }

func (c noisyCount) Release(r *rand.Rand, input any) (any, error) {
	n := float64(len(input.([]any)))
	scale := c.scale
	if n <= 2 {
		scale = c.few
	}
	return n + scale*(r.ExpFloat64()-r.ExpFloat64()), nil
}

// countAudit audits count on the given number of pairs of lists of up to 6 bits.
func countAudit(c noisyCount, samples int64, pairs int) worstcase.Privacy[any, any] {
	space := inputs.Space{Values: inputs.List(inputs.Int(0, 1), 0, 6), Neighbors: inputs.AddOrRemoveOne()}
	return worstcase.Privacy[any, any]{Space: inputs.MustPairSpace[any](space), Search: pairs,
		Audit: privacy.Audit[any, any]{Mechanism: c, Guarantee: privacy.ApproximateDP(1, 0), Samples: samples}}
}

func singles() worstcase.Inputs[float64] {
	in, err := worstcase.SingleInputs[float64](inputs.Space{Values: inputs.Float(0, 1)})
	if err != nil {
		panic(err)
	}
	return in
}

// coin shows 1 with a probability of at most most, but claims the probability that its input states.
func coin(most float64) verify.Check {
	return worstcase.Input[float64]{Samples: 6000, Search: 20, Inputs: singles(),
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			return mean.Stated{Quantity: "the coin " + place, Mean: []float64{p}, Ranges: [][2]float64{{0, 1}}, Effect: 0.5, Samples: samples,
				Sample: func(r *rand.Rand, dst []float64) error {
					dst[0] = 0
					if r.Float64() < min(p, most) {
						dst[0] = 1
					}
					return nil
				}}, nil
		}}
}

func coins(most float64) verify.Check {
	return worstcase.Input[float64]{Samples: 6000, Search: 20, Inputs: singles(),
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			return distribution.Check{Quantity: "the coin", Place: place, Distribution: distribution.Bernoulli(p), Effect: 0.1, Samples: samples,
				Sample: func(r *rand.Rand) (any, error) { return r.Float64() < min(p, most), nil }}, nil
		}}
}

// trainingKinds returns checks of trainings, in one run and in many runs, and of input searches, with both sorts of
// verdicts.
func trainingKinds() map[string]recheckKind {
	above := training.ScoresAtLeast(1)
	fair := training.OneRunAudit{Scores: canaries(1200, 3, 0.5), Guarantee: privacy.ApproximateDP(1, 0)}
	refuted, consistent, open := verify.Refuted, verify.Consistent, verify.Inconclusive
	return map[string]recheckKind{
		"canaries that refute": {fair, training.OneRunMethod, refuted},
		"canaries that see little": {training.OneRunAudit{Scores: canaries(1200, 0, 0.5), Guarantee: privacy.ApproximateDP(1, 0)},
			training.OneRunMethod, ""},
		"many canaries": {training.OneRunAudit{Scores: canaries(40_000, 0, 0.5), Guarantee: privacy.ApproximateDP(1, 0)},
			training.OneRunMethod, consistent},
		"canaries of rarer coins": {training.OneRunAudit{Scores: canaries(1200, 3, 0.3), Chance: 0.3,
			Guarantee: privacy.ApproximateDP(1, 1e-6)}, training.OneRunMethod, refuted},
		"canaries of an event": {withChange(fair, func(a *training.OneRunAudit) { a.Event = above }), training.OneRunMethod, refuted},
		"canaries of μ of an event": {training.OneRunAudit{Scores: canaries(1200, 6, 0.5), Event: above, Guarantee: privacy.GaussianDP(0.3)},
			training.OneRunMethod, refuted},
		"canaries and an account": {withChange(fair, func(a *training.OneRunAudit) { a.Described = describedAccount }), training.OneRunMethod, refuted},
		"canaries of an event and an account": {withChange(fair, func(a *training.OneRunAudit) { a.Event, a.Described = above, describedAccount }),
			training.OneRunMethod, refuted},
		"canaries of another law than stated": {withChange(fair, func(a *training.OneRunAudit) {
			a.Scores = canaries(4000, 0, 0.5, func(values []float64, _ []bool) {
				for i, x := range values {
					values[i] = x * x * x
				}
			})
			a.Scores.Score.Kind = training.GaussianScore
		}), training.OneRunMethod, open},
		"canaries of another account": {withChange(fair, func(a *training.OneRunAudit) {
			a.Scores = canaries(300, 0, 0.5)
			a.Scores.Score, _ = training.ParseScore("sum noise-multiplier=2 steps=3 sampling-rate=0.1 signs=halves")
			a.Described = withChange(describedAccount, func(d **training.Described) {
				told := **d
				told.Steps = &training.Steps{Rate: 0.1, Noise: 2, Count: 4}
				*d = &told
			})
		}), training.OneRunMethod, open},
		"canaries of pairs": {training.OneRunAudit{Guarantee: privacy.ApproximateDP(1, 0),
			Scores: canaries(200, 3, 0.5, func(_ []float64, included []bool) {
				for i := range included {
					included[i] = i%2 == i/2%2
				}
			})}, training.OneRunMethod, open},
		"runs that refute": {worlds(400, 300, 4), training.MultiRunMethod, refuted},
		"runs of μ":        {withChange(worlds(300, 300, 4), func(a *training.MultiRunAudit) { a.Guarantee = privacy.GaussianDP(1) }), training.MultiRunMethod, refuted},
		"runs of an event": {withChange(worlds(400, 300, 4), func(a *training.MultiRunAudit) { a.Event = above }), training.MultiRunMethod, refuted},
		"many runs of an event": {withChange(worlds(12_000, 12_000, 1), func(a *training.MultiRunAudit) {
			a.Event, a.Guarantee = training.ScoresAtLeast(0.5), privacy.GaussianDP(1)
		}), training.MultiRunMethod, consistent},
		"two runs":                 {worlds(1, 1, 0), training.MultiRunMethod, open},
		"runs and an account":      {withChange(worlds(400, 300, 4), func(a *training.MultiRunAudit) { a.Described = describedAccount }), training.MultiRunMethod, refuted},
		"runs that are one's copy": {withChange(worlds(300, 300, 0), func(a *training.MultiRunAudit) { a.B = a.A; a.B.Name = "b" }), training.MultiRunMethod, open},
		"bets on runs":             {withChange(worlds(200, 200, 4), func(a *training.MultiRunAudit) { a.Anytime = true }), training.MultiRunMethod, refuted},
		"bets on runs that do not pay": {withChange(worlds(12, 9, 0), func(a *training.MultiRunAudit) { a.Anytime, a.Event = true, above }),
			training.MultiRunMethod, open},
		"bets against an account": {withChange(worlds(200, 200, 4), func(a *training.MultiRunAudit) { a.Anytime, a.Described = true, describedAccount }),
			training.MultiRunMethod, refuted},
		"trainings": {training.TrainedAudit[bool]{MultiRunAudit: withChange(worlds(0, 0, 0), func(a *training.MultiRunAudit) { a.Event = above }), With: true, Runs: 8000,
			Training: trainer(func(r *rand.Rand, with bool) float64 {
				if with {
					return 4 + r.NormFloat64()
				}
				return r.NormFloat64()
			})}, training.MultiRunMethod, refuted},
		"a pair that is found":               {countAudit(noisyCount{1, 0.3}, 60_000, 20), worstcase.Method, refuted},
		"a pair that is found of all":        {countAudit(noisyCount{1.05, 1.05}, 1_200_000, 20), worstcase.Method, consistent},
		"a search that is cut":               {countAudit(noisyCount{4, 4}, 12_000, 20), worstcase.Method, ""},
		"an input whose mean is off":         {coin(0.7), worstcase.Method, refuted},
		"an input whose mean is as is said":  {coin(1), worstcase.Method, ""},
		"an input whose law is another":      {coins(0.7), worstcase.Method, refuted},
		"an input whose law is as is stated": {coins(1), worstcase.Method, ""},
	}
}

// Sequential tests use the order of the scores: a score moved elsewhere in the order is a difference.
func TestScoresOfBetsAreFound(t *testing.T) {
	report := string(reportOfKind(t, "bets on runs"))
	_, after, _ := strings.Cut(report, `"scores": [`)
	score := regexp.MustCompile(`[1-9][0-9.]*`).FindString(after)
	if changed := strings.Replace(report, score, "-"+score, 1); changed == report || !isBroken([]byte(changed)) {
		t.Errorf("%s has another sign: nothing is found", score)
	}
}

// Without its counts, a claim outside its interval is still not consistent.
func TestIntervalsHoldWithoutCounts(t *testing.T) {
	report := withoutFields(t, reportOfKind(t, "canaries that refute"), "basis")
	for verdict, want := range map[verify.Verdict]recheckStanding{verify.Refuted: standingOpen, verify.Consistent: standingBroken} {
		other := changedReport(t, report, func(_, claim map[string]any) { claim["verdict"] = verdict })
		if c := rechecked(t, other); c.Standing != want {
			t.Errorf("%s without counts: %+v", verdict, c)
		}
	}
}

// A claim that cannot be recomputed from counts has a reason.
func TestWhatIsOpenSaysWhy(t *testing.T) {
	for _, c := range []struct {
		reason string
		check  verify.Check
		why    string
	}{
		{"bets on many runs", withChange(worlds(1200, 1200, 0), func(a *training.MultiRunAudit) { a.Anytime = true }), "more than 1000 runs"},
		{"an account that does not consist of lines", withChange(worlds(40, 40, 0), func(a *training.MultiRunAudit) {
			a.Described = &training.Described{Description: "another", Null: confidence.GaussianTradeOff(1)}
		}), "does not consist of lines"},
	} {
		got := rechecked(t, reportOf(t, c.check))
		if got.Standing != "open" || !strings.Contains(got.Why, c.why) {
			t.Errorf("%s: %+v", c.reason, got)
		}
	}
}
