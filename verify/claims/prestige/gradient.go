package prestige

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// gradientClaims returns the statement about the angle of the private gradient, and its correction.
func gradientClaims() []verify.Claim {
	return checks.Pair(verify.Claim{
		ID: "prestige/alg-1/angle", Kind: verify.Identity, Origin: verify.Stated,
		Place:     "Sect. 4.2, Robustness of PRESTIGE: second paragraph, at Q = 1 the angle from g to G_p is under 90°",
		Statement: "if Q = 1, the private gradient is within 90° of the gradient g, for every g of norm at most L",
		Check:     withinRightAngle(func(float64) float64 { return 1 }, ""),
	}, verify.Claim{
		Place: "Proposition 1: Rescale, g̃ = −Lg/‖g‖ with probability 0.5 − ‖g‖/(2L), and eq. (4)",
		Statement: "if Q = 1, the private gradient is within 90° of the gradient with probability 0.5 + ‖g‖/(2L), and " +
			"always within 90° of the rescaled gradient g̃",
		Check: withinRightAngle(keepProbability, "g̃ and g have the same half-space if the first coin keeps the sign"),
	}, "with probability 0.5 + ‖g‖/(2L)", "always within 90° of the gradient")
}

func keepProbability(norm float64) float64 { return 0.5 + norm/2 }

// withinRightAngle compares the probability of the half-space of g given Q = 1 with a claimed one. It uses ε = 700, at
// which P(Q = 1) is 1 in float64.
func withinRightAngle(claimed func(norm float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "P(⟨G, g⟩ > 0 | Q = 1)", Sense: verify.Equals, Proof: proof,
		Grid: formula.Grid{formula.Over("‖g‖/L", 0.25, 0.5, 0.75, 1)},
		At: func(at []float64, add func(formula.Point)) {
			top, _, err := densities(700, at[0])
			add(formula.Point{Measured: top / 2, Claimed: claimed(at[0]), Show: true, Err: err})
		},
	}
}

// convexityClaims returns eqs. (17) and (18), on which the proof of Theorem 1 rests, and the statements about the
// losses and regularizers.
func convexityClaims() []verify.Claim {
	convex := checks.Pair(verify.Claim{
		ID: "prestige/eq-18", Kind: verify.Identity, Origin: verify.Implied,
		Place: "Eq. (18): convexity; eq. (27), which bounds the mean of F(w^(t)), against eq. (29), F of the mean; Sect. " +
			"4.1, Miscellaneous (1): ramp and Gompertz loss",
		Statement: "the four losses of Sect. 4.1, without a regularizer, satisfy ⟨∇F(w), w − w*⟩ ≥ F(w) − F(w*) (eq. " +
			"(18)). F at the mean of iterates is also at most the mean of F (eq. (29))",
		Check:    convexity(fourLosses(), ""),
		Formerly: []string{"prestige/eq-29/mean"},
	}, verify.Claim{
		Place: "Eq. (18): and eqs. (27) and (29), for the convex losses of Sect. 4.1, Miscellaneous (1)",
		Statement: "the hinge and the logistic loss, with any convex regularizer, satisfy eq. (18). F at the mean of " +
			"iterates is also at most the mean of F (eq. (29))",
		Check: convexity(fourLosses()[:2], "the hinge and the logistic loss are convex, and a sum of convex "+
			"functions is"),
		Formerly: []string{"prestige/eq-29/mean/corrected"},
	}, "only convex losses", "the ramp and the Gompertz loss are not convex")
	return slices.Concat([]verify.Claim{{
		ID: "prestige/eq-17", Kind: verify.Identity, Origin: verify.Stated,
		Place: "Eq. (17): with and without projection; eqs. (19) to (22) rearrange it with eq. (18)",
		Statement: "½‖w' − w*‖² ≤ ½‖w − w*‖² + (η²/2)‖G‖² − η⟨G, w − w*⟩ for w' = w − ηG, also if w' is projected on " +
			"a ball that contains w*",
		Check: descentStep(1),
		Control: verify.Control{Check: descentStep(-1), Want: checks.Refuted, Fault: "the opposite sign of the inner " +
			"product"},
	}}, convex, []verify.Claim{{
		ID: "prestige/thm-1/regulariser", Kind: verify.Identity, Origin: verify.Stated,
		Place: "Sect. 3.4, first paragraph: \"All theorems hold for the choice of any regularizer\"; eq. (18)",
		Statement: "eq. (18), on which the bound of Theorem 1 depends, holds for every regularizer: ⟨∇F(w), w − w*⟩ ≥ " +
			"F(w) − F(w*), where w* is a local minimum of F",
		Check: regularizers(concaveRegularizers, ""),
		Control: verify.Control{Check: regularizers(convexRegularizers, "all three are convex"), Want: checks.Holds,
			Fault: "none: ‖w‖²/2, |w| and the elastic net"},
		Corrected: "prestige/eq-18/corrected",
	}, {
		ID: "prestige/losses", Kind: verify.Identity, Origin: verify.Stated, Place: "Sect. 4.1, Miscellaneous (1)",
		Statement: "the logistic loss is convex and smooth, the hinge loss convex and not smooth, the Gompertz loss " +
			"smooth and not convex, the ramp loss neither",
		Check:   shapes([]bool{false, true, true, false}),
		Control: checks.Faulty(shapes([]bool{true, true, true, false}), "the hinge loss claimed to be smooth"),
	}})
}

// regularizer is a function of one weight with its minimum 0 at 0, and its derivative for positive weights.
type regularizer struct {
	name         string
	value, slope func(w float64) float64
}

var (
	convexRegularizers = []regularizer{
		{"w²/2", func(w float64) float64 { return w * w / 2 }, func(w float64) float64 { return w }},
		{"|w|", math.Abs, func(float64) float64 { return 1 }},
		{"|w| + w²/2", func(w float64) float64 { return w + w*w/2 }, func(w float64) float64 { return 1 + w }},
	}
	concaveRegularizers = []regularizer{
		{"min(|w|, 0.5)", func(w float64) float64 { return math.Min(w, 0.5) }, func(float64) float64 { return 0 }},
		{"ln(1 + |w|)", math.Log1p, func(w float64) float64 { return 1 / (1 + w) }},
	}
)

// regularizers compares both sides of eq. (18) at w = 1 for F = λ times a regularizer, whose minimum is at w* = 0.
func regularizers(all []regularizer, proof string) verify.Check {
	return formula.Check{
		Quantity: "F'(w)(w − w*)", Sense: verify.AtLeast, Grid: formula.Grid{formula.Over("λ", 1e-3, 1, 1e3)},
		Domain: "d = 1, F = λ times the regularizer, w = 1, w* = 0", Proof: proof,
		At: func(at []float64, add func(formula.Point)) {
			for _, r := range all {
				add(formula.Point{Place: formula.Placef("%s", r.name), Measured: at[0] * r.slope(1),
					Claimed: at[0] * r.value(1),
					Show:    true})
			}
		},
	}
}

func fourLosses() []erm.Loss {
	return []erm.Loss{erm.Hinge{}, erm.Logistic{}, erm.Gompertz{C: 2}, erm.Ramp{S: -1}}
}

// descentStep compares both sides of eq. (17) at random points of a ball that contains w*.
func descentStep(sign float64) verify.Check {
	const radius = 1.0
	return formula.Check{
		Quantity: "½‖w' − w*‖²", Sense: verify.AtMost, Proof: "expanding the square gives equality, and projection does " +
			"not increase the distance of w' to w*",
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
									add(formula.Point{Place: formula.Placef("d=%d, w %d, w* %d, step %g, projected %t", d, a, b, length,
										project),
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

// convexity compares both sides of eq. (18) for the record x = y = 1 in the ball of radius 5; each loss is smallest at
// w = 5. It also compares F at the mean of two iterates with the mean of F.
func convexity(losses []erm.Loss, proof string) verify.Check {
	const star = 5.0
	return formula.Check{
		Quantity: "F'(w)(w − w*); 1 + mean of F", Sense: verify.AtLeast, Proof: proof,
		Domain: "one record x = y = 1, w from −5 to 5 in steps of a quarter, w* = 5; w_1 and w_2 from −5 to 5 in steps " +
			"of a half; no regularizer",
		Points: func(add func(formula.Point)) {
			for _, loss := range losses {
				for w := -star; w <= star; w += 0.25 {
					add(formula.Point{Place: formula.Placef("%s loss, w=%g", loss.Name(), w),
						Measured: loss.Derivative(w) * (w - star),
						Claimed:  loss.Value(w) - loss.Value(star), Show: w == -3, Error: 1e-9})
				}
				for first := -star; first <= star; first += 0.5 {
					for second := first; second <= star; second += 0.5 {
						add(formula.Point{Place: formula.Placef("%s loss, w_1=%g, w_2=%g", loss.Name(), first, second),
							Measured: 1 + (loss.Value(first)+loss.Value(second))/2, Claimed: 1 + loss.Value((first+second)/2),
							Show: first == -3 && second == 1})
					}
				}
			}
		},
	}
}

// shapes computes for each loss whether it violates convexity (a chord below the loss) and smoothness (a jump of the
// slope), as 1 or 0. It compares smoothness with the argument; the paper calls the hinge and logistic loss convex.
func shapes(smooth []bool) verify.Check {
	indicator := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return formula.Check{
		Quantity: "1 if the property fails, else 0", Sense: verify.Equals,
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
