package privacy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// laplaceNoise adds Laplace noise of a scale to a number.
type laplaceNoise float64

func (scale laplaceNoise) Release(r *rand.Rand, x float64) (float64, error) {
	e := float64(scale) * r.ExpFloat64()
	if r.IntN(2) == 0 {
		e = -e
	}
	return x + e, nil
}

func (scale laplaceNoise) density(x, out float64) float64 { return -math.Abs(out-x) / float64(scale) }

var zeroAndOne = []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}

func laplaceAudit(claim, truth float64, samples int64) Audit[float64, float64] {
	return Audit[float64, float64]{Mechanism: laplaceNoise(1 / truth), Pairs: zeroAndOne, Guarantee: ApproximateDP(claim, 0), Samples: samples}
}

func judgeAudit(t testing.TB, c verify.Check, seed uint64, workers int) verify.Evidence {
	t.Helper()
	e, err := verify.Judge(context.Background(), c, verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(seed)}, empirical.NewPool(workers), nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAuditVerdicts(t *testing.T) {
	for _, c := range []struct {
		reason string
		audit  Audit[float64, float64]
		want   verify.Verdict
	}{
		{"a true claim, enough samples for small and large violations", laplaceAudit(1, 1, 100_000), verify.Consistent},
		{"a true claim, enough samples only for small violations", laplaceAudit(1, 1, 8_000), verify.Inconclusive},
		{"a true claim, too few samples", laplaceAudit(1, 1, 400), verify.Inconclusive},
		{"half the noise", laplaceAudit(1, 2, 20_000), verify.Refuted},
		{"Laplace noise for ε = 1 is 0.5-zCDP", func() Audit[float64, float64] {
			a := laplaceAudit(1, 1, 50_000)
			a.Guarantee = ZeroConcentratedDP(0.5)
			return a
		}(), verify.Consistent},
		{"Laplace noise for ε = 1 is not 0.02-GDP", func() Audit[float64, float64] {
			a := laplaceAudit(1, 1, 20_000)
			a.Guarantee = GaussianDP(0.02)
			return a
		}(), verify.Refuted},
	} {
		e := judgeAudit(t, c.audit, 1, 2)
		if c.want == verify.Consistent && e.Verdict == verify.Inconclusive { // allowed: the claim is true and the effect not detectable
			t.Logf("%s: %s (%s)", c.reason, e.Verdict, e.Power)
			continue
		}
		if e.Verdict != c.want {
			t.Errorf("%s: %s [%v, %v], want %s", c.reason, e.Verdict, e.Lower.X, e.Upper.X, c.want)
		}
	}
}

// TestAuditIsTheSameAtAnyNumberOfWorkers checks that audits are functions of the seed for any number of workers.
func TestAuditIsTheSameAtAnyNumberOfWorkers(t *testing.T) {
	for _, anytime := range []bool{false, true} {
		a := laplaceAudit(0.9, 1, 8_000)
		a.Anytime = anytime
		first := judgeAudit(t, a, 3, 1)
		for _, workers := range []int{2, 7} {
			e := judgeAudit(t, a, 3, workers)
			if e.Lower != first.Lower || e.Upper != first.Upper || e.Samples != first.Samples || e.WorstCase != first.WorstCase {
				t.Errorf("anytime %v: different figures with %d workers", anytime, workers)
			}
		}
	}
}

// TestAuditByDensity checks the certificate if the density is known. The claim is true with equality, so a refutation at
// error 1e-6 is a fault.
func TestAuditByDensity(t *testing.T) {
	a := laplaceAudit(1, 1, 20_000)
	a.LogLikelihood = laplaceNoise(1).density
	e := verifytest.JudgeAt(t, a, 1)
	if e.Verdict == verify.Refuted || e.Lower.X < 0.85 || !strings.Contains(e.WorstCase, "likelihood ratio") {
		t.Errorf("%s, certified %v by %q", e.Verdict, e.Lower.X, e.WorstCase)
	}
}

// TestAuditByDensityErrsAsStated checks that a claim that is true with equality is refuted with probability at most
// alpha, although the known density selects its tightest events. The test detects twice alpha with probability 0.99
// ([verifytest.WantErrorsAtMost]).
func TestAuditByDensityErrsAsStated(t *testing.T) {
	a := laplaceAudit(1, 1, 20_000)
	a.LogLikelihood = laplaceNoise(1).density
	verifytest.WantErrorsAtMost(t, a, 0.4, verifytest.Refutations(1, 2))
}

// TestAnytimeErrsAsStated checks the same for a sequential audit of two pairs, at any stopping time.
func TestAnytimeErrsAsStated(t *testing.T) {
	testutil.Skip(t)
	a := laplaceAudit(1, 1, 400)
	a.Anytime, a.LogLikelihood = true, laplaceNoise(1).density
	a.Pairs = append(a.Pairs, inputs.Pair[float64]{Name: "2 and 3", A: 2, B: 3})
	verifytest.WantErrorsAtMost(t, a, 0.4, verifytest.Refutations(1, 2))
}

// TestAuditIgnoresLowBits checks that no score of the audit uses leaks through floating-point rounding, which are not a
// loss over the reals. The low-order bits of naive Laplace noise for ε = 0.1 would certify ε ≥ 4, so one or two seeds
// suffice.
func TestAuditIgnoresLowBits(t *testing.T) {
	for _, known := range []bool{false, true} {
		for seed := range testutil.Size[uint64](2, 10) {
			a := laplaceAudit(0.1, 0.1, 20_000)
			if known {
				a.LogLikelihood = laplaceNoise(10).density
			}
			// At error 1e-6 a refutation of a true claim is a fault.
			e := verifytest.JudgeAt(t, a, seed)
			if e.Verdict == verify.Refuted {
				t.Errorf("known density %v: refuted by %q, certified %v", known, e.WorstCase, e.Lower.X)
			}
		}
	}
	derived := Audit[float64, []float64]{Mechanism: derivedOutputs{}, Pairs: zeroAndOne, Guarantee: ApproximateDP(1, 0), Samples: 20_000}
	if e := judgeAudit(t, derived, 1, 2); e.Lower.X > 1.2 {
		t.Errorf("values computed from one release certify ε = %v by %q, the true ε is 1", e.Lower.X, e.WorstCase)
	}
}

// derivedOutputs releases a noisy number and values computed from it, which reveal the rounding of each step.
type derivedOutputs struct{}

func (derivedOutputs) Release(r *rand.Rand, x float64) ([]float64, error) {
	z, err := laplaceNoise(1).Release(r, x)
	return []float64{z, z / 3, z + 0.1}, err
}

// TestAuditPoolsPairs checks that pairs with similar violations are certified together: twelve equally distinguishable
// pairs certify a larger ε than one.
func TestAuditPoolsPairs(t *testing.T) {
	one := laplaceAudit(1, 1, 600)
	many := one
	many.Pairs = nil
	for i := range 12 {
		x := float64(i)
		many.Pairs = append(many.Pairs, inputs.Pair[float64]{Name: string(rune('a' + i)), A: x, B: x + 1})
	}
	var single, pooled []float64
	seeds := testutil.Size(5, 9)
	for seed := range uint64(seeds) {
		single = append(single, judgeAudit(t, one, seed, 2).Lower.X)
		pooled = append(pooled, judgeAudit(t, many, seed, 2).Lower.X)
	}
	slices.Sort(single)
	slices.Sort(pooled)
	t.Logf("median certified by twelve pairs %v, by one %v", pooled[seeds/2], single[seeds/2])
	if pooled[seeds/2] <= single[seeds/2] {
		t.Errorf("median certified by twelve pairs %v, by one %v", pooled[seeds/2], single[seeds/2])
	}
}

// TestAnytimeStopsEarly checks that a sequential audit of a false claim stops early, with a known density and with an
// event that it learns. If it stopped in time in only one of ten runs, the median of three would pass with probability
// 0.03; with 41 runs in the long form it never would.
func TestAnytimeStopsEarly(t *testing.T) {
	for _, c := range []struct {
		claim, truth float64
		known        bool
		most         int64 // median samples of each input over the seeds
		seeds        int   // in the long form 41
	}{
		{1, 2, true, 100, 11}, {0.1, 0.2, true, 2500, 3}, {1, 1.1, true, 7500, 3},
		{1, 2, false, 200, 5}, {0.1, 0.2, false, 5000, 5}, {1, 1.1, false, 12_000, 3},
	} {
		var used []int64
		within, seeds := 0, testutil.Size(c.seeds, 41)
		for seed := range uint64(seeds) {
			a := laplaceAudit(c.claim, c.truth, 100_000)
			a.Anytime = true
			if c.known {
				a.LogLikelihood = laplaceNoise(1 / c.truth).density
			}
			e := judgeAudit(t, a, seed, 2)
			if e.Verdict != verify.Refuted {
				e.Samples = math.MaxInt64
			}
			used = append(used, e.Samples/2)
			if used[seed] <= c.most {
				within++
			}
			if within > seeds/2 && !testutil.Asked() { // the median is within the limit for any further runs
				break
			}
		}
		slices.Sort(used)
		t.Logf("%v claimed to be %v, density known %v: %d samples of each input", c.truth, c.claim, c.known, used)
		if within <= seeds/2 {
			t.Errorf("%v claimed to be %v, density known %v: %d samples of each input, want a median of at most %d", c.truth, c.claim, c.known, used, c.most)
		}
	}
}

func TestAuditRejectsInvalidSettings(t *testing.T) {
	good := laplaceAudit(1, 1, 1000)
	for name, spoil := range map[string]func(*Audit[float64, float64]){
		"no mechanism":     func(a *Audit[float64, float64]) { a.Mechanism = nil },
		"no pairs":         func(a *Audit[float64, float64]) { a.Pairs = nil },
		"no guarantee":     func(a *Audit[float64, float64]) { a.Guarantee = Guarantee{} },
		"negative ε":       func(a *Audit[float64, float64]) { a.Guarantee = ApproximateDP(-1, 0) },
		"too few samples":  func(a *Audit[float64, float64]) { a.Samples = 10 },
		"effect below one": func(a *Audit[float64, float64]) { a.Effect = 0.5 },
	} {
		a := good
		spoil(&a)
		if _, err := a.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.05}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	constant := good
	constant.Mechanism = constantOutput{}
	if e := judgeAudit(t, constant, 1, 2); e.Verdict == verify.Refuted {
		t.Errorf("a constant mechanism is %s", e.Verdict)
	}
}

type constantOutput struct{}

func (constantOutput) Release(*rand.Rand, float64) (float64, error) { return 3, nil }
