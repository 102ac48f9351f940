package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// printedSettings are the lines that print the parameters of the experiments.
const printedSettings = "Sect. 4.2, first paragraph (λ = 0.0001, α = 1, b, η_t), and Sect. 4.1 (sizes, dimensions)"

// setting is a data set as the experiments take it, with the batch size at which Sect. 4.3 finds private and
// non-private SGD almost identical.
type setting struct {
	name         string
	n, d, from   int // records; features; those that they are picked from, 0 for all
	indifference int
}

// settings of Figs. 1, 2, 3, 8 and 9: rows as Sect. 4.1 prints them, features as the program has them, the class not
// counted.
var settings = []setting{
	{"MNIST", 60_000, 15, 784, 10}, {"KDD Cup", 50_000, 9, 34, 5}, {"Banknote", banknotePrinted, 4, 0, 10},
	{"Occupancy", 8_143, 5, 0, 0}, {"KDD Cup, all features", 50_000, 34, 0, 10},
}

// The rows of Banknote that Sect. 4.1 prints, and those of the file that it names.
const banknotePrinted, banknoteFile = 1_327, 1_372

// noiseScale is 2/α at the thesis's α.
const noiseScale = 2 / paperAlpha

// noiseLength is the mean length of the noise of one update at the thesis's α, of Algorithm 1 as printed,
// the shorter of its readings.
func (s setting) noiseLength(b int) float64 {
	return bounds.BallGammaMeanLength(s.d, noiseScale) / float64(b)
}

// rootMeanSquare is that of ‖x‖ over the choice of features, for rows of norm 1: each feature is picked
// with probability d/from.
func (s setting) rootMeanSquare() float64 {
	if s.from == 0 {
		return 1
	}
	return math.Sqrt(float64(s.d) / float64(s.from))
}

func sizeSettings() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/settings/noise", Source: "Figs. 1-3, 8 and 9, b = 1", Kind: verify.Consistency,
			Origin: verify.Observation, Place: printedSettings + "; Algorithm 1; Sect. 3.2, ‖x‖ ≤ 1",
			Statement: "at b = 1 the noise of an update is on average many times as long as the longest gradient that a " +
				"record can have: at least 28 times on MNIST, 16 and, with all features, 66 on KDD Cup, 6 on Banknote, " +
				"8 on Occupancy",
			Check: noiseOverGradient(func(setting) int { return 1 }, []float64{28, 16, 6, 8, 66}),
			Control: verify.Control{Check: noiseOverGradient(func(setting) int { return 2 }, []float64{28, 16, 6, 8, 66}),
				Want: checks.Refuted, Fault: "said of b = 2"},
		},
		{
			ID: "laplace-sgd/settings/noise/mini-batch", Source: "Figs. 1, 2 and 9, b = 10 and 5", Kind: verify.Consistency,
			Origin: verify.Observation,
			Place: printedSettings + "; Algorithm 1; eq. (8); Sect. 4.3, \"Effects of mini-batching\" " +
				"and \"Higher dimensional problems\": the batch sizes of \"almost identical\"",
			Statement: "at the batch sizes at which MNIST and KDD Cup are found almost identical to non-private SGD the noise " +
				"of an update is on average still longer than the longest gradient: 2.8, 3.2 and, with all features, 6.6 times",
			Check: noiseOverGradient(func(s setting) int {
				if s.name == "Banknote" {
					return 0
				}
				return s.indifference
			}, []float64{2.8, 3.2, 0, 0, 6.6}),
			Control: verify.Control{Check: noiseOverGradient(func(setting) int { return 50 }, []float64{2.8, 3.2, 1, 1, 6.6}),
				Want: checks.Refuted, Fault: "said of b = 50"},
		},
		{
			ID: "laplace-sgd/settings/noise/picked", Source: "Sect. 4.1, Figs. 1, 2, 4 and 7", Kind: verify.Consistency,
			Origin: verify.Observation,
			Place: "Sect. 4.1, last paragraph: norms 1 first, features picked then; Sect. 4.2, α = 1; " +
				"eq. (7), whose 2 is for rows of norm 1",
			Statement: "features are picked after the rows have norm 1, so that MNIST's rows are left with a root mean square " +
				"norm of √(15/784) = 0.14: rows divided by their norms last would have gradients seven times as long against the " +
				"same noise",
			Check: formula.Check{
				Quantity: "root mean square norm of a row, over the choice of features", Sense: verify.AtMost,
				Domain: "MNIST, 15 of 784 features, rows of norm 1 before",
				Proof:  "each feature is picked with probability 15/784, whatever the row",
				Points: formula.ListedPoints(formula.Point{Place: formula.Placef("MNIST"), Measured: settings[0].rootMeanSquare(),
					Claimed: 1. / 7, Show: true}),
			},
			Control: verify.Control{Want: checks.Refuted, Fault: "said of KDD Cup, 9 of 34 features", Check: formula.Check{
				Quantity: "root mean square norm of a row, over the choice of features", Sense: verify.AtMost,
				Domain: "KDD Cup, 9 of 34 features, rows of norm 1 before",
				Points: formula.ListedPoints(formula.Point{Place: formula.Placef("KDD Cup"), Measured: settings[1].rootMeanSquare(),
					Claimed: 1. / 7, Show: true}),
			}},
		},
		{
			ID: "laplace-sgd/settings/steps", Source: "Figs. 3 and 5, b = 50", Kind: verify.Consistency,
			Origin: verify.Observation, Place: printedSettings + "; eq. (8); Sect. 4.2, second paragraph: a single pass",
			Statement: "at b = 50 a pass takes 27 updates on the 1,327 rows of Banknote and 163 on Occupancy, so that with " +
				"η = 1/√t gradients bring w no farther from the start than 9.1 and 24.2",
			Check: reach(1, banknotePrinted, []float64{9.1, 24.2}),
			Control: verify.Control{Check: reach(10, banknotePrinted, []float64{9.1, 24.2}), Want: checks.Refuted,
				Fault: "said of η = 10/√t"},
		},
		{
			ID: "laplace-sgd/settings/steps/file", Source: "Figs. 3 and 5, b = 50, the file's rows", Kind: verify.Consistency,
			Origin: verify.Observation,
			Place: "Sect. 4.1, fourth paragraph: 1,327 images, where the file that it names has " +
				"1,372; eq. (8); Sect. 4.2, first paragraph (b, η_t)",
			Statement: "at b = 50 a pass takes 28 updates on the 1,372 rows of Banknote's file, so that with η = 1/√t " +
				"gradients bring w no farther from the start than 9.3",
			Check: reach(1, banknoteFile, []float64{9.3}),
			Control: verify.Control{Check: reach(1, banknoteFile, []float64{9.1}), Want: checks.Refuted,
				Fault: "as far as the 27 updates of 1,327 rows"},
		},
		{
			ID: "laplace-sgd/settings/lambda", Source: "Sect. 4.2, λ", Kind: verify.Consistency,
			Origin: verify.Observation, Place: printedSettings + "; eqs. (6) and (8)",
			Statement: "λ has next to no effect on where a pass with η = 1/√t ends: from half of it to twice of it the noise " +
				"in the last w changes by less than a tenth, root mean square, on every data set",
			Check: regulariserFelt(paperLambda),
			Control: verify.Control{Check: regulariserFelt(100 * paperLambda), Want: checks.Refuted,
				Fault: "said of λ = 0.01"},
		},
		{
			ID: "laplace-sgd/settings/learning-rate", Source: "Fig. 6, η = 1/(λt)", Kind: verify.Consistency,
			Origin: verify.Observation,
			Place: "Sect. 4.3, \"Choosing parameters\", the paragraph that shows Fig. 6, last sentence, " +
				"which calls 1/(λt) the faster decreasing; Sect. 4.2, λ = 0.0001",
			Statement: "η = 1/(λt) is the larger learning rate at all of the 2,000 updates of Fig. 6, by 10,000 times at the " +
				"first and by 223 times at the last, and up to t = 10⁸",
			Check: inverseOverRoot([]float64{1, 2_000, 1e8}, []float64{1e4, 223, 1}),
			Control: verify.Control{Check: inverseOverRoot([]float64{2e8}, []float64{1}), Want: checks.Refuted,
				Fault: "said of 2·10⁸ updates"},
		},
		{
			ID: "laplace-sgd/settings/learning-rate/first-update", Source: "Fig. 6, η = 1/(λt)", Kind: verify.Consistency,
			Origin: verify.Observation,
			Place: "Sect. 4.3, the paragraph that shows Fig. 6: b = 5 and η_t = 1/(λt); Algorithm " +
				"1; Sect. 4.2, first paragraph, λ",
			Statement: "with η = 1/(λt) the noise of the first update of Fig. 6 is on average longer than 1/λ = 10,000, " +
				"where the objective's minimum has ‖w‖ ≤ √(2 ln 2/λ) = 118",
			Check:   firstUpdate(5, paperLambda),
			Control: verify.Control{Check: firstUpdate(50, paperLambda), Want: checks.Refuted, Fault: "said of b = 50"},
		},
		{
			ID: "laplace-sgd/settings/learning-rate/guarantee", Source: "Fig. 6, η = 1/(λt), the guarantee",
			Kind:   verify.Rate,
			Origin: verify.Observation, Place: aboutChoice + "second paragraph: 1/(λt) guarantees fast convergence, and " +
				"the objective is \"not very\" strongly convex; eq. (8), b = 5, of Fig. 6; Algorithm 1",
			Statement: "after the 2,000 updates of Fig. 6 the guarantee of 1/(λt) for strongly convex objectives, E‖w_T − " +
				"w*‖² ≤ 4G²/(λ²T), puts the private w nearer to the minimum than w = 0 is, for which ‖w*‖² ≤ 2 ln 2/λ",
			Check: guaranteeSays(2_000),
			Control: verify.Control{Check: guaranteeSays(200_000), Want: checks.Holds,
				Fault: "none: a hundred times as many updates"},
		},
		{
			ID: "laplace-sgd/settings/projection/program", Source: "Sect. 4.2, the program of [1]", Kind: verify.Consistency,
			Origin: verify.Program, Place: trainingFile + ", lines 17 and 47 to 49: w_0 from N(0, I), w brought back to ‖w‖ ≤ " +
				"1/λ",
			Statement: "the program's projection has no effect on a pass with η = 1/√t: w reaches the radius 1/λ = 10,000 " +
				"with a probability below 1/1000, on any data set at any batch size",
			Check: projected(1 / paperLambda),
			Control: verify.Control{Check: projected(600), Want: checks.Refuted,
				Fault: "the radius 600, of which the bound says " +
					"nothing"},
		},
	}
}

// noiseOverGradient is the mean length of the noise of one update at a batch size, 0 for none, over 1, which no
// gradient of the logistic loss on rows of norm at most 1 reaches.
func noiseOverGradient(batch func(setting) int, times []float64) verify.Check {
	return formula.Check{
		Quantity: "mean length of the noise over the longest gradient", Sense: verify.AtLeast,
		Domain: "the data sets with their dimensions; E‖Z‖/b = d²/(d+1)·2/(αb) of Algorithm 1 as printed, d/(d+1) of that " +
			"of eq. (7); ‖∇ℓ‖ < 1",
		Proof: "these are all the settings",
		Points: func(add func(formula.Point)) {
			for i, s := range settings {
				if b := batch(s); b > 0 {
					add(formula.Point{Place: formula.Placef("%s, d=%d, "+
						"b=%d", s.name, s.d, b), Measured: s.noiseLength(b), Claimed: times[i],
						Show: true})
				}
			}
		},
	}
}

// reach is Σ η_t over a pass at b = 50, on Banknote with the given rows and on Occupancy, which bounds the way of w
// without noise.
func reach(scale float64, banknote int, claimed []float64) verify.Check {
	return formula.Check{
		Quantity: "farthest w of a pass without noise", Sense: verify.AtMost,
		Domain: "the data sets that are named, at b = 50, from w = 0", Proof: "‖∇ℓ‖ < 1, and λw points back",
		Points: func(add func(formula.Point)) {
			sets := []dimensioned{{name: "Banknote", n: banknote}, {name: "Occupancy", n: settings[3].n}}
			for i, set := range sets[:len(claimed)] {
				sum, steps := 0.0, (set.n+49)/50
				for t := 1; t <= steps; t++ {
					sum += scale * rootOf(t)
				}
				add(formula.Point{Place: formula.Placef("%s, %d updates", set.name, steps), Measured: sum, Claimed: claimed[i],
					Show: true})
			}
		},
	}
}

func rootOf(t int) float64 { return 1 / math.Sqrt(float64(t)) }

// regulariserFelt is what the noise in the last w loses from half to twice of λ.
func regulariserFelt(lambda float64) verify.Check {
	return formula.Check{
		Quantity: "noise in the last w at λ/2 over that at 2λ, root mean square", Sense: verify.Below,
		Domain: "one pass at b = 1 over each data set, gradients that do not change (bounds.NoiseInIterate attained)",
		Proof:  "these are all the settings, and larger batches make fewer updates",
		Points: func(add func(formula.Point)) {
			for _, s := range settings {
				half, twice := bounds.NoiseInIterate(s.n, lambda/2, 1, rootOf), bounds.NoiseInIterate(s.n, 2*lambda, 1, rootOf)
				add(formula.Point{Place: formula.Placef("%s", s.name), Measured: math.Sqrt(half / twice), Claimed: 1.1, Error: 1e-9,
					Show: true})
			}
		},
	}
}

// inverseOverRoot is the ratio of the two rates, against what it is said to be at least.
func inverseOverRoot(updates, least []float64) verify.Check {
	return formula.Check{
		Quantity: "1/(λt) over 1/√t", Sense: verify.AtLeast, Domain: "the updates that are named",
		Proof: "the ratio 1/(λ√t) falls with t",
		Points: func(add func(formula.Point)) {
			for i, t := range updates {
				add(formula.Point{Place: formula.Placef("t=%g", t), Measured: 1 / (paperLambda * math.Sqrt(t)), Claimed: least[i],
					Show: true})
			}
		},
	}
}

// firstUpdate is the mean length of the noise of the first update at η_1 = 1/λ, in units of 1/λ.
func firstUpdate(b int, lambda float64) verify.Check {
	return formula.Check{
		Quantity: "mean length of the first update's noise", Sense: verify.Above, Proof: "the one setting",
		Domain: "the synthetic data, d = 5, α = 1, Algorithm 1 as printed",
		Points: formula.ListedPoints(formula.Point{Place: formula.Placef("b=%d", b), Show: true, Claimed: 1 / lambda,
			Measured: bounds.BallGammaMeanLength(5, noiseScale) / float64(b) / lambda}),
	}
}

// guaranteeSays holds the guarantee against 2 ln 2/λ, with no more in G² than the noise of the updates at b = 5.
func guaranteeSays(updates float64) verify.Check {
	return formula.Check{
		Quantity: "4G²/(λ²T)", Sense: verify.Below, Void: true, Proof: "the gradients make G² larger",
		Domain: "the synthetic data, d = 5, b = 5, α = 1, Algorithm 1 as printed, G² ≥ E‖Z‖²/b²",
		Points: formula.ListedPoints(formula.Point{Place: formula.Placef("T=%g", updates), Show: true,
			Claimed:  2 * math.Ln2 / paperLambda,
			Measured: 4 * bounds.BallGammaMeanSquare(5, noiseScale) / 25 / (paperLambda * paperLambda * updates)}),
	}
}

// projected bounds the probability that a pass at b = 1 meets the ball, by Kolmogorov's inequality for
// the martingale w_0 + Σ η_t Z_t/Π_{s≤t}(1 − η_sλ), whose values the noise in w never exceeds; gradients bring w no
// farther than Σ η_t. Larger batches have less of both.
func projected(radius float64) verify.Check {
	return formula.Check{
		Quantity: "probability that w reaches the radius, at most", Sense: verify.Below,
		Domain: "one pass at b = 1 over each data set, η_t = 1/√t, λ = 10⁻⁴, noise of density (7) in length",
		Proof:  "Kolmogorov's inequality; these are all the settings",
		Points: func(add func(formula.Point)) {
			for _, s := range settings {
				way, sum, kept := 0.0, 0.0, 1.0
				for t := 1; t <= s.n; t++ {
					kept *= 1 - paperLambda*rootOf(t)
					way += rootOf(t)
					sum += 1 / float64(t)
				}
				d := float64(s.d)
				square := d + d*(d+1)*noiseScale*noiseScale*sum/(kept*kept)
				left := math.Max(radius-way, 0)
				add(formula.Point{Place: formula.Placef("%s", s.name), Measured: math.Min(square/(left*left), 1), Claimed: 1e-3,
					Error: 1e-9, Show: true})
			}
		},
	}
}
