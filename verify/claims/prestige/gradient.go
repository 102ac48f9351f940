package prestige

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// gradientClaims are what the text says of the private gradient beside its privacy.
func gradientClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/prop-1/non-interactive", Source: "Prop. 1, proof; Alg. 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Proof of Proposition 1, first and last sentence: a non-interactive strategy; " +
				"Algorithm 1, Compute g at the w that earlier releases have moved",
			Statement: "the law of what a record releases in Algorithm 1 does not depend on what was released before",
			Check:     afterRelease(true),
			Control:   verify.Control{Check: afterRelease(false), Want: checks.Holds, Fault: "none: the first release"},
			Corrected: "prestige/alg-1/privacy/corrected",
		},
		{
			ID: "prestige/alg-1/angle", Source: "Sect. 4.2, Alg. 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph: at Q = 1 the angle from g to " +
				"G_p is under 90°",
			Statement: "where Q = 1 the private gradient lies within 90° of the gradient",
			Check:     withinRightAngle(func(float64) float64 { return 1 }, ""),
			Control: verify.Control{Check: withinRightAngle(keepProbability, angleProof), Want: checks.Holds,
				Fault: "none: with probability ½ + ‖g‖/2L"},
			Corrected: "prestige/alg-1/angle/corrected",
		},
		{
			ID: "prestige/alg-1/angle/corrected", Source: "Sect. 4.2, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Proposition 1, Rescale: g̃ = −Lg/‖g‖ with probability ½ − ‖g‖/2L, and eq. (4)",
			Statement: "where Q = 1 the private gradient lies within 90° of the gradient with probability ½ + ‖g‖/2L, and " +
				"always of the rescaled one",
			Check: withinRightAngle(keepProbability, angleProof),
			Control: verify.Control{Check: withinRightAngle(func(float64) float64 { return 1 }, ""), Want: checks.Refuted,
				Fault: "always of the gradient"},
		},
	}
}

// afterRelease compares the probability that a record's release is upward before and after another's.
func afterRelease(moved bool) verify.Check {
	return formula.Check{
		Quantity: "P(G < 0) of a record", Sense: verify.Equals,
		Domain: "records (1, +1) and (½, −1), hinge loss, λ = 1, R = 2, L = 3, ε_s = 0.8, w = 0 and w after an update " +
			"either way",
		Points: func(add func(formula.Point)) {
			sampler, err := mechanism.NewPrivateSampling(1, gradientEpsilon, lawLipschitz, 1)
			if err != nil {
				add(formula.Point{Place: formula.Placef("ε_s=%g", gradientEpsilon), Err: err})
			}
			for _, e := range twoRecords {
				for _, sign := range []float64{1, -1} {
					w := 0.0
					if moved {
						w = sign * bounds.StepSize(lawLambda, lawRadius, 1, 1)
					}
					add(formula.Point{Place: formula.Placef("(x, y) = (%g, %+g), w=%g", e.x, e.y, w), Show: true,
						Measured: upward(sampler, gradientAt(w, e), lawLipschitz),
						Claimed:  upward(sampler, gradientAt(0, e), lawLipschitz)})
				}
			}
		},
	}
}

func keepProbability(norm float64) float64 { return 0.5 + norm/2 }

const angleProof = "the half-space of g̃ is that of g where the first coin keeps it"

// withinRightAngle is the mass of the half-space of g where Q = 1, which it is for certain at ε = 700.
func withinRightAngle(claimed func(norm float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "P(⟨G, g⟩ > 0 | Q = 1)", Sense: verify.Equals, Domain: "‖g‖/L from 2⁻⁴⁰ to 1", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, norm := range norms {
				top, _, err := densities(700, norm)
				add(formula.Point{Place: formula.Placef("‖g‖=%.3gL", norm), Measured: top / 2, Claimed: claimed(norm), Show: true,
					Err: err})
			}
		},
	}
}

// convexityClaims are the two inequalities on which the proof of Theorem 1 rests, and the losses they are used for.
func convexityClaims() []verify.Claim {
	all, convex := fourLosses(), fourLosses()[:2]
	return []verify.Claim{
		{
			ID: "prestige/eq-17", Source: "eq. (17)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (17), with and without projection; eqs. (19) to (22) rearrange it with eq. (18)",
			Statement: "½‖w' − w*‖² is at most ½‖w − w*‖² + η²/2 ‖G‖² − η⟨G, w − w*⟩ for w' = w − ηG, projected on a ball " +
				"that holds w* or not",
			Check:   descentStep(1),
			Control: verify.Control{Check: descentStep(-1), Want: checks.Refuted, Fault: "the sign of the inner product turned"},
		},
		{
			ID: "prestige/eq-18", Source: "eq. (18), Sect. 4.1", Kind: verify.Identity,
			Origin: verify.Implied, Place: "eq. (18), which is convexity; Sect. 4.1, Miscellaneous (1): ramp and Gompertz loss",
			Statement: "⟨∇F(w), w − w*⟩ is at least F(w) − F(w*) for the four losses of the experiments",
			Check:     firstOrder(all, ""),
			Control: verify.Control{Check: firstOrder(convex, "hinge and logistic loss are convex"), Want: checks.Holds,
				Fault: "none: the convex losses"},
			Corrected: "prestige/eq-18/corrected",
		},
		{
			ID: "prestige/eq-18/corrected", Source: "eq. (18), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eq. (18) for the convex losses of Sect. 4.1, Miscellaneous (1)",
			Statement: "⟨∇F(w), w − w*⟩ is at least F(w) − F(w*) for the hinge and the logistic loss",
			Check:     firstOrder(convex, "hinge and logistic loss are convex"),
			Control:   verify.Control{Check: firstOrder(all, ""), Want: checks.Refuted, Fault: "ramp and Gompertz loss let in"},
		},
		{
			ID: "prestige/eq-29/mean", Source: "eqs. (27), (29), Sect. 4.1", Kind: verify.Identity,
			Origin: verify.Implied, Place: "eq. (27) bounds the mean of F(w^(t)), eq. (29) F of the mean; Sect. 4.1, " +
				"Miscellaneous (1): ramp and Gompertz loss",
			Statement: "F at the mean of two iterates is at most the mean of F at them for the four losses of the experiments",
			Check:     atMean(all, ""),
			Control: verify.Control{Check: atMean(convex, "hinge and logistic loss are convex"), Want: checks.Holds,
				Fault: "none: the convex losses"},
			Corrected: "prestige/eq-29/mean/corrected",
		},
		{
			ID: "prestige/eq-29/mean/corrected", Source: "eqs. (27), (29), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eqs. (27) and (29) for the convex losses of Sect. 4.1, Miscellaneous (1)",
			Statement: "F at the mean of two iterates is at most the mean of F at them for the hinge and the logistic loss",
			Check:     atMean(convex, "hinge and logistic loss are convex"),
			Control:   verify.Control{Check: atMean(all, ""), Want: checks.Refuted, Fault: "ramp and Gompertz loss let in"},
		},
		{
			ID: "prestige/losses", Source: "Sect. 4.1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 4.1, Miscellaneous (1)",
			Statement: "the logistic loss is convex and smooth, the hinge loss convex and not smooth, the Gompertz loss " +
				"smooth and not convex, the ramp loss neither",
			Check: shapes([]bool{false, true, true, false}),
			Control: verify.Control{Check: shapes([]bool{true, true, true, false}), Want: checks.Refuted,
				Fault: "the hinge loss " +
					"said to be smooth"},
		},
	}
}

func fourLosses() []erm.Loss {
	return []erm.Loss{erm.Hinge{}, erm.Logistic{}, erm.Gompertz{C: 2}, erm.Ramp{S: -1}}
}

// descentStep compares both sides of eq. (17) at random points of a ball that holds w*.
func descentStep(sign float64) verify.Check {
	const radius = 1.0
	return formula.Check{
		Quantity: "½‖w' − w*‖²", Sense: verify.AtMost, Proof: "the square expands to equality, and projection brings w' " +
			"nearer to w*",
		Domain: "w and w* on the axes and the diagonal of the unit ball, ηG along them of lengths 0.1, 1 and 10, d ∈ {1, " +
			"2, 10}",
		Points: func(add func(formula.Point)) {
			for _, d := range []int{1, 2, 10} {
				axis := make([]float64, d)
				axis[0] = 1
				ends := [][]float64{axis, diagonal(d, 1), diagonal(d, -0.5), make([]float64, d)}
				for a, w := range ends {
					for b, star := range ends {
						for _, length := range []float64{0.1, 1, 10} {
							for _, direction := range ends[:3] {
								step, away, next := make([]float64, d), make([]float64, d), make([]float64, d)
								floats.ScaleTo(step, length, direction)
								floats.SubTo(away, w, star)
								floats.SubTo(next, w, step)
								claimed := floats.Dot(away, away)/2 + floats.Dot(step, step)/2 - sign*floats.Dot(step, away)
								for _, project := range []bool{false, true} {
									if n := floats.Norm(next, 2); project && n > radius {
										floats.Scale(radius/n, next)
									}
									add(formula.Point{Place: formula.Placef("d=%d, w %d, w* %d, step %g, projected %t", d, a, b, length, project),
										Error:    1e-9,
										Measured: 1 + math.Pow(floats.Distance(next, star, 2), 2)/2, Claimed: 1 + claimed})
								}
							}
						}
					}
				}
			}
		},
	}
}

// firstOrder compares both sides of eq. (18) for a record x = y = 1 in the ball of radius 5, at whose edge
// every one of the losses is least.
func firstOrder(losses []erm.Loss, proof string) verify.Check {
	const star = 5.0
	return formula.Check{
		Quantity: "F'(w)(w − w*)", Sense: verify.AtLeast, Proof: proof,
		Domain: "one record x = y = 1, w from −5 to 5 in steps of a quarter, w* = 5, no regulariser",
		Points: func(add func(formula.Point)) {
			for _, loss := range losses {
				for w := -star; w <= star; w += 0.25 {
					add(formula.Point{Place: formula.Placef("%s loss, w=%g", loss.Name(), w),
						Measured: loss.Derivative(w) * (w - star),
						Claimed:  loss.Value(w) - loss.Value(star), Show: w == -3, Error: 1e-9})
				}
			}
		},
	}
}

// atMean compares F at the mean of two iterates with the mean of F, for a record x = y = 1.
func atMean(losses []erm.Loss, proof string) verify.Check {
	return formula.Check{
		Quantity: "1 + F(ŵ)", Sense: verify.AtMost, Proof: proof,
		Domain: "one record x = y = 1, w_1 and w_2 from −5 to 5 in steps of a half, no regulariser",
		Points: func(add func(formula.Point)) {
			for _, loss := range losses {
				for first := -5.0; first <= 5; first += 0.5 {
					for second := first; second <= 5; second += 0.5 {
						add(formula.Point{Place: formula.Placef("%s loss, w_1=%g, w_2=%g", loss.Name(), first, second),
							Measured: 1 + loss.Value((first+second)/2), Claimed: 1 + (loss.Value(first)+loss.Value(second))/2,
							Show: first == -3 && second == 1})
					}
				}
			}
		},
	}
}

// shapes tells for each loss whether a chord lies below it and whether its slope jumps, as 1 and 0. smooth is what
// is said of the four; hinge and logistic are said to be convex.
func shapes(smooth []bool) verify.Check {
	indicator := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return formula.Check{
		Quantity: "1 where the property fails, else 0", Sense: verify.Equals,
		Domain: "margins from −5 to 5 in steps of 1/8, chords of length ½, slopes over 2⁻²⁰",
		Points: func(add func(formula.Point)) {
			for k, loss := range fourLosses() {
				bent, jumps := false, false
				for m := -5.0; m <= 5; m += 0.125 {
					bent = bent || loss.Value(m) > (loss.Value(m-0.25)+loss.Value(m+0.25))/2+1e-9
					jumps = jumps || math.Abs(loss.Derivative(m+0x1p-20)-loss.Derivative(m-0x1p-20)) > 0.01
				}
				add(formula.Point{Place: formula.Placef("%s loss, convexity", loss.Name()), Measured: indicator(bent),
					Claimed: indicator(k > 1),
					Show:    true})
				add(formula.Point{Place: formula.Placef("%s loss, smoothness", loss.Name()), Measured: indicator(jumps),
					Claimed: indicator(!smooth[k]), Show: true})
			}
		},
	}
}
