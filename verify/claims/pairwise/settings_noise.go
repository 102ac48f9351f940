package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func settingsNoiseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/settings/noise/offline", Source: "Experiments, Alg. 3, step 9", Kind: verify.Experiment,
			Origin: verify.Observation, Place: strongPlace + " and line 9",
			Statement: "OffPairStrC adds to each coordinate of a mean that no record has touched noise of a deviation " +
				"hundreds of times the diameter of C: what it releases is a random direction",
			Check: offlineSigma(func(int) float64 { return lambda }, strongSizes, 300, noiseProof),
			Control: verify.Control{Check: offlineSigma(func(int) float64 { return 8 }, strongSizes, 300, ""),
				Want:  checks.Refuted,
				Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/noise/offline/convex", Source: "Experiments, Alg. 4, step 4", Kind: verify.Experiment,
			Origin: verify.Observation, Place: convexPlace + "; Algorithm 3, line 9",
			Statement: "OffPairC at α = 1/√n adds to each coordinate noise of a deviation several times the diameter of C, at " +
				"every n and ε of the experiments",
			Check: offlineSigma(inverseRoot, convexSizes, 5, noiseProof),
			Control: verify.Control{Check: offlineSigma(func(n int) float64 { return 40 * inverseRoot(n) }, convexSizes, 5, ""),
				Want: checks.Refuted, Fault: "α = 40/√n"},
		},
		{
			ID: "pairwise/settings/figure-3", Source: "Experiments, Fig. 3, Alg. 3, steps 9 and 10", Kind: verify.Experiment,
			Origin: verify.Observation, Place: strongPlace + ", lines 9 and 10; Figure 3",
			Statement: "the mean objective values of OffPairStrC at two ε of the experiments differ by less than a hundredth, " +
				"for rows of norm 1 and d ≥ 9: Figure 3 can show no effect of ε",
			Check:   indistinct(lambda, inEpsilon, indistinctProof),
			Control: verify.Control{Check: indistinct(8, inEpsilon, ""), Want: checks.Refuted, Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/figure-3/size", Source: "Experiments, Fig. 3, Alg. 3, steps 9 and 10",
			Kind:   verify.Experiment,
			Origin: verify.Observation, Place: strongPlace + ", lines 9 and 10; Figure 3 and its sentence: the larger the " +
				"training size",
			Statement: "the objective values of OffPairStrC at n = 40 and 90, in the mean over all orders of the rows, differ " +
				"by less than a hundredth, for rows of norm 1 and d ≥ 9: Figure 3 can show no effect of n",
			Check: indistinct(lambda, inSize, indistinctProof+"; the mean over orders of the risk on the first n rows, of a "+
				"parameter that does not depend on them, is that on all rows"),
			Control: verify.Control{Check: indistinct(8, inSize, ""), Want: checks.Refuted, Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/seven/update", Source: "Experiments, Alg. 1, steps 2, 10 and 11", Kind: verify.Experiment,
			Origin: verify.Observation, Place: sevenPlace,
			Statement: "a reader who lets the steps begin after T₁ = 7 gets updates of up to η_tG, which at λ = 10⁻³ and n " +
				"≤ 90 is tens of times the diameter of C in every step: the boundary of C decides",
			Check:   updateRatio(lambda, "η_t falls in t"),
			Control: verify.Control{Check: updateRatio(8, ""), Want: checks.Refuted, Fault: "λ = 8"},
		},
		{
			ID: "pairwise/settings/seven/noise", Source: "Experiments, Alg. 1, steps 2 and 12", Kind: verify.Experiment,
			Origin: verify.Observation, Place: sevenPlace,
			Statement: "a reader who lets the steps begin after T₁ = 7 adds in every step noise of a deviation more than a " +
				"thousand times the diameter of C, at λ = 10⁻³",
			Check:   onlineNoise(lambda, noiseProof),
			Control: verify.Control{Check: onlineNoise(8, ""), Want: checks.Refuted, Fault: "λ = 8"},
		},
	}
}

const noiseProof = "the deviation falls in ε and, at these settings, in n: the largest of both is among the points"

// aucInstance is the AUC loss on rows of norm 1 over the unit ball with a ridge, as an instance of the bounds.
func aucInstance(alpha float64, convex bool, n int, epsilon float64) bounds.Pairwise {
	p := bounds.Pairwise{G: aucLoss.Lipschitz(1, 1), L: aucLoss.Smoothness(1, 1), Diameter: 2, Dim: 8, N: float64(n),
		Epsilon: epsilon, Delta: 1 / float64(n), Zeta: 0.5}
	if convex {
		return p.Regularized(alpha)
	}
	p.G, p.L, p.Alpha = p.G+alpha, p.L+alpha, alpha // the ridge about the origin of the unit ball
	return p
}

// offlineSigma is σ of step 9 over the diameter.
func offlineSigma(alpha func(n int) float64, sizes []int, times float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "σ over the diameter of C", Sense: verify.AtLeast, Proof: proof,
		Domain: "ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, the least and largest n of the figures, the AUC loss, rows of norm 1",
		Points: func(add func(formula.Point)) {
			for _, n := range sizes {
				for _, eps := range paperEpsilons {
					a := alpha(n)
					p := aucInstance(a, sizes[0] == convexSizes[0], n, eps)
					sigma := pairwise.OfflineStdDev(p.G, a, eps, p.Delta, n)
					add(formula.Point{Place: formula.Placef("α=%.3g, n=%d, ε=%g", a, n, eps), Measured: sigma / p.Diameter,
						Claimed: times,
						Show:    true})
				}
			}
		},
	}
}

const indistinctProof = "‖Π(m + σZ) − Z/‖Z‖‖ ≤ 4/(σ‖Z‖) for ‖m‖ ≤ 1, whatever m: the risk is G-Lipschitz, and E " +
	"1/‖Z‖ = Γ((d−1)/2)/(√2 Γ(d/2)) falls in d"

// at is an n and an ε of the experiments.
type sizeAndEpsilon struct {
	n       int
	epsilon float64
}

// The places between which Figure 3 compares.
var (
	inEpsilon = [][2]sizeAndEpsilon{{{40, 0.5}, {40, 2.5}}, {{90, 0.5}, {90, 2.5}}}
	inSize    = [][2]sizeAndEpsilon{{{40, 0.5}, {90, 0.5}}, {{40, 2.5}, {90, 2.5}}}
)

// indistinct bounds the difference of the mean objective values at two places by a coupling of the noise.
func indistinct(alpha float64, places [][2]sizeAndEpsilon, proof string) verify.Check {
	return formula.Check{
		Quantity: "bound on the difference of the mean objective values", Sense: verify.Below, Proof: proof,
		Domain: "ε = 0.5 or 2.5, δ = 1/n, n = 40 or 90, d = 9 and 19 (Cancer and Hepatitis), rows of norm 1",
		Points: func(add func(formula.Point)) {
			for _, pair := range places {
				for _, d := range []float64{9, 19} {
					high, _ := math.Lgamma((d - 1) / 2)
					low, _ := math.Lgamma(d / 2)
					inverse := math.Exp(high-low) / math.Sqrt2
					sum := 0.0
					for _, of := range pair {
						p := aucInstance(alpha, false, of.n, of.epsilon)
						sum += 4 * inverse / pairwise.OfflineStdDev(p.G, alpha, of.epsilon, p.Delta, of.n)
					}
					add(formula.Point{Place: formula.Placef("n=%d, ε=%g against n=%d, ε=%g, d=%g", pair[0].n, pair[0].epsilon,
						pair[1].n,
						pair[1].epsilon, d), Measured: aucLoss.Lipschitz(1, 1) * sum, Claimed: 0.01,
						Show: true, Error: 1e-9})
				}
			}
		},
	}
}

// updateRatio is η_tG over the diameter at the steps after T₁ = 7.
func updateRatio(alpha float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "η_tG over the diameter of C", Sense: verify.AtLeast, Proof: proof, Domain: "t = 8, …, 90, rows of norm 1",
		Points: func(add func(formula.Point)) {
			p := aucInstance(alpha, false, 90, 2.5)
			for t := 8; t <= 90; t++ {
				length := pairwise.StepSize(alpha, t) * p.G
				add(formula.Point{Place: formula.Placef("λ=%g, t=%d", alpha, t), Measured: length / p.Diameter, Claimed: 20,
					Show: t == 8 || t == 40 || t == 90})
			}
		},
	}
}

// onlineNoise is σ_t over the diameter at the last step of runs with T₁ = 7.
func onlineNoise(alpha float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "σ_n over the diameter of C", Sense: verify.AtLeast, Proof: proof + "; σ_t falls in t",
		Domain: "T₁ = 7, t = n ∈ {40, 90}, ε ∈ {0.5, 1.5, 2.5}, δ = 1/n, rows of norm 1",
		Points: func(add func(formula.Point)) {
			for _, n := range strongSizes {
				for _, eps := range paperEpsilons {
					p := aucInstance(alpha, false, n, eps)
					sigma := pairwise.OnlineStdDev(p.G, alpha, pairwise.Budget(eps, p.Delta), n, n, 7)
					add(formula.Point{Place: formula.Placef("λ=%g, n=%d, ε=%g", alpha, n, eps), Measured: sigma / p.Diameter,
						Claimed: 1000,
						Show:    true})
				}
			}
		},
	}
}

const trivialProof = "the right sides fall in n and ε where the trivial one does not: the largest n and ε decide"

// boundOverTrivial is each printed right side over what any sequence of parameters reaches.
func boundOverTrivial(strong, convex float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "right side over the trivial one", Sense: verify.AtLeast, Proof: proof,
		Domain: "ε = 2.5, δ = 1/n, ζ = ½, d = 8, ‖C‖ = 2, the AUC loss on rows of norm 1; eqs. (7), (11) and (12) at λ = " +
			"10⁻³ and n = 90, (8), (10) and (13) at n = 350",
		Points: func(add func(formula.Point)) {
			p, q := aucInstance(lambda, false, 90, 2.5), aucInstance(0, true, 350, 2.5)
			p.N, p.Delta, q.N, q.Delta = strong, 1/strong, convex, 1/convex
			for _, side := range []struct {
				name  string
				bound float64
				n     float64
				p     bounds.Pairwise
			}{
				{"(7)", p.RegretPrinted(), p.N, p}, {"(11)", p.ErrorPrinted(), 1, p}, {"(12)", p.OfflinePrinted(), 1, p},
				{"(8)", q.RegretConvexPrinted(), q.N, q}, {"(10)", q.ErrorConvexPrinted(), 1, q},
				{"(13)", q.OfflineConvexPrinted(), 1, q},
			} {
				add(formula.Point{Place: formula.Placef("eq. %s, n=%g", side.name, side.p.N), Show: true, Error: 1e-9,
					Measured: side.bound / (side.n * side.p.G * side.p.Diameter), Claimed: 1})
			}
		},
	}
}
