package settings

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/relation"
)

func observerClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/seven/epsilon", Source: "Experiments, Alg. 1, Theorem 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: sevenPlace + "; Theorem 1",
			Statement: "a reader who lets the steps begin after T₁ = 7 spends, by the exact ε at δ = 1/n of all outputs " +
				"together, at most a hundredth of the stated ε: outputs in C move by at most its diameter, which the noise is " +
				"not made for",
			Check: spentAtSeven(lambda, sevenProof),
			Twin:  verify.Twin{Check: spentAtSeven(8, ""), Want: checks.Refuted, Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/observers/all", Source: "Experiments, Alg. 1, Theorem 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: observerPlace,
			Statement: "where λ = 8 lets OnPairStrC take steps, whoever sees all its outputs, kept apart or fed back, learns " +
				"at most a quarter of the stated ε, by the exact ε at δ = 1/n",
			Check: observed(seesAll, 1, 0.25, observerProof),
			Twin: verify.Twin{Check: observed(seesAll, 3, 0.25, ""), Want: checks.Refuted,
				Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/settings/observers/last", Source: "Experiments, Alg. 1, Theorem 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: observerPlace,
			Statement: "where λ = 8 lets OnPairStrC take steps, whoever sees its last output alone, kept apart, learns at most a " +
				"tenth of the stated ε",
			Check: observed(seesLast, 1, 0.1, observerProof),
			Twin:  verify.Twin{Check: observed(seesLast, 3, 0.1, ""), Want: checks.Refuted, Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/settings/observers/mean", Source: "Experiments, Alg. 1, eq. (6)", Kind: verify.Privacy,
			Origin: verify.Implied, Place: observerPlace,
			Statement: "where λ = 8 lets OnPairStrC take steps, whoever sees the mean of its outputs alone, kept apart, learns at " +
				"most a quarter of the stated ε: next to as much as by all of them",
			Check: observed(seesMean, 1, 0.25, observerProof),
			Twin:  verify.Twin{Check: observed(seesMean, 3, 0.25, ""), Want: checks.Refuted, Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/settings/observers/offline", Source: "Experiments, Alg. 3, Theorem 5", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Experiments, ε, δ and n; Algorithm 3, line 9, at a λ of ours, as that of the experiments takes no step",
			Statement: "where λ = 8 lets OffPairStrC take steps, its output costs at most a twentieth of the stated ε: the noise is " +
				"made for 8 log n where 4 log(n/T₁) would do",
			Check: observed(seesOffline, 1, 0.05, observerProof),
			Twin:  verify.Twin{Check: observed(seesOffline, 5, 0.05, ""), Want: checks.Refuted, Fault: "a fifth of the deviation"},
		},
	}
}

const (
	sevenProof    = "the noise of each step is Gaussian and its mean in C, whatever came before: μ² is at most Σ (‖C‖₂/σ_t)²"
	observerPlace = "Experiments, ε, δ and n; Algorithm 1, lines 11 to 13, at a λ of ours, as that of the experiments " +
		"takes no step"
	observerProof = "the worst path by recursion, in one direction; Gaussian noise composes to Gaussian noise"
)

// epsilonAt is the exact ε at δ of Gaussian noise at μ, from above.
func epsilonAt(mu, delta float64) (float64, error) {
	b, err := accountant.GDP{Mu: mu}.Epsilon(delta)
	return b.Upper, err
}

// spentAtSeven is the exact ε of a run with T₁ = 7 over the stated one.
func spentAtSeven(alpha float64, proof string) verify.Check {
	return relation.Check{
		Quantity: "exact ε of all outputs over the stated ε", Sense: verify.AtMost, Proof: proof,
		Domain: "n ∈ {40, 90}, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, rows of norm 1",
		Points: func(add func(relation.Point)) {
			for _, n := range strongSizes {
				for _, eps := range epsilons {
					p, squares := loss(alpha, false, n, eps), 0.0
					for t := 8; t <= n; t++ {
						sigma := pairwise.OnlineDeviation(p.G, alpha, pairwise.Budget(eps, p.Delta), t, n, 7)
						squares += p.Diameter * p.Diameter / (sigma * sigma)
					}
					spent, err := epsilonAt(math.Sqrt(squares), p.Delta)
					add(relation.Point{At: relation.At("λ=%g, n=%d, ε=%g", alpha, n, eps), Measured: spent / eps, Claimed: 0.01,
						Show: true, Err: err})
				}
			}
		},
	}
}

// walk is a run that takes steps: sensitivities and deviations of the steps, in units of G/α.
type walk struct {
	n, warmup    int
	epsilon, rho float64
}

func (w walk) deviation(t int) float64 {
	return pairwise.OnlineDeviation(1, 1, w.rho, t, w.n, w.warmup)
}

// seesAll is the largest μ of all outputs, over the places of the record: kept apart the path moves as Lemma 4 bounds
// it; fed back each step moves by its own gradient alone.
func seesAll(w walk) float64 {
	worst := 0.0
	for j := 1; j <= w.n; j++ {
		kept, fed := 0.0, 0.0
		bounds.Stability(j, w.warmup+1, w.n, func(t int, moved float64) bool {
			sigma := w.deviation(t)
			kept += moved * moved / (sigma * sigma)
			alone := 2 * bounds.StepTimesAlpha(float64(t)) / sigma
			if t > j {
				alone /= float64(t - 1)
			}
			if t >= j {
				fed += alone * alone
			}
			return true
		})
		worst = math.Max(worst, math.Max(kept, fed))
	}
	return math.Sqrt(worst)
}

// worstPlace is the largest of a figure over the places of the record: of the moves of the steps and their noise.
func (w walk) worstPlace(of func(moved, sigma []float64) float64) float64 {
	worst := 0.0
	for j := 1; j <= w.n; j++ {
		var moved, sigma []float64
		bounds.Stability(j, w.warmup+1, w.n, func(t int, m float64) bool {
			moved, sigma = append(moved, m), append(sigma, w.deviation(t))
			return true
		})
		worst = math.Max(worst, of(moved, sigma))
	}
	return worst
}

// seesLast is the μ of the last output alone, kept apart.
func seesLast(w walk) float64 {
	return w.worstPlace(func(moved, sigma []float64) float64 { return moved[len(moved)-1] / sigma[len(sigma)-1] })
}

// seesMean is the μ of the mean of all outputs alone, kept apart and before the projection, which adds nothing.
func seesMean(w walk) float64 {
	return w.worstPlace(func(moved, sigma []float64) float64 { return floats.Sum(moved) / floats.Norm(sigma, 2) })
}

// seesOffline is the μ of the output of Algorithm 3.
func seesOffline(w walk) float64 {
	sigma := pairwise.OfflineDeviation(1, 1, w.epsilon, 1/float64(w.n), w.n)
	return w.worstPlace(func(moved, _ []float64) float64 { return floats.Sum(moved) / float64(w.n) / sigma })
}

// observed is the exact ε of what is seen over the stated one, with the noise divided by a factor.
func observed(sees func(walk) float64, factor, share float64, proof string) verify.Check {
	return relation.Check{
		Quantity: "exact ε of what is seen over the stated ε", Sense: verify.AtMost, Proof: proof,
		Domain: "λ = 8, T₁ = 36, n ∈ {40, 90}, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, rows of norm 1, every place of the record",
		Points: func(add func(relation.Point)) {
			for _, n := range strongSizes {
				for _, eps := range epsilons {
					delta := 1 / float64(n)
					t1 := pairwise.WarmupSteps(pairwise.WarmupPaper, aucLoss.Smoothness(1, 1)+8, 8)
					w := walk{n, t1, eps, pairwise.Budget(eps, delta)}
					spent, err := epsilonAt(factor*sees(w), delta)
					add(relation.Point{At: relation.At("n=%d, ε=%g", n, eps), Measured: spent / eps, Claimed: share, Show: true,
						Err: err})
				}
			}
		},
	}
}
