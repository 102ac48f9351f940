package pairwise

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func observerClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/seven/epsilon", Source: "Experiments, Alg. 1, Theorem 1", Kind: verify.Privacy,
			Origin: verify.Observation, Place: sevenPlace + "; Theorem 1",
			Statement: "a reader who lets the steps begin after T₁ = 7 spends, by the exact ε at δ = 1/n of all outputs " +
				"together, at most a hundredth of the stated ε: outputs in C move by at most its diameter, which the noise is " +
				"not made for",
			Check:   spentAtSeven(lambda, sevenProof),
			Control: verify.Control{Check: spentAtSeven(8, ""), Want: checks.Refuted, Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/observers/all", Source: "Experiments, Alg. 1, Theorem 1", Kind: verify.Privacy,
			Origin: verify.Observation, Place: observerPlace,
			Statement: "where λ = 8 lets OnPairStrC take steps, whoever sees all its outputs, kept apart or fed back, learns " +
				"at most a quarter of the stated ε, by the exact ε at δ = 1/n",
			Check: seenEpsilon(seesAll, 1, 0.25, observerProof),
			Control: verify.Control{Check: seenEpsilon(seesAll, 3, 0.25, ""), Want: checks.Refuted,
				Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/settings/observers/last", Source: "Experiments, Alg. 1, Theorem 1", Kind: verify.Privacy,
			Origin: verify.Observation, Place: observerPlace,
			Statement: "where λ = 8 lets OnPairStrC take steps, whoever sees its last output alone, kept apart, learns at " +
				"most a tenth of the stated ε",
			Check: seenEpsilon(seesLast, 1, 0.1, observerProof),
			Control: verify.Control{Check: seenEpsilon(seesLast, 3, 0.1, ""), Want: checks.Refuted,
				Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/settings/observers/mean", Source: "Experiments, Alg. 1, eq. (6)", Kind: verify.Privacy,
			Origin: verify.Observation, Place: observerPlace,
			Statement: "where λ = 8 lets OnPairStrC take steps, whoever sees the mean of its outputs alone, kept apart, " +
				"learns at most a quarter of the stated ε: next to as much as by all of them",
			Check: seenEpsilon(seesMean, 1, 0.25, observerProof),
			Control: verify.Control{Check: seenEpsilon(seesMean, 3, 0.25, ""), Want: checks.Refuted,
				Fault: "a third of the deviation"},
		},
		{
			ID: "pairwise/settings/observers/offline", Source: "Experiments, Alg. 3, Theorem 5", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "Experiments, ε, δ and n; Algorithm 3, line 9, at a λ of ours, 8, as that " +
				"of the experiments takes no step",
			Statement: "where λ = 8 lets OffPairStrC take steps, its output costs at most a twentieth of the stated ε: the " +
				"noise is made for 8 log n where 4 log(n/T₁) would do",
			Check: seenEpsilon(seesOffline, 1, 0.05, observerProof),
			Control: verify.Control{Check: seenEpsilon(seesOffline, 5, 0.05, ""), Want: checks.Refuted,
				Fault: "a fifth of the " +
					"deviation"},
		},
		{
			ID: "pairwise/settings/observers/warm-up", Source: "Experiments, Alg. 1, steps 4-7", Kind: verify.Privacy,
			Origin: verify.Observation, Place: observerPlace + "; lines 4 to 7",
			Statement: "where λ = 8 lets OnPairStrC take steps at n = 90, a record that falls into the warm-up among 35 " +
				"others, so that no step of its own is taken, is hardly hidden: kept apart, its μ is more than a third of the " +
				"worst",
			Check: warmupMuShare(keptMu, 1.0/3, observerProof),
			Control: verify.Control{Check: warmupMuShare(fedMu, 1.0/3, ""), Want: checks.Refuted,
				Fault: "the noisy output fed back"},
		},
		{
			ID: "pairwise/settings/observers/runs", Source: "Experiments, Lemmas 1 and 3", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Experiments, first paragraph: 20 runs of different random permutations; the ε " +
				"and δ; Lemmas 1 and 3",
			Statement: "by the paper's own accounting the outputs of the 20 runs behind each point of a figure cost together " +
				"more than four times the stated ε at the same δ",
			Check:   jointEpsilon(20, "20ρ + 2√(20ρ log(1/δ)) is at least √20 times ρ + 2√(ρ log(1/δ))"),
			Control: verify.Control{Check: jointEpsilon(10, ""), Want: checks.Refuted, Fault: "10 runs"},
		},
	}
}

const (
	sevenProof = "the noise of each step is Gaussian and its mean in C, whatever came before: μ² is at most Σ " +
		"(‖C‖₂/σ_t)²"
	observerPlace = "Experiments, ε, δ and n; Algorithm 1, lines 11 to 13, at a λ of ours, 8, as that of the " +
		"experiments takes no step"
	observerProof = "the worst path by recursion, in one direction; Gaussian noise composes to Gaussian noise"
)

// epsilonAt is the exact ε at δ of Gaussian noise at μ, from above.
func epsilonAt(mu, delta float64) (float64, error) {
	b, err := accountant.GDP{Mu: mu}.Epsilon(delta)
	return b.Upper, err
}

// spentAtSeven is the exact ε of a run with T₁ = 7 over the stated one.
func spentAtSeven(alpha float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exact ε of all outputs over the stated ε", Sense: verify.AtMost, Proof: proof,
		Domain: "n ∈ {40, 90}, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, rows of norm 1",
		Points: func(add func(formula.Point)) {
			for _, n := range strongSizes {
				for _, eps := range paperEpsilons {
					p, squares := aucInstance(alpha, false, n, eps), 0.0
					for t := 8; t <= n; t++ {
						sigma := pairwise.OnlineStdDev(p.G, alpha, pairwise.Budget(eps, p.Delta), t, n, 7)
						squares += p.Diameter * p.Diameter / (sigma * sigma)
					}
					spent, err := epsilonAt(math.Sqrt(squares), p.Delta)
					add(formula.Point{Place: formula.Placef("λ=%g, n=%d, ε=%g", alpha, n, eps), Measured: spent / eps, Claimed: 0.01,
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
	return pairwise.OnlineStdDev(1, 1, w.rho, t, w.n, w.warmup)
}

// keptMu is the μ of all outputs for a place of the record where they are kept apart: the path moves as Lemma 4
// bounds it.
func keptMu(w walk, j int) float64 {
	sum := 0.0
	bounds.Stability(j, w.warmup+1, w.n, func(t int, moved float64) bool {
		sum += math.Pow(moved/w.deviation(t), 2)
		return true
	})
	return math.Sqrt(sum)
}

// fedMu is the same where they are fed back: each step moves by its own gradient alone.
func fedMu(w walk, j int) float64 {
	sum := 0.0
	for t := max(j, w.warmup+1); t <= w.n; t++ {
		moved := 2 * bounds.StepTimesAlpha(float64(t))
		if t > j {
			moved /= float64(t - 1)
		}
		sum += math.Pow(moved/w.deviation(t), 2)
	}
	return math.Sqrt(sum)
}

// seesAll is the largest μ of all outputs, over the places of the record and both readings of step 13.
func seesAll(w walk) float64 {
	worst := 0.0
	for j := 1; j <= w.n; j++ {
		worst = math.Max(worst, math.Max(keptMu(w, j), fedMu(w, j)))
	}
	return worst
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
	sigma := pairwise.OfflineStdDev(1, 1, w.epsilon, 1/float64(w.n), w.n)
	return w.worstPlace(func(moved, _ []float64) float64 { return floats.Sum(moved) / float64(w.n) / sigma })
}

// walkAtEight is a run at λ = 8.
func walkAtEight(n int, epsilon float64) walk {
	t1 := pairwise.WarmupSteps(pairwise.WarmupPaper, aucLoss.Smoothness(1, 1)+8, 8)
	return walk{n, t1, epsilon, pairwise.Budget(epsilon, 1/float64(n))}
}

// warmupMuShare is the μ of a record of the warm-up over the largest of all records.
func warmupMuShare(mu func(w walk, j int) float64, share float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "μ of a record of the warm-up over that of the worst place", Sense: verify.AtLeast, Proof: proof,
		Domain: "λ = 8, T₁ = 36, n = 90, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n",
		Points: func(add func(formula.Point)) {
			for _, eps := range paperEpsilons {
				w, worst := walkAtEight(90, eps), 0.0
				for j := 1; j <= w.n; j++ {
					worst = math.Max(worst, mu(w, j))
				}
				add(formula.Point{Place: formula.Placef("ε=%g", eps), Measured: mu(w, 1) / worst, Claimed: share, Show: true,
					Error: 1e-9})
			}
		},
	}
}

// jointEpsilon is the ε of some runs by Lemmas 1 and 3 over that of one.
func jointEpsilon(runs float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "ε of all runs over the stated ε", Sense: verify.AtLeast, Proof: proof,
		Domain: "n from 40 to 350, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, ρ of Algorithm 1, line 3",
		Points: func(add func(formula.Point)) {
			for _, n := range []float64{40, 50, 90, 350} {
				for _, eps := range paperEpsilons {
					rho := runs * pairwise.Budget(eps, 1/n)
					add(formula.Point{Place: formula.Placef("n=%g, ε=%g", n, eps),
						Measured: (rho + 2*math.Sqrt(rho*math.Log(n))) / eps,
						Claimed:  4, Show: true})
				}
			}
		},
	}
}

// seenEpsilon is the exact ε of what is seen over the stated one, with the noise divided by a factor.
func seenEpsilon(sees func(walk) float64, factor, share float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exact ε of what is seen over the stated ε", Sense: verify.AtMost, Proof: proof,
		Domain: "λ = 8, T₁ = 36, n ∈ {40, 90}, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, rows of norm 1, every place of the record",
		Points: func(add func(formula.Point)) {
			for _, n := range strongSizes {
				for _, eps := range paperEpsilons {
					delta := 1 / float64(n)
					w := walkAtEight(n, eps)
					spent, err := epsilonAt(factor*sees(w), delta)
					add(formula.Point{Place: formula.Placef("n=%d, ε=%g", n, eps), Measured: spent / eps, Claimed: share, Show: true,
						Err: err})
				}
			}
		},
	}
}
