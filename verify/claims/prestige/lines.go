package prestige

import (
	"iter"
	"math"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// lineClaims are the lines of the proof of Theorem 1 that are algebra, and the remarks.
func lineClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/eq-23", Source: "eq. (23)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (23), the whole chain",
			Statement: "Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t) is at most R²/(2η_T) for iterates and w* in the ball of radius R",
			Check:     telescoped(ownRadius, ""),
			Control: verify.Control{Check: telescoped(diameter, telescopedProof), Want: checks.Holds,
				Fault: "none: the diameter 2R in the place of R"},
			Corrected: "prestige/eq-23/corrected",
		},
		{
			ID: "prestige/eq-23/first", Source: "eq. (23), first inequality", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (23), its first inequality",
			Statement: "Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t) is at most ‖w_1−w*‖²/(2η_T) for iterates and w* in the ball of " +
				"radius R",
			Check: telescoped(firstDistance, ""),
			Control: verify.Control{Check: telescoped(diameter, telescopedProof), Want: checks.Holds,
				Fault: "none: the largest distance in the place of the first"},
			Corrected: "prestige/eq-23/corrected",
		},
		{
			ID: "prestige/eq-23/second", Source: "eq. (23), second inequality", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (23), its second inequality, times 2η_T",
			Statement: "‖w_1 − w*‖² is at most ‖w_1‖² for w_1 and w* in the ball of radius R",
			Check:     startDistance(func(first float64) float64 { return first * first }),
			Control: verify.Control{Check: startDistance(func(float64) float64 { return 4 }), Want: checks.Holds,
				Fault: "none: (2R)²"},
			Corrected: "prestige/eq-23/corrected",
		},
		{
			ID: "prestige/eq-23/corrected", Source: "eq. (23), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eq. (23), with iterates and w* in B_d(R)",
			Statement: "Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t) is at most (2R)²/(2η_T) for iterates and w* in the ball of " +
				"radius R",
			Check:   telescoped(diameter, telescopedProof),
			Control: verify.Control{Check: telescoped(ownRadius, ""), Want: checks.Refuted, Fault: "R in the place of 2R"},
		},
		{
			ID: "prestige/eq-29", Source: "eq. (29)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (29), the equation",
			Statement: "λRB/(2√T) + RB/(λ√T) is (λ²+2)/(2λ) · RB/√T",
			Check:     gapSum(1),
			Control:   verify.Control{Check: gapSum(1.05), Want: checks.Refuted, Fault: "the first term 5 % larger"},
		},
		{
			ID: "prestige/remark-4", Source: "Remark 4", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 4, second sentence: the order, in λ",
			Statement: "the rate c(ε_s, λ)k(d)/√T is of the order λ e^ε_s √d/(ε_s √T): their ratio stays bounded as λ falls " +
				"to 0",
			Check: orderInLambda(paper.RateOrder, "the ratio is LR√π (1+e^−ε)(λ²+2)/(2λ²)"),
			Control: verify.Control{Check: orderInLambda(bounds.RateOrder, orderCorrectedProof), Want: checks.Holds,
				Fault: "none: the order (λ+1/λ)e^ε√d/(ε√T)"},
			Corrected: "prestige/remark-4/corrected",
		},
		{
			ID: "prestige/remark-4/corrected", Source: "Remark 4, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Theorem 1, c(ε_s, λ)k(d)",
			Statement: "the rate c(ε_s, λ)k(d)/√T is of the order (λ + 1/λ) e^ε_s √d/(ε_s √T): their ratio stays bounded as " +
				"λ falls",
			Check: orderInLambda(bounds.RateOrder, orderCorrectedProof),
			Control: verify.Control{Check: orderInLambda(paper.RateOrder, ""), Want: checks.Refuted,
				Fault: "the term 1/λ left out"},
		},
		{
			ID: "prestige/remark-4/fixed-lambda", Source: "Remark 4", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 4, second sentence: the order, in d, ε_s and T",
			Statement: "at λ = 1, where only d, ε_s and T vary, c(ε_s, λ)k(d)/√T is at most 3LR√π times λ e^ε_s √d/(ε_s √T)",
			Check:     orderInRest(3),
			Control:   verify.Control{Check: orderInRest(2.8), Want: checks.Refuted, Fault: "the constant understated by 7 %"},
		},
		{
			ID: "prestige/remark-4/updates", Source: "Remark 4", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 4, first sentence",
			Statement: "T = c²(ε_s, λ)k²(d)/ε² updates bring the bound of Theorem 1 down to ε",
			Check:     updatesForGap(1),
			Control:   verify.Control{Check: updatesForGap(0.95), Want: checks.Refuted, Fault: "5 % fewer updates"},
		},
		{
			ID: "prestige/remark-5", Source: "Remark 5", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 5, third and fourth sentence",
			Statement: "the minimax rate LR√π d^(1/2−1/q)/√T times the factor c(ε_s, λ)√d is the right-hand side of Corollary 1",
			Check:     minimaxTimesFactor(0.5),
			Control:   verify.Control{Check: minimaxTimesFactor(0.45), Want: checks.Refuted, Fault: "the factor c d^0.45"},
		},
		{
			ID: "prestige/thm-2", Source: "Theorem 2, Defs. 5-6, Remark 6", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 2, Definitions 5 and 6, Remark 6",
			Statement: "T_max is polynomial in r, 1/R, 1/δ and dim(H), with the KWIK bound O((r/R) ln(1/δ))",
			Check: checks.Untestable("the virtual complexity, the ratio r and dim(H) are defined by nothing that an " +
				"execution of Algorithm 1 shows, and no polynomial is named; the learner of a KWIK protocol may answer 'I do " +
				"not know', which Algorithm 1 never does"),
		},
		{
			ID: "prestige/thm-2/epochs", Source: "Sect. 4.1, Theorem 2", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Sect. 4.1, Parameters&Metrics: T_max is set to 10 by Theorem 2",
			Statement: "Theorem 2 gives T_max = 10",
			Check: checks.Untestable("Theorem 2 and Remark 6 leave r, R, δ and the constants open, and the experiments name " +
				"none of them: every T_max follows from some choice, and on six data sets the same one is taken"),
		},
		{
			ID: "prestige/def-6", Source: "Definition 6", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Definition 6",
			Statement: "the virtual complexity where z ≤ D_th is bounded by a polynomial in 1/R, 1/δ and dim(H)",
			Check: checks.Untestable("no execution of Algorithm 1 has a virtual complexity: it does nothing where z < D_th, " +
				"and the paper does not say what is counted there; 1/R changes with the unit of w, which no count does"),
		},
	}
}

// telescoped maximises the left side of eq. (23) over all ways through the ball. In the
// distances a_t = ‖w_t−w*‖² it is linear, so its maximum lies where each a_t is an
// extreme: w_t in {−R, R}, w* = R or 0.
func telescoped(right func(first, radius float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t)", Sense: verify.AtMost, Proof: proof,
		Domain: "T from 1 to 8, R = λ = B = 1, every walk w_1, …, w_{T+1} over {−R, 0, R} to w* = R",
		Points: func(add func(formula.Point)) {
			for updates := 1; updates <= 8; updates++ {
				for walk := range walks(updates + 1) {
					left := 0.0
					for t := 1; t <= updates; t++ {
						left += (walk[t-1] - walk[t]) / (2 * bounds.StepSize(1, 1, 1, float64(t)))
					}
					claimed := right(walk[0], 1) / (2 * bounds.StepSize(1, 1, 1, float64(updates)))
					add(formula.Point{Place: formula.Placef("T=%d, ‖w_t−w*‖² = %v", updates, append([]float64{}, walk...)),
						Measured: left,
						Claimed:  claimed, Show: updates == 1})
				}
			}
		},
	}
}

// startDistance is over w_1 and w* in {−1, 0, 1}, R = 1.
func startDistance(most func(first float64) float64) verify.Check {
	return formula.Check{
		Quantity: "‖w_1 − w*‖²", Sense: verify.AtMost, Domain: "d = 1, R = 1, w_1 and w* in {−1, 0, 1}",
		Proof: "the distance is largest where both are extreme, and at most 2R",
		Points: func(add func(formula.Point)) {
			for first := -1.0; first <= 1; first++ {
				for star := -1.0; star <= 1; star++ {
					add(formula.Point{Place: formula.Placef("w_1=%g, w*=%g", first, star), Measured: (first - star) * (first - star),
						Claimed: most(first), Show: star == 1})
				}
			}
		},
	}
}

// walks are all sequences of n squared distances 0, 1, 4: w* = 1, w in {1, 0, −1}.
func walks(n int) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		digits, walk := make([]int, n), make([]float64, n)
		for {
			for i, k := range digits {
				walk[i] = float64(k * k)
			}
			if !yield(walk) {
				return
			}
			i := 0
			for ; i < n; i++ {
				if digits[i]++; digits[i] < 3 {
					break
				}
				digits[i] = 0
			}
			if i == n {
				return
			}
		}
	}
}

func ownRadius(_, radius float64) float64    { return radius * radius }
func firstDistance(first, _ float64) float64 { return first }
func diameter(_, radius float64) float64     { return 4 * radius * radius }

const telescopedProof = "summation by parts: a_1/(2η_1) + Σ a_t(1/(2η_t) − 1/(2η_{t−1})) − a_{T+1}/(2η_T) with a_t " +
	"≤ 4R² and 1/η_t growing"

// grid runs over λ, R, B and T from far below to far above 1.
func grid(at func(lambda, radius, bound, updates float64) formula.Point) func(add func(formula.Point)) {
	return func(add func(formula.Point)) {
		for _, lambda := range []float64{1e-3, 0.1, 1, 10, 1e3} {
			for _, radius := range []float64{0.1, 1, 30} {
				for _, bound := range []float64{0.1, 1, 300} {
					for _, updates := range []float64{1, 2, 1e3, 1e9} {
						p := at(lambda, radius, bound, updates)
						p.Place = formula.Placef("λ=%g, R=%g, B=%g, T=%g", lambda, radius, bound, updates)
						p.Show = radius == 1 && bound == 1 && (updates == 1 || updates == 1e3)
						add(p)
					}
				}
			}
		}
	}
}

const gridOfLines = "λ ∈ {10⁻³, 0.1, 1, 10, 10³}, R ∈ {0.1, 1, 30}, B ∈ {0.1, 1, 300}, T ∈ {1, 2, 10³, 10⁹}"

func mendedFirstTerm(lambda, radius, bound, updates float64) float64 {
	return lambda * radius * bound / (2 * math.Sqrt(updates))
}

func gapSum(factor float64) verify.Check {
	return formula.Check{
		Quantity: "λRB/(2√T) + RB/(λ√T)", Sense: verify.Equals, Domain: gridOfLines, Proof: "λ/2 + 1/λ = (λ²+2)/(2λ)",
		Points: grid(func(lambda, radius, bound, updates float64) formula.Point {
			left := factor*mendedFirstTerm(lambda, radius, bound, updates) + radius*bound/(lambda*math.Sqrt(updates))
			return formula.Point{Measured: left, Claimed: paper.Gap(lambda, radius, bound, updates)}
		}),
	}
}

const orderCorrectedProof = "the ratio is LR√π (1+e^−ε)/2 · (λ²+2)/(λ²+1), within a factor 2 for all λ"

// orderInLambda follows the ratio of rate and order as λ falls a millionfold.
func orderInLambda(order func(d int, epsilon, lambda, updates float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "growth of the ratio as λ falls a hundredfold", Sense: verify.AtMost, Proof: proof,
		Domain: "λ from 1 down to 10⁻¹², ε_s ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}, d = 10, T = 10³, L = R = 1; bounded means: no " +
			"hundredfold step below λ = 10⁻² grows by more than 1 %",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			ratio := func(lambda float64) float64 {
				return paper.Rate(10, eps, lambda, 1, 1, 1e3) / order(10, eps, lambda, 1e3)
			}
			for exponent := -2; exponent > -12; exponent -= 2 {
				lambda := math.Pow10(exponent)
				add(formula.Point{Place: formula.Placef("ε=%g, λ from %g to %g", eps, lambda, lambda/100),
					Measured: ratio(lambda/100) / ratio(lambda), Claimed: 1.01, Show: eps == 1})
			}
		}),
	}
}

func orderInRest(constant float64) verify.Check {
	return formula.Check{
		Quantity: "c(ε_s, 1)k(d)/√T over e^ε_s √d/(ε_s √T), in units of LR√π", Sense: verify.AtMost,
		Domain: gridWords + ", T ∈ {1, 10³, 10⁹}, down to ε = 10⁻⁹", Proof: "the ratio is 3(1+e^−ε)/2 < 3",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, eps := range append([]float64{1e-9}, epsilons...) {
					for _, updates := range []float64{1, 1e3, 1e9} {
						ratio := paper.Rate(d, eps, 1, 1, 1, updates) / paper.RateOrder(d, eps, 1, updates) /
							math.Sqrt(math.Pi)
						add(formula.Point{Place: formula.Placef("d=%d, ε=%g, T=%g", d, eps, updates), Measured: ratio, Claimed: constant,
							Show: d == 1 && updates == 1})
					}
				}
			}
		},
	}
}

func updatesForGap(share float64) verify.Check {
	return formula.Check{
		Quantity: "the bound of Theorem 1 over the target", Sense: verify.AtMost,
		Domain: gridWords + ", λ ∈ {10⁻³, 1, 10³}, targets 10⁻³ and 1",
		Proof:  "c k/√T = target for T = c²k²/target²",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, eps := range epsilons {
					for _, lambda := range []float64{1e-3, 1, 1e3} {
						for _, target := range []float64{1e-3, 1} {
							one := paper.Rate(d, eps, lambda, 1, 1, 1)
							updates := share * one * one / (target * target)
							add(formula.Point{Place: formula.Placef("d=%d, ε=%g, λ=%g, target %g", d, eps, lambda, target),
								Measured: paper.Rate(d, eps, lambda, 1, 1, updates) / target, Claimed: 1})
						}
					}
				}
			}
		},
	}
}

func minimaxTimesFactor(power float64) verify.Check {
	return formula.Check{
		Quantity: "LR√π d^(1/2−1/q)/√T · c(ε_s, λ)√d", Sense: verify.Equals,
		Domain: "d ∈ {1, 2, 3, 10, 123, 784}, 1/p from 0 to ½, λ = L = R = ε_s = 1, T = 10³",
		Proof:  "d^(1/2−1/q) · d^(1/2) = d^(1−1/q)",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, inverseP := range []float64{0, 0.1, 0.25, 0.5} {
					c := paper.RateFactor(1, 1) * math.Sqrt(math.Pi/1e3)
					left := c * math.Pow(float64(d), inverseP-0.5) * math.Pow(float64(d), power)
					add(formula.Point{Place: formula.Placef("d=%d, 1/p=%g", d, inverseP), Measured: left,
						Claimed: c * paper.RateConstantRestricted(d, inverseP), Show: d == 123})
				}
			}
		},
	}
}
