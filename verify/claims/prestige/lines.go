package prestige

import (
	"iter"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// lineClaims returns eq. (23) of the proof of Theorem 1, Remarks 4 and 5, and Theorem 2.
func lineClaims() []verify.Claim {
	return slices.Concat(checks.Pair(verify.Claim{
		ID: "prestige/eq-23", Kind: verify.Identity, Origin: verify.Stated, Place: "Eq. (23): each of its inequalities",
		Statement: "for iterates and w* in the ball of radius R and η_t = R/(λB√t), Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t) " +
			"≤ ‖w_1−w*‖²/(2η_T) ≤ ‖w_1‖²/(2η_T) ≤ R²/(2η_T)",
		Check:    telescoped(printedLinks, ""),
		Formerly: []string{"prestige/eq-23/first", "prestige/eq-23/second"},
	}, verify.Claim{
		Place: "Eq. (23): with iterates and w* in B_d(R)",
		Statement: "Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t) is at most (2R)²/(2η_T) for iterates and w* in the ball of " +
			"radius R",
		Check: telescoped(func(walk, float64) []link { return []link{{"the sum ≤ (2R)²", 4}} }, telescopedProof),
	}, "the diameter 2R in place of R", "R in place of 2R"),
		checks.Pair(verify.Claim{
			ID: "prestige/remark-4", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 4: second sentence, the order, in λ; Sect. 4.1: λ from 10⁻³ to 10³",
			Statement: "over the paper's range of λ, from 10⁻³ to 10³, the rate c(ε_s, λ)k(d)/√T is of the order λ e^ε_s " +
				"√d/(ε_s √T): their ratio varies by less than a factor 10",
			Check: orderInLambda(paper.RateOrder, 10, "the ratio is LR√π (1+e^−ε)(λ²+2)/(2λ²)"),
		}, verify.Claim{
			Place: "Theorem 1: c(ε_s, λ)k(d)",
			Statement: "for each ε_s, over λ from 10⁻³ to 10³, the ratio of c(ε_s, λ)k(d)/√T to (λ + 1/λ) e^ε_s √d/(ε_s " +
				"√T) varies by at most a factor 2",
			Check: orderInLambda(bounds.RateOrder, 2, "the ratio is LR√π (1+e^−ε)/2 · (λ²+2)/(λ²+1), within a factor 2 "+
				"for all λ"),
		}, "the order (λ+1/λ)e^ε√d/(ε√T)", "the term 1/λ left out"),
		[]verify.Claim{
			{
				ID: "prestige/remark-4/fixed-lambda", Kind: verify.Identity, Origin: verify.Stated,
				Place: "Remark 4: first sentence, and the second, the order in d, ε_s and T",
				Statement: "for fixed λ, c(ε_s, λ)k(d)/√T is of the order e^ε_s √d/(ε_s √T): at λ = 1 the ratio is at " +
					"most 3 times LR√π. T = c²k²/ε² updates bring the bound down to ε",
				Check: orderInRest(3),
				Control: verify.Control{Check: orderInRest(2.8), Want: checks.Refuted, Fault: "the constant understated by 7 " +
					"%"},
				Formerly: []string{"prestige/remark-4/updates"},
			},
			{
				ID: "prestige/remark-5", Kind: verify.Identity, Origin: verify.Stated,
				Place: "Remark 5: third and fourth sentence; the factor contains λ as well as ε_s",
				Statement: "the right-hand side of Corollary 1, eq. (32), is the general rate LR√π d^(1/2−1/q)/√T of " +
					"Remark 5 times its factor c(ε_s, λ)√d",
				Check:    minimaxTimesFactor(0.5),
				Control:  checks.Faulty(minimaxTimesFactor(0.45), "the factor c d^0.45"),
				Formerly: []string{"prestige/remark-5/price", "prestige/remark-5/price/corrected"},
			},
			{
				ID: "prestige/thm-2", Kind: verify.Rate, Origin: verify.Stated,
				Place: "Theorem 2: Definitions 5 and 6, Remark 6",
				Statement: "if the virtual complexity of Definition 6 is polynomial in 1/R, 1/δ and dim(H), then T_max, r " +
					"times this complexity, is polynomial in r, 1/R, 1/δ and dim(H). It has the KWIK bound O((r/R) ln(1/δ))",
				Check: checks.Untestable("no observable of a run of Algorithm 1 defines the virtual complexity, the ratio r " +
					"and dim(H), and the paper names no polynomial; a KWIK learner may answer 'I do not know', and the " +
					"paper does not say which step is this answer; 1/R depends on the unit of w, but T_max does not"),
				Formerly: []string{"prestige/def-6"},
			},
			{
				ID: "prestige/thm-2/epochs", Kind: verify.Rate, Origin: verify.Stated,
				Place:     "Sect. 4.1, Parameters&Metrics: T_max is set to 10 by Theorem 2",
				Statement: "Theorem 2 gives T_max = 10",
				Check: checks.Untestable("Theorem 2 and Remark 6 leave r, R, δ and the constants open, and the experiments " +
					"name none of them: every T_max follows from some choice"),
			},
		})
}

// link is an upper bound in eq. (23), times 2η_T, at R = 1.
type link struct {
	words string
	bound float64
}

// printedLinks returns the upper bounds of eq. (23) for a walk, given start = ‖w_1‖².
func printedLinks(w walk, start float64) []link {
	return []link{{"the sum ≤ ‖w_1−w*‖²", w[0]}, {"the sum ≤ ‖w_1‖²", start}, {"the sum ≤ R²", 1}}
}

// telescoped compares the left side of eq. (23) with its bounds for all walks through {−R, 0, R} with w* = R. The left
// side is linear in the squared distances a_t = ‖w_t−w*‖², so these walks contain its maximum over the ball.
func telescoped(links func(w walk, start float64) []link, proof string) verify.Check {
	return formula.Check{
		Quantity: "Σ (‖w_t−w*‖² − ‖w_{t+1}−w*‖²)/(2η_t)", Sense: verify.AtMost, Proof: proof,
		Domain: "T from 1 to 8, R = λ = B = 1, every walk w_1, …, w_{T+1} over {−R, 0, R} to w* = R",
		Points: func(add func(formula.Point)) {
			for updates := 1; updates <= 8; updates++ {
				for w := range walks(updates + 1) {
					left := 0.0
					for t := 1; t <= updates; t++ {
						left += (w[t-1] - w[t]) / (2 * bounds.StepSize(1, 1, 1, float64(t)))
					}
					start := math.Pow(1-math.Sqrt(w[0]), 2)
					for _, l := range links(w, start) {
						add(formula.Point{Place: formula.Placef("%s: T=%d, ‖w_t−w*‖² = %v", l.words, updates, slices.Clone(w)),
							Measured: left, Claimed: l.bound / (2 * bounds.StepSize(1, 1, 1, float64(updates))), Show: updates == 1})
					}
				}
			}
		},
	}
}

// walk is a sequence of squared distances from w*.
type walk []float64

// walks yields all sequences of n squared distances to w* = 1 for w in {1, 0, −1}: 0, 1 and 4.
func walks(n int) iter.Seq[walk] {
	return func(yield func(walk) bool) {
		digits, w := make([]int, n), make(walk, n)
		for {
			for i, k := range digits {
				w[i] = float64(k * k)
			}
			if !yield(w) {
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

const telescopedProof = "summation by parts: a_1/(2η_1) + Σ a_t(1/(2η_t) − 1/(2η_{t−1})) − a_{T+1}/(2η_T) with a_t ≤ " +
	"4R² and increasing 1/η_t"

// orderInLambda compares the ratio of rate and order at each λ, divided by its smallest value, with factor.
func orderInLambda(order func(d int, epsilon, lambda, updates float64) float64, factor float64,
	proof string) verify.Check {
	return formula.Check{
		Quantity: "ratio of rate and order, divided by its smallest value over λ", Sense: verify.AtMost, Proof: proof,
		Grid:   formula.Grid{formula.Over("ε_s", epsilons...), formula.Over("λ", localsgd.Lambdas...)},
		Domain: "d = 10, T = 10³, L = R = 1",
		At: func(at []float64, add func(formula.Point)) {
			ratio := func(lambda float64) float64 {
				return paper.Rate(10, at[0], lambda, 1, 1, 1e3) / order(10, at[0], lambda, 1e3)
			}
			least := math.Inf(1)
			for _, lambda := range localsgd.Lambdas {
				least = math.Min(least, ratio(lambda))
			}
			add(formula.Point{Measured: ratio(at[1]) / least, Claimed: factor, Show: at[0] == 1})
		},
	}
}

func orderInRest(constant float64) verify.Check {
	return formula.Check{
		Quantity: "c(ε_s, 1)k(d)/√T over e^ε_s √d/(ε_s √T), in units of LR√π; bound at T = c²k²/ε² over ε",
		Sense:    verify.AtMost,
		Grid: formula.Grid{formula.Over("d", dimensions...), formula.Over("ε_s", append([]float64{1e-9}, epsilons...)...),
			formula.Over("T", 1, 1e3, 1e9)},
		Proof: "the ratio is 3(1+e^−ε)/2 < 3, and c k/√T = ε for T = c²k²/ε²",
		At: func(at []float64, add func(formula.Point)) {
			d, eps, updates := int(at[0]), at[1], at[2]
			rate := paper.Rate(d, eps, 1, 1, 1, updates)
			add(formula.Point{Measured: rate / paper.RateOrder(d, eps, 1, updates) / math.Sqrt(math.Pi), Claimed: constant,
				Show: d == 1 && updates == 1})
			one := paper.Rate(d, eps, 1, 1, 1, 1)
			add(formula.Point{Place: formula.Placef("after (ck/ε)² updates, ε = the bound at T"), Claimed: 1,
				Measured: paper.Rate(d, eps, 1, 1, 1, one*one/(rate*rate)) / rate})
		},
	}
}

func minimaxTimesFactor(power float64) verify.Check {
	return formula.Check{
		Quantity: "LR√π d^(1/2−1/q)/√T · c(ε_s, λ)√d", Sense: verify.Equals,
		Grid:   formula.Grid{formula.Over("d", dimensions...), formula.Over("1/p", 0, 0.1, 0.25, 0.5)},
		Domain: "λ = L = R = ε_s = 1, T = 10³", Proof: "d^(1/2−1/q) · d^(1/2) = d^(1−1/q)",
		At: func(at []float64, add func(formula.Point)) {
			c := paper.RateFactor(1, 1) * math.Sqrt(math.Pi/1e3)
			add(formula.Point{Measured: c * math.Pow(at[0], at[1]-0.5) * math.Pow(at[0], power),
				Claimed: c * paper.RateConstantRestricted(int(at[0]), at[1]), Show: at[0] == 123})
		},
	}
}
