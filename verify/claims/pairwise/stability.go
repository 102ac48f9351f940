package pairwise

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func stabilityClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/lemma-4", Source: "Lemma 4", Kind: verify.Sensitivity,
			Origin: verify.Stated, Place: "Lemma 4", Formerly: []string{"pairwise/lemma-4/tight"},
			Statement: "with T₁ of Algorithm 1, w_t of Pairwise GIGA moves by at most 8G/(αt) between neighbours",
			Check:     stable(8, stableProof),
			Control:   verify.Control{Check: stable(4, ""), Want: checks.Refuted, Fault: "the constant 4"},
		},
		{
			ID: "pairwise/lemma-4/search", Source: "Lemma 4", Kind: verify.Sensitivity,
			Origin: verify.Stated, Place: "Lemma 4", Formerly: []string{"pairwise/lemma-4/attained"},
			Statement: "w_t of Pairwise GIGA moves by at most 8G/(αt) between neighbours for a loss of which one record " +
				"decides every pair that it is in, over all records, labels and random parameters, in a wide set and a narrow one",
			Check:   searched(8, false, false),
			Control: verify.Control{Check: searched(3.2, false, false), Want: checks.Refuted, Fault: "the constant 3.2"},
		},
		{
			ID: "pairwise/footnote-2", Source: "footnote 2, Lemma 4", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "footnote 2, of the privacy of the algorithms, which rests on Lemma 4",
			Statement: "w_t of Pairwise GIGA moves by at most 8G/(αt) between neighbours for a loss that is not of the form " +
				"of Assumption 1 either, one to which the label of the second record does not matter, over all records, " +
				"labels and random parameters",
			Check:   searched(8, false, true),
			Control: verify.Control{Check: searched(3.2, false, true), Want: checks.Refuted, Fault: "the constant 3.2"},
		},
		{
			ID: "pairwise/alg-1/warm-up", Source: "Alg. 1, step 2", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 1, lines 2 and 10; Lemma 4, whose argument needs it",
			Statement: "with T₁ = max(⌈16L²/α²⌉, 7) every step has η_t(L+α) ≤ 2, so that it contracts on equal data",
			Check:     contracting(bounds.Pairwise.WarmupPrinted, warmupProof),
			Control: verify.Control{Check: contracting(func(p bounds.Pairwise) float64 {
				return math.Max(2,
					math.Floor(p.L/p.Alpha)-1)
			}, ""), Want: checks.Refuted, Fault: "T₁ = L/α − 1"},
		},
		{
			ID: "pairwise/alg-1/warm-up/necessary", Source: "below Lemma 4", Kind: verify.Identity,
			Origin: verify.Reading, Place: "paragraph below Lemma 4, second sentence: the condition said to be " +
				"necessary may be the length of the warm-up, as here, or that there is one",
			Statement: "T₁ = max(⌈16L²/α²⌉, 7) is needed for the stability: no T₁ below a quarter of it " +
				"makes all steps contract",
			Check: needed(bounds.Pairwise.WarmupPrinted, ""),
			Control: verify.Control{Check: needed(bounds.Pairwise.WarmupContraction, warmupProof), Want: checks.Holds,
				Fault: "none: T₁ = ⌈L/α⌉ + 2"},
			Corrected: "pairwise/alg-1/warm-up/corrected",
		},
		{
			ID: "pairwise/alg-1/warm-up/corrected", Source: "Alg. 1, step 2, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of Algorithm 1, line 2",
			Statement: "with T₁ = ⌈L/α⌉ + 2 every step has η_t(L+α) ≤ 2, and Lemma 4 keeps its constant 8",
			Check:     contracting(bounds.Pairwise.WarmupContraction, warmupProof+"; 4(t−1)/(t−2) ≤ 8 from t = 3 on"),
			Control: verify.Control{Check: contracting(func(p bounds.Pairwise) float64 { return p.WarmupContraction() - 2 }, ""),
				Want: checks.Refuted, Fault: "T₁ = ⌈L/α⌉"},
		},
		{
			ID: "pairwise/alg-1/warm-up/seven", Source: "Alg. 1, step 2", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Algorithm 1, line 2: the maximum with 7 of 16L²/α² for a loss with α " +
				"≤ L",
			Statement: "the 7 in T₁ = max(⌈16L²/α²⌉, 7) has no effect: the other number is at least 16 for every loss that is " +
				"L-smooth and α-strongly convex",
			Check:   sevenIdle(1),
			Control: verify.Control{Check: sevenIdle(0.5), Want: checks.Refuted, Fault: "L = α/2, which no loss has"},
		},
		{
			ID: "pairwise/alg-3/noise", Source: "Alg. 3, step 9", Kind: verify.Sensitivity,
			Formerly: []string{"pairwise/alg-3/noise/tight"},
			Origin:   verify.Implied, Place: "Algorithm 3, line 9; Improved Upper Bounds, first paragraph: the " +
				"sensitivity of the mean by Lemma 4",
			Statement: "the mean of the n iterates of Algorithm 3 moves by at most 8G log n/(αn) between neighbours, which " +
				"step 9 makes its noise for",
			Check:   averaged(8, averagedProof),
			Control: verify.Control{Check: averaged(2, ""), Want: checks.Refuted, Fault: "the constant 2 in the place of 8"},
		},
		{
			ID: "pairwise/alg-3/noise/formula", Source: "Alg. 3, step 9", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 3, line 9; Definition 2",
			Statement: "the deviation of step 9 is √(2 log(1.25/δ))/ε times 8G log n/(αn)",
			Check:     offlineFormula(8),
			Control:   verify.Control{Check: offlineFormula(7), Want: checks.Refuted, Fault: "the constant 7 in the place of 8"},
		},
		{
			ID: "pairwise/alg-3/noise/search", Source: "Alg. 3, step 9", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Algorithm 3, lines 4 to 9",
			Statement: "the mean of the n iterates moves by at most 8G log n/(αn) between neighbours for the loss of " +
				"pairwise/lemma-4/search, over all records, labels and random parameters",
			Check:   searched(8, true, false),
			Control: verify.Control{Check: searched(0.7, true, false), Want: checks.Refuted, Fault: "the constant 0.7"},
		},
	}
}

const stableProof = "δ_t ≤ (1−αη_t)δ_{t−1} + αη_t·2G/(α(t−1)) after record j and 2η_jG at it; s_t = αtδ_t/G obeys " +
	"s_t = (1 − t/((t−1)(t−2)))s_{t−1} + 4/(t−2), " +
	"whose fixed point is 4(t−1)/t: from s_j = 4(j−1)/(j−2) or 0 no s_t exceeds 4(t−1)/(t−2) ≤ 14/3"

// places are those of the differing record that are not alike: any within the warm-up, then every one up to a
// few hundred steps, and a few beyond.
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

// stable follows the recursion from every T₁ and the places of the record.
func stable(constant float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "αt‖w_t − w'_t‖/G", Sense: verify.AtMost, Proof: proof,
		Domain: "the worst case by recursion, T₁ ∈ {16, 17, 30, 100, 1000}, the differing record within the warm-up, at " +
			"each of 350 places after it and two later ones, t up to T₁ + 3000",
		Points: func(add func(formula.Point)) {
			for _, warmup := range []int{16, 17, 30, 100, 1000} {
				for _, j := range places(warmup, warmup+3000) {
					worst, where := 0.0, j
					bounds.Stability(j, warmup+1, warmup+3000, func(t int, delta float64) bool {
						if moved := float64(t) * delta; moved > worst {
							worst, where = moved, t
						}
						return true
					})
					add(formula.Point{Place: formula.Placef("T₁=%d, record %d differs, t=%d", warmup, j, where), Measured: worst,
						Claimed: constant, Show: j <= warmup+1 || j == warmup+3000})
				}
			}
		},
	}
}

const searchProof = "w_n is a projection of what is linear in the mean gradients, of which step j changes by " +
	"2·slope and each later one by 2·slope/(t−1); in the wide set nothing is clipped, in the narrow one one step has room"

// searched looks for the worst neighbours of n records: of 20, of which four make steps, in a set so wide that nothing
// is clipped; and of 17, of which one makes a step, or 40 for the mean, in one so narrow that G is next to that of the
// loss alone.
func searched(constant float64, mean, general bool) verify.Check {
	return checks.Deferred(func(ctx context.Context, _ verify.Settings) (verify.Check, error) {
		check := sensitivity.Check{
			Quantity: "w_n of Pairwise GIGA", Norm: sensitivity.L2, Adjacency: inputs.ReplaceOneRecord, Proof: searchProof,
			Evaluations: 8000,
		}
		if mean {
			check.Quantity, check.Evaluations = "the mean of the iterates of Pairwise GIGA", 40_000
		}
		wide, narrow := 20, 17
		if mean {
			narrow = 40
		}
		for i, n := range []int{wide, narrow} {
			cell, err := searchCell(ctx, n, []float64{2, 0.3}[i], constant, mean, general)
			if err != nil {
				return nil, err
			}
			check.Cells = append(check.Cells, cell)
		}
		return check, nil
	})
}

func searchCell(ctx context.Context, n int, radius, constant float64, mean,
	general bool) (sensitivity.Cell, error) {
	p, err := tilted(radius, general)
	tight, claimed := 0.0, constant*p.G/float64(n)
	for j := 1; j <= n; j++ {
		sum, last := 0.0, 0.0
		bounds.Stability(j, 17, n, func(_ int, delta float64) bool { sum, last = sum+delta, delta; return true })
		if mean {
			last = sum / float64(n)
		}
		tight = math.Max(tight, last)
	}
	if mean {
		claimed *= math.Log(float64(n))
	}
	return sensitivity.Cell{
		Place: fmt.Sprintf("n = %d, d = 1, T₁ = 16, α = L = 1, R = %g, G = %g", n, radius, p.G), OutputLength: 1, N: n,
		Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: 1, Norm: sensitivity.L2, Radius: 1},
			Labels: []float64{-1, 1}},
		Claimed: claimed, Tight: verify.Num(tight),
		Map: func(r *rand.Rand, in sensitivity.Input, dst []float64) error {
			w, average, err := iterate(ctx, r, p, in.Records)
			dst[0] = w
			if mean {
				dst[0] = average
			}
			return err
		},
	}, err
}

const warmupProof = "η_t(L+α) ≤ 2 is (κ+1)(t−1) ≤ t(t−2), κ = L/α ≥ 1, that is t − 1 − 1/(t−1) ≥ κ + 1, true from t " +
	"= ⌈κ⌉ + 3 on; 16κ² ≥ κ + 3"

var kappas = []float64{1, 1.001, 1.5, 2, 3, 10, 123.4, 4001, 1e6}

const kappaWords = "κ = L/α ∈ {1, 1.001, 1.5, 2, 3, 10, 123.4, 4001, 10⁶}"

// contracting looks at the first steps after the warm-up; later ones are smaller.
func contracting(warmup func(bounds.Pairwise) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "η_t(L+α)", Sense: verify.AtMost, Domain: kappaWords + ", the first three steps", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, kappa := range kappas {
				t1 := warmup(bounds.Pairwise{L: kappa, Alpha: 1})
				for t := t1 + 1; t <= t1+3; t++ {
					add(formula.Point{Place: formula.Placef("κ=%g, T₁=%g, t=%g", kappa, t1, t),
						Measured: bounds.StepTimesAlpha(math.Max(t, 3)) * (kappa + 1), Claimed: 2, Show: t == t1+1})
				}
			}
		},
	}
}

// needed compares a T₁ with the least after which all steps contract.
func needed(warmup func(bounds.Pairwise) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "T₁ over the least with which all steps contract", Sense: verify.AtMost, Domain: kappaWords, Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, kappa := range kappas {
				least := math.Max(2, math.Floor(kappa)-1)
				for bounds.StepTimesAlpha(least+1)*(kappa+1) > 2 {
					least++
				}
				p := bounds.Pairwise{L: kappa, Alpha: 1}
				add(formula.Point{Place: formula.Placef("κ=%g: at least %g", kappa, least), Measured: warmup(p) / least, Claimed: 4,
					Show: true})
			}
		},
	}
}

// sevenIdle asks whether ⌈16κ²⌉ is never below 7.
func sevenIdle(least float64) verify.Check {
	return formula.Check{
		Quantity: "⌈16L²/α²⌉ at the least L/α", Sense: verify.AtLeast,
		Domain: "L/α at its least, which is 1 for a loss and decides, as the figure grows with it",
		Proof:  "16κ² grows with κ",
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("L/α=%g", least), Measured: math.Ceil(16 * least * least), Claimed: 7,
				Show: true})
		},
	}
}

const averagedProof = "1/n of the sum of 4(t−1)/(t−2)·G/(αt) over t > T₁ ≥ 16, which is below 8G/(αn)·log(n/T₁)"

// averages runs over n and T₁ with the worst place of the record, found by recursion.
func averages(f func(n, warmup int, worst float64)) {
	for _, warmup := range []int{16, 36, 100} {
		for _, extra := range []int{1, 2, 5, 30, 300, 3000} {
			n, worst := warmup+extra, 0.0
			for _, j := range places(warmup, n) {
				sum := 0.0
				bounds.Stability(j, warmup+1, n, func(_ int, delta float64) bool { sum += delta; return true })
				worst = math.Max(worst, sum/float64(n))
			}
			f(n, warmup, worst)
		}
	}
}

const averageWords = "the worst case by recursion, T₁ ∈ {16, 36, 100}, n − T₁ ∈ {1, 2, 5, 30, 300, 3000}, the " +
	"differing record at every place up to 350 steps, and two later ones"

func averaged(constant float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "α‖w̃ − w̃'‖/G", Sense: verify.AtMost, Domain: averageWords, Proof: proof,
		Points: func(add func(formula.Point)) {
			averages(func(n, warmup int, worst float64) {
				claimed := constant / 8 * bounds.Pairwise{G: 1, Alpha: 1, N: float64(n)}.OfflineSensitivityPrinted()
				add(formula.Point{Place: formula.Placef("T₁=%d, n=%d", warmup, n), Measured: worst, Claimed: claimed, Show: true})
			})
		},
	}
}

// offlineFormula holds the line of the algorithm against the Gaussian mechanism.
func offlineFormula(constant float64) verify.Check {
	return formula.Check{
		Quantity: "σ of step 9", Sense: verify.Equals,
		Domain: "n ∈ {2, 17, 350, 10⁶}, ε ∈ {0.01, 0.5, 1, 2.5}, δ ∈ {10⁻⁹, 0.01, 1}, G, α from 0.1 to 10",
		Proof:  "128 = 2·8²",
		Points: func(add func(formula.Point)) {
			for _, n := range []int{2, 17, 350, 1e6} {
				for _, eps := range []float64{0.01, 0.5, 1, 2.5} {
					for _, delta := range []float64{1e-9, 0.01, 1} {
						for _, g := range []float64{0.1, 1, 10} {
							alpha := 1 / g
							sensitivity := constant * g * math.Log(float64(n)) / (alpha * float64(n))
							add(formula.Point{
								Place:    formula.Placef("n=%d, ε=%g, δ=%g, G=%g, α=%g", n, eps, delta, g, alpha),
								Measured: pairwise.OfflineStdDev(g, alpha, eps, delta, n),
								Claimed:  math.Sqrt(2*math.Log(1.25/delta)) * sensitivity / eps, Show: n == 350 && g == 1,
							})
						}
					}
				}
			}
		},
	}
}
