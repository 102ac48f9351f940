package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func errorClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/thm-4", Source: "Theorem 4, eq. (10)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 4, eq. (10), for the α of Theorem 3",
			Statement: "with α = c/√n the mean of the outputs of Algorithm 2 has an error of the order of eq. (10), which " +
				"goes to 0 as n^(−1/4)",
			Check: onInstance(randomRun, growth(fixedAlpha, originError, convexOrder, "")),
			Control: verify.Control{Check: growth(fixedAlpha, quarticError, convexOrder, quarticProof), Want: checks.Holds,
				Fault: "none: α = n^(−1/4)"},
			Corrected: "pairwise/thm-4/corrected",
		},
		{
			ID: "pairwise/thm-4/corrected", Source: "Theorem 4, eq. (10), corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "in the place of the α of Theorem 4, eq. (10)",
			Statement: "with α = n^(−1/4), and the noise not fed back, the mean of the outputs of Algorithm 2 has an error of " +
				"the order of eq. (10)",
			Check: growth(fixedAlpha, quarticError, convexOrder, quarticProof+"; eq. (6) and Kar et al. (2013)"),
			Control: verify.Control{Check: growth(fixedAlpha, originError, convexOrder, ""), Want: checks.Refuted,
				Fault: "α = 1/√n"},
		},
		{
			ID: "pairwise/thm-4/strongly", Source: "Theorem 4, eq. (11)", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 4, eq. (11), in n at fixed α, for Algorithm 1 with the " +
				"outputs of line 13 not fed back",
			Statement: "at fixed α, and with the noise not fed back, the mean of the outputs of Algorithm 1 has an error of " +
				"the order of eq. (11) in n",
			Check: growth(fixedAlpha, onlineError, stronglyOrder, regretProof+"; eq. (6) and Kar et al. (2013)"),
			Control: verify.Control{Check: growth(fixedAlpha, originError, stronglyOrder, ""), Want: checks.Refuted,
				Fault: "a run without steps"},
		},
		{
			ID: "pairwise/thm-4/units", Source: "Theorem 4, eq. (11)", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 4, eq. (11), against eq. (7)",
			Statement: "the second term of eq. (11) is measured in the unit of the loss, as the error is: twice the " +
				"loss, twice the term",
			Check: units(bounds.Pairwise.ErrorPrinted, "", ofLoss),
			Control: verify.Control{Check: units(averagePrinted, unitsProof, ofLoss), Want: checks.Holds,
				Fault: "none: eq. (7) over n − 1"},
			Corrected: "pairwise/thm-4/units/corrected",
		},
		{
			ID: "pairwise/thm-4/units/corrected", Source: "Theorem 4, eq. (11), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of eq. (11): eqs. (6) and (7)",
			Statement: "the right side of eq. (7) over n − 1, which eq. (11) is made from, is measured in the unit of the loss",
			Check:     units(averagePrinted, unitsProof, ofLoss),
			Control: verify.Control{Check: units(bounds.Pairwise.ErrorPrinted, "", ofLoss), Want: checks.Contradictory,
				Fault: "eq. (11)"},
		},
		{
			ID: "pairwise/remark-2", Source: "Remark 2, eq. (10)", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Remark 2, the first and third orders; whether the root over n is a " +
				"square or a fourth root decides, a glyph that the copy that was read may have changed",
			Statement: "for logistic losses without a regulariser the error is of the order 1/√n, as printed, by eq. (10)",
			Check:     errorExponent(bounds.Pairwise.ErrorConvexPrinted, -0.5, 1.5),
			Control: verify.Control{Check: errorExponent(bounds.Pairwise.ErrorConvexPrinted, -0.25, 1.5), Want: checks.Holds,
				Fault: "none: n^(−1/4)"},
			Corrected: "pairwise/remark-2/corrected",
		},
		{
			ID: "pairwise/remark-2/corrected", Source: "Remark 2, eq. (10), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the first and third orders of Remark 2",
			Statement: "for logistic losses without a regulariser the error is of the order n^(−1/4), up to " +
				"logarithms, by eq. (10)",
			Check: errorExponent(bounds.Pairwise.ErrorConvexPrinted, -0.25, 1.5),
			Control: verify.Control{Check: errorExponent(bounds.Pairwise.ErrorConvexPrinted, -0.3, 1.5),
				Want: checks.Contradictory, Fault: "n^(−0.3)"},
		},
		{
			ID: "pairwise/remark-2/regularized", Source: "Remark 2, eq. (11)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 2, the second and fourth orders",
			Statement: "with a regulariser the error is of the order 1/√n, up to logarithms, by eq. (11)",
			Check:     errorExponent(bounds.Pairwise.ErrorPrinted, -0.5, 1.5),
			Control: verify.Control{Check: errorExponent(bounds.Pairwise.ErrorPrinted, -0.55, 1.5), Want: checks.Contradictory,
				Fault: "n^(−0.55)"},
		},
		{
			ID: "pairwise/thm-5/rates", Source: "Theorem 5, eq. (13)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 5, eq. (13)",
			Statement: "with α = c/√n the output of Algorithm 4 has an error of the order of eq. (13), which " +
				"goes to 0 as n^(−1/2)",
			Check: onInstance(randomRun, growth(fixedAlpha, originError, offlineConvexOrder, "")),
			Control: verify.Control{Check: growth(fixedAlpha, cubicError, cubicOrder, cubicProof), Want: checks.Holds,
				Fault: "none: α = n^(−1/3), order n^(−1/3)"},
			Corrected: "pairwise/thm-5/rates/corrected",
		},
		{
			ID: "pairwise/thm-5/rates/corrected", Source: "Theorem 5, eq. (13), corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "in the place of Theorem 5, eq. (13)",
			Statement: "with α = n^(−1/3) the output of Algorithm 4 has an error of the order n^(−1/3): the regulariser costs " +
				"α, the warm-up 1/(α²n), the noise 1/(αn)",
			Check: growth(fixedAlpha, cubicError, cubicOrder, cubicProof),
			Control: verify.Control{Check: growth(fixedAlpha, originError, cubicOrder, ""), Want: checks.Refuted,
				Fault: "α = 1/√n"},
		},
		{
			ID: "pairwise/thm-5/rates/strongly", Source: "Theorem 5, eq. (12)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 5, eq. (12), in n and α, both of which it names",
			Statement: "the error of the output of Algorithm 3 is of the order of eq. (12) in n and α together, and so along " +
				"α = 1/√n",
			Check: onInstance(randomRun, growth(rootAlpha, originErrorRidge, offlineOrder, "")),
			Control: verify.Control{Check: growth(rootAlpha, offlineError, offlineOrderCorrected, offlineProof),
				Want:  checks.Holds,
				Fault: "none: the term GL²‖C‖/(α²n) added"},
			Corrected: "pairwise/thm-5/rates/strongly/corrected",
		},
		{
			ID: "pairwise/thm-5/rates/strongly/fixed", Source: "Theorem 5, eq. (12)", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 5, eq. (12), in n at fixed α",
			Statement: "at fixed α the output of Algorithm 3 has an error of the order of eq. (12) in n",
			Check:     growth(fixedAlpha, offlineError, offlineOrder, offlineProof),
			Control: verify.Control{Check: growth(fixedAlpha, originError, offlineOrder, ""), Want: checks.Refuted,
				Fault: "a run without steps"},
		},
		{
			ID: "pairwise/thm-5/rates/strongly/corrected", Source: "Theorem 5, eq. (12), corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "in the place of Theorem 5, eq. (12)",
			Statement: "along α = 1/√n the output of Algorithm 3 has an error of the order of eq. (12) with the term " +
				"GL²‖C‖/(α²n) of the warm-up, which eq. (7) has and eq. (12) lacks",
			Check: growth(rootAlpha, offlineError, offlineOrderCorrected, offlineProof),
			Control: verify.Control{Check: growth(rootAlpha, offlineError, offlineOrder, ""), Want: checks.Refuted,
				Fault: "the term left out"},
		},
		{
			ID: "pairwise/thm-5/units", Source: "Theorem 5, eq. (12)", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 5, eq. (12), its first term",
			Statement: "the first term of eq. (12) does not depend on the unit in which parameters are measured, as the error " +
				"does not",
			Check: units(bounds.Pairwise.OfflinePrinted, "", ofParameters),
			Control: verify.Control{Check: units(offlineNoiseTerm, offlineUnits, ofLoss, ofParameters), Want: checks.Holds,
				Fault: "none: eq. (12) without its factor ‖C‖₂"},
			Corrected: "pairwise/thm-5/units/corrected",
		},
		{
			ID: "pairwise/thm-5/units/corrected", Source: "Theorem 5, eq. (12), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the first term of eq. (12)",
			Statement: "the first term of eq. (12) without its factor ‖C‖₂ is measured in the unit of the loss, whatever " +
				"that of the parameters",
			Check: units(offlineNoiseTerm, offlineUnits, ofLoss, ofParameters),
			Control: verify.Control{Check: units(bounds.Pairwise.OfflinePrinted, "", ofParameters), Want: checks.Contradictory,
				Fault: "eq. (12)"},
		},
		{
			ID: "pairwise/thm-5/experiments", Source: "Theorem 5, Experiments", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 5, eq. (12), first term, the constant of its O taken as 1; Experiments, " +
				"ε, δ and n",
			Statement: "at n ≤ 350, ε ≤ 2.5 and δ = 1/n there is an α at which the first term of eq. (12), its constant taken " +
				"as 1, is below G‖C‖₂, which any parameter reaches",
			Check: nontrivial("eq. (12)", offlineShare, []float64{350}),
			Control: verify.Control{Check: nontrivial("eq. (12)", offlineShare, []float64{10}), Want: checks.Vacuous,
				Fault: "n = 10"},
		},
		{
			ID: "pairwise/thm-5/experiments/convex", Source: "Theorem 5, Experiments", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 5, eq. (13), first term, the constant of its O taken as 1; Experiments, " +
				"ε, δ and n",
			Statement: "at n ≤ 350, ε ≤ 2.5 and δ = 1/n the first term of eq. (13), its constant taken as 1, is below G‖C‖₂, " +
				"which any parameter reaches",
			Check: nontrivial("eq. (13)", offlineConvexShare, []float64{350}),
			Control: verify.Control{Check: nontrivial("eq. (13)", offlineConvexShare, []float64{1e12}), Want: checks.Holds,
				Fault: "none: n = 10¹²"},
		},
		{
			ID: "pairwise/thm-5/rates/improvement", Source: "below Theorem 5", Kind: verify.Identity,
			Origin: verify.Stated, Place: "paragraph below Theorem 5, first sentence",
			Statement: "as printed, the first term of eq. (12) is below the second of eq. (11), and that of eq. (13) below " +
				"that of eq. (10), for n large",
			Check:   improved(false),
			Control: verify.Control{Check: improved(true), Want: checks.Refuted, Fault: "the pairs the other way round"},
		},
		{
			ID: "pairwise/thm-5/rates/text", Source: "below Theorem 5", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "paragraph below Theorem 5, second sentence; whether the first root " +
				"over n is a fourth root decides, a glyph that the copy that was read may have changed",
			Statement: "for convex losses the text improves the order from √d/(ε√n) to √d/(ε√n), as printed: " +
				"the second is lower",
			Check: lowerOrder(-0.5, -0.5),
			Control: verify.Control{Check: lowerOrder(-0.25, -0.5), Want: checks.Holds,
				Fault: "none: from n^(−1/4), as eq. (10) has it"},
			Corrected: "pairwise/thm-5/rates/text/corrected",
		},
		{
			ID: "pairwise/thm-5/rates/text/corrected", Source: "below Theorem 5, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the second sentence below Theorem 5",
			Statement: "for convex losses eq. (10) is of the order n^(−1/4) and eq. (13) of the order n^(−1/2), as printed " +
				"and up to logarithms, which is lower",
			Check:   lowerOrder(-0.25, -0.5),
			Control: verify.Control{Check: lowerOrder(-0.5, -0.5), Want: checks.Contradictory, Fault: "the same order twice"},
		},
	}
}

const (
	cubicProof   = "derived: PlainRegret/n, Gσ(√d + √(2 log(n/ζ))) and α‖C‖²/2 at α = n^(−1/3); T₁ is of the order n^(2/3)"
	offlineProof = "derived: (T₁G‖C‖ + ‖C‖²/(2η_{T₁+1}) + (G²/2)Σ η_t)/n + Gσ(√d + √(2 log(n/ζ))), and Kar et al. " +
		"(2013) for the deviation of the risk"
	unitsProof   = "G²/α and GL²/α² are linear in the loss"
	offlineUnits = "G²/α is linear in the loss, and (cG)²/(c²α) = G²/α"
)

// originError is a lower bound on the mean error of Algorithms 2 and 4 on oneSided at α = 1/√n:
// the release is the mean of random parameters, noise or none, symmetric about 0, and by Jensen's
// inequality no better than 0. At α = c/√n the share min(1, 256/c²) of the mean is of that sort.
func originError(bounds.Pairwise) float64 { return oneSided(0) - oneSided(1) }

// originErrorRidge is the same with the regulariser in the loss.
func originErrorRidge(p bounds.Pairwise) float64 {
	return math.Max(0, oneSided(0)-oneSided(1)-p.Alpha/2)
}

// deviation is what the population risk may be above the penalties: Rademacher averages
// and Azuma's inequality.
func deviation(p bounds.Pairwise) float64 {
	return 2*p.Rademacher() + p.G*p.Diameter*math.Sqrt(8*math.Log(p.N/p.Zeta)/p.N)
}

func onlineError(p bounds.Pairwise) float64 { return p.Regret()/p.N + deviation(p) }
func quarticError(p bounds.Pairwise) float64 {
	return quarticRegret(p)/p.N + deviation(p)
}
func offlineError(p bounds.Pairwise) float64 { return p.Offline() + deviation(p) }
func cubicError(p bounds.Pairwise) float64 {
	return p.OfflineConvex(math.Pow(p.N, -1.0/3)) + deviation(p)
}

// The printed orders, with the Rademacher averages that stand beside.
func convexOrder(p bounds.Pairwise) float64        { return p.ErrorConvexPrinted() + p.Rademacher() }
func stronglyOrder(p bounds.Pairwise) float64      { return p.ErrorPrinted() + p.Rademacher() }
func offlineOrder(p bounds.Pairwise) float64       { return p.OfflinePrinted() + p.Rademacher() }
func offlineConvexOrder(p bounds.Pairwise) float64 { return p.OfflineConvexPrinted() + p.Rademacher() }
func cubicOrder(p bounds.Pairwise) float64         { return math.Pow(p.N, -1.0/3) }
func offlineOrderCorrected(p bounds.Pairwise) float64 {
	return offlineOrder(p) + p.G*p.L*p.L*p.Diameter/(p.Alpha*p.Alpha*p.N)
}

// rootAlpha is fixedAlpha with α = 1/√n.
func rootAlpha(n float64) bounds.Pairwise {
	p := fixedAlpha(n)
	p.Alpha = 1 / math.Sqrt(n)
	return p
}

// offlineNoiseTerm is the first term of eq. (12) without its factor ‖C‖₂.
func offlineNoiseTerm(p bounds.Pairwise) float64 { return p.OfflinePrinted() / p.Diameter }

// averagePrinted is eq. (7) over n − 1.
func averagePrinted(p bounds.Pairwise) float64 { return p.RegretPrinted() / (p.N - 1) }

// rescaling is a change of unit: what it makes of an instance, and of an error.
type rescaling struct {
	words  string
	of     func(p *bounds.Pairwise, c float64)
	factor func(c float64) float64
}

var (
	// ofLoss multiplies the loss by c, and with it G, L and α; the law of the output stays.
	ofLoss = rescaling{"c times the loss", func(p *bounds.Pairwise, c float64) {
		p.G, p.L, p.Alpha = c*p.G, c*p.L, c*p.Alpha
	}, func(c float64) float64 { return c }}
	// ofParameters measures w in a unit c times as large: the loss is that of cw, and its values stay.
	ofParameters = rescaling{"parameters in a unit c times as large", func(p *bounds.Pairwise, c float64) {
		p.G, p.L, p.Alpha, p.Diameter = c*p.G, c*c*p.L, c*c*p.Alpha, p.Diameter/c
	}, func(float64) float64 { return 1 }}
)

// units compares a term with itself in other units.
func units(term func(bounds.Pairwise) float64, proof string, changes ...rescaling) verify.Check {
	return formula.Check{
		Quantity: "the term in other units over the term", Sense: verify.Equals, Contradiction: true,
		Domain: "c ∈ {10⁻³, ½, 2, 10³}, n ∈ {40, 10⁶}, G = L = 4, α = 1, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n",
		Proof:  proof,
		Points: func(add func(formula.Point)) {
			for _, n := range []float64{40, 1e6} {
				for _, c := range []float64{1e-3, 0.5, 2, 1e3} {
					for _, change := range changes {
						p := fixedAlpha(n)
						q := p
						change.of(&q, c)
						add(formula.Point{Place: formula.Placef("%s, c=%g, n=%g", change.words, c, n), Measured: term(q) / term(p),
							Claimed: change.factor(c), Error: 1e-9, Show: true})
					}
				}
			}
		},
	}
}

// slopeOf is the exponent of n in an error bound between n = 10¹² and 10¹⁴, with a power of the
// logarithm divided out.
func slopeOf(term func(bounds.Pairwise) float64, logs float64) float64 {
	at := func(n float64) float64 {
		p := fixedAlpha(n)
		return term(p) / math.Pow(math.Log(n/p.Zeta), logs)
	}
	return math.Log(at(1e14)/at(1e12)) / math.Log(100)
}

func errorExponent(term func(bounds.Pairwise) float64, claimed, logs float64) verify.Check {
	return formula.Check{
		Quantity: "exponent of n in the error by the equation", Sense: verify.Equals, Contradiction: true,
		Domain: "n from 10¹² to 10¹⁴, logarithms divided out", Proof: "the equation is a power of n times logarithms",
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("second term of the equation"), Measured: slopeOf(term, logs),
				Claimed: claimed,
				Error:   1e-6, Show: true})
		},
	}
}

func improved(turned bool) verify.Check {
	return formula.Check{
		Quantity: "the offline term over the online one", Sense: verify.Below,
		Domain: "n = 10¹², 10¹⁴, …, 10³⁰, L ∈ {¼, 4}, α ∈ {10⁻³, 1} and at most L; G = 4, ‖C‖ = 2, d = 1, ε = " +
			"1, δ = 10⁻⁵, ζ = 1/n",
		Proof: "both quotients fall in n, as n^(−1/2) and n^(−1/4) times logarithms",
		Points: func(add func(formula.Point)) {
			for exponent := 12; exponent <= 30; exponent += 2 {
				for _, l := range []float64{0.25, 4} {
					for _, alpha := range []float64{1e-3, math.Min(1, l)} {
						p := fixedAlpha(math.Pow10(exponent))
						p.L, p.Alpha = l, alpha
						for _, pair := range []struct {
							name            string
							offline, online float64
						}{{"(12) over (11)", p.OfflinePrinted(), p.ErrorPrinted()},
							{"(13) over (10)", p.OfflineConvexPrinted(), p.ErrorConvexPrinted()}} {
							quotient := pair.offline / pair.online
							if turned {
								quotient = 1 / quotient
							}
							add(formula.Point{Place: formula.Placef("%s, n=%g, L=%g, α=%g", pair.name, p.N, l, alpha), Measured: quotient,
								Claimed: 1, Show: exponent == 12})
						}
					}
				}
			}
		},
	}
}

// lowerOrder compares the exponents of n of two orders; those of the equations stand beside.
func lowerOrder(from, to float64) verify.Check {
	return formula.Check{
		Quantity: "exponent of n after the improvement", Sense: verify.Below, Contradiction: true,
		Domain: "the printed exponents; eqs. (10) and (13) by their slopes",
		Proof:  "an order is its exponent, up to logarithms",
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("from n^%g", from), Measured: to, Claimed: from, Tie: from == to,
				Show: true})
			add(formula.Point{Place: formula.Placef("eq. (13) against eq. (10)"),
				Measured: slopeOf(bounds.Pairwise.OfflineConvexPrinted, 2),
				Claimed:  slopeOf(bounds.Pairwise.ErrorConvexPrinted, 1.5), Show: true})
		},
	}
}
