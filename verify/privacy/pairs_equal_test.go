package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// parityResponse is randomized response at ε = 1 on the parity of its input.
type parityResponse struct{}

func (parityResponse) Release(r *rand.Rand, x int) (int, error) {
	if r.Float64()*(1+math.E) < 1 {
		x++
	}
	return x & 1, nil
}

// logLikelihood lets the audit skip the search.
func (parityResponse) logLikelihood(x, o int) float64 { return float64(1 - (x+o)&1) }

// copies returns copies of a pair, every second one swapped if alternate is set.
func copies(n int, alternate bool) (out []inputs.Pair[int]) {
	for i := range n {
		p := inputs.Pair[int]{A: 0, B: 1}
		if alternate && i%2 == 1 {
			p = p.Swapped()
		}
		out = append(out, p)
	}
	return out
}

// different returns different pairs without names.
func different(n int) (out []inputs.Pair[int]) {
	for i := range n {
		out = append(out, inputs.Pair[int]{A: 2 * i, B: 2*i + 1})
	}
	return out
}

// TestPairsOfAnAuditAreIndependent checks that a true claim is refuted with probability at most alpha for any list of
// pairs: samples that two equal pairs shared would count twice. Per row, the test detects an error rate of 0.4 with
// probability 0.99 and passes at a rate of 0.05 with probability 0.999.
func TestPairsOfAnAuditAreIndependent(t *testing.T) {
	const alpha = 0.05
	for _, c := range []struct {
		pairs  []inputs.Pair[int]
		kept   int
		reason string
	}{
		{copies(16, false), 1, "one pair, 16 times"},
		{copies(64, false), 1, "one pair, 64 times"},
		{copies(16, true), 1, "both orders of one pair"},
		{append(copies(4, true), different(3)...), 3, "copies and different pairs"},
		{different(2), 2, "two pairs without a name"},
		{different(8), 8, "8 pairs without a name"},
	} {
		refuted := verifytest.Wald{Most: alpha, Fault: 0.4}
		for seed := uint64(0); !refuted.Decided(); seed++ {
			a := Audit[int, int]{Mechanism: parityResponse{}, Pairs: c.pairs, Guarantee: ApproximateDP(1, 0), Samples: 1000, LogLikelihood: parityResponse{}.logLikelihood}
			trial, wrong := refutes(t, a, seed)
			refuted.Add(wrong)
			word := fmt.Sprintf("%d of the %d pairs of inputs repeat another", len(c.pairs)-c.kept, len(c.pairs))
			if said := strings.Contains(strings.Join(trial.warnings, " "), word); said != (c.kept < len(c.pairs)) {
				t.Fatalf("%s: warned %q", c.reason, trial.warnings)
			}
		}
		refuted.Report(t, c.reason+": a true claim is refuted")
	}
}

// refutes reports whether a view of the audit refutes the claim. It skips the text of the evidence, which takes longer.
func refutes(t *testing.T, a Audit[int, int], seed uint64) (trial *auditTrial[int, int], refuted bool) {
	t.Helper()
	root := empirical.NewSeed(seed)
	prepared, err := a.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: root})
	if err != nil {
		t.Fatal(err)
	}
	trial = prepared.(*auditTrial[int, int])
	tally, err := empirical.Run(context.Background(), trial, empirical.Options{Pool: empirical.NewPool(1), Seed: root.Derive("sample")})
	if err != nil {
		t.Fatal(err)
	}
	counts := tally.(empirical.Counts)
	for i, v := range trial.views {
		c, err := trial.certify(v, v.heldOut[0][0]+counts[2*i], v.heldOut[1][0]+counts[2*i+1], trial.n(v))
		if err != nil {
			t.Fatal(err)
		}
		refuted = refuted || c.refuted
	}
	return trial, refuted
}

// TestMergedPairs checks that only pairs with inputs of equal type and value are merged.
func TestMergedPairs(t *testing.T) {
	for _, c := range []struct {
		pairs  []inputs.Pair[any]
		want   int
		reason string
	}{
		{[]inputs.Pair[any]{{A: 1, B: 2}, {Name: "again", A: 1, B: 2}}, 1, "names do not matter"},
		{[]inputs.Pair[any]{{A: 1, B: 2}, {A: 2, B: 1}}, 1, "both orders"},
		{[]inputs.Pair[any]{{A: 1, B: 2}, {A: 1, B: 3}}, 2, "another input"},
		{[]inputs.Pair[any]{{A: 1, B: 2}, {A: 1.0, B: 2}}, 2, "a number of another type"},
		{[]inputs.Pair[any]{{A: 0.0, B: 1.0}, {A: math.Copysign(0, -1), B: 1.0}}, 1, "zeros of both signs are equal"},
		{[]inputs.Pair[any]{{A: []float64{1}, B: []float64{}}, {A: []float64{}, B: []float64{1}}, {A: []float64{1}, B: []float64{2}}}, 2, "slices by their values"},
	} {
		if got, word := inputs.MergedPairs(c.pairs); len(got) != c.want || (word == "") != (len(got) == len(c.pairs)) {
			t.Errorf("%s: %d pairs, %q; want %d", c.reason, len(got), word, c.want)
		}
	}
}

// TestEqualInputsAreRejected checks that every check rejects pairs of equal inputs.
func TestEqualInputsAreRejected(t *testing.T) {
	pairs := append(different(2), inputs.Pair[int]{Name: "a mistake", A: 3, B: 3})
	s := verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(1)}
	a := Audit[int, int]{Mechanism: parityResponse{}, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: 1000}
	_, paired := PairAudit[int, int]{Audit: a}.Judge(context.Background(), s, empirical.NewPool(1))
	_, audited := a.Prepare(context.Background(), s)
	_, probed := FloatingPoint[int, int]{Mechanism: a.Mechanism, Pairs: pairs, Guarantee: a.Guarantee, Samples: 1000}.Prepare(context.Background(), s)
	for _, err := range []error{paired, audited, probed} {
		if err == nil || !strings.Contains(err.Error(), "pair 3 (a mistake) has equal inputs") {
			t.Errorf("equal inputs: %v", err)
		}
	}
}

// TestAuditOfRareDisclosures checks that a (0, δ) claim that is true with equality is judged without error, even if the
// event is less frequent in the sample than δ.
func TestAuditOfRareDisclosures(t *testing.T) {
	pairs := []inputs.Pair[int]{{A: 0, B: 1}}
	for seed := range testutil.Size[uint64](5, 12) {
		for _, anytime := range []bool{false, true} {
			a := Audit[int, int]{Mechanism: rareDisclosure{}, Pairs: pairs, Guarantee: ApproximateDP(0, 0.05), Samples: 2000, Anytime: anytime}
			s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(seed)}
			if e, err := verify.Judge(context.Background(), a, s, empirical.NewPool(1), nil); err != nil || e.Verdict == verify.Refuted {
				t.Errorf("seed %d, anytime %v: %s, %v", seed, anytime, e.Verdict, err)
			}
		}
	}
}

// rareDisclosure releases its input with probability 0.05, so it is (0, 0.05)-DP.
type rareDisclosure struct{}

func (rareDisclosure) Release(r *rand.Rand, x int) (int, error) {
	if r.Float64() < 0.05 {
		return x, nil
	}
	return -1, nil
}

// TestAuditOfExtremeClaims checks claims from the smallest to the largest number in both modes.
func TestAuditOfExtremeClaims(t *testing.T) {
	for _, g := range []Guarantee{
		ApproximateDP(0, 0), ApproximateDP(1e-300, 0), ApproximateDP(700, 0), ApproximateDP(1e308, 0.5), ApproximateDP(0, math.Nextafter(1, 0)),
		ZeroConcentratedDP(0), ZeroConcentratedDP(1e-300), ZeroConcentratedDP(1e308), GaussianDP(0), GaussianDP(1e-300), GaussianDP(1e308),
		RenyiDP(math.Nextafter(1, 2), 1), RenyiDP(1e308, 1), RenyiDP(2, 0), RenyiDP(2, 1e308),
	} {
		for _, anytime := range []bool{false, true} {
			a := Audit[int, int]{Mechanism: parityResponse{}, Pairs: different(1), Guarantee: g, Samples: 400, Anytime: anytime}
			s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
			if _, err := verify.Judge(context.Background(), a, s, empirical.NewPool(1), nil); err != nil && !errors.Is(err, distinguisher.ErrNoEvent) {
				t.Errorf("%v, anytime %v: %v", g, anytime, err)
			}
		}
	}
}
