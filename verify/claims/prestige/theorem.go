package prestige

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const theoremStatement = "Theorem 1, its display, and the sentence before it in Sect. 3.4: for any regulariser"

// theoremClaims returns the claims of Theorem 1 and Corollary 1 as bounds on what a run reaches, in the paper's order.
// lines.go has the algebra of their proofs.
//
//	theorem.go           the claims
//	theorem_training.go  Algorithm 1 on equal records, over T
//	theorem_instance.go  the search for the instance that comes nearest to a bound
//	theorem_exact.go     the instances whose gap is bounded from below by computation
//	theorem_ball.go      the premise that w stays in the ball
//
// The theorem leaves open whether w is projected, which labels F is over, where a run starts, and whether
// the curriculum may refuse records; Sect. 3.4 says that it holds for every regulariser, so that none is
// one of them.
func theoremClaims() []verify.Claim {
	const corrected = "prestige/thm-1/corrected"
	literal := training{lambda: 1, radius: 2, threshold: paper.PrestigeFirstThreshold, decrease: paper.PrestigeDecrease,
		trueLabels: true}
	selecting := training{lambda: 1, radius: 1, threshold: math.Inf(-1), project: true}
	trueLabels := selecting
	trueLabels.trueLabels = true
	return []verify.Claim{
		{
			ID: "prestige/thm-1", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 1, its display; Algorithm 1 as printed",
			Statement: "after T updates of Algorithm 1 with D_th = 1.5 and μ = 1, the gap F(ŵ) − F(w*) of the mean iterate, F " +
				"over the labels as they are, is at most c(ε_s, λ)k(d)/√T",
			Check: literal.constant(),
			Control: verify.Control{Check: selecting.bounded(paper.Rate), Want: checks.Consistent,
				Fault: "none: every record selected, projection, and F over the perturbed labels"},
			Corrected: corrected,
		},
		{
			ID: "prestige/thm-1/true-labels", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 1, its display: F of eq. (1) is over the labels y, while line 11 of " +
				"Algorithm 1 descends over the perturbed ones; projection and selection granted",
			Statement: "with projection and every record selected, the gap with the labels as they are is at most c(ε_s, " +
				"λ)k(d)/√T",
			Check: trueLabels.bounded(paper.Rate),
			Control: verify.Control{Check: selecting.bounded(paper.Rate), Want: checks.Consistent,
				Fault: "none: F over the perturbed labels"},
			Corrected: corrected,
		},
		{
			ID: "prestige/thm-1/projected", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Origin: verify.Reading, Place: theoremStatement + "; Algorithm 1, Initialize: a random start; w kept in B_d(R) by " +
				"projection, which Algorithm 1 does not print",
			Statement: "with projection, every record selected, F over the perturbed labels and a start drawn uniformly from " +
				"the ball, the gap F(ŵ) − F(w*) is at most c(ε_s, λ)k(d)/√T, at the worst instance that a search finds",
			Check: worstAdversary(false, false, printedRate),
			Control: verify.Control{Check: worstAdversary(false, false, understatedLimit(1.0/6, printedRate)),
				Want:  checks.Refuted,
				Fault: "a sixth of the bound"},
		},
		{
			ID: "prestige/thm-1/projected/start", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Origin: verify.Stated, Place: theoremStatement + ", for any w in B_d(R); eq. (23) takes w^(1) to be any of them",
			Statement: "with projection and from any start in the ball, the gap F(ŵ) − F(w*) is at most c(ε_s, λ)k(d)/√T",
			Check:     fromFar(printedRate, ""),
			Control: verify.Control{Check: fromFar(mendedGap, startProof), Want: checks.Holds,
				Fault: "none: the bound with the " +
					"diameter"},
			Corrected: corrected,
		},
		{
			ID: "prestige/thm-1/unprojected", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Origin: verify.Implied, Place: theoremStatement + "; Algorithm 1, P-Update, without projection; λ = 1",
			Statement: "without projection, at λ = 1 and with every record selected, the gap F(ŵ) − F(w*) is at most c(ε_s, " +
				"λ)k(d)/√T",
			Check: withoutBall(1, printedRate, ""),
			Control: verify.Control{Check: withoutBall(1, mendedUnprojected, walkProof), Want: checks.Holds,
				Fault: "none: the bound with ln T, which grows with the distance that the noise carries w"},
			Corrected: "prestige/thm-1/unprojected/corrected",
		},
		{
			ID: "prestige/thm-1/unprojected/small-lambda", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Origin: verify.Implied, Place: theoremStatement + "; Algorithm 1, P-Update, without projection; λ = 0.01",
			Statement: "without projection, at λ = 0.01 and with every record selected, the gap F(ŵ) − F(w*) is at most " +
				"c(ε_s, λ)k(d)/√T",
			Check: withoutBall(0.01, printedRate, ""),
			Control: verify.Control{Check: withoutBall(0.01, mendedUnprojected, walkProof), Want: checks.Holds,
				Fault: "none: the bound with ln T, which grows with the distance that the noise carries w"},
			Corrected: "prestige/thm-1/unprojected/corrected",
		},
		{
			ID: "prestige/thm-1/unprojected/corrected", Source: "Theorem 1, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "eqs. (17) to (22) without projection, E‖w_t − w*‖² ≤ 4R² + (R/λ)²(1 + ln T)",
			Statement: "without projection and with every record selected, the gap F(ŵ) − F(w*) is at most (2λ + (3 + ln " +
				"T)/(2λ)) · RB/√T with the unbiased B",
			Check: withoutBall(1, mendedUnprojected, walkProof),
			Control: verify.Control{Check: withoutBall(1, understatedLimit(0.2, mendedUnprojected), ""), Want: checks.Refuted,
				Fault: "a fifth of the bound"},
		},
		{
			ID: corrected, Source: "Theorem 1, corrected", Kind: verify.Rate,
			Origin: verify.Correction,
			Place: "eqs. (17) to (29) with 2R for R in eq. (23), the B of prestige/lemma-2/corrected " +
				"and projection",
			Statement: "with projection, every record selected and F over the perturbed labels, from any start, the gap is " +
				"at most (2λ²+1)/λ · RB/√T with the unbiased B, at the worst instance that a search finds",
			Check: worstAdversary(true, false, mendedGap),
			Control: verify.Control{Check: worstAdversary(true, false, understatedLimit(0.5, mendedGap)), Want: checks.Refuted,
				Fault: "half of the bound"},
		},
		{
			ID: "prestige/eq-25/bound", Source: "eqs. (24)-(25)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "eq. (25), divided by T, with η_t = R/(λB√t) and a B for which E[G|g] = g, as the " +
				"proof has it after eq. (17)",
			Statement: "the expected sum of the gaps is at most R²/(2η_T) + ½ Σ η_t B², from any start in the ball and with " +
				"projection",
			Check: fromFar(equation25, ""),
			Control: verify.Control{Check: fromFar(mendedGap, startProof), Want: checks.Holds,
				Fault: "none: the diameter 2R in the place of R"},
			Corrected: corrected,
		},
		{
			ID: "prestige/eq-29/bound", Source: "eq. (29)", Kind: verify.Rate,
			Origin: verify.Implied, Place: "eq. (29), the inequality, with B as eq. (11) prints it and w never projected",
			Statement: "the gap of the mean iterate is at most (λ²+2)/(2λ) · RB/√T, without projection, at λ = 0.01 and with " +
				"every record selected",
			Check: withoutBall(0.01, equation29, ""),
			Control: verify.Control{Check: withoutBall(0.01, mendedUnprojected, walkProof), Want: checks.Holds,
				Fault: "none: the bound with ln T"},
			Corrected: "prestige/thm-1/unprojected/corrected",
		},
		{
			ID: "prestige/cor-1/bound", Source: "Corollary 1, eq. (32)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Corollary 1, eq. (32): the inequality itself, at p = 4 and p = ∞, with R " +
				"d^(1/2−1/q) for R in the ball and in the step",
			Statement: "with w kept in the ball of radius R d^(1/2−1/q) by projection, from any start in it, the gap F(ŵ) − " +
				"F(w*) is at most c(ε_s, λ)k'(d)/√T",
			Check: restricted(printedRestricted, ""),
			Control: verify.Control{Check: restricted(mendedRestricted, startProof), Want: checks.Holds,
				Fault: "none: (2λ²+1)/λ with that radius and the unbiased B"},
			Corrected: "prestige/cor-1/bound/corrected",
		},
		{
			ID: "prestige/cor-1/bound/corrected", Source: "Corollary 1, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Corollary 1 with the constants of prestige/thm-1/corrected",
			Statement: "with w kept in the ball of radius R d^(1/2−1/q), from any start in it, the gap F(ŵ) − F(w*) is at " +
				"most (2λ²+1)/λ times R d^(1/2−1/q) B/√T with the unbiased B",
			Check: restricted(mendedRestricted, startProof),
			Control: verify.Control{Check: restricted(printedRestricted, ""), Want: checks.Refuted,
				Fault: "the printed constants"},
		},
		{
			ID: "prestige/cor-1/minimiser", Source: "Corollary 1, eq. (32)", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Corollary 1, eq. (32), with the w* of Theorem 1, in the ball of radius R: a rate " +
				"\"sharper\" than Theorem 1's; the alternative, a w* in the smaller ball, is prestige/cor-1/bound",
			Statement: "with w kept in the ball of radius R d^(1/2−1/q), the gap to the least F in the ball of radius R is at " +
				"most c(ε_s, λ)k'(d)/√T",
			Check: toLargeBall(false),
			Control: verify.Control{Check: toLargeBall(true), Want: checks.Holds,
				Fault: "none: p = 2, where the two balls are one"},
			Corrected: "prestige/cor-1/bound/corrected",
		},
		{
			ID: "prestige/alg-1/output", Source: "Alg. 1, Output; Theorem 1", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Algorithm 1, Output: the last iterate; Theorem 1, line after the display: ŵ is " +
				"the mean of w^(1), …, w^(T)",
			Statement: "what Algorithm 1 returns is the ŵ that Theorem 1 bounds",
			Check:     outputIsMean(false),
			Control: verify.Control{Check: outputIsMean(true), Want: checks.Holds,
				Fault: "none: one update, after which both are " +
					"w^(1)"},
			Corrected: "prestige/alg-1/output/corrected",
		},
		{
			ID: "prestige/alg-1/output/corrected", Source: "Alg. 1, Output, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Algorithm 1, Output, with projection and Shamir & Zhang 2013, Theorem 2",
			Statement: "the gap of the last iterate, with projection and every record selected, is at most (4λ + 1/λ)(2 + ln " +
				"T) · RB/√T with the unbiased B, at the worst instance that a search finds",
			Check: worstAdversary(true, true, lastGap),
			Control: verify.Control{Check: worstAdversary(true, true, understatedLimit(1.0/50, lastGap)), Want: checks.Refuted,
				Fault: "a fiftieth of the bound: the 2 + ln T and the constant of the diameter left out"},
		},
		{
			ID: "prestige/thm-1/premise", Source: "Theorem 1", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 1, first sentence: any w in B_d(R); eq. (1), the line below; Algorithm 1, " +
				"P-Update",
			Statement: "the iterates of Algorithm 1 stay in the ball of radius R",
			Check:     staysInBall(false),
			Control: verify.Control{Check: staysInBall(true), Want: checks.Holds,
				Fault: "none: w projected on the ball after each update"},
			Corrected: "prestige/thm-1/premise/corrected",
		},
		{
			ID: "prestige/thm-1/premise/corrected", Source: "Theorem 1, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Algorithm 1, P-Update, with a projection on B_d(R) added",
			Statement: "the iterates of Algorithm 1, projected on the ball after each update, stay in it",
			Check:     staysInBall(true),
			Control:   verify.Control{Check: staysInBall(false), Want: checks.Refuted, Fault: "no projection"},
		},
		{
			ID: "prestige/thm-1/lipschitz", Source: "Theorem 1", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Theorem 1, first sentence: L-Lipschitz in an ℓp norm, p from 2 to ∞; Proposition " +
				"1 needs ‖g‖₂ ≤ L",
			Statement: "a gradient whose dual norm ‖g‖_q is at most L, 1/p + 1/q = 1 with p from 2 to ∞, has ‖g‖₂ ≤ L",
			Check:     dualNorm(2),
			Control:   verify.Control{Check: dualNorm(1.5), Want: checks.Refuted, Fault: "p = 1.5 let in"},
		},
		{
			ID: "prestige/def-5", Source: "Definition 5", Kind: verify.Rate,
			Origin: verify.Implied, Place: "Definition 5, last sentence, a requirement, with the w ∈ B_d(R) of its first and " +
				"every z ≥ D_th; Remark 6, which takes PRESTIGE to meet it",
			Statement: "an updated w in the ball of radius R is within R of the minimiser w*",
			Check:     minimiserDistance(1, ""),
			Control: verify.Control{Check: minimiserDistance(2, accurateProof), Want: checks.Holds,
				Fault: "none: the diameter 2R"},
			Corrected: "prestige/def-5/corrected",
		},
		{
			ID: "prestige/def-5/corrected", Source: "Definition 5, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Definition 5, first sentence: w and w* are in B_d(R)",
			Statement: "an updated w in the ball of radius R is within 2R of the minimiser w*",
			Check:     minimiserDistance(2, accurateProof),
			Control: verify.Control{Check: minimiserDistance(1, ""), Want: checks.Refuted,
				Fault: "the radius, not the diameter"},
		},
	}
}

// The bounds on the gap at L = R = 1 that are judged.

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

// equation25 is its right-hand side over T, with Σ1/√t at its bound 2√T of eq. (28).
func equation25(i instance, updates float64) (float64, error) { return i.unbiased(paper.Gap, updates) }

func equation29(i instance, updates float64) (float64, error) {
	b, err := paper.PrivateSamplingBound(i.d, i.epsilon, 1)
	return paper.Gap(i.lambda, 1, b, updates), err
}

// unbiased is a bound in λ, R, B and T with the unbiased B.
func (i instance) unbiased(gap func(lambda, radius, bound, updates float64) float64, updates float64) (float64, error) {
	b, err := bounds.PrivateSamplingBound(i.d, i.epsilon, 1)
	return gap(i.lambda, 1, b, updates), err
}

// understatedLimit understates a bound.
func understatedLimit(share float64, of limit) limit {
	return func(i instance, updates float64) (float64, error) {
		most, err := of(i, updates)
		return share * most, err
	}
}
