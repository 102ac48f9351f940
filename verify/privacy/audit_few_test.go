package privacy

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

type fewCase struct {
	reason  string
	release func(r *rand.Rand, input int) any
	g       Guarantee
	samples int64
	want    verify.Verdict
}

// TestAuditsOfFewSamples checks that few samples refute only obvious violations.
func TestAuditsOfFewSamples(t *testing.T) {
	shown := func(_ *rand.Rand, input int) any { return float64(input) }
	nothing := func(r *rand.Rand, _ int) any { return r.Float64() }
	same := func(*rand.Rand, int) any { return "the same" }
	word := func(_ *rand.Rand, input int) any { return []string{"no", "yes"}[input] }
	ragged := func(r *rand.Rand, _ int) any { return make([]float64, r.IntN(3)) }
	for _, c := range []fewCase{
		{"input released, one sample", shown, ApproximateDP(1, 0), 1, verify.Inconclusive},
		{"input released, two samples", shown, ApproximateDP(1, 0), 2, verify.Inconclusive},
		{"input released, ten samples", shown, ApproximateDP(1, 0), 10, verify.Inconclusive},
		{"input released, enough samples", shown, ApproximateDP(1, 0), 60, verify.Refuted},
		{"a word that depends on the input", word, ApproximateDP(1, 0), 60, verify.Refuted},
		{"input released, Gaussian claim", shown, GaussianDP(1), 100, verify.Refuted},
		{"independent of the input, one sample", nothing, ApproximateDP(0, 0), 1, verify.Inconclusive},
		{"independent of the input, ε = 0", nothing, ApproximateDP(0, 0), 199, verify.Inconclusive},
		{"independent of the input, ε = 0 and δ = 0.1", nothing, ApproximateDP(0, 0.1), 150, verify.Inconclusive},
		{"equal outputs", same, ApproximateDP(0, 0), 100, verify.Inconclusive},
		{"equal outputs, μ = 0", same, GaussianDP(0), 100, verify.Inconclusive},
		{"lists of any length", ragged, ApproximateDP(0, 0), 100, verify.Inconclusive},
		{"lists of any length, more samples", ragged, ApproximateDP(0, 0), 601, verify.Inconclusive},
	} {
		a := Audit[int, any]{Mechanism: anyRelease(c.release), Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}, Guarantee: c.g, Samples: c.samples, Anytime: true, Band: true}
		e, err := verify.Judge(context.Background(), a, verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(28)}, verifytest.Pool, nil)
		if err != nil || e.Verdict != c.want {
			t.Errorf("%s: %s, %v; want %s", c.reason, e.Verdict, err, c.want)
		}
		if c.want == verify.Inconclusive && e.Samples != 2*c.samples && c.samples <= learnAll {
			t.Errorf("%s: %d samples, want all of %d", c.reason, e.Samples, c.samples)
		}
	}
	if err := (Audit[int, any]{Mechanism: anyRelease(shown), Pairs: []inputs.Pair[int]{{A: 0, B: 1}}, Guarantee: ApproximateDP(1, 0), Anytime: true}).Check(); err == nil {
		t.Error("0 samples were accepted")
	}
}

type anyRelease func(r *rand.Rand, input int) any

func (f anyRelease) Release(r *rand.Rand, input int) (any, error) { return f(r, input), nil }
