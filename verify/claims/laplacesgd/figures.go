package laplacesgd

import (
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

const figureRuns = 128 // permutations at each point, at the standard budget

// ourNumbers says what is not the thesis's in a place.
const ourNumbers = "; the figures print no numbers, and what is far (1.5 times) or almost identical (within a " +
	"quarter), as a mean of ratios, is our choice"

// noisy is the twin of the claims about private and non-private training.
var noisy = verify.Control{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{1}, replicates: 4 * figureRuns,
		measure: noisyIsNear}),
	Want: checks.Refuted, Fault: "1,000 synthetic records, b = 1 and α = 0.01, said to be almost identical",
}

func figureClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/mini-batch", Source: "Fig. 1", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Effects of mini-batching\", first paragraph" + ourNumbers,
			Statement: "MNIST, η = 1/√t: after one pass the non-private objective is on average at most two thirds of the " +
				"private one at b = 1, and at b = 10 the smaller of both is on average at least four fifths of the larger",
			Check: measured(mnist, "b", []float64{1, 10}, farThenNear), Control: noisy,
		},
		{
			ID: "laplace-sgd/mini-batch/kddcup", Source: "Fig. 2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Effects of mini-batching\", second paragraph" + ourNumbers,
			Statement: "KDD Cup, d = 9, η = 1/√t: of the factors of the private over the non-private objective after one pass " +
				"at b = 1 and at b = 5 the first has on average at least half of the sum, and at b = 5 the smaller of both " +
				"objectives is on average at least four fifths of the larger",
			Check: measured(kddcup, "b", []float64{1, 5}, worseThenNear(5)), Control: noisy,
		},
		{
			ID: "laplace-sgd/mini-batch/banknote", Source: "Fig. 3", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Effects of mini-batching\", third paragraph" + ourNumbers,
			Statement: "Banknote, η = 1/√t: after one pass the non-private objective is on average at most two thirds of the " +
				"private one at b = 1, and at b = 10 the smaller of both is on average at least four fifths of the larger",
			Check: measured(banknote, "b", []float64{1, 10}, farThenNear).times(8), Control: noisy,
		},
		{
			ID: "laplace-sgd/batch-size", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutChoice + "first paragraph, on Fig. 4; a twentieth is our number",
			Statement: "MNIST, η = 1/√t: the private objective is larger at b = 10, 20 and 50 than at b = 5, on average by a " +
				"twentieth of it at least",
			Check:     measured(mnist, "b", []float64{10, 20, 50}, largerBatchIsWorse(5)).times(8).alongBatches(),
			Control:   smallBatch,
			Corrected: "laplace-sgd/batch-size/corrected",
		},
		{
			ID: "laplace-sgd/batch-size/corrected", Source: "Fig. 4, corrected", Kind: verify.Experiment,
			Origin: verify.Correction,
			Place: "Sect. 4.3, \"Choosing parameters\", first paragraph, on Fig. 4, at batch sizes " +
				"that it does not try",
			Statement: "MNIST, η = 1/√t: the private objective is larger at b = 200 than at b = 20, on average by a twentieth " +
				"of it at least",
			Check: measured(mnist, "b", []float64{200}, largerBatchIsWorse(20)).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/occupancy", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutChoice + "first paragraph, on Fig. 5; a twentieth is our number",
			Statement: "Occupancy, η = 1/√t: the private objective is larger at b = 10, 20 and 50 than at b = 5, on average " +
				"by a twentieth of it at least",
			Check:   measured(occupancy, "b", []float64{10, 20, 50}, largerBatchIsWorse(5)).times(16).alongBatches(),
			Control: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/large-rate", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Choosing parameters\", first paragraph, last sentence, on Fig. 5",
			Statement: "Occupancy: from b = 5 to b = 50 the objective grows by a smaller factor with η = 10/√t than with " +
				"1/√t, with privacy and without, in at least half of the permutations",
			Check: small(occupancy, "b", []float64{50}, degradesLess).alongBatches(), Control: smallBatch,
		},
		{
			ID: "laplace-sgd/learning-rate", Source: "Fig. 6", Kind: verify.Experiment,
			Origin: verify.Stated,
			Place: "Sect. 4.3, \"Choosing parameters\", the paragraph that shows Fig. 6, last sentence: " +
				"still very large",
			Statement: "synthetic data, b = 5: after all records the mean private objective with η = 1/(λt), each value above " +
				"2 counted as 2, is at least twice that of w = 0, log 2",
			Check:   atLeast(aboveZero(inverseRate)),
			Control: verify.Control{Check: atLeast(aboveZero(rootRate)), Want: checks.Refuted, Fault: "η = 1/√t"},
		},
		{
			ID: "laplace-sgd/learning-rate/variance", Source: "Fig. 6", Kind: verify.Experiment,
			Origin: verify.Stated,
			Place: "Sect. 4.3, \"Choosing parameters\", the paragraph that shows Fig. 6, last sentence: " +
				"the variance",
			Statement: "synthetic data, b = 5: of (F − F′)² for the private objectives of two runs with η = 1/(λt), and the " +
				"same for 1/√t, the first has on average at least two thirds of the sum of both, as with twice the deviation",
			Check: atLeast(spread(inverseRate, rootRate)),
			Control: verify.Control{Check: atLeast(spread(rootRate, inverseRate)), Want: checks.Refuted,
				Fault: "the rates exchanged"},
		},
		{
			ID: "laplace-sgd/epochs", Source: "Fig. 7", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 7: a clear improvement; a tenth is our number",
			Statement: "MNIST, b = 1: the private objective after ten passes is below that after one, on average by a tenth " +
				"of it at least",
			Check:   measured(mnist, "passes", []float64{10}, passesImprove),
			Control: noisy, Corrected: "laplace-sgd/epochs/program",
		},
		{
			ID: "laplace-sgd/epochs/closer", Source: "Fig. 7", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 7, next to last sentence: much closer to " +
				"non-private SGD; half as far is our number",
			Statement: "MNIST, b = 1: the private objective is on average at most half as far above the non-private one after " +
				"ten passes as after one, the non-private with as many passes, objectives above 2 counted as 2",
			Check: measured(mnist, "passes", []float64{10}, halfGap(laterPasses)), Control: alike,
		},
		{
			ID: "laplace-sgd/epochs/occupancy", Source: "Fig. 8", Kind: verify.Experiment,
			Origin: verify.Stated, Place: aboutPasses + "the paragraph on Fig. 8: a huge improvement; half as far from " +
				"non-private SGD is our number",
			Statement: "Occupancy, b = 1: the private objective is on average at most half as far above the non-private one " +
				"after ten passes as after one, the non-private with as many passes, objectives above 2 counted as 2",
			Check: measured(occupancy, "passes", []float64{10}, halfGap(laterPasses)).times(4), Control: alike,
		},
		{
			ID: "laplace-sgd/high-dimension", Source: "Fig. 9", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Higher dimensional problems\", on Fig. 9" + ourNumbers,
			Statement: "KDD Cup, d = 34, η = 1/√t: after one pass the non-private objective is on average at most two thirds " +
				"of the private one at b = 1, and at b = 10 the smaller of both is on average at least four fifths of the larger",
			Check: measured(kddcupAll, "b", []float64{1, 10}, farThenNear).times(2), Control: noisy,
			Corrected: "laplace-sgd/high-dimension/corrected",
		},
		{
			ID: "laplace-sgd/high-dimension/corrected", Source: "Fig. 9, corrected", Kind: verify.Experiment,
			Origin: verify.Correction,
			Place: "Sect. 4.3, \"Higher dimensional problems\", on Fig. 9, at a batch size that it " +
				"does not try",
			Statement: "KDD Cup, d = 34, η = 1/√t, b = 100: after one pass the smaller of the private and the non-private " +
				"objective is on average at least four fifths of the larger",
			Check: measured(kddcupAll, "b", []float64{100}, farThenNear), Control: noisy,
		},
		{
			ID: "laplace-sgd/high-dimension/variance", Source: "Fig. 9", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Higher dimensional problems\", on Fig. 9: a high variance at b = 1, " +
				"beside b = 10; twice the deviation is our number",
			Statement: "KDD Cup, d = 34, η = 1/√t: of (F − F′)² for the private objectives of two runs at b = 1, and the same " +
				"at b = 10, the first has on average at least two thirds of the sum, as with twice the deviation",
			Check: variance(kddcupAll, 1, 10, double), Control: spreadTwin,
		},
	}
}

// smallBatch is the twin of the claims about large batches.
var smallBatch = verify.Control{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{50}, replicates: 4 * figureRuns,
		measure: falls("rise of the objective from b = 1", verify.AtLeast, visibleFall,
			func(_ float64, last func(arm) float64) (a, b float64) {
				return last(arm{0.01, 50, rootRate, 1}), last(arm{0.01, 1, rootRate, 1})
			})}),
	Want: checks.Refuted, Fault: "1,000 synthetic records at α = 0.01, where b = 1 is said to be better than b = 50",
}

// alike is the twin of the claims that passes come closer to non-private SGD.
var alike = verify.Control{
	Check: checks.Shared(permutations{source: few, variable: "passes", grid: []float64{1}, replicates: 4 * figureRuns,
		measure: halfGap(func(float64) (private, plain arm) { return arm{0.01, 1, rootRate, 1}, arm{0, 1, rootRate, 1} })}),
	Want: checks.Refuted, Fault: "1,000 synthetic records, one pass at α = 0.01 said to come closer than one at α = 1",
}

// measured is figure for the mean of a measure.
func measured(from source, variable string, grid []float64, of *measure) permutations {
	return permutations{source: from, variable: variable, grid: grid, replicates: figureRuns, measure: of}
}

func figure(from source, variable string, grid []float64, ask question) permutations {
	return permutations{source: from, variable: variable, grid: grid, replicates: figureRuns, ask: ask}
}

// small is figure on data so small that more permutations cost nothing.
func small(from source, variable string, grid []float64, ask question) permutations {
	return permutations{source: from, variable: variable, grid: grid, replicates: 8 * figureRuns, ask: ask}
}

// times takes more permutations.
func (p permutations) times(n int64) permutations {
	p.replicates *= n
	return p
}

// alongBatches draws the curves against b, as Figs. 4 and 5 do.
func (p permutations) alongBatches() permutations {
	p.againstBatch = true
	return p
}

func factor(b int, last func(arm) float64) float64 {
	return last(private(b, rootRate)) / last(plain(b, rootRate))
}

func degradesLess(_ float64, last func(arm) float64) bool {
	for _, of := range []func(int, laplacesgd.Rate) arm{private, plain} {
		if !(last(of(50, largeRate))/last(of(5, largeRate)) < last(of(50, rootRate))/last(of(5, rootRate))) {
			return false
		}
	}
	return true
}

// atLeast is the statement on the synthetic data.
func atLeast(of *measure) verify.Check {
	return measured(synthetic, "b", []float64{5}, of).times(8)
}
