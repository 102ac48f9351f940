package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// nontrivial looks for an α at which a printed bound on the mean loss says something. ‖C‖ = 2, the
// loss 4-smooth and 4-Lipschitz, d = 1, ζ = ½.
func nontrivial(name string, share func(bounds.Pairwise) float64, sizes []float64) verify.Check {
	return formula.Check{
		Quantity: "least right side of " + name + " over G‖C‖₂, and over n where it bounds a sum", Sense: verify.Below,
		Void: true,
		Domain: "ε ∈ {0.5, 1.5, 2.5}; α from 10⁻³ to 10³ in steps of a tenth of a decade, added to a loss with G = L = 4, " +
			"where the equation has α; ‖C‖ = 2, d = 1, ζ = ½, δ = 1/n",
		Points: func(add func(formula.Point)) {
			for _, n := range sizes {
				for _, eps := range paperEpsilons {
					least, best := math.Inf(1), 0.0
					for i := -30; i <= 30; i++ {
						p := bounds.Pairwise{G: 4, L: 4, Diameter: 2, Dim: 1, N: n, Epsilon: eps, Delta: 1 / n,
							Zeta: 0.5}.Regularized(math.Pow(10, float64(i)/10))
						if s := share(p); tolerance.Above(least, s) {
							least, best = s, p.Alpha
						}
					}
					add(formula.Point{Place: formula.Placef("n=%g, ε=%g, best α=%.3g", n, eps, best), Measured: least, Claimed: 1,
						Show: true})
				}
			}
		},
	}
}

// warmupDominates compares the terms of eq. (7) for the AUC loss on rows of norm 1, d = 8, ζ = ½.
func warmupDominates(alpha float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "the terms of noise and steps over the term of the warm-up", Sense: verify.AtMost, Proof: proof,
		Domain: paperWords + "; G = L = 4 and α added, ‖C‖ = 2, d = 8, ζ = ½",
		Points: func(add func(formula.Point)) {
			for _, n := range paperSizes {
				for _, eps := range paperEpsilons {
					p := bounds.Pairwise{G: 4, L: 4, Diameter: 2, Dim: 8, N: n, Epsilon: eps, Delta: 1 / n,
						Zeta: 0.5}.Regularized(alpha)
					warmup := p.G * p.L * p.L / (p.Alpha * p.Alpha) * p.Diameter
					add(formula.Point{Place: formula.Placef("α=%g, n=%g, ε=%g", alpha, n, eps), Measured: p.RegretPrinted()/warmup - 1,
						Claimed: 1, Error: 1e-9, Show: true})
				}
			}
		},
	}
}

// unregularized takes the regulariser out of G and L again.
func unregularized(p bounds.Pairwise) bounds.Pairwise {
	p.G, p.L = p.G-p.Alpha*p.Diameter, p.L-p.Alpha
	return p
}

// The shares that printed bounds have in G‖C‖₂, for the loss that they speak of.
func averageShare(p bounds.Pairwise) float64 { return averagePrinted(p) / (p.G * p.Diameter) }
func offlineShare(p bounds.Pairwise) float64 { return p.OfflinePrinted() / (p.G * p.Diameter) }
func averageConvexShare(p bounds.Pairwise) float64 {
	p = unregularized(p)
	return p.RegretConvexPrinted() / (p.N * p.G * p.Diameter)
}
func offlineConvexShare(p bounds.Pairwise) float64 {
	p = unregularized(p)
	return p.OfflineConvexPrinted() / (p.G * p.Diameter)
}
