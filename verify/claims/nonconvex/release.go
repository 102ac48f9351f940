package nonconvex

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func releaseClaims() []verify.Claim {
	return slices.Concat(checks.Pair(verify.Claim{
		ID: "nonconvex/thm-1", Kind: verify.Privacy, Origin: verify.Stated,
		Place: "Theorem 1, eq. (3): also Lemma 2 at l = n, and Theorem 5 (its Algorithm 3 with V = ½‖·‖₂² is Algorithm " +
			"1)",
		Statement: "there are constants c and c₁ such that x_R of Algorithm 1 is (ε, δ)-private for all T, 0 < ε < c₁T " +
			"and 0 < δ < 1, if σ² = cG²T·ln(1/δ)/(n²ε²)",
		Check:    wholeRun(),
		Formerly: []string{"nonconvex/thm-1/iterates", "nonconvex/lemma-2/full-batch", "nonconvex/thm-5/privacy"},
	}, verify.Claim{
		Place: "Theorem 1, eq. (3): for ε ≤ ln(1/δ); c is compared with the smallest one at each (ε, δ)",
		Statement: "with c = 2(1+√2)² = 11.66 in eq. (3), all iterates of Algorithm 1 together are (ε, δ)-private for " +
			"all T, 0 < δ < 1 and 0 < ε ≤ ln(1/δ). This range contains every ε of the experiments at δ = 10⁻³",
		Check: smallestConstants(formula.Grid{
			formula.Over("δ", 1e-200, 1e-100, 1e-12, 1e-5, 1e-3, 0.1, 0.5, 0.9, 0.999),
			formula.Over("ε/ln(1/δ)", 1, 0.5, 0.1, 0.01)},
			func(at []float64) float64 { return at[1] * math.Log(1/at[0]) }, bounds.ConcentratedConstant,
			"a run is 2ε²/(c·ln(1/δ))-zCDP; with s = √(2/c) = √2 − 1 and ε ≤ ln(1/δ), ρ + 2√(ρ·ln(1/δ)) ≤ ε(s² + 2s) = ε"),
	}, "ε ≤ ln(1/δ), c = 2(1+√2)²", "ε = c·ln(1/δ)"), []verify.Claim{
		{
			ID: "nonconvex/thm-1/least", Kind: verify.Privacy, Origin: verify.Implied,
			Place: "Remark 1, third paragraph: the approximation 8L²T·log(1/δ)/(n²ε²), with G for L",
			Statement: "with c = 8 in eq. (3), all iterates of Algorithm 1 together are (ε, δ)-private for 0 < ε ≤ 1 and " +
				"δ ≤ 0.1. The approximation after Remark 1, with G for L, gives this c",
			Check:   practicalConstants(8),
			Control: checks.Faulty(practicalConstants(7), "c = 7"),
		},
		{
			ID: "nonconvex/thm-4/privacy", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Theorem 4, first two sentences",
			Statement: "there are constants c and c₁ such that x_R of Algorithm 2, with the σ² of eq. (3), is (ε, " +
				"δ)-private for all T, 0 < ε < c₁T and 0 < δ < 1. Tried with linear losses on C = [−1, 1], δ = 10⁻³, c from " +
				"1 to 100, ε = 4c·ln(1/δ)",
			Check: signs(func(c float64) float64 { return 4 * c }, "for every c and c₁: at ε = 4c·ln(1/δ) the noisy "+
				"gradients' loss has mean 8ε, and their signs, if each loss is small, 2/π of it", 1,
				bounds.ConcentratedConstant, 100),
			Control: verify.Control{Check: signs(func(float64) float64 { return 1 }, "", bounds.ConcentratedConstant),
				Want: checks.Holds, Fault: "none: ε = ln(1/δ), c = 2(1+√2)²"},
			Corrected: "nonconvex/thm-1/corrected",
		},
		{
			ID: "nonconvex/alg-1/step-3", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Algorithm 1, line 3: with the Lipschitz constant G for L; Experiment Settings, second paragraph (ε, δ)",
			Statement: "line 3 of Algorithm 1, with the Lipschitz constant G for L, makes all iterates together (ε, " +
				"δ)-private at the ε of the experiments, 0.1, 0.5, 2 and 5. Setting: δ = 10⁻³ or 10⁻⁵, T = 1000",
			Check: runDelta(algorithm.NoiseStep3, 1, practice, "T steps are ρ²-zCDP, and ρ < 1 here, so the "+
				"variance is 1/ρ times the variance that ρ-zCDP needs; if ρ > 1, the noise of line 3 is too small"),
			Control: checks.Faulty(runDelta(algorithm.NoiseStep3, 0.1, practice, ""), "G/10 for L"),
			Formerly: []string{
				"nonconvex/alg-1/step-3/iterates", "nonconvex/alg-1/step-3/practice", "nonconvex/settings/privacy/line-3",
			},
		},
	})
}

const concentratedProof = "T steps of sensitivity 2G/n are 2G²T/(n²σ²)-zCDP, which is (ρ + 2√(ρ·log(1/δ)), δ)-DP " +
	"(Bun & Steinke 2016, Prop. 1.3, 1.6, 1.7)"

// wholeRun compares the δ of a run under eq. (3) with the claimed δ, at the first multiple of 1000 steps above ε/c₁.
func wholeRun() verify.Check {
	return formula.Check{
		Quantity: "smallest δ of x_R", Sense: verify.AtMost,
		Domain: "linear losses, G = 1, n = 100, ε = c·ln(1/δ), T the next thousand above ε/c₁",
		Grid: formula.Grid{formula.Over("c", 1, bounds.ConcentratedConstant, 100, 1e4, 1e6), formula.Over("c₁", 1, 1e-3),
			formula.Over("δ", 1e-5, 1e-3, 0.1)},
		Proof: "for every c and c₁: at ε = c·ln(1/δ) the run's privacy loss has mean ρ = 2ε²/(c·ln(1/δ)) = 2ε, and still " +
			"ε after half of the steps",
		At: func(at []float64, add func(formula.Point)) {
			constant, first, delta := at[0], at[1], at[2]
			epsilon := constant * math.Log(1/delta)
			steps := 1000 * int(math.Floor(epsilon/first/1000)+1)
			b := algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: 100, Lipschitz: 1}
			sigma, err := algorithm.NoiseTheorem1(b, constant)
			add(formula.Point{Place: formula.Placef("ε=%.4g, T=%d", epsilon, steps), Show: first == 1, Err: err,
				Measured: lastIterate(stepsMu(b, sigma), epsilon, steps), Claimed: delta, Error: gaussianDeltaError})
		},
	}
}

// practicalConstants compares the smallest c of eq. (3) at ε ≤ 1 and δ ≤ 0.1 with the claimed one.
func practicalConstants(claimed float64) verify.Check {
	return smallestConstants(formula.Grid{formula.Over("δ", 1e-200, 1e-100, 1e-12, 1e-5, 1e-3, 0.1),
		formula.Over("ε", 0.01, 0.1, 0.5, 1)}, func(at []float64) float64 { return at[1] }, claimed,
		"μ = ε/√(2l), l = ln(1/δ), has δ(ε) ≤ Φ(ε/(2√(2l)) − √(2l)) ≤ ½e^(ε/2)δ < δ")
}

// smallestConstants compares the smallest c of eq. (3), from the exact noise of the Gaussian mechanism, with the
// claimed one. The first axis of the grid is δ.
func smallestConstants(grid formula.Grid, epsilonAt func(at []float64) float64, claimed float64,
	proof string) verify.Check {
	return formula.Check{
		Quantity: "smallest c of eq. (3)", Sense: verify.AtMost, Grid: grid, Proof: proof,
		At: func(at []float64, add func(formula.Point)) {
			delta, epsilon := at[0], epsilonAt(at)
			sigma, err := accountant.GaussianSigma(epsilon, delta, 2)
			add(formula.Point{Measured: sigma.Estimate * sigma.Estimate * epsilon * epsilon / math.Log(1/delta),
				Claimed: claimed, Error: 1e-9, Show: true, Err: err})
		},
	}
}

// Grids of ε and δ: those of the experiments, and all.
var (
	practice   = formula.Grid{formula.Over("δ", 1e-5, 1e-3), formula.Over("ε", paperEpsilons...)}
	everywhere = formula.Grid{formula.Over("δ", 1e-8, 1e-5, 1e-3, 0.1), formula.Over("ε", 0.1, 0.5, 2, 5, 10, 20, 50)}
)

// runDelta compares the δ of all iterates of Algorithm 1, with noise made for a share of G, with the δ for which the
// noise is made.
func runDelta(noise noiseFormula, share float64, grid formula.Grid, proof string) verify.Check {
	return formula.Check{
		Quantity: "smallest δ of all iterates", Sense: verify.AtMost, Proof: proof, Grid: grid,
		Domain: "linear losses, G = 1, n = 100, T = 1000",
		At: func(at []float64, add func(formula.Point)) {
			delta, epsilon := at[0], at[1]
			b := algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: 1000, Records: 100, Lipschitz: share}
			sigma, err := noise(b)
			b.Lipschitz = 1
			add(formula.Point{Measured: gaussianDelta(stepsMu(b, sigma), epsilon), Claimed: delta, Error: gaussianDeltaError,
				Show: true, Err: err})
		},
	}
}

// signs computes the δ of x_R of Algorithm 2 on C = [−1, 1] at ε = factor(c)·ln(1/δ). All but one of an odd number of
// records of f(x, z) = zx cancel, and that one is ±G: v_t is the sign of the noisy gradient.
//
// T = 2m² and γ = 1/m make x_R reveal R and all signs before it, from x_1 = 0. If two of the sums Σ b_j q^j, q =
// (m−1)/m, b_j = ±1, were equal, a polynomial with coefficients in {−2, 0, 2}, or with the leading one ±1 if R
// differs, would vanish at q; after division by 2 if they are even, m would divide ±1. So δ is the mean over R of the
// δ of R − 1 signs. It increases with R, and each block of steps counts as its first.
func signs(factor func(c float64) float64, proof string, constants ...float64) verify.Check {
	const delta, blocks = 1e-3, 20
	return formula.Check{
		Quantity: "smallest δ of x_R", Sense: verify.AtMost, Proof: proof,
		Domain: "linear losses on [−1, 1], G = 1, n = 101, δ = 10⁻³, T the next 2m² above ε/c₁",
		Grid:   formula.Grid{formula.Over("c", constants...), formula.Over("c₁", 1, 0.1)},
		At: func(at []float64, add func(formula.Point)) {
			constant, first := at[0], at[1]
			epsilon := factor(constant) * math.Log(1/delta)
			m := int(math.Ceil(math.Sqrt(epsilon / (2 * first))))
			steps := 2 * m * m
			b := algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: 101, Lipschitz: 1}
			sigma, err := algorithm.NoiseTheorem1(b, constant)
			each := 1 / (101 * sigma)
			loss := math.Log(distuv.UnitNormal.CDF(each)) - math.Log(distuv.UnitNormal.CDF(-each))
			sum := 0.0
			for k := range blocks {
				sum += signDelta(k*steps/blocks, 2*loss, epsilon)
			}
			add(formula.Point{Place: formula.Placef("ε=%.4g, T=%d", epsilon, steps), Show: true, Err: err,
				Measured: sum / blocks, Claimed: delta, Error: gaussianDeltaError})
		},
	}
}

// signDelta returns the smallest δ at ε of k signs that are +1 with probability 1/(1+e^(−ε₀/2)) or 1/(1+e^(ε₀/2)).
func signDelta(k int, each, epsilon float64) float64 {
	logUp, logDown := -math.Log1p(math.Exp(-each/2)), -math.Log1p(math.Exp(each/2))
	total, _ := math.Lgamma(float64(k + 1))
	sum := 0.0
	for j := range k + 1 {
		loss := float64(2*j-k) * each / 2
		if loss <= epsilon {
			continue
		}
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(k - j + 1))
		sum += math.Exp(total-a-b+float64(j)*logUp+float64(k-j)*logDown) * -math.Expm1(epsilon-loss)
	}
	return sum
}
