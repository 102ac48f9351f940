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
			ID: "nonconvex/thm-3", Source: "Theorem 3, eq. (5)", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Theorem 3, the last equality of eq. (5)",
			Statement: "for all ε, δ, β in (0, 1] and τ ≥ β the middle of eq. (5) is at most a constant times its right side",
			Check:     populationForms(false, 1e9),
			Control: verify.Control{Check: populationForms(true, 2), Want: checks.Holds,
				Fault: "none: δ ≤ 1/e and τ²√p·log(τ/β)·log n ≥ 1"},
			Corrected: "nonconvex/thm-3/corrected",
		},
		{
			ID: "nonconvex/thm-3/corrected", Source: "Theorem 3, eq. (5), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Theorem 3, eq. (5)",
			Statement: "for ε ≤ 1, δ ≤ 1/e and τ²√p·log(τ/β)·log n ≥ 1 the middle of eq. (5) is at most twice its right side",
			Check:     populationForms(true, 2),
			Control: verify.Control{Check: populationForms(true, 0.5), Want: []verify.Verdict{verify.Contradictory},
				Fault: "half of it"},
		},
		{
			ID: "nonconvex/thm-3/defined", Source: "Theorem 3, eq. (5)", Kind: verify.Consistency,
			Origin: verify.Implied,
			Place:  "Theorem 3, eq. (5): log(τ/β) under a root, with 0 < β ≤ 1 and the τ of Assumption 2",
			Statement: "the bound (5) is at least 0 under its root for every β ≤ 1 and every τ that losses of constant 1 " +
				"allow, log(τ/β) ≥ 0",
			Check:     populationDefined(0),
			Control:   verify.Control{Check: populationDefined(1), Want: checks.Holds, Fault: "none: log(1 + τ/β)"},
			Corrected: "nonconvex/thm-3/defined/corrected",
		},
		{
			ID: "nonconvex/thm-3/defined/corrected", Source: "Theorem 3, eq. (5), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Theorem 3, eq. (5), with log(1 + τ/β)",
			Statement: "log(1 + τ/β) is above 0 for all τ and β above 0",
			Check:     populationDefined(1),
			Control:   verify.Control{Check: populationDefined(0), Want: checks.Contradictory, Fault: "log(τ/β)"},
		},
		{
			ID: "nonconvex/remark-2", Source: "Remark 2, as n grows", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 2, first sentence, on the two terms in the middle of eq. (5)",
			Statement: "the error due to privacy, the second term of (5), is less than the sampling error, its first term, " +
				"where √log(1/δ) < ετ²√p·log(τ/β)·log n, and so at last for any ε and δ that stay as n grows",
			Check:   privacyBelow(true),
			Control: verify.Control{Check: privacyBelow(false), Want: checks.Contradictory, Fault: "every n ≥ p·log p"},
		},
		{
			ID: "nonconvex/remark-2/every", Source: "Remark 2, every n", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Remark 2, first sentence: whether n grows while ε and δ stay, or is any of " +
				"Theorem 3",
			Statement: "for ε, δ ≤ 1 the second term of (5) is less than its first at every n ≥ p·log p",
			Check:     privacyBelow(false),
			Control: verify.Control{Check: privacyBelow(true), Want: checks.Holds, Fault: "none: √log(1/δ) < " +
				"ετ²√p·log(τ/β)·log n"},
			Corrected: "nonconvex/remark-2",
		},
		{
			ID: "nonconvex/remark-2/samples", Source: "Remark 2, n and nε", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Remark 2, second sentence, on eq. (5): whether \"just\" nε in the place of n " +
				"is how large the error is, as here, or how large it is at most",
			Statement: "there is a constant K such that the middle of (5) is at least 1/K of the sampling error of nε " +
				"records, its first term with nε for n, for all ε ≤ 1, p and n ≥ p·log p",
			Check: effectiveSamples(false, 1),
			Control: verify.Control{Check: effectiveSamples(true, 2), Want: checks.Holds,
				Fault: "none: at most twice as much, where √log(1/δ) ≤ τ²√p·log(τ/β)·log(nε)"},
			Corrected: "nonconvex/remark-2/samples/corrected",
		},
		{
			ID: "nonconvex/remark-2/samples/corrected", Source: "Remark 2, at most nε", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Remark 2, first two sentences, on eq. (5)",
			Statement: "for nε ≥ e and √log(1/δ) ≤ τ²√p·log(τ/β)·log(nε) the middle of (5) is at most twice the sampling " +
				"error of nε records: with privacy n records are worth nε at least, but for a factor of 2",
			Check:   effectiveSamples(true, 2),
			Control: verify.Control{Check: effectiveSamples(true, 0.5), Want: checks.Refuted, Fault: "half of it"},
		},
	}
}

// populationForms compares the two sides of eq. (5), up to a factor.
func populationForms(corrected bool, factor float64) verify.Check {
	return formula.Check{
		Quantity: "middle of eq. (5)", Sense: verify.AtMost, Contradiction: true,
		Domain: "n = 10⁵, p ∈ {1, 100}, ε ∈ {0.1, 1}, δ ∈ {10⁻⁵, 1/e, 1}, β ∈ {0.05, 1}, τ ∈ {1, 3, 10} as far as " +
			"the statement reaches",
		Proof: "√log(1/δ)/ε ≥ 1 puts the first term under the right side, and τ²√p·log(τ/β)·log n ≥ 1 the second",
		Points: func(add func(formula.Point)) {
			const n = 1e5
			for _, p := range []float64{1, 100} {
				for _, epsilon := range []float64{0.1, 1} {
					for _, delta := range []float64{1e-5, 1 / math.E, 1} {
						for _, beta := range []float64{0.05, 1} {
							for _, tau := range []float64{1, 3, 10} {
								if corrected && (delta > 0.5 || tau*tau*math.Sqrt(p)*math.Log(tau/beta)*math.Log(n) < 1) {
									continue
								}
								add(formula.Point{
									Place:    formula.Placef("p=%g, ε=%g, δ=%.3g, β=%g, τ=%g", p, epsilon, delta, beta, tau),
									Show:     p == 100 && epsilon == 1,
									Measured: paper.Population(n, epsilon, delta, p, tau, beta),
									Claimed:  factor * paper.PopulationShort(n, epsilon, delta, p, tau, beta),
								})
							}
						}
					}
				}
			}
		},
	}
}

// populationDefined evaluates log(shift + τ/β).
func populationDefined(shift float64) verify.Check {
	return formula.Check{
		Quantity: "what stands under the root of (5), log(τ/β)", Sense: verify.AtLeast, Contradiction: shift == 0,
		Domain: "τ ∈ {0.01, 0.1, 1}, β ∈ {0.01, 0.5, 1}",
		Proof:  "gradients in the unit ball are 1-sub-Gaussian, and nearly constant ones are so for any τ > 0",
		Points: func(add func(formula.Point)) {
			for _, tau := range []float64{0.01, 0.1, 1} {
				for _, beta := range []float64{0.01, 0.5, 1} {
					add(formula.Point{Place: formula.Placef("τ=%g, β=%g", tau, beta), Measured: math.Log(shift + tau/beta), Claimed: 0,
						Show: true})
				}
			}
		},
	}
}

// privacyBelow is the second term of (5) over its first, at L = G = 1.
func privacyBelow(corrected bool) verify.Check {
	return formula.Check{
		Quantity: "second term of (5) over the first", Sense: verify.Below, Contradiction: !corrected,
		Domain: "n ∈ {10³, 10⁴, 10⁶, 10⁹}, p ∈ {1, 10, 100}, ε ∈ {0.1, 1}, δ = 10⁻³, τ ∈ {0.25, 1}, β = 0.05, as far as " +
			"the statement reaches",
		Proof: "the square of the ratio is √log(1/δ)/(ετ²√p·log(τ/β)·log n)",
		Points: func(add func(formula.Point)) {
			const delta, beta = 1e-3, 0.05
			for _, n := range []float64{1e3, 1e4, 1e6, 1e9} {
				for _, p := range []float64{1, 10, 100} {
					for _, epsilon := range []float64{0.1, 1} {
						for _, tau := range []float64{0.25, 1} {
							room := epsilon * tau * tau * math.Sqrt(p) * math.Log(tau/beta) * math.Log(n)
							if corrected && math.Sqrt(math.Log(1/delta)) >= room {
								continue
							}
							private := paper.ProjectedGradient(n, epsilon, delta, p)
							add(formula.Point{Place: formula.Placef("n=%g, p=%g, ε=%g, τ=%g", n, p, epsilon, tau), Claimed: 1,
								Show:     n == 1e4,
								Measured: private / (paper.Population(n, epsilon, delta, p, tau, beta) - private)})
						}
					}
				}
			}
		},
	}
}

// effectiveSamples is the middle of (5) over its first term with nε for n: where most, against factor; else it is less
// than 1/K of it for every K, as ε falls with K, and p and n grow.
func effectiveSamples(most bool, factor float64) verify.Check {
	c := formula.Check{
		Quantity: "middle of (5) over its first term at nε", Sense: verify.AtLeast, Contradiction: true,
		Domain: "ε = 1/(100K²), p = 10⁴K⁴, n = 10⁶p², δ = 10⁻³, τ = 1, β = 0.05, K ∈ {1, 10, 100}; for every K",
	}
	const delta, beta, tau = 1e-3, 0.05, 1
	ratio := func(n, epsilon, p float64) float64 {
		sampling := paper.Population(n*epsilon, 1, delta, p, tau, beta) - paper.ProjectedGradient(n*epsilon, 1, delta, p)
		return paper.Population(n, epsilon, delta, p, tau, beta) / sampling
	}
	if !most {
		c.Points = func(add func(formula.Point)) {
			for _, k := range []float64{1, 10, 100} {
				p := 1e4 * math.Pow(k, 4)
				add(formula.Point{Place: formula.Placef("K=%g", k), Measured: ratio(1e6*p*p, 1/(100*k*k), p), Claimed: factor / k,
					Show: true})
			}
		}
		return c
	}
	c.Sense, c.Contradiction = verify.AtMost, false
	c.Domain = "n ∈ {10³, 10⁴, 10⁶, 10⁹}, p ∈ {1, 10, 100}, ε ∈ {0.01, 0.1, 1}, δ = 10⁻³, τ = 1, β = 0.05, as far as " +
		"the statement reaches"
	c.Proof = "log(x)/x falls from x = e on, so that the first term is at most that at nε, and by the condition so is " +
		"the second"
	c.Points = func(add func(formula.Point)) {
		for _, n := range []float64{1e3, 1e4, 1e6, 1e9} {
			for _, p := range []float64{1, 10, 100} {
				for _, epsilon := range []float64{0.01, 0.1, 1} {
					room := tau * tau * math.Sqrt(p) * math.Log(tau/beta) * math.Log(n*epsilon)
					if n*epsilon >= math.E && math.Sqrt(math.Log(1/delta)) <= room {
						add(formula.Point{Place: formula.Placef("n=%g, p=%g, ε=%g", n, p, epsilon), Measured: ratio(n, epsilon, p),
							Claimed: factor, Show: n == 1e4})
					}
				}
			}
		}
	}
	return c
}
