package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// effectClaims returns the computable statements about the causes of the figures.
func effectClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/mini-batch/cause", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Fig. 1, the cause: " + aboutBatches + "first paragraph, the two sentences that explain the figures by " +
				"how often noise is added (\"seems to help\"); Sect. 3.4, eq. (8), (1/b)Z_t",
			Statement: "from b = 1 to the batch size of \"almost identical\", the mean square noise in the last w falls " +
				"by the factor b² because noise is divided by b. This is at least 20 times the factor by which it falls " +
				"because noise is added less often. Setting: b = 10 on MNIST, Banknote and all features of KDD Cup, b = 5 " +
				"on KDD Cup; η = 1/√t, λ = 10⁻⁴, gradients that do not depend on w",
			Check:    fallOfNoise(false),
			Control:  checks.Faulty(fallOfNoise(true), "the causes interchanged"),
			Formerly: []string{"laplace-sgd/mini-batch/cause/corrected"},
		},
		{
			ID: "laplace-sgd/learning-rate/guarantee", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Sect. 4.3, 1/(λt): second paragraph of \"Choosing parameters\", \"guarantees fast convergence\", with " +
				"Lemma 1 of the paper that it cites",
			Statement: "for a λ-strongly convex objective, SGD with η = 1/(λt) reaches E‖w_T − w*‖² ≤ 4G²/(λ²T) after T " +
				"updates, if E‖g‖² ≤ G² with the noise included (Rakhlin et al., Lemma 1)",
			Check:   strongRate(4, "induction over the recursion, from ‖w_1 − w*‖ ≤ 2G/λ"),
			Control: checks.Faulty(strongRate(0.9, ""), "0.9 in place of 4"),
		},
	}
}

// fallOfNoise compares two factors by which the noise in the last w falls: fewer updates with the same noise, and then
// the division of the noise by b.
func fallOfNoise(exchanged bool) verify.Check {
	return formula.Check{
		Quantity: "fall because noise is divided by b over fall because it is added less often", Sense: verify.AtLeast,
		Domain: "MNIST and Banknote from b = 1 to 10, KDD Cup to 5 and, with all features, to 10; gradients that do not " +
			"depend on w",
		Proof: "the list contains every setting",
		Points: func(add func(formula.Point)) {
			for _, s := range settings {
				if s.indifference == 0 {
					continue
				}
				steps := (s.n + s.indifference - 1) / s.indifference
				b := float64(s.indifference)
				often := bounds.NoiseInIterate(s.n, paperLambda, 1, rootOf)
				seldom := bounds.NoiseInIterate(steps, paperLambda, 1, rootOf)
				divided := bounds.NoiseInIterate(steps, paperLambda, b, rootOf)
				ratio := seldom / divided / (often / seldom)
				if exchanged {
					ratio = 1 / ratio
				}
				add(formula.Point{Place: formula.Placef("%s, b=%d", s.name, s.indifference), Measured: ratio, Claimed: 20,
					Error: 1e-9, Show: true})
			}
		},
	}
}

// strongRate compares T·E‖w_T − w*‖², in units of G²/λ², with a claimed constant. The instances are F = λw²/2 in one
// dimension from λw_1 = G, and the same F with gradients λw ± G/√2 from 0. The upper bound is the recursion
// a_{t+1} = max(0, 1 − 2/t)a_t + 1/t² from a_1 = 4, which every λ-strongly convex objective satisfies.
func strongRate(claimed float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "T·E‖w_T − w*‖² in units of G²/λ²", Sense: verify.AtMost, Proof: proof,
		Domain: "F = λw²/2 from w_1 = G/λ at T = 1, and with gradients λw ± G/√2; the largest that the recursion allows, " +
			"T ∈ {1, 2, 3, 10, 2000, 10⁶}",
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("T=1, F = λw²/2"), Measured: 1, Claimed: claimed, Show: true})
			for _, t := range []float64{2, 10, 2000} {
				add(formula.Point{Place: formula.Placef("T=%g, F = λw²/2", t), Measured: t / (t - 1) / 2, Claimed: claimed,
					Show: t == 2000})
			}
			a := 4.0
			for t := 1.0; t <= 1e6; t++ {
				switch t {
				case 1, 2, 3, 10, 2000, 1e6:
					add(formula.Point{Place: formula.Placef("T=%g, the recursion", t), Measured: t * a, Claimed: claimed,
						Show: true})
				}
				a = math.Max(0, 1-2/t)*a + 1/(t*t)
			}
		},
	}
}
