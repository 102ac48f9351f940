package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// effectClaims are what the text says of the figures' causes, as far as it can be computed.
func effectClaims() []verify.Claim {
	points := func(second string) verify.Check {
		times := func(x []float64) float64 { return x[0] * x[1] }
		cell := func(text string) formula.Cell {
			return formula.Cell{Place: "before Fig. 6", Text: text, Rounding: formula.AsReported}
		}
		return formula.Formulas{
			{Result: cell("10000"), Inputs: []formula.Cell{cell("2000"), cell("5")}, Formula: times},
			{Result: cell(second), Inputs: []formula.Cell{cell("200"), cell("5")}, Formula: times},
		}
	}
	return []verify.Claim{
		{
			ID: "laplace-sgd/mini-batch/cause", Source: "Fig. 1", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.3, \"Effects of mini-batching\", first paragraph, last sentence: adding " +
				"noise less often is what helps",
			Statement: "from b = 1 to the batch size of \"almost identical\" the noise in the last w falls, in squares, by at " +
				"least as large a factor because it is added less often as because it is divided by b",
			Check:     fallOfNoise(true),
			Control:   verify.Control{Check: fallOfNoise(false), Want: checks.Holds, Fault: "none: because it is divided by b"},
			Corrected: "laplace-sgd/mini-batch/cause/corrected",
		},
		{
			ID: "laplace-sgd/mini-batch/cause/corrected", Source: "Fig. 1, corrected", Kind: verify.Consistency,
			Origin: verify.Correction,
			Place: "Sect. 3.4, eq. (8), (1/b)Z_t: the sensitivity of an average is 2/b; Sect. 4.2, " +
				"η_t = 1/√t",
			Statement: "the noise in the last w falls by a larger factor because it is divided by b than because it is added " +
				"less often: 1/b² against about ln(n/b)/ln n",
			Check:   fallOfNoise(false),
			Control: verify.Control{Check: fallOfNoise(true), Want: checks.Refuted, Fault: "the causes exchanged"},
		},
		{
			ID: "laplace-sgd/mini-batch/convergence", Source: "Fig. 1, abstract", Kind: verify.Rate,
			Origin: verify.Reading, Place: "abstract, Sect. 4.3, \"Effects of mini-batching\", and Sect. 5: \"does not " +
				"converge\", which may speak of one pass (laplace-sgd/mini-batch) or, as here, of all updates to come",
			Statement: "single-point private SGD with η = 1/√t stays in mean square as far from the non-private run as the " +
				"noise of one pass over MNIST can bring it, however many updates are made",
			Check: farFromPlain(verify.AtLeast, 1, []float64{1e16, 1e20}),
			Control: verify.Control{Check: constantRate(verify.AtLeast, 1), Want: checks.Holds, Fault: "none: a rate of 1 " +
				"throughout"},
			Corrected: "laplace-sgd/mini-batch/convergence/corrected",
		},
		{
			ID: "laplace-sgd/mini-batch/convergence/corrected", Source: "Fig. 1, abstract, corrected", Kind: verify.Rate,
			Origin: verify.Correction,
			Place: "Sect. 3.4, eq. (6); Sect. 4.2, λ = 0.0001 and η_t = 1/√t; the loss of eq. (2) is " +
				"convex",
			Statement: "private SGD with η = 1/√t comes as close to the non-private run as one likes, in mean square as 1/√t: " +
				"after 10¹⁶ updates at the latest it is a thousand times closer than noise can bring it in one pass over MNIST",
			Check: farFromPlain(verify.AtMost, 1e-3, []float64{1e16, 1e20}),
			Control: verify.Control{Check: constantRate(verify.AtMost, 1e-3), Want: checks.Refuted,
				Fault: "a rate of 1 throughout"},
		},
		{
			ID: "laplace-sgd/learning-rate/faster", Source: "Fig. 6", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 4.3, the paragraph that shows Fig. 6, last sentence: \"faster decreasing\", " +
				"taken as the ratio of an update's rate to the one before",
			Statement: "η = 1/(λt) decreases faster than 1/√t from one update to the next",
			Check:     decreases(func(t float64) float64 { return t / (t + 1) }, "t/(t+1) is the square of a number below 1"),
			Control: verify.Control{Check: decreases(func(float64) float64 { return 1 }, ""), Want: checks.Refuted,
				Fault: "a constant rate"},
		},
		{
			ID: "laplace-sgd/learning-rate/guarantee", Source: "Sect. 4.3, 1/(λt)", Kind: verify.Rate,
			Origin: verify.Stated, Place: aboutChoice + "second paragraph, second sentence: \"guarantees fast convergence\", " +
				"put as Lemma 1 of the paper that it cites has it; gradients with E‖g‖² ≤ G², noise included",
			Statement: "where the objective is λ-strongly convex, η = 1/(λt) brings w to E‖w_T − w*‖² ≤ 4G²/(λ²T), " +
				"whatever λ > 0 is",
			Check:   strongRate(4, "induction over the recursion, from ‖w_1 − w*‖ ≤ 2G/λ"),
			Control: verify.Control{Check: strongRate(0.9, ""), Want: checks.Refuted, Fault: "0.9 in the place of 4"},
		},
		{
			ID: "laplace-sgd/learning-rate/points", Source: "Fig. 6", Kind: verify.Consistency,
			Origin:    verify.Stated,
			Place:     "Sect. 4.3, the paragraph that shows Fig. 6, its third sentence",
			Statement: "2,000 data points of Fig. 6 are all 10,000 observations at b = 5, and 200 are 1,000",
			Check:     points("1000"),
			Control:   verify.Control{Check: points("100"), Want: checks.Contradictory, Fault: "200 points said to be 100"},
		},
	}
}

// fallOfNoise compares the factors by which the noise in the last w falls: fewer updates with noise as long as
// before, and then noise divided by b.
func fallOfNoise(oftener bool) verify.Check {
	return formula.Check{
		Quantity: "fall because noise is added less often over fall because it is divided by b", Sense: verify.AtLeast,
		Domain: "MNIST and Banknote from b = 1 to 10, KDD Cup to 5 and, all features, to 10; gradients that do not change",
		Proof:  "these are the settings",
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
				ratio := often / seldom / (seldom / divided)
				if !oftener {
					ratio = 1 / ratio
				}
				add(formula.Point{Place: formula.Placef("%s, b=%d", s.name, s.indifference), Measured: ratio, Claimed: 1,
					Error: 1e-9,
					Show:  true})
			}
		},
	}
}

// farFromPlain is the bound on E‖w_t − w′_t‖² at b = 1, in units of what it can be after one pass over MNIST.
func farFromPlain(sense verify.Sense, claimed float64, updates []float64) verify.Check {
	return formula.Check{
		Quantity: "mean squared distance over that of one pass, at most", Sense: sense,
		Domain: "η_t = 1/√t, λ = 10⁻⁴, any data with ‖x‖ ≤ 1 in any order; the bound falls as 1/√t",
		Proof:  "bounds.RootRateNoise: a step brings two runs together by 1 − η_tλ, and noise adds η_t² E‖Z‖²",
		Points: func(add func(formula.Point)) {
			pass := bounds.NoiseInIterate(settings[0].n, paperLambda, 1, rootOf)
			for _, t := range updates {
				bound, err := bounds.RootRateNoise(paperLambda, t)
				add(formula.Point{Place: formula.Placef("t=%g", t), Measured: bound / pass, Claimed: claimed, Error: 1e-9,
					Show: true,
					Err:  err})
			}
		},
	}
}

// strongRate is T·E‖w_T − w*‖² in units of G²/λ²: of F = λw²/2 in one dimension from λw_1 = G, and with gradients λw ±
// G/√2 from 0, where w_{t+1} is the mean of t of them over −λ; and what the recursion of a λ-strongly convex objective
// allows, a_{t+1} = max(0, 1 − 2/t)a_t + 1/t² from a_1 = 4.
func strongRate(claimed float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "T·E‖w_T − w*‖² in units of G²/λ²", Sense: verify.AtMost, Proof: proof,
		Domain: "F = λw²/2 from w_1 = G/λ at T = 1, and with gradients λw ± G/√2; the largest that the recursion allows, T " +
			"∈ {1, 2, 3, 10, 2000, 10⁶}",
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
					add(formula.Point{Place: formula.Placef("T=%g, the recursion", t), Measured: t * a, Claimed: claimed, Show: true})
				}
				a = math.Max(0, 1-2/t)*a + 1/(t*t)
			}
		},
	}
}

// constantRate is what noise amounts to at η_t = 1 where gradients do not change, in units of that after one pass over
// MNIST.
func constantRate(sense verify.Sense, claimed float64) verify.Check {
	return formula.Check{
		Quantity: "mean squared distance over that of one pass", Sense: sense,
		Domain: "η_t = 1, λ = 10⁻⁴, rows of zeros", Proof: "the recursion of bounds.NoiseInIterate rises to its fixed point",
		Points: func(add func(formula.Point)) {
			one := func(int) float64 { return 1 }
			pass := bounds.NoiseInIterate(settings[0].n, paperLambda, 1, one)
			add(formula.Point{Place: formula.Placef("t=10⁶"), Measured: bounds.NoiseInIterate(1_000_000, paperLambda, 1,
				one) / pass,
				Claimed: claimed, Error: 1e-9, Show: true})
		},
	}
}

// decreases holds the ratio of a rate to the one before against that of 1/√t.
func decreases(ratio func(t float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "η_{t+1}/η_t", Sense: verify.Below, Proof: proof, Domain: "t ∈ {1, 10, 2000, 10⁸}",
		Points: func(add func(formula.Point)) {
			for _, t := range []float64{1, 10, 2000, 1e8} {
				add(formula.Point{Place: formula.Placef("t=%g", t), Measured: ratio(t), Claimed: math.Sqrt(t / (t + 1)),
					Show: true})
			}
		},
	}
}
