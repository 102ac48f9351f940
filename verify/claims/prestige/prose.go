package prestige

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// proseClaims returns the claims of the prose about noise, privacy levels and rates, outside its theorems, their proofs
// and its tables, in the paper's order.
//
//	prose.go        label noise, the probability of Q = 1, the domain of ε_r and ε_s
//	prose_rates.go  Remark 5, the ball of Corollary 1, point 1) on mini-batches
//
// The readings are:
//
//   - label-noise: that a reversed gradient is the gradient under the other label.
//   - alg-1/angle/budget: a "large probability" is nine in ten.
//   - budget/per-update: the budget as ε of one update, which the input of Algorithm 1 rules out.
//   - remark-5/price: the price of privacy is the quotient of two bounds of eq. (29).
//   - remark-5/minimax: a minimax rate is a bound from below, with its constant.
//   - mini-batch/rate: the rate of convergence is the bound of eq. (29) after the same number of records.
func proseClaims() []verify.Claim { return slices.Concat(proseNoiseClaims(), proseRateClaims()) }

// shares divides ε of one update between label and gradient.
func shares(epsilon float64) (label, gradient float64) {
	return paper.PrestigeLabelShare * epsilon, (1 - paper.PrestigeLabelShare) * epsilon
}

func proseNoiseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/label-noise", Source: "Abstract, Sects. 1, 3.3", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Abstract; Sect. 1, fifth paragraph; Sect. 3.3, Main Idea, second paragraph: noise " +
				"injection leads to label noise; read of the gradient −g that Rescale and Sample put in the place of g",
			Statement: "a gradient that private sampling reverses is that of the same record with the other label",
			Check:     turnedRound(fourLosses(), []float64{0, 1e-3, 1}, 2, ""),
			Control: verify.Control{Check: turnedRound(hinge(), []float64{0}, 0.875, turnedProof), Want: checks.Holds,
				Fault: "none: the hinge loss, no regulariser, margins between −1 and 1"},
			Corrected: "prestige/label-noise/corrected",
		},
		{
			ID: "prestige/label-noise/corrected", Source: "Abstract, Sects. 1, 3.3, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Proposition 1, both steps, for the default hinge loss at ‖x‖ = L",
			Statement: "with the hinge loss, no regulariser, margins between −1 and 1 and a row of norm L, private sampling " +
				"perturbs the label with probability 1/(e^ε_s+1) and draws a direction that depends on nothing else",
			Check: turnedRound(hinge(), []float64{0}, 0.875, turnedProof),
			Control: verify.Control{Check: turnedRound(hinge(), []float64{0, 1}, 0.875, ""), Want: checks.Refuted,
				Fault: "a regulariser, λ = 1, whose part of the gradient no label turns"},
		},
		{
			ID: "prestige/noise/dimension", Source: "Sect. 4.2, eq. (11)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 4.2, Effectiveness of Mini-Batch Trick, point 2), second sentence, and " +
				"Efficacy of Different Losses, last sentence but one: noise is more adverse in higher dimensions; eq. (11), B",
			Statement: "the length of a private gradient over the longest gradient, B/L, grows with the dimension",
			Check:     growing(0),
			Control:   verify.Control{Check: growing(1), Want: checks.Refuted, Fault: "B/(Ld)"},
		},
		{
			ID: "prestige/alg-1/angle/budget", Source: "Sect. 4.2, Alg. 1", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph, fourth and fifth sentence: " +
				"\"large probability\" read as nine in ten; the budget as printed and as ε of one update",
			Statement: "at the largest budget Q = 1 with a probability of at least nine in ten",
			Check:     likelyQ(atBudget, ""),
			Control: verify.Control{Check: likelyQ(fromOdds(1), oddsProof), Want: checks.Holds,
				Fault: "none: ε_s = ln 9 and more"},
			Corrected: "prestige/alg-1/angle/budget/corrected",
		},
		{
			ID: "prestige/alg-1/angle/budget/corrected", Source: "Sect. 4.2, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, Sample: Q ~ Bernoulli(e^ε_s/(e^ε_s+1))",
			Statement: "Q = 1 with a probability of at least nine in ten where ε_s is at least ln 9 = 2.2",
			Check:     likelyQ(fromOdds(1), oddsProof),
			Control: verify.Control{Check: likelyQ(fromOdds(0.95), ""), Want: checks.Refuted,
				Fault: "ε_s from 0.95 ln 9 on"},
		},
		{
			ID: "prestige/budget/per-update", Source: "Alg. 1, Input; Sect. 4.1", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Algorithm 1, Input: ε_r, ε_s ≤ 1; Sect. 4.1, Parameters&Metrics: budgets up to " +
				"1.6, ε_r : ε_s = 1 : 4, the budget read as ε of one update",
			Statement: "read as ε of one update, each of the five budgets gives an ε_r and an ε_s of at most 1, as " +
				"Algorithm 1 takes them",
			Check: withinInput(1),
			Control: verify.Control{Check: withinInput(paper.PrestigeEpochs), Want: checks.Holds,
				Fault: "none: the budget of the T_max updates of a record"},
			Corrected: "prestige/budget/per-update/corrected",
		},
		{
			ID: "prestige/budget/per-update/corrected", Source: "Alg. 1, Input; Sect. 4.1, corrected", Kind: verify.Consistency,
			Origin: verify.Correction,
			Place:  "Algorithm 1, Input: ε_r, ε_s ≤ 1; the budget read as ε T_max, that of a record",
			Statement: "read as ε T_max of a record, each of the five budgets gives an ε_r and an ε_s of at most 1, as " +
				"Algorithm 1 takes them",
			Check: withinInput(paper.PrestigeEpochs),
			Control: verify.Control{Check: withinInput(1), Want: checks.Contradictory,
				Fault: "the budget of one update: 1.4 and 1.6 have ε_s = 1.12 and 1.28"},
		},
	}
}

func hinge() []erm.Loss { return []erm.Loss{erm.Hinge{}} }

const turnedProof = "the slope is −1 at both margins, so that the label is a factor of g; at ‖g‖ = L the first " +
	"coin of Proposition 1 never turns it"

// turnedRound compares −g with the gradient under the other label, for a row of norm L = 1 along w, and the
// mass of the half-space of −g, at ‖g‖ = L, with the noise rate of a label perturbed at ε_s.
func turnedRound(losses []erm.Loss, lambdas []float64, margin float64, proof string) verify.Check {
	gradient := func(loss erm.Loss, lambda, w, y float64) float64 { return lambda*w + y*loss.Derivative(y*w) }
	return formula.Check{
		Quantity: "−g; P(⟨G, g⟩ < 0)", Sense: verify.Equals, Proof: proof,
		Domain: "x = 1, y = 1, w across the stated margins in steps of ⅛; ε_s ∈ {0.01, 0.1, 0.2, 0.5, 1, 2} at ‖g‖ = L",
		Points: func(add func(formula.Point)) {
			for _, loss := range losses {
				for _, lambda := range lambdas {
					for w := -margin; w <= margin; w += 0.125 {
						add(formula.Point{Place: formula.Placef("%s loss, λ=%g, w=%g", loss.Name(), lambda, w), Show: w == 0.5,
							Measured: -gradient(loss, lambda, w, 1), Claimed: gradient(loss, lambda, w, -1)})
					}
				}
			}
			for _, eps := range []float64{0.01, 0.1, 0.2, 0.5, 1, 2} {
				m, err := mechanism.NewPrivateSampling(1, eps, 1, 1)
				bottom := 0.0
				if err == nil {
					_, bottom = m.HalfSpaceDensity(1)
				}
				add(formula.Point{Place: formula.Placef("ε_s=%g", eps), Measured: bottom / 2, Claimed: 1 / (math.Exp(eps) + 1),
					Show: true, Err: err})
			}
		},
	}
}

// growing compares B/(L d^power) with that of the dimension before, with the unbiased B: the printed one is twice it.
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

// level is an ε_s, and where it comes from.
type level struct {
	at      string
	epsilon float64
	err     error
}

// atBudget are the ε_s of the largest budget, on each data set as printed, and as ε of one update.
func atBudget() (levels []level) {
	for _, row := range paper.PrestigeTable2.Rows {
		rows, _, err := paper.PrestigeTable2.Number(row.Name, "Training")
		_, gradient := shares(maxBudget() / (rows * paper.PrestigeEpochs))
		levels = append(levels, level{row.Name + ", as printed", gradient, err})
	}
	_, gradient := shares(maxBudget())
	return append(levels, level{"ε of one update", gradient, nil})
}

// fromOdds are ε_s from a share of ln 9 on.
func fromOdds(share float64) func() []level {
	return func() (levels []level) {
		for _, times := range []float64{1, 1.5, 2, 10} {
			levels = append(levels, level{"from ln 9 on", times * share * math.Log(9), nil})
		}
		return levels
	}
}

const oddsProof = "e^ε/(e^ε+1) grows in ε and is 9/10 at ln 9"

// likelyQ is the probability of Q = 1, which at ‖g‖ = L is the mass of the half-space of g.
func likelyQ(levels func() []level, proof string) verify.Check {
	return formula.Check{
		Quantity: "P(Q = 1)", Sense: verify.AtLeast, Domain: "budget 1.6 on the six data sets of Table 2 and of one " +
			"update; the control from ln 9 on", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, l := range levels() {
				m, err := mechanism.NewPrivateSampling(1, l.epsilon, 1, 1)
				top := 0.0
				if err == nil {
					top, _ = m.HalfSpaceDensity(1)
				}
				add(formula.Point{Place: formula.Placef("%s, ε_s = %.3g", l.at, l.epsilon), Measured: top / 2, Claimed: 0.9,
					Show: true,
					Err:  cmp.Or(l.err, err)})
			}
		},
	}
}

// withinInput holds ε_r and ε_s against 1 where the budget is that of so many updates.
func withinInput(updates float64) verify.Check {
	return formula.Check{
		Quantity: "ε_r, ε_s of one update", Sense: verify.AtMost, Contradiction: true,
		Domain: "the five budgets of Sect. 4.1",
		Points: func(add func(formula.Point)) {
			for _, budget := range paper.PrestigeBudgets {
				label, gradient := shares(budget / updates)
				add(formula.Point{Place: formula.Placef("budget %g, ε_r", budget), Measured: label, Claimed: 1})
				add(formula.Point{Place: formula.Placef("budget %g, ε_s", budget), Measured: gradient, Claimed: 1, Show: true})
			}
		},
	}
}
