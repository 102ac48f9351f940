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
	same := func(alpha float64) func(int) float64 { return func(int) float64 { return alpha } }
	return []verify.Claim{
		{
			ID: "pairwise/settings/noise/offline", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Experiments, Alg. 3, line 9, Alg. 4, line 4: " + strongPlace + "; " + convexPlace,
			Statement: "the noise of line 9 of Algorithm 3 exceeds the diameter of C. Its standard deviation in each " +
				"coordinate is at least 300 diameters for OffPairStrC (λ = 10⁻³, n ≤ 90), and at least 5 for OffPairC (α " +
				"= 1/√n, n ≤ 350). Setting: rows of norm 1, every ε of the experiments",
			Check: offlineSigma(same(lambda), inverseRoot, noiseProof),
			Control: checks.Faulty(offlineSigma(same(8), func(n int) float64 { return 40 * inverseRoot(n) }, ""),
				"λ = 8 and α = 40/√n"),
			Formerly: []string{"pairwise/settings/noise/offline/convex"},
		},
		{
			ID: "pairwise/settings/figure-3", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Fig. 3, Alg. 3, lines 9 and 10: " + strongPlace + "; the sentences on Figure 3",
			Statement: "Figure 3 can show no effect of ε or n. The mean objective values of OffPairStrC at ε = 0.5 and " +
				"2.5, and at n = 40 and 90 (over all orders of the rows), differ by less than 0.01. Setting: the printed " +
				"λ = 10⁻³, rows of norm 1, d ≥ 9",
			Check:    indistinct(lambda, indistinctProof),
			Control:  checks.Faulty(indistinct(8, ""), "λ = 8"),
			Formerly: []string{"pairwise/settings/figure-3/size"},
		},
	}
}

const noiseProof = "the deviation falls in ε and, at these settings, in n: the largest of both is among the points"

// aucInstance returns the parameters of the AUC loss with a ridge on rows of norm 1 over the unit ball.
func aucInstance(alpha float64, convex bool, n int, epsilon float64) bounds.Pairwise {
	p := bounds.Pairwise{G: aucLoss.Lipschitz(1, 1), L: aucLoss.Smoothness(1, 1), Diameter: 2, Dim: 8, N: float64(n),
		Epsilon: epsilon, Delta: 1 / float64(n), Zeta: 0.5}
	if convex {
		return p.Regularized(alpha)
	}
	p.G, p.L, p.Alpha = p.G+alpha, p.L+alpha, alpha // the ridge about the origin of the unit ball
	return p
}

// offlineSigma compares the σ of line 9 with the diameter, for OffPairStrC and OffPairC.
func offlineSigma(strong, convex func(n int) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "σ over the diameter of C", Sense: verify.AtLeast, Proof: proof,
		Domain: "δ = 1/n, the least and largest n of the figures, the AUC loss, rows of norm 1",
		Grid:   formula.Grid{formula.Over("ε", paperEpsilons...)},
		At: func(at []float64, add func(formula.Point)) {
			for _, of := range []struct {
				alpha  func(n int) float64
				convex bool
				sizes  []int
				times  float64
			}{{strong, false, strongSizes, 300}, {convex, true, convexSizes, 5}} {
				for _, n := range of.sizes {
					a := of.alpha(n)
					p := aucInstance(a, of.convex, n, at[0])
					add(formula.Point{Place: formula.Placef("α=%.3g, n=%d", a, n), Claimed: of.times, Show: true,
						Measured: pairwise.OfflineStdDev(p.G, a, at[0], p.Delta, n) / p.Diameter})
				}
			}
		},
	}
}

const indistinctProof = "‖Π(m + σZ) − Z/‖Z‖‖ ≤ 4/(σ‖Z‖) for ‖m‖ ≤ 1, whatever m: the risk is G-Lipschitz, and E " +
	"1/‖Z‖ = Γ((d−1)/2)/(√2 Γ(d/2)) falls in d; over all orders the mean risk on the first n rows, of a parameter that " +
	"does not depend on them, is that on all rows"

// indistinct bounds the difference of the mean objective values at two places, by a coupling of the noise.
func indistinct(alpha float64, proof string) verify.Check {
	type place struct {
		n       int
		epsilon float64
	}
	return formula.Check{
		Quantity: "bound on the difference of the mean objective values", Sense: verify.Below, Proof: proof,
		Domain: "δ = 1/n, d = 9 and 19 (Cancer and Hepatitis), rows of norm 1",
		Grid:   formula.Grid{formula.Over("d", 9, 19)},
		At: func(at []float64, add func(formula.Point)) {
			high, _ := math.Lgamma((at[0] - 1) / 2)
			low, _ := math.Lgamma(at[0] / 2)
			inverse := math.Exp(high-low) / math.Sqrt2
			for _, pair := range [][2]place{{{40, 0.5}, {40, 2.5}}, {{90, 0.5}, {90, 2.5}}, {{40, 0.5}, {90, 0.5}},
				{{40, 2.5}, {90, 2.5}}} {
				sum := 0.0
				for _, of := range pair {
					p := aucInstance(alpha, false, of.n, of.epsilon)
					sum += 4 * inverse / pairwise.OfflineStdDev(p.G, alpha, of.epsilon, p.Delta, of.n)
				}
				add(formula.Point{Place: formula.Placef("n=%d, ε=%g against n=%d, ε=%g", pair[0].n, pair[0].epsilon, pair[1].n,
					pair[1].epsilon), Measured: aucLoss.Lipschitz(1, 1) * sum, Claimed: 0.01, Show: true, Error: 1e-9})
			}
		},
	}
}

const trivialProof = "the right sides fall in n and ε where the trivial one does not: the largest n and ε decide"

// boundOverTrivial compares each printed right side with a bound that every sequence of parameters satisfies.
func boundOverTrivial(strong, convex float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "right side over the trivial bound", Sense: verify.AtLeast, Proof: proof,
		Domain: "ε = 2.5, δ = 1/n, ζ = 0.5, d = 8, ‖C‖ = 2, the AUC loss on rows of norm 1; eqs. (7), (11) and (12) at " +
			"λ = 10⁻³ and n = 90, (8), (10) and (13) at n = 350",
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
