package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func noiseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/alg-1/noise", Source: "Alg. 1, step 12", Kind: verify.Identity,
			Origin: verify.Stated, Place: "paragraph below Theorem 1, first sentence, in brackets; Algorithm 1, " +
				"line 12",
			Statement: "with the sensitivity 8G/(αt), noise of variance σ_t² spends exactly ρ/(n−T₁) of zCDP a step",
			Check:     spentByStep(1),
			Control:   verify.Control{Check: spentByStep(0.95), Want: checks.Refuted, Fault: "σ_t² smaller by 5 %"},
		},
		{
			ID: "pairwise/alg-1/output", Source: "Alg. 1, step 13", Kind: verify.Privacy,
			Origin: verify.Reading, Place: "Algorithm 1, lines 11 and 13: the name w_t of both, read to the letter",
			Statement: "with the noisy output fed back, all steps together spend at most ρ: given the outputs before, step t " +
				"moves by 2η_tG for the record at hand and by 2η_tG/(t−1) for an earlier one",
			Check: spent(fedBack, printedVariance, spentFedBack),
			Control: verify.Control{Check: spent(fedBack, quarterVariance, ""), Want: checks.Refuted,
				Fault: "σ_t² smaller by a factor 4(n−T₁)"},
		},
		{
			ID: "pairwise/alg-1/output/kept", Source: "Alg. 1, step 13", Kind: verify.Privacy,
			Origin: verify.Reading, Place: "Algorithm 1, lines 11 and 13: the name w_t of both, read as two",
			Statement: "with the noisy output kept apart, all steps together spend at most ρ: the whole path moves " +
				"as Lemma 4 bounds it",
			Check: spent(keptApart, printedVariance, stableProof),
			Control: verify.Control{Check: spent(keptApart, eighthVariance, ""), Want: checks.Refuted,
				Fault: "σ_t² smaller by a factor 8"},
		},
		{
			ID: "pairwise/alg-1/output/cost", Source: "Alg. 1, steps 12 and 13", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Algorithm 1, lines 11 to 13, to the letter",
			Statement: "with the noisy output fed back, σ_t² = 32G²/(α²t²ρ), without the factor n − T₁, spends at most ρ in " +
				"all: the literal reading pays for n − T₁ steps where one moves",
			Check: spent(fedBack, singleVariance, spentFedBack),
			Control: verify.Control{Check: spent(fedBack, quarterVariance, ""), Want: checks.Refuted,
				Fault: "a quarter of that variance"},
		},
		{
			ID: "pairwise/noise-approximation", Source: "below Theorem 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "paragraph below Theorem 1, its last two sentences",
			Statement: "128G²(n−T₁)log(1/δ)/(α²t²ε²) is σ_t² up to a relative ε/(2 log(1/δ))",
			Check:     approximated(0.5),
			Control:   verify.Control{Check: approximated(0.4), Want: checks.Refuted, Fault: "up to 0.4 ε/log(1/δ)"},
		},
		{
			ID: "pairwise/noise-approximation/private", Source: "below Theorem 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "paragraph below Theorem 1, last sentence; Theorem 1",
			Statement: "a run with the approximate variance spends √(2ρ) = ε/√(2 log(1/δ)) of GDP at most, which is (ε, δ)-DP " +
				"for ε ≤ 1 and δ ≤ 0.35, where ε ≤ log(1/δ), and for ε ≤ 5 and δ ≤ 1/40",
			Check: approximatelyPrivate(1),
			Control: verify.Control{Check: approximatelyPrivate(1.5), Want: checks.Refuted,
				Fault: "two thirds of the deviation"},
		},
		{
			ID: "pairwise/noise-approximation/lemma-3", Source: "below Theorem 1, Lemma 3", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "paragraph below Theorem 1, first and last sentences; Lemma 3",
			Statement: "with the approximate variance, whose ρ is ε²/(4 log(1/δ)), the paper's own argument still shows (ε, " +
				"δ)-DP: ρ + 2√(ρ log(1/δ)) is at most ε",
			Check: lemma3OfApproximation(bounds.Pairwise.BudgetApproximatePrinted, ""),
			Control: verify.Control{Check: lemma3OfApproximation(bounds.Pairwise.Budget, "ρ is chosen so"), Want: checks.Holds,
				Fault: "none: the exact ρ"},
			Corrected: "pairwise/noise-approximation/private",
		},
		{
			ID: "pairwise/noise-approximation/regime", Source: "below Theorem 1", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "paragraph below Theorem 1, the sentence in brackets; ≪ 1 in its widest " +
				"sense, below 1, and n as in the experiments",
			Statement: "ε/log(1/δ) ≪ 1, so that it is below 1, always holds for ε from 0.1 to 5 and δ = 1/n",
			Check:     regime([]float64{0.1, 1, 5}, 1, ""),
			Control: verify.Control{Check: regime([]float64{0.1, 1}, 1, "ε/log n falls in n and grows in ε"), Want: checks.Holds,
				Fault: "none: ε ≤ 1"},
			Corrected: "pairwise/noise-approximation/regime/corrected",
		},
		{
			ID: "pairwise/noise-approximation/regime/tenth", Source: "below Theorem 1", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "paragraph below Theorem 1, the sentence in brackets; ≪ 1 as at most a " +
				"tenth",
			Statement: "ε/log(1/δ) is at most 1/10 at the ε and n of the experiments",
			Check:     regime(paperEpsilons, 0.1, ""),
			Control: verify.Control{Check: regime([]float64{0.1, 0.3}, 0.1, "ε/log n falls in n and grows in ε"),
				Want: checks.Holds, Fault: "none: ε ≤ 0.3"},
			Corrected: "pairwise/noise-approximation/regime/corrected",
		},
		{
			ID: "pairwise/noise-approximation/regime/corrected", Source: "below Theorem 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the sentence in brackets below Theorem 1",
			Statement: "with δ = 1/n, ε/log(1/δ) is at most 1/10 where n is at least e^{10ε}",
			Check:     regimeCorrected(10),
			Control:   verify.Control{Check: regimeCorrected(9), Want: checks.Refuted, Fault: "n = e^{9ε}"},
		},
		{
			ID: "pairwise/remark-1", Source: "Remark 1", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Remark 1, second paragraph",
			Statement: "zCDP in the place of advanced composition lowers the regret, which is linear in the deviation of the " +
				"noise, by a factor of the order log(n/δ)",
			Check: saving(1, 1, ""),
			Control: verify.Control{Check: saving(1, 0.5, savingProof), Want: checks.Holds,
				Fault: "none: the factor √log(n/δ)"},
			Corrected: "pairwise/remark-1/corrected",
		},
		{
			ID: "pairwise/remark-1/corrected", Source: "Remark 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of Remark 1, second paragraph",
			Statement: "zCDP in the place of advanced composition lowers the regret by a factor of the order √log(n/δ)",
			Check:     saving(1, 0.5, savingProof),
			Control:   verify.Control{Check: saving(1, 0.8, ""), Want: checks.Refuted, Fault: "the factor log(n/δ)^0.8"},
		},
		{
			ID: "pairwise/remark-1/variance", Source: "Remark 1", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Remark 1, second paragraph, said of the variance and not of the regret",
			Statement: "zCDP in the place of advanced composition lowers the variance of the noise by a factor " +
				"of the order log(n/δ)",
			Check:   saving(2, 1, savingProof),
			Control: verify.Control{Check: saving(2, 1.4, ""), Want: checks.Refuted, Fault: "the factor log(n/δ)^1.4"},
		},
	}
}

// spentByStep holds the algorithm's line against Lemma 2 at the sensitivity of Lemma 4.
func spentByStep(factor float64) verify.Check {
	return formula.Check{
		Quantity: "Δ²/(2σ_t²) at Δ = 8G/(αt)", Sense: verify.Equals, Proof: "64/(2·32) = 1",
		Domain: "G/α ∈ {0.1, 1, 30}, ρ ∈ {10⁻⁶, 0.01, 1}, T₁ ∈ {7, 16, 1000}, n − T₁ ∈ {1, 2, 1000}, t = T₁ + 1 and n",
		Points: func(add func(formula.Point)) {
			for _, g := range []float64{0.1, 1, 30} {
				for _, rho := range []float64{1e-6, 0.01, 1} {
					for _, t1 := range []int{7, 16, 1000} {
						for _, steps := range []int{1, 2, 1000} {
							for _, t := range []int{t1 + 1, t1 + steps} {
								sensitivity := bounds.Pairwise{G: g, Alpha: 1}.SensitivityPrinted(float64(t))
								sigma := math.Sqrt(factor) * pairwise.OnlineStdDev(g, 1, rho, t, t1+steps, t1)
								add(formula.Point{
									Place:    formula.Placef("G/α=%g, ρ=%g, T₁=%d, n=%d, t=%d", g, rho, t1, t1+steps, t),
									Measured: sensitivity * sensitivity / (2 * sigma * sigma), Claimed: rho / float64(steps),
									Show: g == 1 && rho == 1,
								})
							}
						}
					}
				}
			}
		},
	}
}

// A variance of the noise at t, in units of G²/(α²ρ), on a run of n with warm-up T₁.
type variance func(t, n, warmup int) float64

func printedVariance(t, n, warmup int) float64 {
	sigma := pairwise.OnlineStdDev(1, 1, 1, t, n, warmup)
	return sigma * sigma
}
func eighthVariance(t, n, warmup int) float64 { return printedVariance(t, n, warmup) / 8 }
func singleVariance(t, _, _ int) float64 {
	return bounds.Pairwise{G: 1, Alpha: 1}.FedBackVariance(float64(t), 1)
}
func quarterVariance(t, n, warmup int) float64 { return singleVariance(t, n, warmup) / 4 }

// A sensitivity of the steps T₁ + 1, …, n, in units of G/α, where record j differs.
type moves func(j, warmup, n int, yield func(t int, moved float64) bool)

func keptApart(j, warmup, n int, yield func(int, float64) bool) {
	bounds.Stability(j, warmup+1, n, yield)
}

func fedBack(j, warmup, n int, yield func(int, float64) bool) {
	for t := warmup + 1; t <= n; t++ {
		moved := 0.0
		switch {
		case t == j:
			moved = 2 * bounds.StepTimesAlpha(float64(t))
		case t > j:
			moved = 2 * bounds.StepTimesAlpha(float64(t)) / float64(t-1)
		}
		if !yield(t, moved) {
			return
		}
	}
}

const spentFedBack = "Δ_t = 4(t−1)/(t−2)·G/(αt) at the record and 4/(t−2)·G/(αt) later: the sum of (αtΔ_t/8G)² is at " +
	"most (4·16/15)²/64 + Σ 16/(64(t−2)²) < 1"

// worstSpent is the largest Σ Δ_t²/(2σ_t²) over the places of the record, over ρ.
func worstSpent(m moves, v variance, warmup, n int) float64 {
	worst := 0.0
	for _, j := range places(warmup, n) {
		sum := 0.0
		m(j, warmup, n, func(t int, moved float64) bool {
			sum += moved * moved / (2 * v(t, n, warmup))
			return true
		})
		worst = math.Max(worst, sum)
	}
	return worst
}

func spent(m moves, v variance, proof string) verify.Check {
	return formula.Check{
		Quantity: "zCDP of all steps over ρ", Sense: verify.AtMost, Proof: proof,
		Domain: "T₁ ∈ {16, 36, 1000}, n − T₁ ∈ {1, 2, 24, 334, 3000}, the differing record at every place up to 350 " +
			"steps, and two later ones",
		Points: func(add func(formula.Point)) {
			for _, warmup := range []int{16, 36, 1000} {
				for _, steps := range []int{1, 2, 24, 334, 3000} {
					add(formula.Point{Place: formula.Placef("T₁=%d, n=%d", warmup, warmup+steps),
						Measured: worstSpent(m, v, warmup, warmup+steps), Claimed: 1, Show: warmup == 16})
				}
			}
		},
	}
}

// privacyGrid is the (ε, δ) of the approximation: the theorems', and the paper's "practice".
func privacyGrid(yield func(level) bool) {
	for _, l := range []struct{ epsilons, deltas []float64 }{
		{[]float64{1e-3, 0.1, 0.5, 1}, []float64{1e-30, 1e-9, 1e-5, 1e-3, 0.01, 1.0 / 40, 0.1, 0.35}},
		{[]float64{1.5, 2.5, 5}, []float64{1e-30, 1e-9, 1e-5, 1e-3, 1.0 / 350, 0.01, 1.0 / 40}},
	} {
		for _, eps := range l.epsilons {
			for _, delta := range l.deltas {
				if !yield(level{eps, delta}) {
					return
				}
			}
		}
	}
}

const gridOfLevels = "ε ∈ {10⁻³, 0.1, 0.5, 1} with δ from 10⁻³⁰ to 0.35, ε ∈ {1.5, 2.5, 5} with δ from 10⁻³⁰ to 1/40"

func approximated(share float64) verify.Check {
	return formula.Check{
		Quantity: "1 − (approximate σ_t²)/σ_t²", Sense: verify.AtMost, Domain: gridOfLevels,
		Proof: "with x = ε/log(1/δ) the quotient is 4/(√(1+x)+1)², between 1 − x/2 and 1",
		Points: func(add func(formula.Point)) {
			for l := range privacyGrid {
				p := instance(l)
				exact := p.NoiseVariancePrinted(20, p.Budget())
				x := l.epsilon / -math.Log(l.delta)
				add(formula.Point{Place: formula.Placef("ε=%g, δ=%.3g", l.epsilon, l.delta),
					Measured: 1 - p.NoiseVarianceApproximatePrinted(20)/exact, Claimed: share * x, Error: 1e-6,
					Show: l.delta == 1.0/40})
			}
		},
	}
}

// instance is κ = 1, n = 40, at a privacy level.
func instance(l level) bounds.Pairwise {
	return bounds.Pairwise{G: 1, L: 1, Alpha: 1, Diameter: 1, Dim: 1, N: 40, Epsilon: l.epsilon, Delta: l.delta, Zeta: 0.1}
}

// approximatelyPrivate looks between the named levels as well.
func approximatelyPrivate(factor float64) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε of a run that spends all of ρ", Sense: verify.AtMost,
		Domain: gridOfLevels + "; fine grids, ε from 10⁻⁴ to 1 with δ from 10⁻³⁰ to 0.35, and ε from 1 to 5 with δ from " +
			"10⁻³⁰ to 1/40",
		Points: func(add func(formula.Point)) {
			for l := range all(privacyGrid, between([2]float64{1e-4, 1}, [2]float64{1e-30, 0.35}),
				between([2]float64{1, 5}, [2]float64{1e-30, 1.0 / 40})) {
				mu := factor * math.Sqrt(2*instance(l).BudgetApproximatePrinted())
				add(formula.Point{Place: formula.Placef("ε=%.3g, δ=%.3g", l.epsilon, l.delta), Measured: gaussianDelta(mu,
					l.epsilon),
					Claimed: l.delta, Error: deltaError, Show: l.delta == 1.0/40 && l.epsilon <= 1})
			}
		},
	}
}

func lemma3OfApproximation(budget func(bounds.Pairwise) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "ρ + 2√(ρ log(1/δ)) over ε", Sense: verify.AtMost, Domain: gridOfLevels, Proof: proof,
		Points: func(add func(formula.Point)) {
			for l := range privacyGrid {
				rho := budget(instance(l))
				add(formula.Point{Place: formula.Placef("ε=%g, δ=%.3g", l.epsilon, l.delta),
					Measured: (rho + 2*math.Sqrt(rho*-math.Log(l.delta))) / l.epsilon, Claimed: 1, Error: 1e-9,
					Show: l.delta == 1.0/40})
			}
		},
	}
}

func regime(epsilons []float64, most float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "ε/log(1/δ)", Sense: verify.AtMost, Domain: "the ε named, δ = 1/n, n ∈ {40, 50, 90, 350}", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, eps := range epsilons {
				for _, n := range paperSizes {
					add(formula.Point{Place: formula.Placef("ε=%g, n=%g", eps, n), Measured: eps / math.Log(n), Claimed: most,
						Show: true})
				}
			}
		},
	}
}

func regimeCorrected(rate float64) verify.Check {
	return formula.Check{
		Quantity: "ε/log(1/δ)", Sense: verify.AtMost, Domain: "n = e^{10ε}, ε ∈ {0.1, 0.5, 1, 1.5, 2.5, 5}",
		Proof: "log n = 10ε, and ε/log n falls in n",
		Points: func(add func(formula.Point)) {
			for _, eps := range []float64{0.1, 0.5, 1, 1.5, 2.5, 5} {
				add(formula.Point{Place: formula.Placef("ε=%g, n=%.4g", eps, math.Exp(rate*eps)),
					Measured: eps / math.Log(math.Exp(rate*eps)), Claimed: 0.1, Show: true})
			}
		},
	}
}

const savingProof = "advanced composition of k steps at ε₀ = ε/(2√(2k log(2/δ))), δ₀ = δ/(2k), has σ = √(2 " +
	"log(2.5k/δ)) Δ/ε₀, zCDP about √(2k log(1/δ)) Δ/ε: the quotient is of the order √log(k/δ)"

// saving is the quotient of the deviations, to a power, over a power of log(n/δ), followed as n
// grows with δ = 1/n; bounded away from 0 means that from n to n^2 it falls by at most 15 %.
func saving(power, exponent float64, proof string) verify.Check {
	quotient := func(logN float64) float64 {
		// At ε = 1 and δ = 1/n, all in terms of log n: n itself may exceed a float64.
		l := logN
		rho := 1 / (1 + 2*l + 2*math.Sqrt(l*(l+1)))
		zcdp := 1 / math.Sqrt(2*rho) // σ/(Δ√k)
		// ε₀√(2k log(2/δ)) + kε₀² = 1 as k → ∞, ε₀ = e/√k
		b := math.Sqrt(2 * (l + math.Ln2))
		e := 2 / (b + math.Sqrt(b*b+4))
		advanced := math.Sqrt(2*(math.Log(2.5)+2*l)) / e // log(2.5k/δ) = log 2.5 + 2 log n
		return math.Pow(advanced/zcdp, power) / math.Pow(2*l, exponent)
	}
	return formula.Check{
		Quantity: "saving over the stated power of log(n/δ), at n² relative to n", Sense: verify.AtLeast, Proof: proof,
		Domain: "ε = 1, δ = 1/n, n from 10³ to 10¹⁹²; the per-step ε₀ of advanced composition solved for, " +
			"ε₀(e^{ε₀} − 1) taken as ε₀²",
		Points: func(add func(formula.Point)) {
			for logN := math.Log(1e3); logN < 500; logN *= 2 {
				add(formula.Point{Place: formula.Placef("n=e^%.3g", logN), Measured: quotient(2*logN) / quotient(logN),
					Claimed: 0.85,
					Show:    true})
			}
		},
	}
}
