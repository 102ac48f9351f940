package nonconvex

import (
	"math"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func populationClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/thm-3", Kind: verify.Identity, Origin: verify.Reading,
			Place: "Theorem 3, eq. (5): its last equality, read as an upper bound up to a constant. The limits on δ and τ " +
				"are ours: at δ = 1 the right side is 0, and for small τ the second term does not shrink",
			Statement: "the middle of eq. (5) is at most twice its right side, both without their O, for n = 10⁵, ε ≤ 1, " +
				"δ ≤ 1/e and τ²√p·log(τ/β)·log n ≥ 1",
			Check:    populationForms(1e-5, 1/math.E),
			Control:  checks.Faulty(populationForms(1), "δ = 1"),
			Formerly: []string{"nonconvex/thm-3/corrected"},
		},
		{
			ID: "nonconvex/remark-2", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 2, first sentence: on the two terms in the middle of eq. (5)",
			Statement: "the second term of (5), due to privacy, is less than the first, due to sampling, if √log(1/δ) < " +
				"ετ²√p·log(τ/β)·log n. For constant ε, δ and τ > β this holds for all large n, as Remark 2 says. Setting: " +
				"both terms without their O, L = G = 1, δ = 10⁻³, β = 0.05",
			Check:   privacyBelow(true),
			Control: checks.Faulty(privacyBelow(false), "every n ≥ p·log p"),
		},
		{
			ID: "nonconvex/remark-2/samples", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 2, second sentence: on eq. (5)",
			Statement: "the middle of (5) is at most twice its first term with nε for n, the sampling error of nε " +
				"records: the effective sample size is nε up to a factor, as Remark 2 says. Setting: both without their O, " +
				"nε ≥ e, τ = 1, √log(1/δ) ≤ τ²√p·log(τ/β)·log(nε)",
			Check:    effectiveSamples(2),
			Control:  checks.Faulty(effectiveSamples(0.5), "half of it"),
			Formerly: []string{"nonconvex/remark-2/samples/corrected"},
		},
	}
}

// populationForms compares the two sides of eq. (5), the right one doubled, if τ²√p·log(τ/β)·log n ≥ 1.
func populationForms(deltas ...float64) verify.Check {
	const n = 1e5
	return formula.Check{
		Quantity: "middle of eq. (5)", Sense: verify.AtMost, Domain: "n = 10⁵, τ²√p·log(τ/β)·log n ≥ 1",
		Proof: "√log(1/δ)/ε ≥ 1 puts the first term under the right side, and τ²√p·log(τ/β)·log n ≥ 1 the second",
		Grid: formula.Grid{formula.Over("p", 1, 100), formula.Over("ε", 0.1, 1), formula.Over("δ", deltas...),
			formula.Over("β", 0.05, 1), formula.Over("τ", 1, 3, 10)},
		At: func(at []float64, add func(formula.Point)) {
			p, epsilon, delta, beta, tau := at[0], at[1], at[2], at[3], at[4]
			if tau*tau*math.Sqrt(p)*math.Log(tau/beta)*math.Log(n) >= 1 {
				add(formula.Point{Show: p == 100 && epsilon == 1, Measured: paper.Population(n, epsilon, delta, p, tau, beta),
					Claimed: 2 * paper.PopulationShort(n, epsilon, delta, p, tau, beta)})
			}
		},
	}
}

// privacyBelow compares the second term of (5) with the first at L = G = 1; if restricted, only for √log(1/δ) <
// ετ²√p·log(τ/β)·log n.
func privacyBelow(restricted bool) verify.Check {
	const delta, beta = 1e-3, 0.05
	return formula.Check{
		Quantity: "second term of (5) over the first", Sense: verify.Below,
		Domain: "δ = 10⁻³, β = 0.05, √log(1/δ) < ετ²√p·log(τ/β)·log n",
		Proof:  "the square of the ratio is √log(1/δ)/(ετ²√p·log(τ/β)·log n)",
		Grid: formula.Grid{formula.Over("n", 1e3, 1e4, 1e6, 1e9), formula.Over("p", 1, 10, 100), formula.Over("ε", 0.1, 1),
			formula.Over("τ", 0.25, 1)},
		At: func(at []float64, add func(formula.Point)) {
			n, p, epsilon, tau := at[0], at[1], at[2], at[3]
			room := epsilon * tau * tau * math.Sqrt(p) * math.Log(tau/beta) * math.Log(n)
			if restricted && math.Sqrt(math.Log(1/delta)) >= room {
				return
			}
			private := paper.ProjectedGradient(n, epsilon, delta, p)
			add(formula.Point{Claimed: 1, Show: n == 1e4,
				Measured: private / (paper.Population(n, epsilon, delta, p, tau, beta) - private)})
		},
	}
}

// effectiveSamples compares the middle of (5) over its first term with nε for n with a factor.
func effectiveSamples(factor float64) verify.Check {
	const delta, beta, tau = 1e-3, 0.05, 1
	return formula.Check{
		Quantity: "middle of (5) over its first term at nε", Sense: verify.AtMost,
		Domain: "δ = 10⁻³, τ = 1, β = 0.05, nε ≥ e, √log(1/δ) ≤ τ²√p·log(τ/β)·log(nε)",
		Proof: "log(x)/x falls from x = e on, so the first term is at most its value at nε, and by the condition so is " +
			"the second term",
		Grid: formula.Grid{formula.Over("n", 1e3, 1e4, 1e6, 1e9), formula.Over("p", 1, 10, 100),
			formula.Over("ε", 0.01, 0.1, 1)},
		At: func(at []float64, add func(formula.Point)) {
			n, p, epsilon := at[0], at[1], at[2]
			room := tau * tau * math.Sqrt(p) * math.Log(tau/beta) * math.Log(n*epsilon)
			if n*epsilon < math.E || math.Sqrt(math.Log(1/delta)) > room {
				return
			}
			sampling := paper.Population(n*epsilon, 1, delta, p, tau, beta) - paper.ProjectedGradient(n*epsilon, 1, delta, p)
			add(formula.Point{Measured: paper.Population(n, epsilon, delta, p, tau, beta) / sampling, Claimed: factor,
				Show: n == 1e4})
		},
	}
}
