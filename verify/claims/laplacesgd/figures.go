package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

// The words of the thesis in numbers, the same for all figures. They were set after a
// look at a few trainings.
const (
	far  = 1.5  // "far": more than so many times the non-private objective
	near = 1.25 // "almost identical", "barely any difference": between 1/1.25 and 1.25 times
)

const figureRuns = 128 // permutations at each point, at the standard budget

// ourNumbers says what is not the thesis's in a place.
const ourNumbers = "; the figures print no numbers, and what is far (1.5 times) or almost identical (within a " +
	"quarter) is our choice"

// noisy is the twin of the claims about private and non-private training.
var noisy = verify.Twin{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{1}, replicates: 4 * figureRuns,
		ask: noisyIsNear}),
	Want: checks.Refuted, Fault: "1,000 synthetic records, b = 1 and α = 0.01, said to be almost identical",
}

func figureClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/mini-batch", Source: "Fig. 1", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Effects of mini-batching\", first paragraph" + ourNumbers,
			Statement: "MNIST, η = 1/√t: after one pass the private objective is more than 1.5 times the non-private one at b " +
				"= 1, and within a quarter of it at b = 10, in at least half of the permutations each",
			Check: figure(mnist, "b", []float64{1, 10}, farThenNear), Twin: noisy,
		},
		{
			ID: "laplace-sgd/mini-batch/kddcup", Source: "Fig. 2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Effects of mini-batching\", second paragraph" + ourNumbers,
			Statement: "KDD Cup, d = 9, η = 1/√t: after one pass the private objective is above the non-private one by a " +
				"larger factor at b = 1 than at b = 5, and within a quarter of it at b = 5, in at least half of " +
				"the permutations each",
			Check: figure(kddcup, "b", []float64{1, 5}, worseThenNear), Twin: noisy,
		},
		{
			ID: "laplace-sgd/mini-batch/banknote", Source: "Fig. 3", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Effects of mini-batching\", third paragraph" + ourNumbers,
			Statement: "Banknote, η = 1/√t: after one pass the private objective is more than 1.5 times the non-private one " +
				"at b = 1, and within a quarter of it at b = 10, in at least half of the permutations each",
			Check: small(banknote, "b", []float64{1, 10}, farThenNear), Twin: noisy,
		},
		{
			ID: "laplace-sgd/batch-size", Source: "Fig. 4", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Choosing parameters\", first paragraph, on Fig. 4",
			Statement: "MNIST, η = 1/√t: the private objective is larger at b = 10, 20 and 50 than at b = 5, in at least half " +
				"of the permutations each",
			Check: figure(mnist, "b", []float64{10, 20, 50}, largerBatchIsWorse(5)).times(2).alongBatches(), Twin: smallBatch,
			Corrected: "laplace-sgd/batch-size/corrected",
		},
		{
			ID: "laplace-sgd/batch-size/corrected", Source: "Fig. 4, corrected", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Sect. 4.3, \"Choosing parameters\", first paragraph, on Fig. 4, at batch sizes " +
				"that it does not try",
			Statement: "MNIST, η = 1/√t: the private objective is larger at b = 200 than at b = 20, in at least half " +
				"of the permutations",
			Check: figure(mnist, "b", []float64{200}, largerBatchIsWorse(20)).alongBatches(), Twin: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/occupancy", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Choosing parameters\", first paragraph, on Fig. 5",
			Statement: "Occupancy, η = 1/√t: the private objective is larger at b = 10, 20 and 50 than at b = 5, in at least " +
				"half of the permutations each",
			Check: small(occupancy, "b", []float64{10, 20, 50}, largerBatchIsWorse(5)).alongBatches(), Twin: smallBatch,
		},
		{
			ID: "laplace-sgd/batch-size/large-rate", Source: "Fig. 5", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Choosing parameters\", first paragraph, last sentence, on Fig. 5",
			Statement: "Occupancy: from b = 5 to b = 50 the objective grows by a smaller factor with η = 10/√t than with " +
				"1/√t, with privacy and without, in at least half of the permutations",
			Check: small(occupancy, "b", []float64{50}, degradesLess).alongBatches(), Twin: smallBatch,
		},
		{
			ID: "laplace-sgd/learning-rate", Source: "Fig. 6", Kind: verify.Experiment,
			Origin: verify.Stated,
			Place: "Sect. 4.3, \"Choosing parameters\", the paragraph that shows Fig. 6, last sentence: " +
				"still very large",
			Statement: "synthetic data, b = 5: after all records the mean private objective with η = 1/(λt), each value above " +
				"2 counted as 2, is at least that of w = 0, log 2",
			Check: atLeast(aboveZero(inverseRate)),
			Twin:  verify.Twin{Check: atLeast(aboveZero(rootRate)), Want: checks.Refuted, Fault: "η = 1/√t"},
		},
		{
			ID: "laplace-sgd/learning-rate/variance", Source: "Fig. 6", Kind: verify.Experiment,
			Origin: verify.Stated,
			Place: "Sect. 4.3, \"Choosing parameters\", the paragraph that shows Fig. 6, last sentence: " +
				"the variance",
			Statement: "synthetic data, b = 5: of (F − F′)² for the private objectives of two runs with η = 1/(λt), and the " +
				"same for 1/√t, the first has on average at least half of the sum of both",
			Check: atLeast(spread(inverseRate, rootRate)),
			Twin: verify.Twin{Check: atLeast(spread(rootRate, inverseRate)), Want: checks.Refuted,
				Fault: "the rates exchanged"},
		},
		{
			ID: "laplace-sgd/epochs", Source: "Fig. 7", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Multiple passes\", the paragraph on Fig. 7: a clear improvement",
			Statement: "MNIST, b = 1: the private objective after ten passes is below that after one, in at least half " +
				"of the permutations",
			Check: permutations{source: mnist, variable: "passes", grid: []float64{10}, replicates: figureRuns,
				ask: tenImprove},
			Twin: noisy, Corrected: "laplace-sgd/epochs/program",
		},
		{
			ID: "laplace-sgd/epochs/occupancy", Source: "Fig. 8", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Multiple passes\", the paragraph on Fig. 8: a huge improvement",
			Statement: "Occupancy, b = 1: the private objective after ten passes is below that after one, and in other runs " +
				"below that after two, in at least half of the permutations each",
			Check: permutations{source: occupancy, variable: "passes compared with ten", grid: []float64{1, 2},
				replicates: 4 * figureRuns, ask: tenAgainst},
			Twin: noisy,
		},
		{
			ID: "laplace-sgd/high-dimension", Source: "Fig. 9", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Sect. 4.3, \"Higher dimensional problems\", on Fig. 9" + ourNumbers,
			Statement: "KDD Cup, d = 34, η = 1/√t: after one pass the private objective is more than 1.5 times the " +
				"non-private one at b = 1, and within a quarter of it at b = 10, in at least half of the permutations each",
			Check: figure(kddcupAll, "b", []float64{1, 10}, farThenNear).times(3), Twin: noisy,
			Corrected: "laplace-sgd/high-dimension/corrected",
		},
		{
			ID: "laplace-sgd/high-dimension/corrected", Source: "Fig. 9, corrected", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Sect. 4.3, \"Higher dimensional problems\", on Fig. 9, at a batch size that it " +
				"does not try",
			Statement: "KDD Cup, d = 34, η = 1/√t: after one pass the private objective is within a quarter of the " +
				"non-private one at b = 100, in at least half of the permutations",
			Check: figure(kddcupAll, "b", []float64{100}, farThenNear), Twin: noisy,
		},
	}
}

// smallBatch is the twin of the claims about large batches.
var smallBatch = verify.Twin{
	Check: checks.Shared(permutations{source: few, variable: "b", grid: []float64{50}, replicates: 4 * figureRuns,
		ask: func(_ float64, last func(arm) float64) bool {
			return last(arm{0.01, 50, rootRate, 1}) > last(arm{0.01, 1, rootRate, 1})
		}}),
	Want: checks.Refuted, Fault: "1,000 synthetic records at α = 0.01, where b = 1 is said to be better than b = 50",
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

func isNear(factor float64) bool { return factor <= near && factor >= 1/near }

func farThenNear(x float64, last func(arm) float64) bool {
	f := factor(int(x), last)
	if x == 1 {
		return f > far
	}
	return isNear(f)
}

func worseThenNear(x float64, last func(arm) float64) bool {
	f := factor(int(x), last)
	if x == 1 {
		return f > factor(5, last)
	}
	return isNear(f)
}

func noisyIsNear(_ float64, last func(arm) float64) bool {
	return isNear(last(arm{0.01, 1, rootRate, 1}) / last(plain(1, rootRate)))
}

func largerBatchIsWorse(than int) question {
	return func(x float64, last func(arm) float64) bool {
		return last(private(int(x), rootRate)) > last(private(than, rootRate))
	}
}

func degradesLess(_ float64, last func(arm) float64) bool {
	for _, of := range []func(int, laplacesgd.Rate) arm{private, plain} {
		if !(last(of(50, largeRate))/last(of(5, largeRate)) < last(of(50, rootRate))/last(of(5, rootRate))) {
			return false
		}
	}
	return true
}

// atLeast is the statement that the mean of a value in [0, 1] is at least its bound.
func atLeast(of measure) verify.Check {
	return permutations{source: synthetic, variable: "b", grid: []float64{5}, replicates: 8 * figureRuns, measure: &of}
}

// aboveZero is the last objective in units of 2, cut there, against log 2.
func aboveZero(rate laplacesgd.Rate) measure {
	return measure{
		quantity: "half of the last objective, at most 1", bound: math.Ln2 / 2,
		value: func(last func(arm) float64) float64 { return math.Min(last(private(5, rate)), 2) / 2 },
	}
}

// spread is the part of the first rate in the squared differences of two runs each.
func spread(first, second laplacesgd.Rate) measure {
	return *spreadOf(private(5, first), private(5, second))
}

// spreadOf is the part of the first arm.
func spreadOf(first, second arm) *measure {
	squared := func(last func(arm) float64, a arm) float64 {
		difference := last(a) - last(a)
		return difference * difference
	}
	return &measure{
		quantity: "share of the squared difference of two runs", bound: 0.5,
		value: func(last func(arm) float64) float64 {
			a, b := squared(last, first), squared(last, second)
			return a / (a + b)
		},
	}
}

func tenAgainst(passes float64, last func(arm) float64) bool {
	return last(arm{paperAlpha, 1, rootRate, 10}) < last(arm{paperAlpha, 1, rootRate, int(passes)})
}

func tenImprove(_ float64, last func(arm) float64) bool { return tenAgainst(1, last) }
