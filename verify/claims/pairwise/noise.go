package pairwise

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func noiseClaims() []verify.Claim {
	regimes := checks.Pair(verify.Claim{
		ID: "pairwise/noise-approximation/regime", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Below Theorem 1, the sentence in brackets: ≪ 1 read as below 1; the threshold is our " +
			"reading; at ε = 5 the quotient is below 1 only if n exceeds e⁵",
		Statement: "ε/log(1/δ) is always below 1, our reading of the paper's \"≪ 1 always\". Setting: ε from 0.1 to " +
			"5, δ = 1/n, the n of the experiments (40 to 350)",
		Check:    regime,
		Formerly: []string{"pairwise/noise-approximation/regime/tenth"},
	}, verify.Claim{
		Kind: verify.Identity, Place: "Below Theorem 1, the sentence in brackets: with a condition on n",
		Statement: "with δ = 1/n, ε/log(1/δ) is at most 0.1 if n is at least e^{10ε}",
		Check:     regimeCorrected,
	}, "n ≥ e^{10ε}", "n from 40 to 350 at every ε")
	remark := checks.Pair(verify.Claim{
		ID: "pairwise/remark-1", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Remark 1, second paragraph: which gives the composition as the cause; the printed bound of Jain et al. " +
			"(2012) is not compared",
		Statement: "compared with advanced composition of the n − T₁ steps (Dwork, Rothblum & Vadhan 2010), zCDP " +
			"lowers the regret by a factor of the order log(n/δ). The noise term of the regret is linear in the " +
			"standard deviation. Setting: ε = 1, δ = 1/n",
		Check: saving("", [2]float64{1, 1}),
	}, verify.Claim{
		Kind: verify.Identity, Place: "Remark 1, second paragraph: for the regret and for the variance of the noise",
		Statement: "compared with advanced composition, zCDP lowers the variance of the noise by a factor of the " +
			"order log(n/δ). The standard deviation, and with it the noise term of the regret, falls by a factor of the " +
			"order √log(n/δ). Setting: ε = 1, δ = 1/n",
		Check:    saving(savingProof, [2]float64{1, 0.5}, [2]float64{2, 1}),
		Formerly: []string{"pairwise/remark-1/variance"},
	}, "the factor √log(n/δ), and log(n/δ) for the variance", "the factor log(n/δ) for the standard deviation")
	return slices.Concat([]verify.Claim{
		{
			ID: "pairwise/alg-1/noise", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Below Theorem 1, first sentence: in brackets; Algorithm 1, line 12",
			Statement: "at the sensitivity 8G/(αt) of Lemma 4, noise with the variance σ_t² of line 12 spends exactly " +
				"ρ/(n−T₁) of zCDP per step",
			Check:   spentByStep(1),
			Control: checks.Faulty(spentByStep(0.95), "σ_t² smaller by 5 %"),
		},
		{
			ID: "pairwise/alg-1/output", Kind: verify.Privacy, Origin: verify.Implied,
			Place: "Algorithm 1, lines 3 and 11 to 13: both results of lines 11 and 13 are named w_t",
			Statement: "all steps of Algorithm 1 together spend at most ρ of zCDP, whether line 11 starts from the " +
				"noisy output of line 13 or from the iterate without noise (both are named w_t)",
			Check:    spent(printedVariance, "kept apart: "+stableProof+"; fed back: "+spentFedBack, keptApart, fedBack),
			Control:  checks.Faulty(spent(eighthVariance, "", keptApart), "σ_t² smaller by a factor 8"),
			Formerly: []string{"pairwise/alg-1/output/kept"},
		},
		{
			ID: "pairwise/alg-1/output/cost", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Algorithm 1, lines 11 to 13: as printed; at this variance the mean regret is of the order log n at " +
				"fixed α, ε and δ (derived)",
			Statement: "if the noisy output is fed back, as lines 11 and 13 are printed, σ_t² = 32G²/(α²t²ρ) already " +
				"spends at most ρ in total. It lacks the factor n − T₁ of line 12",
			Check:    spent(singleVariance, spentFedBack, fedBack),
			Control:  checks.Faulty(spent(quarterVariance, "", fedBack), "a quarter of that variance"),
			Formerly: []string{"pairwise/thm-2/fed-back/corrected"},
		},
		{
			ID: "pairwise/noise-approximation", Kind: verify.Identity, Origin: verify.Stated,
			Place:     "Below Theorem 1: the last two sentences of the paragraph",
			Statement: "128G²(n−T₁)log(1/δ)/(α²t²ε²) equals σ_t² up to a relative error of ε/(2 log(1/δ))",
			Check:     approximated(0.5),
			Control:   checks.Faulty(approximated(0.4), "up to 0.4 ε/log(1/δ)"),
		},
		{
			ID: "pairwise/noise-approximation/private", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Below Theorem 1, last sentence: the paper writes ≃ and uses the exact variance; Lemma 3 is not enough " +
				"for this, as ρ + 2√(ρ log(1/δ)) is above ε for ρ = ε²/(4 log(1/δ))",
			Statement: "a run with the approximate variance 128G²(n−T₁)log(1/δ)/(α²t²ε²), slightly below σ_t², is still " +
				"(ε, δ)-DP by the exact distribution of Gaussian noise. Setting: ε ≤ 1 with δ ≤ 0.35, and ε ≤ 5 with δ ≤ " +
				"1/40",
			Check:    approximatelyPrivate(1),
			Control:  checks.Faulty(approximatelyPrivate(1.5), "two thirds of the standard deviation"),
			Formerly: []string{"pairwise/noise-approximation/lemma-3"},
		},
	}, regimes, remark)
}

// spentByStep compares the zCDP that a step of line 12 spends, by Lemma 2 at the sensitivity of Lemma 4, with
// ρ/(n−T₁).
func spentByStep(factor float64) verify.Check {
	return formula.Check{
		Quantity: "Δ²/(2σ_t²) at Δ = 8G/(αt)", Sense: verify.Equals, Proof: "64/(2·32) = 1",
		Domain: "t = T₁ + 1 and n, T₁ = 16L²/α²",
		Grid: formula.Grid{formula.Over("G/α", 0.1, 1, 30), formula.Over("ρ", 1e-6, 0.01, 1), formula.Over("L/α", 1, 1.5,
			8),
			formula.Over("n − T₁", 1, 2, 1000)},
		At: func(at []float64, add func(formula.Point)) {
			p := bounds.Pairwise{G: at[0], L: at[2], Alpha: 1}
			p.N = p.WarmupPrinted() + at[3]
			for _, t := range []float64{p.WarmupPrinted() + 1, p.N} {
				add(formula.Point{Place: formula.Placef("t=%g", t), Claimed: at[1] / at[3], Show: at[0] == 1 && at[1] == 1,
					Measured: math.Pow(p.SensitivityPrinted(t), 2) / (2 * factor * p.NoiseVariancePrinted(t, at[1]))})
			}
		},
	}
}

// variance is the noise variance at step t, in units of G²/(α²ρ), in a run of n records with warm-up T₁.
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

// moves returns the sensitivities of the steps T₁ + 1, …, n, in units of G/α, if record j differs.
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

// worstSpent returns the largest Σ Δ_t²/(2σ_t²) over the position of the record, divided by ρ.
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

func spent(v variance, proof string, readings ...moves) verify.Check {
	return formula.Check{
		Quantity: "zCDP of all steps over ρ", Sense: verify.AtMost, Proof: proof,
		Domain: "the differing record at every position up to 350 steps, and two later ones",
		Grid:   formula.Grid{formula.Over("T₁", 16, 36, 1000), formula.Over("n − T₁", 1, 2, 24, 334, 3000)},
		At: func(at []float64, add func(formula.Point)) {
			for _, m := range readings {
				add(formula.Point{Measured: worstSpent(m, v, int(at[0]), int(at[0]+at[1])), Claimed: 1, Show: at[0] == 16})
			}
		},
	}
}

// privacyGrid yields the (ε, δ) of the theorems and of the paper's "practice".
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

// instance returns the parameters with κ = 1 and n = 40 at a privacy level.
func instance(l level) bounds.Pairwise {
	return bounds.Pairwise{G: 1, L: 1, Alpha: 1, Diameter: 1, Dim: 1, N: 40, Epsilon: l.epsilon, Delta: l.delta,
		Zeta: 0.1}
}

// approximatelyPrivate checks the approximate variance at the listed levels and between them.
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

var regime = formula.Check{
	Quantity: "ε/log(1/δ)", Sense: verify.AtMost, Domain: "δ = 1/n",
	Grid: formula.Grid{formula.Over("ε", 0.1, 1, 5), formula.Over("n", paperSizes...)},
	At: func(at []float64, add func(formula.Point)) {
		add(formula.Point{Measured: at[0] / math.Log(at[1]), Claimed: 1, Show: true})
	},
}

var regimeCorrected = formula.Check{
	Quantity: "ε/log(1/δ)", Sense: verify.AtMost, Domain: "n = e^{10ε}, δ = 1/n",
	Grid:  formula.Grid{formula.Over("ε", 0.1, 0.5, 1, 1.5, 2.5, 5)},
	Proof: "log n = 10ε, and ε/log n falls in n",
	At: func(at []float64, add func(formula.Point)) {
		n := math.Exp(10 * at[0])
		add(formula.Point{Place: formula.Placef("n=%.4g", n), Measured: at[0] / math.Log(n), Claimed: 0.1, Show: true})
	},
}

const savingProof = "advanced composition of k steps at ε₀ = ε/(2√(2k log(2/δ))), δ₀ = δ/(2k), has σ = √(2 " +
	"log(2.5k/δ)) Δ/ε₀, zCDP about √(2k log(1/δ)) Δ/ε: the quotient is of the order √log(k/δ)"

// saving compares the ratio of the standard deviations of advanced composition and zCDP, raised to a power, with a
// power of log(n/δ), at n² relative to n. Each order is such a pair of powers. If the claimed ratio is too large by a
// factor √log(n/δ), the quotient falls by 29 %.
func saving(proof string, orders ...[2]float64) verify.Check {
	deviations := func(n float64) float64 { // at ε = 1 and δ = 1/n
		l := math.Log(n)
		zcdp := 1 / math.Sqrt(2*pairwise.Budget(1, 1/n)) // σ/(Δ√k)
		// ε₀√(2k log(2/δ)) + kε₀² = 1 as k → ∞, ε₀ = e/√k
		b := math.Sqrt(2 * (l + math.Ln2))
		e := 2 / (b + math.Sqrt(b*b+4))
		advanced := math.Sqrt(2*(math.Log(2.5)+2*l)) / e // log(2.5k/δ) = log 2.5 + 2 log n
		return advanced / zcdp
	}
	return formula.Check{
		Quantity: "saving over the stated power of log(n/δ), at n² relative to n", Sense: verify.AtLeast, Proof: proof,
		Domain: "ε = 1, δ = 1/n; the per-step ε₀ of advanced composition is computed with ε₀² for ε₀(e^{ε₀} − 1); \"of " +
			"the order\" means that the quotient falls by at most 15 %",
		Grid: formula.Grid{formula.Over("n", 1e3, 1e4, 1e5, 1e6)},
		At: func(at []float64, add func(formula.Point)) {
			n := at[0]
			for _, o := range orders {
				quotient := math.Pow(deviations(n*n)/deviations(n), o[0]) / math.Pow(2, o[1]) // log(n/δ) doubles
				add(formula.Point{Place: formula.Placef("deviation^%g over log(n/δ)^%g", o[0], o[1]), Measured: quotient,
					Claimed: 0.85, Show: true})
			}
		},
	}
}
