package pairwise

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func errorClaims() []verify.Claim {
	derived := func(words string, order func(bounds.Pairwise) float64) verify.Control {
		return verify.Control{Check: falls("", decline{"α = 1, " + words, derivedOffline, rootAlpha, order}),
			Want: checks.Holds, Fault: "none: the derived bound at α = 1"}
	}
	return []verify.Claim{
		{
			ID: "pairwise/thm-4/strongly", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Eq. (11) in Theorem 4: from eqs. (6) and (7); the average penalty exceeds the risk by Rademacher " +
				"averages and √(log(n/ζ)/n) (Kar et al. 2013, Lemma 1), which the second term covers",
			Statement: "the second term of eq. (11) covers eq. (7) divided by n − 1, as eq. (6) requires, up to a " +
				"factor of 2. Setting: G, L, ‖C‖₂ ≥ 1 ≥ α, ε and δ ≤ 1/e",
			Check: covered(1, "term by term: the first quotient is α/(L²‖C‖²)·n/(n−1) ≤ 1.06, the second √n/((n−1) "+
				"log^1.5 n) ≤ 0.05, the third √n/((n−1)√log n) ≤ 0.14, at most their values at n = 20"),
			Control: checks.Faulty(covered(1e-3, ""), "G, L and ‖C‖₂ down to 10⁻³"),
		},
		{
			ID: "pairwise/thm-4/conversion", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Above Theorem 4: \"By a theorem in (Kar et al. 2013), we can have …\"; that theorem also needs a " +
				"bounded loss, which Assumption 1 gives on a bounded C and bounded rows",
			Statement: "the conversion of Kar et al. (2013) applies to the outputs of Algorithm 1, whether the noisy " +
				"outputs are fed back into the iteration or kept apart. w_1, …, w_{t−1} do not depend on z_t, so given " +
				"them z_t is a fresh record. Setting: runs at λ = 8, n = 90, in which z_t is replaced with the same " +
				"random draws",
			Check:   recordReplaced(false, "lines 5 to 13 read z_1, …, z_t and coins that are independent of the data"),
			Control: checks.Faulty(recordReplaced(true, ""), "w_t included"),
		},
		{
			ID: "pairwise/thm-5/confidence", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Theorem 5, eq. (12): with probability at least 1 − 2ζ, and Kar et al. (2013), whose conversion costs a " +
				"term √(log(n/ζ)/n); a sharper argument for strongly convex losses may need less",
			Statement: "eq. (12) does not cover the conversion's term √(log(n/ζ)/n) for every ζ. At ζ = e^(−√n) and " +
				"fixed α this term falls as n^(−1/4), and the right side of eq. (12) as n^(−1/2)",
			Check: confidenceExponents(func(n float64) float64 { return math.Sqrt(n) },
				"log(n/ζ) = √n + log n, so that the term is n^(−1/4) and log(n/ζ)/n is n^(−1/2)"),
			Control: checks.Faulty(confidenceExponents(math.Log, ""), "ζ = 1/n"),
		},
		{
			ID: "pairwise/thm-5/rates", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Theorem 5, eq. (13): it fails for every c and every constant in O(·) from some n on, as the share " +
				"min(1, 16L²/c²) of the averaged parameters is drawn without the data",
			Statement: "with α = c/√n, as in Theorem 5, the error of Algorithm 4 falls as the right side of eq. (13). " +
				"At n = 10⁶ it is at most 0.23 of its value at n = 10⁴. Setting: AUC loss, rows ±1 with their signs as " +
				"labels, c = 1",
			Check:     falls(randomRun, decline{"eq. (13)", releasedError, fixedAlpha, offlineConvexOrder}),
			Control:   derived("eq. (13)", offlineConvexOrder),
			Corrected: "pairwise/thm-5/rates/corrected",
		},
		{
			ID: "pairwise/thm-5/rates/corrected", Kind: verify.Rate, Origin: verify.Correction,
			Place: "Theorem 5, eq. (13): with another α; an upper bound, not shown to be the best order, and trivial below " +
				"n = 1.7·10⁷, where T₁ ≥ n",
			Statement: "with α = n^(−1/3) the derived bound on the error of Algorithm 4 falls as n^(−1/3) up to " +
				"logarithms. The regularizer costs α‖C‖²/2, the warm-up GL²‖C‖/(α²n), the noise 1/(αn)",
			Check: offlineExponent(-1.0/3, "α = n^(−1/3) makes each of the first two n^(−1/3), and the noise n^(−2/3); "+
				"Kar et al. (2013) for the deviation of the risk"),
			Control: checks.Faulty(offlineExponent(-0.5, ""), "α = 1/√n"),
		},
		{
			ID: "pairwise/thm-5/rates/strongly", Kind: verify.Rate, Origin: verify.Implied,
			Place: "Theorem 5, eq. (12): in n and α, because the equation contains both. It lacks the warm-up term " +
				"GL²‖C‖/(α²n), which eq. (7) has and which is of lower order at fixed α",
			Statement: "the error of Algorithm 3 has the order of eq. (12) in n and α together. It therefore falls as " +
				"eq. (12) at α = 1/√n, the α of eq. (13): at n = 10⁶ to at most 0.15 of its value at n = 10⁴. Setting: " +
				"AUC loss with the ridge α, rows ±1",
			Check:     falls(randomRun, decline{"eq. (12)", releasedErrorRidge, rootAlpha, offlineOrder}),
			Control:   derived("eq. (12)", offlineOrder),
			Corrected: "pairwise/thm-5/rates/strongly/corrected",
		},
		{
			ID: "pairwise/thm-5/rates/strongly/fixed", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Theorem 5, eq. (12): at fixed α; as printed the error is a factor √log(n/ζ) larger than O(·) " +
				"allows, as the deviation √(log(n/ζ)/n) of Kar et al. (2013) is not in eq. (12)",
			Statement: "at fixed α the error of Algorithm 3 is at most 40 times the right side of eq. (12), by the " +
				"derived bound and Kar et al. (2013). Setting: n from 100 to 10¹², ζ = 1/n, α = 1, G = L = 4, ‖C‖ = 2, ε " +
				"= 1, δ = 10⁻⁵",
			Check:   within(offlineOrder, offlineError, fixedAlpha),
			Control: checks.Faulty(within(offlineOrder, trivialError, fixedAlpha), "a run without steps"),
		},
		{
			ID: "pairwise/thm-5/rates/strongly/corrected", Kind: verify.Rate, Origin: verify.Correction,
			Place: "Theorem 5, eq. (12): with the term of the warm-up",
			Statement: "the error of Algorithm 3 is at most 40 times eq. (12) with the warm-up term GL²‖C‖/(α²n) added. " +
				"Setting: α = 1/√n and α = 1, n from 100 to 10¹²",
			Check:   within(offlineOrderCorrected, offlineError, fixedAlpha, rootAlpha),
			Control: checks.Faulty(within(offlineOrder, offlineError, rootAlpha), "without the term"),
		},
		{
			ID: "pairwise/thm-5/rates/improvement", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Below Theorem 5, first sentence: with eqs. (12) and (13) for (11) and (10) (see the errata)",
			Statement: "as printed, with equal constants, the noise terms of eqs. (12) and (13) are below the noise " +
				"terms of eqs. (11) and (10), respectively. Setting: the losses of the experiments (G = 4, L = 4 or 5), n " +
				"from 40 to 10⁶",
			Check:   improved(false),
			Control: checks.Faulty(improved(true), "the pairs interchanged"),
		},
	}
}

// randomError bounds the error of the mean of random parameters on oneSided: by Jensen's inequality it is at least the
// error of 0, and a second derivative of at most 2 and the variance 1/(3(n−1)) bound it from above.
func randomError(n float64) (lower, upper float64) { return originError, originError + 1/(3*(n-1)) }

// originError returns a lower bound on the mean error of Algorithms 2 and 4 on oneSided at α = 1/√n: the loss at w =
// 0 minus the loss at w = 1. The release is the mean of random parameters, with or without noise, and symmetric about
// 0. At α = c/√n a share min(1, 256/c²) of the mean is random.
var originError = oneSided(0) - oneSided(1)

// releasedError bounds the error of a release that is symmetric about 0: it is largest at the ends of C.
func releasedError(float64) (lower, upper float64) {
	return originError, (oneSided(-1) - oneSided(1)) / 2
}

// releasedErrorRidge bounds the same error if the loss contains the regularizer of α = 1/√n.
func releasedErrorRidge(n float64) (lower, upper float64) {
	lower, upper = releasedError(n)
	return math.Max(0, lower-1/(2*math.Sqrt(n))), upper + 1/(2*math.Sqrt(n))
}

// derivedOffline returns the derived bound on the error of Algorithm 3 at α = 1.
func derivedOffline(n float64) (lower, upper float64) {
	bound := fixedAlpha(n).Offline()
	return bound, bound
}

// deviation bounds the population risk minus the penalties by Rademacher averages and Azuma's inequality.
func deviation(p bounds.Pairwise) float64 {
	return 2*p.Rademacher() + p.G*p.Diameter*math.Sqrt(8*math.Log(p.N/p.Zeta)/p.N)
}

func offlineError(p bounds.Pairwise) float64 { return p.Offline() + deviation(p) }
func trivialError(p bounds.Pairwise) float64 { return p.G * p.Diameter }

// The following functions return the printed orders, with the Rademacher averages that the equations add.
func offlineOrder(p bounds.Pairwise) float64       { return p.OfflinePrinted() + p.Rademacher() }
func offlineConvexOrder(p bounds.Pairwise) float64 { return p.OfflineConvexPrinted() + p.Rademacher() }
func offlineOrderCorrected(p bounds.Pairwise) float64 {
	return offlineOrder(p) + p.G*p.L*p.L*p.Diameter/(p.Alpha*p.Alpha*p.N)
}

// rootAlpha returns fixedAlpha with α = 1/√n.
func rootAlpha(n float64) bounds.Pairwise {
	p := fixedAlpha(n)
	p.Alpha = 1 / math.Sqrt(n)
	return p
}

// averagePrinted returns eq. (7) over n − 1.
func averagePrinted(p bounds.Pairwise) float64 { return p.RegretPrinted() / (p.N - 1) }

// covered compares eq. (7) over n − 1 with the second term of eq. (11), for G, L and ‖C‖₂ from a smallest value on.
func covered(least float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("instances")
		span := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
		return formula.Check{
			Quantity: "eq. (7) over n − 1, over the second term of eq. (11)", Sense: verify.AtMost, Proof: proof,
			Domain: "20,000 random instances, n from 20 to 10¹², α and ε from 10⁻⁴ to 1, δ ≤ 1/e, ζ ≤ 0.5, d up to 10⁶",
			Points: func(add func(formula.Point)) {
				for i := range 20_000 {
					p := bounds.Pairwise{G: span(least, 1e3), L: span(least, 1e3), Alpha: span(1e-4, 1), Diameter: span(least,
						1e3),
						Dim: span(1, 1e6), N: span(20, 1e12), Epsilon: span(1e-4, 1), Delta: math.Exp(-span(1, 100)),
						Zeta: span(1e-12, 0.5)}
					add(formula.Point{Place: instancePlace(p), Measured: averagePrinted(p) / p.ErrorPrinted(), Claimed: 2,
						Error: 1e-9, Show: i < 3})
				}
			},
		}.Prepare(ctx, s)
	})
}

// within compares an error with 40 times an order, along several α.
func within(order, measured func(bounds.Pairwise) float64, along ...func(n float64) bounds.Pairwise) verify.Check {
	return formula.Check{
		Quantity: "derived bound over the right side", Sense: verify.AtMost,
		Domain: "n in powers of 10; G = L = 4, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n",
		Points: func(add func(formula.Point)) {
			for n := 100.0; n <= 1e12; n *= 10 {
				for _, of := range along {
					p := of(n)
					add(formula.Point{Place: formula.Placef("n=%g, α=%.3g", n, p.Alpha), Measured: measured(p) / order(p),
						Claimed: 40, Error: 1e-9, Show: true})
				}
			}
		},
	}
}

// offlineExponent checks the exponent of n in the derived bound on the error of Algorithm 4 at α = n^power.
func offlineExponent(power float64, proof string) verify.Check {
	at := func(n float64) float64 {
		return fixedAlpha(n).OfflineConvex(math.Pow(n, power)) + deviation(fixedAlpha(n))
	}
	return formula.Check{
		Quantity: "exponent of n in the derived bound", Sense: verify.Equals, Proof: proof,
		Domain: "n from 10⁹ to 10¹², G = L = 4, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n, to within 10 %",
		Points: formula.ListedPoints(formula.Point{Place: formula.Placef("α = n^%.3g", power), Show: true, Error: 0.1,
			Measured: math.Log10(at(1e12)/at(1e9)) / 3, Claimed: -1.0 / 3}),
	}
}

// confidenceExponents checks the exponents of n at ζ = e^(−logs) for the term of the conversion and for the right
// side of eq. (12) at α = 1. They are linear in log(n/ζ), which is computed from logs.
func confidenceExponents(logs func(n float64) float64, proof string) verify.Check {
	term := func(n float64) float64 { return math.Sqrt((math.Log(n) + logs(n)) / n) }
	eq12 := func(n float64) float64 {
		p := fixedAlpha(n)
		p.Zeta = 1
		return p.OfflinePrinted()*(1+logs(n)/math.Log(n)) + p.Rademacher()
	}
	exponent := func(f func(float64) float64) float64 { return math.Log10(f(1e6)/f(100)) / 4 }
	return formula.Check{
		Quantity: "exponent of n", Sense: verify.Equals, Proof: proof,
		Domain: "n from 100 to 10⁶, G = L = 4, α = 1, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, to within 10 %",
		Points: formula.ListedPoints(
			formula.Point{Place: formula.Placef("term of the conversion"), Measured: exponent(term), Claimed: -0.25,
				Error: 0.1,
				Show:  true},
			formula.Point{Place: formula.Placef("eq. (12)"), Measured: exponent(eq12), Claimed: -0.5, Error: 0.1,
				Show: true}),
	}
}

func improved(turned bool) verify.Check {
	return formula.Check{
		Quantity: "the offline term over the online one", Sense: verify.Below,
		Domain: "G = 4, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n",
		Grid: formula.Grid{formula.Over("n", 40, 90, 350, 1e3, 1e4, 1e5, 1e6), formula.Over("L", 4, 5),
			formula.Over("α", lambda, 1/math.Sqrt(350), 1)},
		Proof: "both quotients fall in n, as n^(−1/2) and n^(−1/4) times logarithms",
		At: func(at []float64, add func(formula.Point)) {
			p := fixedAlpha(at[0])
			p.L, p.Alpha = at[1], at[2]
			for _, pair := range []struct {
				name            string
				offline, online float64
			}{{"(12) over (11)", p.OfflinePrinted(), p.ErrorPrinted()},
				{"(13) over (10)", p.OfflineConvexPrinted(), p.ErrorConvexPrinted()}} {
				quotient := pair.offline / pair.online
				if turned {
					quotient = 1 / quotient
				}
				add(formula.Point{Place: formula.Placef("%s", pair.name), Measured: quotient, Claimed: 1, Show: at[0] == 40})
			}
		},
	}
}
