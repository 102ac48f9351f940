package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const figureRuns = 128 // permutations at each point, at the standard budget

// Places of the statements about the figures.
const (
	aboutBatches = "Sect. 4.3, \"Effects of mini-batching\", "
	aboutChoice  = "Sect. 4.3, \"Choosing parameters\", "
	aboutPasses  = "Sect. 4.3, \"Multiple passes\", "
)

// ourNumbers names the numbers in a statement that are ours.
const ourNumbers = "; the figures print no numbers: far (1.5 times), almost identical (within a quarter) and a lot " +
	"smaller (half of the standard deviation) are our numbers"

// picked describes the preparation of MNIST.
const picked = "MNIST, 15 features picked for each permutation (the same for the compared runs)"

func figureClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/mini-batch", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 1: " + aboutBatches + "first paragraph" + ourNumbers,
			Statement: "at b = 1 the non-private objective is on average at most two thirds of the private one. At b = " +
				"10 the smaller objective is on average at least four fifths of the larger. The thresholds, for means of " +
				"ratios, are ours. Setting: " + picked + ", η = 1/√t, w_0 = 0, one pass",
			Check: measured(mnist, "sentence", each(farAt(1), nearAt(10))), Control: noisy,
		},
		{
			ID: "laplace-sgd/mini-batch/kddcup", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 2: " + aboutBatches + "second paragraph, \"similar patterns\"" + ourNumbers,
			Statement: "the ratio of the private to the non-private objective at b = 1 is on average at least half of " +
				"its sum with the ratio at b = 5. At b = 5 the smaller objective is on average at least four fifths of " +
				"the larger. The squared difference of two private objectives at b = 1 is on average at least two thirds " +
				"of its sum with the one at b = 5. Setting: KDD Cup, 9 features picked for each permutation, η = 1/√t, " +
				"w_0 = 0, one pass",
			Check: measured(kddcup, "sentence", each(worseAt(1, 5), nearAt(5), spread(private(1, rootRate), private(5,
				rootRate),
				double))),
			Control: noisy, Formerly: []string{"laplace-sgd/mini-batch/variance/kddcup/batches"},
		},
		{
			ID: "laplace-sgd/mini-batch/banknote", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 3: " + aboutBatches + "third paragraph; far (1.5 times) and almost identical (within a quarter) " +
				"are our numbers, and a smaller variance is a share above one half",
			Statement: "at b = 1 the non-private objective is on average at most two thirds of the private one. At b = " +
				"10 the smaller objective is on average at least four fifths of the larger. The squared difference of two " +
				"private objectives at b = 1 is on average at least half of its sum with the one at b = 10. Setting: " +
				"Banknote, η = 1/√t, w_0 = 0, one pass",
			Check: measured(banknote, "sentence", each(farAt(1), nearAt(10), spread(private(1, rootRate), private(10,
				rootRate),
				0.5))).times(8),
			Control: noisy, Formerly: []string{"laplace-sgd/mini-batch/variance/banknote"},
		},
		{
			ID: "laplace-sgd/batch-size", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 4: " + aboutChoice + "first paragraph, \"increasing it too much will actually degrade the " +
				"performance\"; a twentieth is our number",
			Statement: "the private objective is larger at b = 1 and at b = 50 than at b = 5, on average by at least a " +
				"twentieth of the larger value. Setting: " + picked + ", η = 1/√t, one pass",
			Check: measured(mnist, "b", largerBatchIsWorse, 1, 50).times(8).alongBatches().noted("by the text every b > 5 " +
				"is worse; between 5 and 20 the difference is too small to measure its direction"),
			Control:  smallBatch,
			Formerly: []string{"laplace-sgd/batch-size/improves"},
		},
		{
			ID: "laplace-sgd/batch-size/occupancy", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 5: " + aboutChoice + "first paragraph; a twentieth is our number",
			Statement: "the private objective is larger at b = 1, 10, 20 and 50 than at b = 5, on average by at least a " +
				"twentieth of the larger value. Setting: Occupancy, η = 1/√t, one pass",
			Check:    measured(occupancy, "b", largerBatchIsWorse, 1, 10, 20, 50).times(16).alongBatches(),
			Control:  smallBatch,
			Formerly: []string{"laplace-sgd/batch-size/improves/occupancy"},
		},
		{
			ID: "laplace-sgd/batch-size/large-rate", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 5, the rate 10/√t: " + aboutChoice + "first paragraph, last sentence",
			Statement: "from b = 5 to b = 50 the objective grows by a smaller factor with η = 10/√t than with 1/√t, " +
				"with privacy and without, in at least half of the permutations. Setting: Occupancy, one pass",
			Check: figure(occupancy, "b", degradesLess, 50).times(8).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/large-rate/mnist", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 4, the rate 10/√t: " + aboutChoice + "first paragraph, last sentence",
			Statement: "from b = 5 to b = 50 the objective grows by a smaller factor with η = 10/√t than with 1/√t, " +
				"with privacy and without, in at least half of the permutations. Setting: " + picked + ", one pass",
			Check: figure(mnist, "b", degradesLess, 50).times(2).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/cause", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 5, the cause: " + aboutChoice + "first paragraph, a large batch is worse because it has fewer " +
				"iterations",
			Statement: "at b = 50 the private objective is lower after ten passes than after one, on average by at " +
				"least a twentieth of the larger value. Ten passes make as many updates as one pass at b = 5. Setting: " +
				"Occupancy, η = 1/√t",
			Check: measured(occupancy, "b", falls("fall of the objective from one pass to ten", verify.AtLeast, visibleFall,
				func(_ float64, last func(arm) float64) (a, b float64) {
					return last(private(50, rootRate)), last(arm{paperAlpha, 50, rootRate, 10})
				}), 50).times(8).alongBatches(),
			Control: smallBatch,
		},
		{
			ID: "laplace-sgd/learning-rate", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 6: " + aboutChoice + "the paragraph that shows Fig. 6, last sentence, still very large",
			Statement: "after all 10,000 records the private objective with η = 1/(λt) is on average at least twice ln " +
				"2, the objective of w = 0. Setting: synthetic data, b = 5, w_0 = 0, each value above 2 counted as 2",
			Check:   measured(synthetic, "b", aboveZero(inverseRate), 5).times(8),
			Control: checks.Faulty(measured(synthetic, "b", aboveZero(rootRate), 5).times(8), "η = 1/√t instead of 1/(λt)"),
		},
		{
			ID: "laplace-sgd/learning-rate/variance", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 6, the variance: " + aboutChoice + "the paragraph that shows Fig. 6, last sentence, by which it " +
				"increases substantially; two thirds is our number",
			Statement: "the private objective varies more with η = 1/(λt) than with 1/√t. The squared difference of two " +
				"runs with 1/(λt) is on average at least two thirds of its sum with the one for 1/√t. Setting: synthetic " +
				"data, b = 5",
			Check: measured(synthetic, "sentence", each(spread(private(5, inverseRate), private(5, rootRate),
				double))).times(8),
			Control: checks.Faulty(measured(synthetic, "sentence", each(spread(private(5, rootRate), private(5,
				inverseRate),
				double))).times(8), "the rates interchanged"),
		},
		{
			ID: "laplace-sgd/high-dimension", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 9: Sect. 4.3, \"Higher dimensional problems\", barely any difference at b = 10, measured by the " +
				"decrease from the objective at w = 0, at which the axis of the figure begins; four fifths is our number",
			Statement: "at b = 10 the private objective falls from ln 2, the objective of w = 0, on average by at least " +
				"four fifths as much as the non-private one. Setting: KDD Cup, all 34 features, η = 1/√t, one pass",
			Check: measured(kddcupAll, "sentence", each(fallAt(private(10, rootRate), plain(10,
				rootRate)))).times(2).noted("both objectives are far below ln 2; their ratio, another measure, is farther " +
				"from 1 at b = 10"),
			Control: checks.Faulty(checks.Shared(measured(few, "sentence", each(fallAt(arm{0.01, 1, rootRate, 1},
				plain(1, rootRate)))).times(4)), "1,000 synthetic records, b = 1 and α = 0.01"),
			Formerly: []string{"laplace-sgd/high-dimension/corrected"},
		},
		{
			ID: "laplace-sgd/high-dimension/variance", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 9, b = 1: Sect. 4.3, \"Higher dimensional problems\", does not converge and has a high variance" +
				ourNumbers,
			Statement: "at b = 1 the non-private objective is on average at most two thirds of the private one. The " +
				"squared difference of two private objectives at b = 1 is on average at least two thirds of its sum with " +
				"the one at b = 10. Setting: KDD Cup, all 34 features, η = 1/√t, one pass",
			Check: measured(kddcupAll, "sentence", each(farAt(1), spread(private(1, rootRate), private(10, rootRate),
				double))),
			Control: spreadTwin, Formerly: []string{"laplace-sgd/settings/untrained/high-dimension"},
		},
		{
			ID: "laplace-sgd/mini-batch/variance", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 1, the variance: " + aboutBatches + "first paragraph, the variance at b = 10 is a lot smaller" +
				ourNumbers,
			Statement: "the objectives of two private runs differ more at b = 1 than at b = 10. The squared difference " +
				"at b = 1 is on average at least two thirds of its sum with the one at b = 10 (our threshold). Setting: " +
				picked + ", η = 1/√t, one pass",
			Check:   measured(mnist, "sentence", each(spread(private(1, rootRate), private(10, rootRate), double))),
			Control: spreadTwin,
		},
		{
			ID: "laplace-sgd/mini-batch/variance/kddcup", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Figs. 1 and 2, b = 1: " + aboutBatches + "second paragraph, last sentence",
			Statement: "the objectives of two private runs differ more on the same 15 features of MNIST than on the " +
				"same 9 features of KDD Cup, in at least half of the pairs. Setting: features picked for each pair, b = " +
				"1, η = 1/√t, one pass",
			Check: across{sets: [2]source{mnist, kddcup}, replicates: 2 * figureRuns,
				figure: func(last func(arm) float64) float64 {
					return math.Abs(last(private(1, rootRate)) - last(private(1, rootRate)))
				}},
			Control: spreadTwin,
		},
		{
			ID: "laplace-sgd/settings/untrained", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Fig. 1, b = 1: Sect. 4.2, λ, α and η_t = 1/√t; Algorithm 1; eq. (2), which is ln 2 at w = 0",
			Statement: "one private pass at b = 1 ends with an objective above ln 2, the objective of w = 0, in at " +
				"least half of the permutations. Setting: " + picked + ", η = 1/√t, w_0 = 0",
			Check: figure(mnist, "b", untrainedIsBetter, 1),
			Control: checks.Faulty(figure(few, "b", untrainedIsBetter, 50).times(4),
				"1,000 synthetic records at b = 50, where training helps"),
		},
	}
}

// Controls on 1,000 synthetic records, each of several claims.
var (
	// noisy is the control of the claims about private and non-private training.
	noisy = checks.Faulty(checks.Shared(measured(few, "b", &measure{
		quantity: "the smaller of both objectives over the larger", sense: verify.AtLeast, bound: constantly(1 / near),
		hi:     1,
		effect: effect,
		value: func(_ float64, last func(arm) float64) float64 {
			f := last(arm{0.01, 1, rootRate, 1}) / last(plain(1, rootRate))
			return math.Min(f, 1/f)
		},
	}, 1).times(4)), "1,000 synthetic records, b = 1 and α = 0.01, claimed to be almost identical")
	// smallBatch is the control of the claims about large batches.
	smallBatch = verify.Control{
		Check: checks.Shared(measured(few, "b", falls("rise of the objective from b = 1", verify.AtLeast, visibleFall,
			func(_ float64, last func(arm) float64) (a, b float64) {
				return last(arm{0.01, 50, rootRate, 1}), last(arm{0.01, 1, rootRate, 1})
			}), 50).times(4)),
		Want: checks.Refuted, Fault: "1,000 synthetic records at α = 0.01, b = 1 claimed to be better than b = 50",
	}
	// spreadTwin is the control of the claims about variances.
	spreadTwin = verify.Control{
		Check: checks.Shared(measured(few, "sentence", each(spread(private(50, rootRate), private(1, rootRate),
			0.5))).times(4)),
		Want: checks.Refuted, Fault: "1,000 synthetic records, the batch sizes 50 and 1 interchanged",
	}
)

// measured returns the check that the mean of a measure is within its bound at each x of a grid. A measure with several
// sentences adds their numbers, from 1, to the grid.
func measured(from source, variable string, m *measure, grid ...float64) permutations {
	for i := range m.sentences {
		grid = append(grid, float64(i+1))
	}
	return permutations{source: from, variable: variable, grid: grid, replicates: figureRuns, measure: m}
}

// figure returns the check that a predicate is true in at least half of the permutations, at each x of the grid.
func figure(from source, variable string, holds predicate, grid ...float64) permutations {
	return measured(from, variable, shown(holds), grid...)
}

// times multiplies the number of permutations.
func (p permutations) times(n int64) permutations {
	p.replicates *= n
	return p
}

// noted adds a note to the method.
func (p permutations) noted(text string) permutations {
	p.note = text
	return p
}

// alongBatches draws the curves against b, as Figs. 4 and 5 do.
func (p permutations) alongBatches() permutations {
	p.againstBatch = true
	return p
}

func degradesLess(_ float64, last func(arm) float64) bool {
	for _, at := range []func(int, laplacesgd.Rate) arm{private, plain} {
		if !(last(at(50, largeRate))/last(at(5, largeRate)) < last(at(50, rootRate))/last(at(5, rootRate))) {
			return false
		}
	}
	return true
}

func untrainedIsBetter(b float64, last func(arm) float64) bool {
	return last(private(int(b), rootRate)) > math.Ln2
}
