package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// scaleClaims returns the claims about the closed form of ρ, the noise of Algorithm 3, and the set onto which outputs
// are projected.
func scaleClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/noise-approximation/closed-form", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Below Theorem 1, the two squares: with ε under the first root (see the errata)",
			Statement: "the solution ρ of ρ + 2√(ρ log(1/δ)) = ε, line 3 of Algorithm 1, is (√(log(1/δ) + ε) − " +
				"√log(1/δ))², as in the variance below Theorem 1",
			Check: closedForm(func(l, eps float64) float64 { return math.Pow(math.Sqrt(l+eps)-math.Sqrt(l), 2) }),
			Control: checks.Faulty(closedForm(func(_, eps float64) float64 { return eps * eps }),
				"ε², the difference if the root ends before + ε"),
			Formerly: []string{"pairwise/noise-approximation/closed-form/corrected"},
		},
		{
			ID: "pairwise/alg-3/noise/smaller", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Improved Upper Bounds, second paragraph, last sentence: Algorithm 3, line 9, and Algorithm 1, line " +
				"12, at t = n. n − T₁ ≥ log²n · log(1.25/δ)/log(1/δ) is enough. After fewer steps, which the text need " +
				"not mean, the online noise can be smaller",
			Statement: "the σ of line 9 of Algorithm 3 is below every σ_t of line 12 of Algorithm 1. Setting: T₁ from " +
				"16 to 1000, n ≥ T₁ + 50, δ ≤ 1/n",
			Check:    smaller(smallerProof, 50, 334, 3000),
			Control:  checks.Faulty(smaller("", 4), "4 steps"),
			Formerly: []string{"pairwise/alg-3/noise/smaller/corrected"},
		},
		{
			ID: "pairwise/footnote-3", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Footnote 3: it does not say which minimizer w* is. It must be the minimizer of the population risk " +
				"or another fixed vector",
			Statement: "if w* of footnote 3 were the minimizer on the data, C would depend on the data. Then the " +
				"parameters that the warm-up draws from C are not (ε, 1/n)-DP for any ε. Setting: AUC loss, d = 1, λ = " +
				"10⁻³, rows ±1",
			Check:    radiusOfData(1),
			Control:  checks.Faulty(radiusOfData(0), "a fixed radius"),
			Formerly: []string{"pairwise/footnote-3/corrected"},
		},
	}
}

// closedForm inserts a closed form of ρ into the equation that defines ρ.
func closedForm(rho func(l, epsilon float64) float64) verify.Check {
	return formula.Check{
		Quantity: "ρ + 2√(ρ log(1/δ)) at the closed form", Sense: verify.Equals, Domain: gridOfLevels,
		Proof: "with a = √log(1/δ), b = √(a² + ε): (b−a)² + 2(b−a)a = b² − a² = ε",
		Points: func(add func(formula.Point)) {
			for l := range privacyGrid {
				logs := -math.Log(l.delta)
				p := rho(logs, l.epsilon)
				add(formula.Point{Place: formula.Placef("ε=%g, δ=%.3g", l.epsilon, l.delta), Measured: p + 2*math.Sqrt(p*logs),
					Claimed: l.epsilon, Error: 1e-9, Show: l.delta == 1.0/40})
			}
		},
	}
}

const smallerProof = "the quotient squared is 4 log²n log(1.25/δ)ρ/(ε²(n−T₁)), and ρ ≤ ε²/(4 log(1/δ)): at most " +
	"log²n log(1.25n)/(log n·(n−T₁)), which falls from 50 steps on and grows with T₁; σ_t falls in t"

func smaller(proof string, steps ...int) verify.Check {
	return formula.Check{
		Quantity: "σ of Algorithm 3 over σ_n of Algorithm 1", Sense: verify.AtMost, Proof: proof,
		Domain: "δ = 10⁻⁵ and 1/n",
		Grid: formula.Grid{formula.Over("T₁", 16, 36, 1000), formula.Over("n − T₁", steps...),
			formula.Over("ε", 1e-3, 1, 2.5)},
		At: func(at []float64, add func(formula.Point)) {
			t1, n, eps := int(at[0]), int(at[0]+at[1]), at[2]
			for _, delta := range []float64{1e-5, 1 / float64(n)} {
				online := pairwise.OnlineStdDev(1, 1, pairwise.Budget(eps, delta), n, n, t1)
				add(formula.Point{Place: formula.Placef("δ=%.3g", delta), Claimed: 1, Show: true,
					Measured: pairwise.OfflineStdDev(1, 1, eps, delta, n) / online})
			}
		},
	}
}

// aucMinimizer returns the minimizer of the AUC risk with the ridge λ of the experiments over R, for n/2 rows +1 with
// label +1 and n/2 rows −1 with label −1, after flipped of the rows −1 are replaced by the other row.
func aucMinimizer(n, flipped int) float64 {
	half := float64(n / 2)
	share := 2 * half * (half - float64(flipped)) / float64(n*(n-1)) // of the pairs with x ≠ x' and y ≠ y'
	lo, hi := 0.0, 100.0
	for range 200 {
		w := (lo + hi) / 2
		if share*4/(1+math.Exp(4*w)) > 1e-3*w {
			lo = w
		} else {
			hi = w
		}
	}
	return (lo + hi) / 2
}

// radiusOfData computes the probability that one of n parameters, uniform in [−r, r], is outside the radius of a
// neighbor in which the given number of rows is flipped.
func radiusOfData(flipped int) verify.Check {
	return formula.Check{
		Quantity: "probability of outputs that the neighbor never has", Sense: verify.Above,
		Domain: "n parameters of the warm-up, d = 1, rows ±1 with their signs as labels, one row turned; the AUC loss " +
			"with λ = 10⁻³; claimed: δ = 1/n",
		Grid: formula.Grid{formula.Over("n", 40, 90, 350)},
		At: func(at []float64, add func(formula.Point)) {
			n := int(at[0])
			radius, other := aucMinimizer(n, 0), aucMinimizer(n, flipped)
			add(formula.Point{Place: formula.Placef("radii %.4g and %.4g", radius, other), Error: 1e-6, Show: true,
				Measured: 1 - math.Pow(other/radius, at[0]), Claimed: 1 / at[0]})
		},
	}
}
