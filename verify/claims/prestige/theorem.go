package prestige

import (
	"slices"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const theoremStatement = "Theorem 1: its display, and the sentence before it in Sect. 3.4, for any regularizer"

// theoremClaims returns the claims of Theorem 1 and Corollary 1 as bounds on the gap of a run, in the paper's order.
// lines.go has the algebra of their proofs.
//
//	theorem.go           the claims
//	theorem_training.go  Algorithm 1 on equal records, over T
//	theorem_instance.go  the search for the instance with the largest ratio of gap and bound
//	theorem_exact.go     instances with a computed lower bound on the gap
//	theorem_ball.go      the premise that w stays in the ball
//
// The theorem leaves open whether w is projected, which labels define F, where a run starts, and whether the curriculum
// may reject records. Sect. 3.4 says that it holds for every regularizer; the instances of these claims have none,
// except thm-1 itself.
func theoremClaims() []verify.Claim {
	const corrected = "prestige/thm-1/corrected"
	far := instance{d: 2, epsilon: 1, lambda: 12.4, slope: 1, edge: true, far: true}
	return slices.Concat([]verify.Claim{
		{
			ID: "prestige/thm-1", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Theorem 1: its display, and eq. (31); F of eq. (1) is over the labels y, while line 11 of Algorithm 1 " +
				"descends over the perturbed ones",
			Statement: "with projection and every record selected, the gap F(ŵ) − F(w*) of the mean iterate is at most " +
				"c(ε_s, λ)k(d)/√T. F of eq. (1) is over the unperturbed labels y. Setting: 100 equal records, d = 1, " +
				"hinge loss, λ = 1, ε_r = 0.2, ε_s = 0.8",
			Check: training{lambda: 1, radius: 1, trueLabels: true}.bounded(),
			Control: verify.Control{Check: training{lambda: 1, radius: 1}.bounded(), Want: checks.Consistent,
				Fault: "none: F over the perturbed labels"},
			Corrected: corrected,
			Formerly:  []string{"prestige/thm-1/true-labels", "prestige/eq-26/true-labels"},
		},
		{
			ID: "prestige/thm-1/projected", Kind: verify.Rate, Origin: verify.Reading,
			Place: "Theorem 1: and Corollary 1, their displays. This reading projects w on B_d(R), which Algorithm 1 " +
				"does not print, and allows any w^(1) in the ball, as eq. (23) does",
			Statement: "from a start at the far side of the ball, the gap F(ŵ) − F(w*) is at most c(ε_s, λ)k(d)/√T. In " +
				"the ball of radius R d^(1/2−1/q) it is at most c(ε_s, λ)k'(d)/√T (the same instance, scaled). Setting: " +
				"projection, every record selected, F convex and over the perturbed labels, the worst of 64 instances " +
				"that a search finds (d ≤ 3, λ from 0.1 to 10, T ≤ 1600)",
			Check:    worstAdversary(true, false, printedRate),
			Control:  checks.Faulty(worstAdversary(true, false, understatedLimit(0.5, printedRate)), "half of the bound"),
			Formerly: []string{"prestige/thm-1/projected/start", "prestige/cor-1/bound"},
		},
	}, checks.Pair(verify.Claim{
		ID: "prestige/thm-1/unprojected", Kind: verify.Rate, Origin: verify.Reading,
		Place: theoremStatement + "; Algorithm 1, P-Update, as printed: Theorem 1 assumes w in the ball, which this " +
			"reading omits; eq. (29), the inequality",
		Statement: "without projection, as Algorithm 1 is printed, and with every record selected, the gap F(ŵ) − " +
			"F(w*) is at most c(ε_s, λ)k(d)/√T for every convex F. Instance: F = a‖w‖, a ≤ L, no regularizer, w_1 = w* " +
			"= 0, d = 123, T from 10⁴ to 10⁶, ε_s from 0.05 to 0.8",
		Check:    withoutBall("", printedRate, equation29),
		Formerly: []string{"prestige/thm-1/unprojected/small-lambda", "prestige/eq-29/bound"},
	}, verify.Claim{
		Place: "Theorem 1, corrected: eqs. (17) to (22) without projection, E‖w_t − w*‖² ≤ 4R² + (R/λ)²(1 + ln T)",
		Statement: "without projection and with every record selected, the gap F(ŵ) − F(w*) is at most (2λ + (3 + ln " +
			"T)/(2λ))·RB/√T with the unbiased B. Setting: every convex F with L-Lipschitz f_i, start and w* in the ball " +
			"of radius R",
		Check: withoutBall("the bound is derived for every convex loss; the points compare it with one instance",
			mendedUnprojected),
	}, "the bound with ln T, which accounts for the distance that the noise moves w", "the printed bound, without ln T"),
		[]verify.Claim{
			{
				ID: corrected, Kind: verify.Rate, Origin: verify.Correction,
				Place: "Theorem 1, corrected: eqs. (17) to (29) with 2R for R in eq. (23), the B of " +
					"prestige/lemma-2/corrected and projection; with R d^(1/2−1/q) for R this is the corrected Corollary 1",
				Statement: "the gap from any start in the ball is at most ((2λ²+1)/λ)·RB/√T with the unbiased B. Setting: " +
					"projection, every record selected, F convex and over the perturbed labels, the worst of 64 instances " +
					"that a search finds",
				Check:    worstAdversary(true, false, mendedGap),
				Control:  checks.Faulty(worstAdversary(true, false, understatedLimit(0.5, mendedGap)), "half of the bound"),
				Formerly: []string{"prestige/cor-1/bound/corrected"},
			},
			{
				ID: "prestige/eq-25/bound", Kind: verify.Rate, Origin: verify.Stated,
				Place: "Eq. (25): divided by T, with η_t = R/(λB√t) and a B for which E[G|g] = g, as the proof has it after " +
					"eq. (17)",
				Statement: "with projection, the unbiased B and any start in the ball, the expected mean gap is at most " +
					"(R²/(2η_T) + ½Σ η_t B²)/T. Setting: F = L(R − ⟨u, w⟩), started at −Ru",
				Check: far.rate(equation25, []float64{1000}, ""),
				Control: verify.Control{Check: far.rate(mendedGap, []float64{1000}, ""), Want: checks.Consistent,
					Fault: "none: the diameter 2R in place of R"},
				Corrected: corrected,
			},
			{
				ID: "prestige/cor-1/minimiser", Kind: verify.Rate, Origin: verify.Observation,
				Place: "Corollary 1, eq. (32): with the w* of Theorem 1, in the ball of radius R",
				Statement: "the rate of Corollary 1 applies to the minimizer in the ball of radius R' = R d^(1/2−1/q), " +
					"not in the ball of radius R. F = L(R − ⟨u, w⟩) in the smaller ball exceeds its minimum in the larger " +
					"one by at least L(R − R'). From T = 10⁴ on this is more than c(ε_s, λ)k'(d)/√T. Setting: p = 4 and ∞, " +
					"λ = 1, ε_s = 0.8",
				Check:   toLargeBall(0, 0.25),
				Control: checks.Faulty(toLargeBall(0.5), "p = 2, for which the two balls are equal"),
			},
			{
				ID: "prestige/alg-1/output", Kind: verify.Consistency, Origin: verify.Implied,
				Place: "Algorithm 1, Output: the last iterate; Theorem 1, line after the display: ŵ is the mean of w^(1), …, " +
					"w^(T)",
				Statement: "the w that Algorithm 1 returns, its last iterate, is the mean ŵ that Theorem 1 bounds",
				Check:     outputIsMean(false),
				Control: verify.Control{Check: outputIsMean(true), Want: checks.Holds,
					Fault: "none: one update, after which both are w^(1)"},
				Corrected: "prestige/alg-1/output/corrected",
			},
			{
				ID: "prestige/alg-1/output/corrected", Kind: verify.Rate, Origin: verify.Correction,
				Place: "Algorithm 1, Output: with projection and Shamir & Zhang 2013, Theorem 2",
				Statement: "the gap of the last iterate, which Algorithm 1 returns, is at most (4λ + 1/λ)(2 + ln T)·RB/√T " +
					"with the unbiased B (Shamir and Zhang 2013, Theorem 2). Setting: projection, every record selected, " +
					"the worst of 64 instances that a search finds",
				Check: worstAdversary(true, true, lastGap),
				Control: checks.Faulty(worstAdversary(true, true, understatedLimit(1.0/50, lastGap)),
					"a fiftieth of the bound: the 2 + ln T and the constant of the diameter left out"),
			},
			{
				ID: "prestige/thm-1/lipschitz", Kind: verify.Sensitivity, Origin: verify.Implied,
				Place:     "Theorem 1: first sentence, L-Lipschitz in an ℓp norm, p from 2 to ∞; Proposition 1 needs ‖g‖₂ ≤ L",
				Statement: "a gradient with dual norm ‖g‖_q at most L has ‖g‖₂ ≤ L, for 1/p + 1/q = 1 and p from 2 to ∞",
				Check:     dualNorm(2),
				Control:   checks.Faulty(dualNorm(1.5), "p = 1.5 included"),
			},
		})
}

// The following functions return bounds on the gap at L = R = 1.

func printedRate(i instance, updates float64) (float64, error) {
	return paper.Rate(i.d, i.epsilon, i.lambda, 1, 1, updates), nil
}

func mendedGap(i instance, updates float64) (float64, error) { return i.unbiased(bounds.Gap, updates) }
func mendedUnprojected(i instance, updates float64) (float64, error) {
	return i.unbiased(bounds.UnprojectedGap, updates)
}
func lastGap(i instance, updates float64) (float64, error) {
	return i.unbiased(bounds.LastGap, updates)
}

// equation25 returns the right-hand side of eq. (25) divided by T, with the bound 2√T of eq. (28) for Σ1/√t.
func equation25(i instance, updates float64) (float64, error) { return i.unbiased(paper.Gap, updates) }

func equation29(i instance, updates float64) (float64, error) {
	b, err := paper.PrivateSamplingBound(i.d, i.epsilon, 1)
	return paper.Gap(i.lambda, 1, b, updates), err
}

// unbiased evaluates a bound in λ, R, B and T with the unbiased B.
func (i instance) unbiased(gap func(lambda, radius, bound, updates float64) float64, updates float64) (float64, error) {
	b, err := bounds.PrivateSamplingBound(i.d, i.epsilon, 1)
	return gap(i.lambda, 1, b, updates), err
}

// understatedLimit multiplies a bound by share.
func understatedLimit(share float64, bound limit) limit {
	return func(i instance, updates float64) (float64, error) {
		gap, err := bound(i, updates)
		return share * gap, err
	}
}
