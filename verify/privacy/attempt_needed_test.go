package privacy

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// sampledLaplace adds Laplace noise of a scale to an input that takes part with some probability.
type sampledLaplace struct{ rate, scale float64 }

func (m sampledLaplace) Release(r *rand.Rand, x float64) (float64, error) {
	if r.Float64() >= m.rate {
		x = 0
	}
	return x + m.scale*(r.ExpFloat64()-r.ExpFloat64()), nil
}

// loss returns the privacy loss at the inputs 1 and −1. Every event of outputs above 1 has it, however rare.
func (m sampledLaplace) loss() float64 {
	return math.Log((1 - m.rate + m.rate*math.Exp(1/m.scale)) / (1 - m.rate + m.rate*math.Exp(-1/m.scale)))
}

// amongOthers also releases numbers that do not depend on the input. A search uses fewer rows of wide outputs.
type amongOthers struct{ sampledLaplace }

func (m amongOthers) Release(r *rand.Rand, x float64) ([]float64, error) {
	v, err := m.sampledLaplace.Release(r, x)
	return []float64{v, r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, err
}

var oneAndMinusOne = []inputs.Pair[float64]{{Name: "1 and -1", A: 1, B: -1}}

func atItsLoss[O any](m verify.Mechanism[float64, O], loss float64) func(n int64) verify.Check {
	return func(n int64) verify.Check {
		return Audit[float64, O]{Mechanism: m, Pairs: oneAndMinusOne, Guarantee: ApproximateDP(loss, 0), Samples: n}
	}
}

// TestNeededSizeHoldsForRarerEvents checks that a run with the needed size is consistent in 19 of 20 seeds,
// although its search may choose a rarer event.
func TestNeededSizeHoldsForRarerEvents(t *testing.T) {
	strong, weak, seldom := sampledLaplace{0.2, 1}, sampledLaplace{0.1, 1}, sampledLaplace{0.1, 2}
	for i, c := range []struct {
		name  string
		check func(n int64) verify.Check
		open  int64
	}{
		{"at rate 0.2", atItsLoss[float64](strong, strong.loss()), 50_000},
		{"at rate 0.1", atItsLoss[float64](weak, weak.loss()), 200_000},
		{"among other numbers", atItsLoss[[]float64](amongOthers{strong}, strong.loss()), 50_000},
		{"twice the scale among other numbers", atItsLoss[[]float64](amongOthers{seldom}, seldom.loss()), 400_000},
	} {
		if i > 0 && !testutil.Asked() {
			break
		}
		runs, consistent := testutil.Size(4, 20), 0
		for seed := range uint64(runs) {
			e := verifytest.JudgeAt(t, c.check(c.open), 2*seed+1)
			found := verifytest.NeededOf.FindStringSubmatch(e.Needed)
			if e.Verdict != verify.Inconclusive || found == nil {
				t.Fatalf("%s, seed %d: %s, needs %q", c.name, seed, e.Verdict, e.Needed)
			}
			n, err := strconv.ParseInt(found[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			again := verifytest.JudgeAt(t, c.check(n), 2*seed+2)
			if again.Verdict == verify.Consistent {
				consistent++
			}
			t.Logf("%s: inconclusive at event probability %.3f, at %d samples %s at event probability %.3f", c.name, e.Sizes.SmallProbability, n, again.Verdict,
				again.Sizes.SmallProbability)
		}
		if 20*consistent < 19*runs {
			t.Errorf("%s: %d of %d are consistent", c.name, consistent, runs)
		}
	}
}

// TestNeededSizeIsLargerAndSuffices checks at sizes around the required one that the needed size is larger than the
// run's if large violations are undetected, and that the verdict's test passes at this size and above.
func TestNeededSizeIsLargerAndSuffices(t *testing.T) {
	const wanted = 0.01
	d := &searchPower{Guarantee: ApproximateDP(1, 0), Searches: 2, Scores: 4, Pairs: 1,
		Rows: func(total int64) int64 { return total / 4 }, Certifying: func(total int64) int64 { return total / 2 }}
	trial := &auditTrial[float64, float64]{Audit: Audit[float64, float64]{Guarantee: d.Guarantee}, alpha: 2.5e-7}
	d.Refutes = trial.refutes
	detects := func(total int64) bool {
		return d.sizes(smallFactor, unknownProbability, true, d.MinProbability(total), wanted).Enough()
	}
	undetected := 0
	for total := int64(20_000); total <= 200_000; total += total / 40 {
		if detects(total) {
			continue
		}
		undetected++
		need := roundedSize(verify.SmallestSize(total, func(n int64) bool { return d.DetectsFrom(wanted, n) }), total)
		for _, n := range []int64{need, need + need/50, need + need/9} {
			if need <= total || !detects(n) {
				t.Errorf("%d samples do not suffice and %d are needed, but large violations are undetected at %d", total, need, n)
			}
		}
	}
	if undetected == 0 {
		t.Error("every size suffices")
	}
}

// TestLargerMass checks the message for an event probability at which no sample size is sufficient. It suggests a larger
// probability if one is sufficient.
func TestLargerMass(t *testing.T) {
	for _, c := range []struct {
		least verify.Number
		want  string
	}{
		{verify.Num(0.1812), "a larger event probability: at event probability 0.01 no number of samples detects a large " +
			"violation; set mass to 0.19"},
		{verify.Number{}, "another claim: at event probability 0.01 no number of samples detects a large violation"},
	} {
		if got := largerMass(0.01, c.least); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
