package pairwise

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

func privacyClaims() []verify.Claim {
	theorem := levels(1e-3, 0.1, 0.5, 1)
	return []verify.Claim{
		{
			ID: "pairwise/thm-1", Source: "Theorem 1", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 1; Offline Private Pairwise Learning, first sentence",
			Statement: "Algorithm 1 is (ε, δ)-DP for 0 < ε, δ ≤ 1, whether its output is fed back or kept apart",
			Check:     onlinePrivacy(theorem, 1, wholeProof),
			Control: verify.Control{Check: onlinePrivacy(theorem, 3, ""), Want: checks.Refuted,
				Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/thm-1/experiments", Source: "Theorem 1, Experiments", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Theorem 1; Experiments, the paragraphs with ε and δ",
			Statement: "Algorithm 1 is (ε, δ)-DP at the ε and δ of the experiments, above 1 too",
			Check:     onlinePrivacy(experimentLevels, 1, wholeProof),
			Control: verify.Control{Check: onlinePrivacy(experimentLevels, 3, ""), Want: checks.Refuted,
				Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/thm-1/sampled", Source: "Theorem 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Theorem 1; Algorithm 1, whole",
			Statement: "the reference implementation of Algorithm 1 is (1, 0.001)-DP on the sign of its last output, n = 17, " +
				"where the last record has one label or the other",
			Check:   lastOutput(1),
			Control: verify.Control{Check: lastOutput(100), Want: checks.Refuted, Fault: "G understated a hundredfold"},
		},
		{
			ID: "pairwise/thm-3/privacy", Source: "Theorem 3", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 3, first sentence",
			Statement: "Algorithm 2 is (ε, δ)-DP for 0 < ε, δ ≤ 1: Algorithm 1 with the constants of its step 4, at α = c/√n " +
				"with c from 5 to 100 times L",
			Check:   regularizedPrivacy(1),
			Control: verify.Control{Check: regularizedPrivacy(3), Want: checks.Refuted, Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/thm-5/privacy", Source: "Theorem 5", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 5, first sentence and the one above eq. (13), whose condition " +
				"on α it does not need",
			Statement: "Algorithms 3 and 4 are (ε, δ)-DP for 0 < ε, δ ≤ 1",
			Check:     offlinePrivacy(theorem, 1, "Lemma 4 summed up, and Theorem A.1 of Dwork & Roth (2014)"),
			Control: verify.Control{Check: offlinePrivacy(theorem, 5, ""), Want: checks.Refuted,
				Fault: "a fifth of the deviation"},
		},
		{
			ID: "pairwise/thm-5/privacy/experiments", Source: "Theorem 5, Experiments", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Theorem 5; Experiments, the paragraphs with ε and δ",
			Statement: "Algorithms 3 and 4 are (ε, δ)-DP at the ε and δ of the experiments, above 1 too",
			Check:     offlinePrivacy(experimentLevels, 1, "the points are all there are"),
			Control: verify.Control{Check: offlinePrivacy(experimentLevels, 8, ""), Want: checks.Refuted,
				Fault: "an eighth of the deviation"},
		},
	}
}

const wholeProof = "the steps spend at most ρ together (alg-1/output, …/kept), and Lemma 3 turns ρ into (ε, δ)"

// wholeSpent is the larger share of ρ that a run spends, of the two readings of step 13.
func wholeSpent(warmup, n int) float64 {
	return math.Max(worstSpent(fedBack, printedVariance, warmup, n), worstSpent(keptApart, printedVariance, warmup, n))
}

// privacyOf compares the exact δ of Gaussian noise at μ with the claimed one.
func privacyOf(l level, mu float64, show bool, format string, args ...any) formula.Point {
	return formula.Point{
		Place:    formula.Placef("ε=%g, δ=%.3g, "+format, append([]any{l.epsilon, l.delta}, args...)...),
		Measured: gaussianDelta(mu, l.epsilon), Claimed: l.delta, Error: deltaError, Show: show,
	}
}

func onlinePrivacy(at iter.Seq[level], factor float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of all outputs of the worst pair", Sense: verify.AtMost, Proof: proof,
		Domain: "a grid of (ε, δ), T₁ ∈ {16, 36}, n − T₁ ∈ {1, 24, 334}, every place of the differing record up to 350 " +
			"steps, both readings of step 13",
		Points: func(add func(formula.Point)) {
			for _, warmup := range []int{16, 36} {
				for _, steps := range []int{1, 24, 334} {
					share := wholeSpent(warmup, warmup+steps)
					for l := range at {
						mu := factor * math.Sqrt(2*share*pairwise.Budget(l.epsilon, l.delta))
						add(privacyOf(l, mu, l.delta == 1e-6 && warmup == 16, "T₁=%d, n=%d", warmup, warmup+steps))
					}
				}
			}
		},
	}
}

// regularizedPrivacy has the T₁ of Algorithm 2 at n = 1000.
func regularizedPrivacy(factor float64) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of all outputs of the worst pair", Sense: verify.AtMost, Proof: wholeProof,
		Domain: "a grid of (ε, δ), n = 1000, α = cL/√n, c ∈ {5, 10, 100}, every place of the differing record up to 350 " +
			"steps, both readings of step 13",
		Points: func(add func(formula.Point)) {
			for _, c := range []float64{5, 10, 100} {
				alpha := c / math.Sqrt(1000)
				warmup := pairwise.WarmupSteps(pairwise.WarmupPaper, 1+alpha, alpha)
				share := wholeSpent(warmup, 1000)
				for l := range levels(1e-3, 0.1, 0.5, 1) {
					mu := factor * math.Sqrt(2*share*pairwise.Budget(l.epsilon, l.delta))
					add(privacyOf(l, mu, l.delta == 1e-6, "c=%g, T₁=%d", c, warmup))
				}
			}
		},
	}
}

func offlinePrivacy(at iter.Seq[level], factor float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of the worst pair", Sense: verify.AtMost, Proof: proof,
		Domain: "a grid of (ε, δ), T₁ ∈ {16, 36}, n − T₁ ∈ {1, 24, 334}, every place of the differing record",
		Points: func(add func(formula.Point)) {
			for _, warmup := range []int{16, 36} {
				for _, steps := range []int{1, 24, 334} {
					n, worst := warmup+steps, 0.0
					for _, j := range places(warmup, n) {
						sum := 0.0
						bounds.Stability(j, warmup+1, n, func(_ int, delta float64) bool { sum += delta; return true })
						worst = math.Max(worst, sum/float64(n))
					}
					for l := range at {
						mu := factor * worst / pairwise.OfflineStdDev(1, 1, l.epsilon, l.delta, n)
						add(privacyOf(l, mu, l.delta == 1e-6 && warmup == 16, "T₁=%d, n=%d", warmup, n))
					}
				}
			}
		},
	}
}

// lastOutput runs Algorithm 1 for one step after its 16 parameters, with a stated G that
// is too small by a factor.
func lastOutput(factor float64) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		p, err := tilted(0.25, false)
		if err != nil {
			return nil, err
		}
		p.G /= factor
		a, err := rows(ordinary(17, 1, 1))
		if err != nil {
			return nil, err
		}
		b, err := rows(ordinary(17, 1, -1))
		if err != nil {
			return nil, err
		}
		return privacy.Sampled[*dataset.Dataset, bool]{
			Samples: 200_000, Effect: 1.25,
			Cells: []privacy.Cell[*dataset.Dataset, bool]{{
				Place: "n = 17, R = 0.25, the last label +1 and −1", Mechanism: positive{p}, A: a, B: b, Epsilon: 1, Delta: 1e-3,
				Events: []privacy.Event[bool]{{Name: "w_17 > 0", Holds: func(up bool) bool { return up }}},
			}},
		}, nil
	})
}

// positive tells whether the last output of Algorithm 1 is above 0.
type positive struct{ p pairwise.Problem }

func (m positive) Release(r *rand.Rand, data *dataset.Dataset) (bool, error) {
	result, err := pairwise.OnPairStrC(context.Background(), r, data, m.p, pairwise.Privacy{Epsilon: 1, Delta: 1e-3},
		pairwise.Options{})
	if err != nil {
		return false, err
	}
	return result.W[0] > 0, nil
}
