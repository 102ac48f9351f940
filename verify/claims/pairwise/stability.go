package pairwise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func stabilityClaims() []verify.Claim {
	short := func(p bounds.Pairwise) float64 { return math.Max(2, math.Floor(p.L/p.Alpha)-1) }
	return []verify.Claim{
		{
			ID: "pairwise/lemma-4", Kind: verify.Sensitivity, Origin: verify.Stated, Place: "Lemma 4",
			Formerly: []string{"pairwise/lemma-4/tight"},
			Statement: "for every α-strongly convex, G-Lipschitz, L-smooth loss, replacing one record moves w_t of " +
				"Pairwise GIGA by at most 8G/(αt). Setting: T₁ = max(⌈16L²/α²⌉, 7). The worst case, by recursion, stays " +
				"below 14/3·G/(αt)",
			Check:   stable(8, stableProof),
			Control: checks.Faulty(stable(4, ""), "the constant 4"),
		},
		{
			ID: "pairwise/footnote-2", Kind: verify.Sensitivity, Origin: verify.Implied,
			Place: "Footnote 2: for the privacy of the algorithms, which depends on Lemma 4",
			Statement: "Lemma 4, on which the privacy depends, does not use the form of the loss in Assumption 1. w_n " +
				"of Pairwise GIGA moves by at most 8G/(αn) for −yy′mw, which has this form, and for −ymw, which does not " +
				"(m is the longer of the rows x and x′). Setting: neighbors found by search (records in [−1, 1], labels, " +
				"random parameters; d = 1, n ≤ 20, T₁ = 16)",
			Check:    searched(8),
			Control:  checks.Faulty(searched(3.2), "the constant 3.2"),
			Formerly: []string{"pairwise/lemma-4/search", "pairwise/lemma-4/attained"},
		},
		{
			ID: "pairwise/alg-1/warm-up", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Algorithm 1, lines 2 and 10: needed by the argument for Lemma 4; the 7 in T₁ is never the maximum, as " +
				"16L²/α² ≥ 16 for every loss (α ≤ L)",
			Statement: "with T₁ = max(⌈16L²/α²⌉, 7) every step has η_t(L+α) ≤ 2. A step on equal data then does not " +
				"increase a distance, as the argument for Lemma 4 requires",
			Check:    contracting(bounds.Pairwise.WarmupPrinted, warmupProof),
			Control:  checks.Faulty(contracting(short, ""), "T₁ = L/α − 1"),
			Formerly: []string{"pairwise/alg-1/warm-up/seven"},
		},
		{
			ID: "pairwise/alg-1/warm-up/corrected", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Algorithm 1, line 2: the paragraph below Lemma 4, second sentence, calls the condition necessary " +
				"for the analysis. A warm-up is necessary, but not this length: at L/α = 4001 a T₁ 64,000 times shorter " +
				"is enough",
			Statement: "the much shorter warm-up T₁ = ⌈L/α⌉ + 2 is enough: every step has η_t(L+α) ≤ 2, and Lemma 4 keeps " +
				"its constant 8",
			Check: contracting(bounds.Pairwise.WarmupContraction, warmupProof+"; 4(t−1)/(t−2) ≤ 8 from t = 3 on"),
			Control: checks.Faulty(contracting(func(p bounds.Pairwise) float64 { return p.WarmupContraction() - 2 },
				""), "T₁ = ⌈L/α⌉"),
			Formerly: []string{"pairwise/alg-1/warm-up/necessary"},
		},
		{
			ID: "pairwise/alg-3/noise", Kind: verify.Sensitivity, Origin: verify.Implied,
			Place: "Algorithm 3, line 9: its standard deviation by Definition 2 (128 = 2·8²), and the sensitivity of the " +
				"mean by Lemma 4, Improved Upper Bounds, first paragraph",
			Formerly: []string{"pairwise/alg-3/noise/tight", "pairwise/alg-3/noise/formula", "pairwise/alg-3/noise/search"},
			Statement: "replacing one record moves the mean of the n iterates of Algorithm 3 by at most 8G log n/(αn) " +
				"(worst case by recursion, T₁ ≥ 16). Line 9 has the standard deviation of Definition 2 at this sensitivity",
			Check:   averaged(8, averagedProof),
			Control: checks.Faulty(averaged(2, ""), "the constant 2 in place of 8"),
		},
	}
}

const stableProof = "δ_t ≤ (1−αη_t)δ_{t−1} + αη_t·2G/(α(t−1)) after record j and 2η_jG at it; s_t = αtδ_t/G obeys " +
	"s_t = (1 − t/((t−1)(t−2)))s_{t−1} + 4/(t−2), whose fixed point is 4(t−1)/t: from s_j = 4(j−1)/(j−2) or 0 no s_t " +
	"exceeds 4(t−1)/(t−2) ≤ 14/3"

// places returns positions of the differing record: one in the warm-up, each of the first few hundred steps, and some
// later ones.
func places(warmup, n int) []int {
	all := []int{1}
	for j := warmup + 1; j <= min(n, warmup+350); j++ {
		all = append(all, j)
	}
	if n > warmup+350 {
		all = append(all, (warmup+n)/2, n)
	}
	return all
}

// stable evaluates the recursion for every T₁ and position of the record.
func stable(constant float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "αt‖w_t − w'_t‖/G", Sense: verify.AtMost, Proof: proof,
		Domain: "the worst case by recursion, the differing record within the warm-up, at each of 350 positions after it " +
			"and two later ones, t up to T₁ + 3000",
		Grid: formula.Grid{formula.Over("T₁", 16, 17, 30, 100, 1000)},
		At: func(at []float64, add func(formula.Point)) {
			warmup := int(at[0])
			for _, j := range places(warmup, warmup+3000) {
				worst, where := 0.0, j
				bounds.Stability(j, warmup+1, warmup+3000, func(t int, delta float64) bool {
					if moved := float64(t) * delta; moved > worst {
						worst, where = moved, t
					}
					return true
				})
				add(formula.Point{Place: formula.Placef("record %d differs, t=%d", j, where), Measured: worst,
					Claimed: constant, Show: j <= warmup+1 || j == warmup+3000})
			}
		},
	}
}

const searchProof = "w_n is a projection of what is linear in the mean gradients, of which step j changes by 2·slope " +
	"and each later one by 2·slope/(t−1); in the wide set nothing is clipped, in the narrow one one step has room"

// searched searches for the worst neighbors of n records. One case has 20 records, four steps and a set so wide that
// no projection occurs; the other has 17 records, one step and a set so narrow that G is close to that of the loss
// without the regularizer.
func searched(constant float64) verify.Check {
	return checks.Deferred(func(ctx context.Context, _ verify.Settings) (verify.Check, error) {
		check := sensitivity.Check{
			Quantity: "w_n of Pairwise GIGA", Norm: sensitivity.L2, Adjacency: inputs.ReplaceOneRecord, Proof: searchProof,
			Evaluations: 8000,
		}
		for _, of := range []struct {
			n      int
			radius float64
		}{{20, 2}, {17, 0.3}} {
			for _, general := range []bool{false, true} {
				cell, err := searchCell(ctx, of.n, of.radius, constant, general)
				if err != nil {
					return nil, err
				}
				check.Cells = append(check.Cells, cell)
			}
		}
		return check, nil
	})
}

func searchCell(ctx context.Context, n int, radius, constant float64, general bool) (sensitivity.Cell, error) {
	p, err := tilted(radius, general)
	tight, loss := 0.0, "−yy′mw"
	if general {
		loss = "−ymw"
	}
	for j := 1; j <= n; j++ {
		bounds.Stability(j, 17, n, func(t int, delta float64) bool {
			if t == n {
				tight = math.Max(tight, delta)
			}
			return true
		})
	}
	return sensitivity.Cell{
		Place:        fmt.Sprintf("loss %s, n = %d, d = 1, T₁ = 16, α = L = 1, R = %g, G = %g", loss, n, radius, p.G),
		OutputLength: 1, N: n,
		Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: 1, Norm: sensitivity.L2, Radius: 1},
			Labels: []float64{-1, 1}},
		Claimed: constant * p.G / float64(n), Tight: verify.Num(tight),
		Map: func(r *rand.Rand, in sensitivity.Input, dst []float64) (err error) {
			dst[0], err = lastIterate(ctx, r, p, in.Records)
			return err
		},
	}, err
}

const warmupProof = "η_t(L+α) ≤ 2 is (κ+1)(t−1) ≤ t(t−2), κ = L/α ≥ 1, that is t − 1 − 1/(t−1) ≥ κ + 1, true from t " +
	"= ⌈κ⌉ + 3 on; 16κ² ≥ κ + 3"

// contracting checks the first steps after the warm-up; later steps are smaller.
func contracting(warmup func(bounds.Pairwise) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "η_t(L+α)", Sense: verify.AtMost, Domain: "the first three steps", Proof: proof,
		Grid: formula.Grid{formula.Over("L/α", 1, 1.001, 1.5, 2, 3, 10, 123.4, 4001, 1e6)},
		At: func(at []float64, add func(formula.Point)) {
			t1 := warmup(bounds.Pairwise{L: at[0], Alpha: 1})
			for t := t1 + 1; t <= t1+3; t++ {
				add(formula.Point{Place: formula.Placef("T₁=%g, t=%g", t1, t),
					Measured: bounds.StepTimesAlpha(math.Max(t, 3)) * (at[0] + 1), Claimed: 2, Show: t == t1+1})
			}
		},
	}
}

const averagedProof = "1/n of the sum of 4(t−1)/(t−2)·G/(αt) over t > T₁ ≥ 16, which is below 8G/(αn)·log(n/T₁)"

// averageMove returns the largest change of the mean of the iterates over the position of the record, by recursion,
// in units of G/α.
func averageMove(warmup, n int) (worst float64) {
	for _, j := range places(warmup, n) {
		sum := 0.0
		bounds.Stability(j, warmup+1, n, func(_ int, delta float64) bool { sum += delta; return true })
		worst = math.Max(worst, sum/float64(n))
	}
	return worst
}

// averaged compares the change of the mean with 8G log n/(αn), and with the sensitivity for which line 9 has the
// standard deviation of Definition 2.
func averaged(constant float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "α‖w̃ − w̃'‖/G", Sense: verify.AtMost, Proof: proof,
		Domain: "the worst case by recursion, the differing record at every position up to 350 steps, and two later " +
			"ones; claimed: 8 log n/n, and the σ of line 9 times ε/√(2 log(1.25/δ))",
		Grid: formula.Grid{formula.Over("T₁", 16, 36, 100), formula.Over("n − T₁", 1, 2, 5, 30, 300, 3000)},
		At: func(at []float64, add func(formula.Point)) {
			p := bounds.Pairwise{G: 1, Alpha: 1, N: at[0] + at[1], Epsilon: 1, Delta: 1e-5}
			moved := averageMove(int(at[0]), int(p.N))
			add(formula.Point{Place: formula.Placef("8 log n/n"), Measured: moved, Show: true,
				Claimed: constant / 8 * p.OfflineSensitivityPrinted()})
			add(formula.Point{Place: formula.Placef("σ of line 9"), Measured: moved, Show: true,
				Claimed: constant / 8 * p.Epsilon * math.Sqrt(p.OfflineVariancePrinted()/(2*math.Log(1.25/p.Delta)))})
		},
	}
}
