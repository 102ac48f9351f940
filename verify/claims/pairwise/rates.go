package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// rateClaims returns the claims about the orders that the text derives from its equations, and about their units.
func rateClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/contributions/regret", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Introduction, first bullet: also below eq. (8), and Remark 1, third paragraph; roots read as the " +
				"equations have them (see the errata)",
			Statement: "up to logarithms, the regrets in the text have the orders of eqs. (7) and (8) in n, d and ε. " +
				"The text gives √d√n/ε (Introduction; √(dn)/ε in Remark 1) and √d n^(3/4)/ε, and divided by n, √d/(√n ε) " +
				"and √d/(n^(1/4) ε)",
			Check:   exponents(regretOrders(0.75)...),
			Control: checks.Faulty(exponents(regretOrders(0.8)...), "n^0.8 in eq. (8)"),
			Formerly: []string{"pairwise/contributions/regret/corrected", "pairwise/thm-3/rates/corrected",
				"pairwise/remark-1/rate"},
		},
		{
			ID: "pairwise/contributions/errors", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Introduction, second bullet: also below Theorem 5; as printed in the equations (see the errata); " +
				"pairwise/thm-3 and pairwise/thm-5/rates test them",
			Statement: "up to logarithms, the generalization errors in the text have the orders of the noise terms of " +
				"eqs. (11), (10) and (13) in n and ε. The text gives n^(−1/2)/ε for strongly convex losses, n^(−1/4)/ε " +
				"for convex ones, and n^(−1/2)/ε for convex ones offline",
			Check:    exponents(errorOrders(-0.25)...),
			Control:  checks.Faulty(exponents(errorOrders(-0.3)...), "n^(−0.3) in eq. (10)"),
			Formerly: []string{"pairwise/contributions/errors/corrected", "pairwise/thm-5/rates/text/corrected"},
		},
		{
			ID: "pairwise/remark-2", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 2, its four orders: the first and third with n^(1/4) for √n (see the errata); the C of Example " +
				"1 has dimension d²",
			Statement: "by eqs. (10) and (11) the errors are, up to logarithms, of the order d/(n^(1/4)ε) for Example 1 " +
				"and √d/(n^(1/4)ε) for Example 2, as Remark 2 says. With a regularizer, n^(−1/2) replaces n^(−1/4)",
			Check:    exponents(exampleOrders(-0.25)...),
			Control:  checks.Faulty(exponents(exampleOrders(-0.3)...), "n^(−0.3) in eq. (10)"),
			Formerly: []string{"pairwise/remark-2/corrected", "pairwise/remark-2/regularized", "pairwise/remark-2/dimension"},
		},
		{
			ID: "pairwise/thm-4/units", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Eq. (11) in Theorem 4, eqs. (8), (10), (12) and (13): the noise of eq. (12) costs G√d times a " +
				"deviation G log n/(αnε). The factor ‖C‖₂ is not needed, and for ‖C‖₂ < 1 not justified",
			Statement: "if the unit of the loss or of the parameters changes, eq. (7) scales as a loss does. Eqs. (8) " +
				"and (10) to (13) do not, for any power of c (α = c/√n) in their O(·). A constant in this O(·) is valid " +
				"for one unit only",
			Check: unitPowers(bounds.Pairwise.ErrorPrinted),
			Control: verify.Control{Check: unitPowers(averagePrinted), Want: checks.Refuted, Fault: "eq. (7) over n − 1 in " +
				"the place of eq. (11)"},
			Formerly: []string{"pairwise/thm-4/units/corrected", "pairwise/thm-5/units", "pairwise/thm-5/units/corrected",
				"pairwise/thm-3/units", "pairwise/thm-3/units/corrected", "pairwise/thm-4/units/convex",
				"pairwise/thm-5/units/convex", "pairwise/thm-5/units/convex/corrected"},
		},
	}
}

// noiseOfRegret returns the first term of eq. (7) at a small ε, at which the other terms, which do not contain ε, are
// negligible.
func noiseOfRegret(p bounds.Pairwise) float64 {
	p.L, p.Alpha, p.Epsilon = 1e-3, 1e-3, p.Epsilon*1e-6
	return p.RegretPrinted()
}

// order is the exponent of a variable that the text states for an equation whose power of log(n/ζ) is known.
type order struct {
	of       string // the equation
	term     func(bounds.Pairwise) float64
	logs     float64
	variable string // n, ε, d, or d², the dimension of the matrices of Example 1
	claimed  float64
}

// slope returns the exponent of the variable, after division by the logarithms.
func (o order) slope() float64 {
	at := func(n, epsilon, dim float64) float64 {
		p := bounds.Pairwise{G: 4, L: 4, Alpha: 1, Diameter: 2, Dim: dim, N: n, Epsilon: epsilon, Delta: 1e-5, Zeta: 0.5}
		return o.term(p) / math.Pow(math.Log(n/p.Zeta), o.logs)
	}
	switch o.variable {
	case "ε":
		return math.Log10(at(1e6, 1, 1)/at(1e6, 0.01, 1)) / 2
	case "d":
		return math.Log10(at(1e6, 1, 100)/at(1e6, 1, 1)) / 2
	case "d²":
		return math.Log10(at(1e6, 1, 100*100)/at(1e6, 1, 1)) / 2
	}
	return math.Log10(at(1e12, 1, 1)/at(1e6, 1, 1)) / 6
}

// exponents compares the orders of the text with the orders of its equations.
func exponents(orders ...order) verify.Check {
	return formula.Check{
		Quantity: "exponent by the equation", Sense: verify.Equals,
		Domain: "n from 10⁶ to 10¹², ε from 0.01 to 1 or d from 1 to 100, logarithms divided out",
		Proof:  "the equations are powers of the variables times logarithms",
		Points: func(add func(formula.Point)) {
			for _, o := range orders {
				add(formula.Point{Place: formula.Placef("%s in eq. %s", o.variable, o.of), Measured: o.slope(),
					Claimed: o.claimed,
					Error:   5e-3, Show: true})
			}
		},
	}
}

// regretOrders returns the orders of the regrets of eqs. (7) and (8), and over n, with the exponent of n in eq. (8).
func regretOrders(n float64) (all []order) {
	convex := bounds.Pairwise.RegretConvexPrinted
	average := func(p bounds.Pairwise) float64 { return noiseOfRegret(p) / p.N }
	convexAverage := func(p bounds.Pairwise) float64 { return convex(p) / p.N }
	for _, o := range []order{{"(7)", noiseOfRegret, 1.5, "n", 0.5}, {"(8)", convex, 1.5, "n", n},
		{"(7) over n", average, 1.5, "n", -0.5}, {"(8) over n", convexAverage, 1.5, "n", n - 1}} {
		all = append(all, o, order{o.of, o.term, o.logs, "d", 0.5}, order{o.of, o.term, o.logs, "ε", -1})
	}
	return all
}

// errorOrders returns the orders of eqs. (11), (10) and (13), with the exponent of n in the second.
func errorOrders(n float64) (all []order) {
	for _, o := range []order{{"(11)", bounds.Pairwise.ErrorPrinted, 1.5, "n", -0.5},
		{"(10)", bounds.Pairwise.ErrorConvexPrinted, 1.5, "n", n},
		{"(13)", bounds.Pairwise.OfflineConvexPrinted, 2, "n", -0.5}} {
		all = append(all, o, order{o.of, o.term, o.logs, "ε", -1})
	}
	return all
}

// exampleOrders returns the orders of eqs. (10) and (11) for Examples 1 and 2, with the exponent of n in the former.
func exampleOrders(n float64) (all []order) {
	for _, o := range errorOrders(n)[:4] {
		all = append(all, o)
		if o.variable == "n" {
			all = append(all, order{o.of, o.term, o.logs, "d²", 1}, order{o.of, o.term, o.logs, "d", 0.5})
		}
	}
	return all
}

// unitPowers checks the powers of the units in the right sides. If the loss is multiplied by u, so are G, L and α. If
// the unit of the parameters grows by u, then G becomes uG, L and α become u²L and u²α, and ‖C‖ becomes ‖C‖/u. A
// right side that scales like the loss has the powers 1 and 0. A hidden factor c^k of α = c/√n adds k and 2k, so the
// second power minus twice the first does not depend on k; for a loss it is −2.
func unitPowers(eq11 func(bounds.Pairwise) float64) verify.Check {
	const loss, parameters, both = "the loss", "the parameters", "the parameters, minus twice that of the loss"
	power := func(term func(bounds.Pairwise) float64, unit string) float64 {
		p := fixedAlpha(1e6)
		q := p
		if unit == loss {
			q.G, q.L, q.Alpha = 2*p.G, 2*p.L, 2*p.Alpha
		} else {
			q.G, q.L, q.Alpha, q.Diameter = 2*p.G, 4*p.L, 4*p.Alpha, p.Diameter/2
		}
		return math.Log2(term(q) / term(p))
	}
	return formula.Check{
		Quantity: "power of the unit", Sense: verify.Equals,
		Domain: "units of twice the size; a loss has the powers 1 (unit of the loss) and 0 (unit of the parameters); with " +
			"α = c/√n, some power of c gives these only if the second minus twice the first is −2",
		Proof: "the terms are products of powers",
		Points: func(add func(formula.Point)) {
			for _, o := range []struct {
				eq      string
				term    func(bounds.Pairwise) float64
				unit    string
				claimed float64
			}{
				{"(7) over n − 1", averagePrinted, loss, 1}, {"(7) over n − 1", averagePrinted, parameters, 0},
				{"(11), second term", eq11, loss, 2}, {"(11), second term", eq11, parameters, 0},
				{"(12), first term", bounds.Pairwise.OfflinePrinted, loss, 1},
				{"(12), first term", bounds.Pairwise.OfflinePrinted, parameters, -1},
				{"(8)", bounds.Pairwise.RegretConvexPrinted, both, -4},
				{"(10), second term", bounds.Pairwise.ErrorConvexPrinted, both, -4},
				{"(13), first term", bounds.Pairwise.OfflineConvexPrinted, both, -4},
			} {
				measured := power(o.term, o.unit)
				if o.unit == both {
					measured -= 2 * power(o.term, loss)
				}
				add(formula.Point{Place: formula.Placef("eq. %s, unit of %s", o.eq, o.unit), Measured: measured,
					Claimed: o.claimed,
					Show:    true})
			}
		},
	}
}
