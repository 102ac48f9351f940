package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

// The places of the sentences about the figures.
const (
	aboutBatches = "Sect. 4.3, \"Effects of mini-batching\", "
	aboutChoice  = "Sect. 4.3, \"Choosing parameters\", "
	aboutPasses  = "Sect. 4.3, \"Multiple passes\", "
)

// spreadTwin is the twin of the claims about variances.
var spreadTwin = verify.Control{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{1}, replicates: 4 * figureRuns,
		measure: spreadOf(private(50, rootRate), private(1, rootRate), 0.5)}),
	Want: checks.Refuted, Fault: "1,000 synthetic records, the batch sizes 50 and 1 exchanged",
}

// twoTwin is the twin of the claims that two passes change little.
var twoTwin = verify.Control{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{1}, replicates: 4 * figureRuns,
		measure: falls("objective at b = 1 and α = 0.01 less that at b = 10", verify.AtMost, 1-1/near,
			func(_ float64, last func(arm) float64) (a, b float64) {
				return last(arm{0.01, 1, rootRate, 1}), last(private(10, rootRate))
			})}),
	Want: checks.Refuted, Fault: "1,000 synthetic records, b = 10 against b = 1 at α = 0.01, said to differ little",
}

// above is the twin of the claims that private SGD stays above.
var above = verify.Control{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{1}, replicates: 4 * figureRuns,
		ask: func(_ float64, last func(arm) float64) bool {
			return last(plain(1, rootRate)) > last(private(50, rootRate))
		}}),
	Want: checks.Refuted, Fault: "1,000 synthetic records, b = 50 and α = 1 against b = 1 without noise, exchanged",
}

func stillAbove(x float64, last func(arm) float64) bool {
	noisy, still := laterPasses(x)
	return last(noisy) > last(still)
}

// sentenceClaims are the sentences about the figures besides their main ones.
func sentenceClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/mini-batch/variance", Source: "Fig. 1", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutBatches + "first paragraph: the variance at b = 10 is a lot smaller; half of " +
				"the deviation is our number",
			Statement: "MNIST, η = 1/√t: of (F − F′)² for the private objectives of two runs at b = 1, and the same at b = " +
				"10, the first has on average at least two thirds of the sum, as with twice the deviation",
			Check: variance(mnist, 1, 10, double), Control: spreadTwin,
		},
		{
			ID: "laplace-sgd/mini-batch/variance/banknote", Source: "Fig. 3", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutBatches + "third paragraph: a smaller variance at b = 10",
			Statement: "Banknote, η = 1/√t: of (F − F′)² for the private objectives of two runs at b = 1, and the same at " +
				"b = 10, the first has on average at least half of the sum of both",
			Check: variance(banknote, 1, 10, 0.5), Control: spreadTwin,
		},
		{
			ID: "laplace-sgd/mini-batch/variance/kddcup/batches", Source: "Fig. 2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutBatches + "second paragraph, first sentence: similar patterns, that of the " +
				"variance among them; half of the deviation is our number, as for MNIST",
			Statement: "KDD Cup, d = 9, η = 1/√t: of (F − F′)² for the private objectives of two runs at b = 1, and the same " +
				"at b = 5, the first has on average at least two thirds of the sum, as with twice the deviation",
			Check: variance(kddcup, 1, 5, double), Control: spreadTwin,
		},
		{
			ID: "laplace-sgd/mini-batch/variance/kddcup", Source: "Figs. 1 and 2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutBatches + "second paragraph, last sentence: b = 1 on either data set",
			Statement: "b = 1, η = 1/√t: two private runs on MNIST differ by more in their objective than two on KDD Cup, in " +
				"at least half of the pairs",
			Check: across{sets: [2]source{mnist, kddcup}, replicates: 2 * figureRuns,
				figure: func(last func(arm) float64) float64 {
					return math.Abs(last(private(1, rootRate)) - last(private(1, rootRate)))
				}},
			Control: spreadTwin,
		},
		{
			ID: "laplace-sgd/batch-size/improves", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutChoice + "first paragraph: a larger batch improves, up to 5; a twentieth " +
				"is our number",
			Statement: "MNIST, η = 1/√t: the private objective is smaller at b = 5 than at b = 1, on average by a twentieth " +
				"at least",
			Check: measured(mnist, "b", []float64{1}, smallerBatchIsWorse(5)).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/improves/occupancy", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutChoice + "first paragraph: a larger batch improves, up to 5; a twentieth " +
				"is our number",
			Statement: "Occupancy, η = 1/√t: the private objective is smaller at b = 5 than at b = 1, on average by a " +
				"twentieth at least",
			Check: measured(occupancy, "b", []float64{1}, smallerBatchIsWorse(5)).times(8).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/cause", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutChoice + "first paragraph: fewer iterations are the reason that a large batch " +
				"is worse",
			Statement: "Occupancy, η = 1/√t, b = 50: with ten passes, and so as many updates as at b = 5 in one, the private " +
				"objective is below that of one pass, on average by a twentieth at least",
			Check: measured(occupancy, "b", []float64{50}, falls("fall of the objective from one pass to ten", verify.AtLeast,
				visibleFall, func(_ float64, last func(arm) float64) (a, b float64) {
					return last(private(50, rootRate)), last(arm{paperAlpha, 50, rootRate, 10})
				})).times(8).alongBatches(),
			Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/large-rate/mnist", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutChoice + "first paragraph, last sentence, on Fig. 4",
			Statement: "MNIST: from b = 5 to b = 50 the objective grows by a smaller factor with η = 10/√t than with 1/√t, " +
				"with privacy and without, in at least half of the permutations",
			Check: figure(mnist, "b", []float64{50}, degradesLess).times(2).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/epochs/two", Source: "Fig. 7", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 7: almost no difference between one epoch and " +
				"two; a fifth is our number",
			Statement: "MNIST, b = 1: neither the private objective after one pass nor that after two is above the other by " +
				"more than a fifth of the larger, on average",
			Check: measured(mnist, "passes", []float64{1, 2}, twoPasses), Control: twoTwin,
		},
		{
			ID: "laplace-sgd/epochs/two/occupancy", Source: "Fig. 8", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 8: two passes have not a lot of influence; " +
				"a fifth is our number",
			Statement: "Occupancy, b = 1: neither the private objective after one pass nor that after two is above the other " +
				"by more than a fifth of the larger, on average",
			Check: measured(occupancy, "passes", []float64{1, 2}, twoPasses).times(8), Control: twoTwin,
		},
		{
			ID: "laplace-sgd/epochs/gap", Source: "Fig. 8", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 8, and Sect. 5: ten passes do not reach " +
				"non-private SGD",
			Statement: "Occupancy, b = 1: after ten passes the private objective is above the non-private one after ten, in " +
				"at least half of the permutations",
			Check: figure(occupancy, "passes", []float64{10}, stillAbove).times(2), Control: above,
		},
		{
			ID: "laplace-sgd/epochs/gap/mnist", Source: "Fig. 7", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 7, last sentence, and Sect. 5: after ten " +
				"passes it still has not converged",
			Statement: "MNIST, b = 1: after ten passes the private objective is above the non-private one after ten, in at " +
				"least half of the permutations",
			Check: figure(mnist, "passes", []float64{10}, stillAbove), Control: above,
		},
		{
			ID: "laplace-sgd/epochs/mini-batch", Source: "abstract, Figs. 1 and 7", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "abstract, last sentence: several passes do less than mini-batches; α = 1 for each " +
				"pass",
			Statement: "MNIST: ten passes at b = 1, of cost 10, end with a larger private objective than one pass at b = 10, " +
				"of cost 1, in at least half of the permutations",
			Check: permutations{source: mnist, variable: "passes", grid: []float64{10}, replicates: 3 * figureRuns / 8,
				ask: passesAgainstBatch(paperAlpha)},
			Control: noisy,
		},
		{
			ID: "laplace-sgd/epochs/mini-batch/occupancy", Source: "abstract, Figs. 5 and 8", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "abstract, last sentence: several passes do less than mini-batches; α = 1 for each " +
				"pass",
			Statement: "Occupancy: ten passes at b = 1, of cost 10, end with a larger private objective than one pass at b = " +
				"10, of cost 1, in at least half of the permutations",
			Check: figure(occupancy, "passes", []float64{10}, passesAgainstBatch(paperAlpha)).times(4), Control: noisy,
			Corrected: "laplace-sgd/epochs/mini-batch/equal-cost",
		},
		{
			ID: "laplace-sgd/epochs/mini-batch/equal-cost", Source: "abstract, Figs. 5 and 8", Kind: verify.Experiment,
			Origin: verify.Correction,
			Place: "abstract, last sentence; whether passes and mini-batches are compared at the same " +
				"cost in all is not said: here they are, the passes at α = 0.1 each",
			Statement: "Occupancy: ten passes at b = 1 and α = 0.1 end with a larger private objective than one pass at b = " +
				"10 and α = 1, in at least half of the permutations",
			Check: figure(occupancy, "passes", []float64{10}, passesAgainstBatch(paperAlpha/10)).times(2), Control: noisy,
		},
		{
			ID: "laplace-sgd/epochs/dimension", Source: "Figs. 7 and 8", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 8, and Sect. 5: the improvement is larger for " +
				"Occupancy",
			Statement: "b = 1: from one pass to ten the private objective falls by a larger factor on Occupancy than on " +
				"MNIST, in at least half of the pairs of permutations",
			Check: across{sets: [2]source{occupancy, mnist}, replicates: figureRuns / 2,
				figure: func(last func(arm) float64) float64 {
					return last(private(1, rootRate)) / last(arm{paperAlpha, 1, rootRate, 10})
				}},
			Control: noisy,
		},
		{
			ID: "laplace-sgd/epochs/dimension/cause", Source: "Figs. 7 and 8, the cause", Kind: verify.Experiment,
			Origin: verify.Reading, Place: aboutPasses + "the paragraph on Fig. 8, last two sentences: longer noise in more " +
				"features is why ten passes help MNIST less; put as noise as long as MNIST's on Occupancy",
			Statement: "Occupancy, b = 1: from one pass to ten the private objective falls on average by at least as large a " +
				"factor with its own noise as with noise as long as that of 15 features",
			Check:     measured(occupancy, "passes", []float64{10}, longerNoise(false)).times(6),
			Control:   smallBatch,
			Corrected: "laplace-sgd/epochs/dimension/cause/corrected",
		},
		{
			ID: "laplace-sgd/epochs/dimension/cause/corrected", Source: "Figs. 7 and 8, the cause, corrected",
			Kind:   verify.Experiment,
			Origin: verify.Correction, Place: aboutPasses + "the paragraph on Fig. 8, last two sentences, the other way",
			Statement: "Occupancy, b = 1: from one pass to ten the private objective falls on average by at least as large a " +
				"factor with noise as long as that of 15 features as with its own",
			Check:   measured(occupancy, "passes", []float64{10}, longerNoise(true)).times(6),
			Control: smallBatch,
		},
		{
			ID: "laplace-sgd/epochs/program", Source: "Fig. 7, the program of [1]", Kind: verify.Experiment,
			Origin: verify.Program, Place: mnistFile + ", line 16, and " + trainingFile + ": labels −1 and 0, noise, start " +
				"and order of the program, ten passes in the place of line 14's one",
			Statement: "MNIST, b = 1, all as the program has it: the private objective after ten passes is below that after " +
				"one, on average by a tenth of it at least",
			Check:   measured(mnistProgram, "passes", []float64{10}, passesImprove),
			Control: noisy,
		},
	}
}

// untrainedSettings are the objectives of private training beside that of w = 0, ln 2.
func untrainedSettings() []verify.Claim {
	const place = "Sect. 4.2, λ, α and η_t = 1/√t; Algorithm 1; eq. (2), which is ln 2 at w = 0"
	return []verify.Claim{
		{
			ID: "laplace-sgd/settings/untrained", Source: "Fig. 1, b = 1", Kind: verify.Experiment,
			Origin: verify.Observation, Place: place,
			Statement: "MNIST: one private pass at b = 1 ends with an objective above ln 2, that of w = 0 before any " +
				"training, in at least half of the permutations",
			Check: figure(mnist, "b", []float64{1}, untrainedIsBetter(1)), Control: trained,
		},
		{
			ID: "laplace-sgd/settings/untrained/high-dimension", Source: "Fig. 9, b = 1", Kind: verify.Experiment,
			Origin: verify.Observation, Place: place,
			Statement: "KDD Cup, d = 34: one private pass at b = 1 ends with an objective above ln 2, that of w = 0 before " +
				"any training, in at least half of the permutations",
			Check: figure(kddcupAll, "b", []float64{1}, untrainedIsBetter(1)), Control: trained,
		},
	}
}

// trained is the twin of claims that training is worse than none.
var trained = verify.Control{
	Check: permutations{source: few, variable: "b", grid: []float64{50}, replicates: 4 * figureRuns,
		ask: untrainedIsBetter(50)},
	Want: checks.Refuted, Fault: "1,000 synthetic records at b = 50, where training helps",
}

func untrainedIsBetter(b int) question {
	return func(_ float64, last func(arm) float64) bool { return last(private(b, rootRate)) > math.Ln2 }
}

func passesAgainstBatch(alpha float64) question {
	return func(passes float64, last func(arm) float64) bool {
		return last(arm{alpha, 1, rootRate, int(passes)}) > last(private(10, rootRate))
	}
}

// variance is the statement that two private runs differ by more at the first batch size.
func variance(from source, first, second int, least float64) verify.Check {
	return measured(from, "b", []float64{float64(first)}, spreadOf(private(first, rootRate), private(second, rootRate),
		least))
}
