package prestige

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// proseClaims returns the claims of the prose about noise and rates, outside its theorems, their proofs and its tables,
// in the paper's order.
//
//	prose.go        label noise, noise and dimension
//	prose_rates.go  Remark 5, point 1) on mini-batches
func proseClaims() []verify.Claim { return slices.Concat(proseNoiseClaims(), proseRateClaims()) }

func proseNoiseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/label-noise", Kind: verify.Identity, Origin: verify.Reading,
			Place: "Abstract; Sect. 1, fifth paragraph; Sect. 3.3, Main Idea, second paragraph: noise injection leads " +
				"to label noise, read as the gradient −g that Rescale and Sample return instead of g",
			Statement: "private sampling is label noise: it reverses the label with probability 1/(e^ε_s+1) and then " +
				"draws a direction that depends on nothing else. Setting: hinge loss without a regularizer, margins " +
				"between −1 and 1, a row of norm L",
			Check: turnedRound(0, "the slope is −1 at both margins, so that the label is a factor of g; at ‖g‖ = L the "+
				"first coin of Proposition 1 never reverses g"),
			Control: checks.Faulty(turnedRound(1, ""),
				"a regularizer, λ = 1, whose part of the gradient does not depend on the label"),
			Formerly: []string{"prestige/label-noise/corrected"},
		},
		{
			ID: "prestige/noise/dimension", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Sect. 4.2, eq. (11): Effectiveness of Mini-Batch Trick, point 2), second sentence, and Efficacy of " +
				"Different Losses, last sentence but one, noise is more adverse in higher dimensions; B",
			Statement: "B/L, the length of a private gradient over the longest gradient's length, grows with the " +
				"dimension",
			Check:   growing(0),
			Control: checks.Faulty(growing(1), "B/(Ld)"),
		},
	}
}

// turnedRound compares −g with the gradient of the hinge loss under the other label, for a row of norm L = 1 along w,
// and the probability of the half-space of −g, at ‖g‖ = L, with the noise rate of a label perturbed at ε_s.
func turnedRound(lambda float64, proof string) verify.Check {
	gradient := func(w, y float64) float64 { return lambda*w + y*erm.Hinge{}.Derivative(y*w) }
	return formula.Check{
		Quantity: "−g; P(⟨G, g⟩ < 0)", Sense: verify.Equals, Proof: proof,
		Domain: "x = 1, y = 1, w from −7/8 to 7/8 in steps of 1/8; ε_s ∈ {0.01, 0.1, 0.2, 0.5, 1, 2} at ‖g‖ = L",
		Points: func(add func(formula.Point)) {
			for w := -0.875; w <= 0.875; w += 0.125 {
				add(formula.Point{Place: formula.Placef("λ=%g, w=%g", lambda, w), Show: w == 0.5,
					Measured: -gradient(w, 1), Claimed: gradient(w, -1)})
			}
			for _, eps := range epsilons {
				_, bottom, err := densities(eps, 1)
				add(formula.Point{Place: formula.Placef("ε_s=%g", eps), Measured: bottom / 2, Claimed: 1 / (math.Exp(eps) + 1),
					Show: true, Err: err})
			}
		},
	}
}

// growing compares B/(L d^power) with its value at the previous dimension. It uses the unbiased B; the printed one is
// twice that.
func growing(power float64) verify.Check {
	return formula.Check{
		Quantity: "B/L", Sense: verify.Above, Proof: "Γ(x+½)/Γ(x) grows in x, as log Γ is convex",
		Domain: "every d from 2 to 1,000 and those of Table 2, each against the one before; ε_s = 0.8",
		Points: func(add func(formula.Point)) {
			at := func(d int) (float64, error) {
				b, err := bounds.PrivateSamplingBound(d, 0.8, 1)
				return b / math.Pow(float64(d), power), err
			}
			before := 1
			next := func(d int) {
				now, err1 := at(d)
				then, err2 := at(before)
				last := before
				add(formula.Point{Place: formula.Placef("d=%d against %d", d, last), Measured: now, Claimed: then,
					Show: d == 2 || d > 1000, Err: cmp.Or(err1, err2)})
				before = d
			}
			for d := 2; d <= 1000; d++ {
				next(d)
			}
			for _, d := range []int{4090, 4800, 20985} {
				next(d)
			}
		},
	}
}
