package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	convexUnitsPlace = ", with α = c/√n, c in the unit that α has as the weight of ‖w − w₀‖²; O(·) may hide any power of c"
	convexUnitsWords = "is measured, for some power of the c of α = c/√n that O(·) may hide, in the unit of the loss, " +
		"whatever that of the parameters"
	regularizedUnits = "the right side of eq. (7) for the loss of Algorithm 2 with nα‖C‖²/2, at α = c/√n"
)

// unitClaims are about the units of the bounds for convex losses, and their dimension.
func unitClaims() []verify.Claim {
	eq13 := hiddenPower(bounds.Pairwise.OfflineConvexPrinted)
	summed := units(regularizedRegret, ridgeUnits, ofLoss, ofParameters)
	offline := units(regularizedOffline, ridgeUnits, ofLoss, ofParameters)
	return []verify.Claim{
		{
			ID: "pairwise/thm-3/units", Source: "Theorem 3, eq. (8)", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 3, eq. (8)" + convexUnitsPlace,
			Statement: "the right side of eq. (8) " + convexUnitsWords,
			Check:     hiddenPower(bounds.Pairwise.RegretConvexPrinted),
			Control:   verify.Control{Check: summed, Want: checks.Holds, Fault: "none: " + regularizedUnits},
			Corrected: "pairwise/thm-3/units/corrected",
		},
		{
			ID: "pairwise/thm-3/units/corrected", Source: "Theorem 3, eq. (8), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of eq. (8), and over n − 1 in that of eq. (10)",
			Statement: regularizedUnits + ", is measured in the unit of the loss, whatever that of the parameters",
			Check:     summed,
			Control: verify.Control{Check: units(bounds.Pairwise.RegretConvexPrinted, "", ofLoss), Want: checks.Contradictory,
				Fault: "eq. (8)"},
		},
		{
			ID: "pairwise/thm-4/units/convex", Source: "Theorem 4, eq. (10)", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 4, eq. (10), its second term" + convexUnitsPlace,
			Statement: "the second term of eq. (10) " + convexUnitsWords,
			Check:     hiddenPower(bounds.Pairwise.ErrorConvexPrinted),
			Control:   verify.Control{Check: summed, Want: checks.Holds, Fault: "none: " + regularizedUnits},
			Corrected: "pairwise/thm-3/units/corrected",
		},
		{
			ID: "pairwise/thm-5/units/convex", Source: "Theorem 5, eq. (13)", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 5, eq. (13), its first term" + convexUnitsPlace,
			Statement: "the first term of eq. (13) " + convexUnitsWords,
			Check:     eq13,
			Control: verify.Control{Check: hiddenPower(offlineNoiseTerm), Want: checks.Holds,
				Fault: "none: eq. (12) without its factor ‖C‖₂, α fixed"},
			Corrected: "pairwise/thm-5/units/convex/corrected",
		},
		{
			ID: "pairwise/thm-5/units/convex/corrected", Source: "Theorem 5, eq. (13), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the first term of eq. (13)",
			Statement: "the first term of eq. (12) without its factor ‖C‖₂, for the loss of Algorithm 4, with α‖C‖²/2 is " +
				"measured in the unit of the loss, whatever that of the parameters",
			Check: offline,
			Control: verify.Control{Check: units(bounds.Pairwise.OfflineConvexPrinted, "", ofLoss), Want: checks.Contradictory,
				Fault: "eq. (13)"},
		},
		{
			ID: "pairwise/remark-2/dimension", Source: "Remark 2, eqs. (10) and (11)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 2, its four orders in d; the C of Example 1 are d×d matrices",
			Statement: "the errors of Example 1 are of the order d, and those of Example 2 of the order √d, by eqs. (10) and " +
				"(11), whose d is the dimension of C",
			Check: inDimension(1, 0.5),
			Control: verify.Control{Check: inDimension(0.5, 0.5), Want: checks.Contradictory,
				Fault: "√d for Example 1"},
		},
	}
}

const ridgeUnits = "G + α‖C‖, L + α and α are of one unit each: G²/α, GL²‖C‖/α² and α‖C‖² are linear in the " +
	"loss, and do not change with the unit of parameters"

func regularizedRegret(p bounds.Pairwise) float64 {
	return p.Regularized(p.Alpha).RegretPrinted() + p.N*p.Alpha*p.Diameter*p.Diameter/2
}

func regularizedOffline(p bounds.Pairwise) float64 {
	return offlineNoiseTerm(p.Regularized(p.Alpha)) + p.Alpha*p.Diameter*p.Diameter/2
}

// hiddenPower is the power k for which the term times c^k is linear in the loss, with which c doubles, against that
// for which it does not change with the unit of parameters, with whose square c grows.
func hiddenPower(term func(bounds.Pairwise) float64) verify.Check {
	return formula.Check{
		Quantity: "power of c by the unit of the loss", Sense: verify.Equals, Contradiction: true,
		Domain: "units of twice the size, n ∈ {40, 10⁶}, against the power by the unit of parameters",
		Proof:  "the term is a product of powers",
		Points: func(add func(formula.Point)) {
			for _, n := range []float64{40, 1e6} {
				grows := func(change rescaling) float64 {
					p := fixedAlpha(n)
					q := p
					change.of(&q, 2)
					return math.Log2(term(q) / term(p))
				}
				add(formula.Point{Place: formula.Placef("n=%g", n), Measured: 1 - grows(ofLoss), Claimed: -grows(ofParameters) / 2,
					Error: 1e-9, Show: true})
			}
		},
	}
}

// inDimension are the exponents of d in eqs. (10) and (11) between d = 10 and 100.
func inDimension(first, second float64) verify.Check {
	return formula.Check{
		Quantity: "exponent of d by the equation", Sense: verify.Equals, Contradiction: true,
		Domain: "d from 10 to 100", Proof: "the equations are powers of the dimension of C",
		Points: func(add func(formula.Point)) {
			matrices := func(d int) (erm.Set, error) { return erm.NewFrobeniusBall(d, 1) }
			vectors := func(d int) (erm.Set, error) { return erm.NewL2Ball(d, 1) }
			for _, e := range []struct {
				example string
				set     func(int) (erm.Set, error)
				claimed float64
			}{{"Example 1", matrices, first}, {"Example 2", vectors, second}} {
				for _, eq := range []struct {
					name string
					term func(bounds.Pairwise) float64
				}{{"(10)", bounds.Pairwise.ErrorConvexPrinted}, {"(11)", bounds.Pairwise.ErrorPrinted}} {
					p := formula.Point{Place: formula.Placef("%s, eq. %s", e.example, eq.name), Claimed: e.claimed, Error: 1e-9,
						Show: true}
					var at [2]float64
					for i, d := range []int{10, 100} {
						set, err := e.set(d)
						if err != nil {
							p.Err = err
							continue
						}
						instance := fixedAlpha(1e6)
						instance.Dim = float64(set.Dim())
						at[i] = math.Log10(eq.term(instance))
					}
					p.Measured = at[1] - at[0]
					add(p)
				}
			}
		},
	}
}
