package pairwise

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// rateClaims are about the orders that the text reads off its equations.
func rateClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/thm-3/rates", Source: "below Theorem 3", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "paragraph below eq. (8), the second order; the index 3 of the root " +
				"decides, a glyph that the copy that was read may have changed",
			Statement: "the average regret for convex losses is of the order 1/∛(nε) in n, as printed, by eq. (8)",
			Check:     exponents(convexAverage("n", -1.0/3)),
			Control: verify.Control{Check: exponents(convexAverage("n", -1.0/4)), Want: checks.Holds,
				Fault: "none: n^(−1/4)"},
			Corrected: "pairwise/thm-3/rates/corrected",
		},
		{
			ID: "pairwise/thm-3/rates/strongly", Source: "below Theorem 3", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "paragraph below eq. (8), the first order; whether the root ends before " +
				"ε decides, which the copy that was read may have changed",
			Statement: "the average regret for strongly convex losses is of the order 1/√(nε) in ε, as printed, by eq. (7)",
			Check:     exponents(strongOrder("ε", -0.5)),
			Control:   verify.Control{Check: exponents(strongOrder("ε", -1)), Want: checks.Holds, Fault: "none: 1/(√n ε)"},
			Corrected: "pairwise/thm-3/rates/corrected",
		},
		{
			ID: "pairwise/thm-3/rates/corrected", Source: "below Theorem 3, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the orders below eq. (8)",
			Statement: "by eqs. (7) and (8) the average regrets go as n^(−1/2)/ε and n^(−1/4)/ε, up to logarithms",
			Check:     bothExponents(-0.25),
			Control:   verify.Control{Check: bothExponents(-0.3), Want: checks.Contradictory, Fault: "n^(−0.3)"},
		},
		{
			ID: "pairwise/contributions/regret", Source: "Introduction, contributions", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Introduction, first bullet; what the root of the second order spans decides, " +
				"which the copy that was read may have changed",
			Statement: "the regrets are of the orders √d√n/ε and, for convex losses, (√(dn))^(3/4)/ε, as printed, by eqs. (7) " +
				"and (8)",
			Check: exponents(regretOrders(0.375, 0.375)...),
			Control: verify.Control{Check: exponents(regretOrders(0.75, 0.5)...), Want: checks.Holds,
				Fault: "none: √d n^(3/4)"},
			Corrected: "pairwise/contributions/regret/corrected",
		},
		{
			ID: "pairwise/contributions/regret/corrected", Source: "Introduction, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the orders of the first bullet of the Introduction",
			Statement: "by eqs. (7) and (8) the regrets are of the orders √d√n/ε and √d n^(3/4)/ε, up to logarithms",
			Check:     exponents(regretOrders(0.75, 0.5)...),
			Control: verify.Control{Check: exponents(regretOrders(0.8, 0.5)...), Want: checks.Contradictory,
				Fault: "n^0.8"},
		},
		{
			ID: "pairwise/contributions/errors", Source: "Introduction, contributions", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Introduction, second bullet, its three orders; what the roots span, and the " +
				"index 3 of the second, decide, which the copy that was read may have changed",
			Statement: "the generalization errors are of the orders √d/√(nε) and √d/∛(nε), the improved one √d/√(nε), as " +
				"printed, by eqs. (11), (10) and (13)",
			Check: exponents(errorOrders(-0.5, -1.0/3)...),
			Control: verify.Control{Check: exponents(errorOrders(-1, -0.25)...), Want: checks.Holds,
				Fault: "none: ε outside of the roots, and n^(−1/4)"},
			Corrected: "pairwise/contributions/errors/corrected",
		},
		{
			ID: "pairwise/contributions/errors/corrected", Source: "Introduction, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the orders of the second bullet of the Introduction",
			Statement: "eqs. (11), (10) and (13) go as n^(−1/2)/ε, n^(−1/4)/ε and n^(−1/2)/ε, up to logarithms",
			Check:     exponents(errorOrders(-1, -0.25)...),
			Control: verify.Control{Check: exponents(errorOrders(-1, -0.3)...), Want: checks.Contradictory,
				Fault: "n^(−0.3) in the second"},
		},
		{
			ID: "pairwise/remark-1/rate", Source: "Remark 1, eq. (7)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 1, third paragraph",
			Statement: "eq. (7) is of the order √(dn)/ε, up to logarithms",
			Check: exponents(order{"(7)", noiseOfRegret, 1.5, "n", 0.5}, order{"(7)", noiseOfRegret, 1.5, "d", 0.5},
				order{"(7)", noiseOfRegret, 1.5, "ε", -1}),
			Control: verify.Control{Check: exponents(order{"(7)", noiseOfRegret, 1.5, "n", 0.6}), Want: checks.Contradictory,
				Fault: "n^0.6"},
		},
		{
			ID: "pairwise/thm-3/linear", Source: "Theorem 3, eq. (8)", Kind: verify.Rate,
			Origin: verify.Implied, Place: "Theorem 3, eq. (8), its factor L²; Assumption 1, which admits a linear φ, of L = 0",
			Statement: "the regret of Algorithm 2 is of the order of eq. (8) for every loss of Assumption 1, linear ones, for " +
				"which the right side is 0, included",
			Check:     linear(0),
			Control:   verify.Control{Check: linear(4), Want: checks.Holds, Fault: "none: L = 4 in eq. (8)"},
			Corrected: "pairwise/thm-3/linear/corrected",
		},
		{
			ID: "pairwise/thm-3/linear/corrected", Source: "Theorem 3, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "in the place of Theorem 3, eq. (8)",
			Statement: "where the noise is not fed back, the regret of Algorithm 2 is at most 40 times the right side of eq. " +
				"(7) for the regularised loss and nα‖C‖²/2, at every α and L ≥ 0, for ε ≤ log(1/δ)",
			Check: regularizedBound(40, regretProof),
			Control: verify.Control{Check: regularizedBound(15, ""), Want: checks.Refuted,
				Fault: "the constant 15, below what the derivation gives"},
		},
	}
}

// noiseOfRegret is the first term of eq. (7): G²‖C‖ and G² log n are beside it in the rest.
func noiseOfRegret(p bounds.Pairwise) float64 {
	p.L, p.Epsilon = 1e-3, p.Epsilon*1e-6 // the other terms, which do not contain ε, do not count then
	p.Alpha = 1e-3
	return p.RegretPrinted()
}

// averageOf is a regret over n.
func averageOf(regret func(bounds.Pairwise) float64) func(bounds.Pairwise) float64 {
	return func(p bounds.Pairwise) float64 { return regret(p) / p.N }
}

// order is an exponent that the text gives to a variable of an equation, whose power of log(n/ζ) is known.
type order struct {
	of       string // the equation
	term     func(bounds.Pairwise) float64
	logs     float64
	variable string // n, ε or d
	claimed  float64
}

// slope is the exponent of the variable, the logarithms divided out.
func (o order) slope() float64 {
	at := func(n, epsilon, dim float64) float64 {
		p := bounds.Pairwise{G: 4, L: 4, Alpha: 1, Diameter: 2, Dim: dim, N: n, Epsilon: epsilon, Delta: 1e-5, Zeta: 0.5}
		return o.term(p) / math.Pow(math.Log(n/p.Zeta), o.logs)
	}
	from, to := at(1e12, 1, 1), at(1e14, 1, 1)
	switch o.variable {
	case "ε":
		from, to = at(1e12, 0.01, 1), at(1e12, 1, 1)
	case "d":
		to = at(1e12, 1, 100)
	}
	return math.Log(to/from) / math.Log(100)
}

// exponents compares orders of the text with those of its equations.
func exponents(orders ...order) verify.Check {
	return formula.Check{
		Quantity: "exponent by the equation", Sense: verify.Equals, Contradiction: true,
		Domain: "n from 10¹² to 10¹⁴, ε from 0.01 to 1 or d from 1 to 100, logarithms divided out",
		Proof:  "the equations are powers of the variables times logarithms",
		Points: func(add func(formula.Point)) {
			for _, o := range orders {
				add(formula.Point{Place: formula.Placef("%s in eq. %s", o.variable, o.of), Measured: o.slope(), Claimed: o.claimed,
					Error: 2e-3, Show: true})
			}
		},
	}
}

func strongOrder(variable string, claimed float64) order {
	return order{"(7) over n", averageOf(noiseOfRegret), 1.5, variable, claimed}
}

func convexAverage(variable string, claimed float64) order {
	return order{"(8) over n", averageOf(bounds.Pairwise.RegretConvexPrinted), 1.5, variable, claimed}
}

func bothExponents(convex float64) verify.Check {
	return exponents(strongOrder("n", -0.5), strongOrder("ε", -1), convexAverage("n", convex), convexAverage("ε", -1))
}

// regretOrders are those of the regrets of eqs. (7) and (8), with the exponents of n and d of the latter.
func regretOrders(n, d float64) []order {
	convex := func(variable string, claimed float64) order {
		return order{"(8)", bounds.Pairwise.RegretConvexPrinted, 1.5, variable, claimed}
	}
	return []order{{"(7)", noiseOfRegret, 1.5, "n", 0.5}, {"(7)", noiseOfRegret, 1.5, "d", 0.5}, convex("n", n),
		convex("d", d), convex("ε", -1)}
}

// errorOrders are those of eqs. (11), (10) and (13), with the exponents of ε, and of n in the second.
func errorOrders(epsilon, convex float64) []order {
	var all []order
	for _, e := range []order{{"(11)", bounds.Pairwise.ErrorPrinted, 1.5, "n", -0.5},
		{"(10)", bounds.Pairwise.ErrorConvexPrinted, 1.5, "n", convex},
		{"(13)", bounds.Pairwise.OfflineConvexPrinted, 2, "n", -0.5}} {
		all = append(all, e)
		e.variable, e.claimed = "ε", epsilon
		all = append(all, e)
	}
	return all
}

// linear is a lower bound on the mean regret of Algorithm 2 on records ±1 with their signs as labels in turn, for
// φ(t) = −t: the T₁ ≥ 16 random parameters lose 4 on average where w = 1 is best, on the pairs of different labels,
// and nothing gains on w = 1.
func linear(smooth float64) verify.Check {
	return formula.Check{
		Quantity: "mean regret of the first 16 parameters", Sense: verify.AtMost,
		Domain: "n ∈ {100, 10⁴, 10⁶}, G = 4, C = [−1, 1], d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n, against eq. (8) with the " +
			"constant 1, which at 0 stands for any",
		Points: func(add func(formula.Point)) {
			for _, n := range []float64{100, 1e4, 1e6} {
				regret := 0.0
				for t := 2; t <= 17; t++ {
					regret += 4 * float64(t/2) / float64(t-1)
				}
				p := fixedAlpha(n)
				p.L = smooth
				add(formula.Point{Place: formula.Placef("n=%g, L=%g", n, smooth), Measured: regret,
					Claimed: p.RegretConvexPrinted(),
					Show:    true})
			}
		},
	}
}

// regularizedBound looks for the worst instance of Algorithm 2, a fifth of them of linear losses.
func regularizedBound(constant float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("instances")
		return formula.Check{
			Quantity: "derived bound over the right side", Sense: verify.AtMost, Proof: proof,
			Domain: "20,000 random instances with α‖C‖/G up to 10⁶, half of them with a long warm-up, a fifth with L = 0",
			Points: func(add func(formula.Point)) {
				for i := range 20_000 {
					p := hardest(r.Float64)
					if i%5 == 0 {
						p.L = 0
					}
					alpha := math.Exp(6 * (2*r.Float64() - 1) * math.Ln10)
					right := p.Regularized(alpha).RegretPrinted() + p.N*alpha*p.Diameter*p.Diameter/2
					add(formula.Point{Place: formula.Placef("%d: n=%.4g, L=%.3g, α=%.3g, ‖C‖=%.3g, d=%g, ε=%.3g, δ=%.3g, ζ=%.3g", i+1,
						p.N,
						p.L, alpha, p.Diameter, p.Dim, p.Epsilon, p.Delta, p.Zeta), Measured: p.RegretConvex(alpha) / right,
						Claimed: constant, Error: 1e-9, Show: i < 3})
				}
			},
		}.Prepare(ctx, s)
	})
}
