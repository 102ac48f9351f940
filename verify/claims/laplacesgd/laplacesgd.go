// Package laplacesgd holds the claims of Hardwarsing 2018, "Stochastic Gradient Descent
// With Differentially Private Updates" (bachelor thesis).
//
//	settings.go    the sizes of noise, steps and rates at the thesis's own settings
//	released.go    what its experiments release, and what that costs
//	gradient.go    eq. (4): its two forms; eq. (6) against (8)
//	sensitivity.go the movement of the gradient and of an average
//	noise.go       eq. (7) and Algorithm 1: the density and the size of the noise
//	privacy.go     the privacy of one update
//	passes.go      a pass over batches, and several: the density ratio of whole runs
//	data.go        Sect. 4.1: the data sets and their preparation
//	program.go     what the published program does with records, labels and synthetic data
//	margin.go      the largest margin of any hyperplane
//	effects.go     causes and limits that the text names, as far as they can be computed
//	figures.go     the sentences about Figs 1-9, as statements about permutations
//	sentences.go   the other sentences about them
//	measures.go    what is measured for both, and the words of the thesis in numbers
//	figures_run.go what both run
//
// The program is that of reference [1] of the thesis, github.com/RayelH/Differentially-Private-SGD (MATLAB).
// Claims about it have the origin "program" and name the file and the line; claims about the text
// stand on the text alone.
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these,
// fixed before anything is run; each has an id.
//
//   - eq-4: over the reals; …/derivative: either form is the derivative of ℓ.
//   - sensitivity: at most 2, and 2/b for a batch; …/last-batch: a short batch divided by b, as (8) prints it;
//     …/last-batch/mean divided by the number of its records, which the word "batch of size b" does not settle.
//   - eq-6: at b = 1, what it is printed for; …/batch with the batch it is printed with.
//   - alg-1/density: "from the unit ball" to the letter, Γ(d, 2/α) as shape and scale;
//     …/rate direction on the sphere, 2/α as a rate; …/corrected on the sphere, as a
//     scale; …/program the program, which normalises a point of a cube.
//     …/sampled judges the implementation by its samples.
//   - alg-1/privacy: one update with the same four laws, under the same names. Its loss under Algorithm 1 to the letter
//     is infinite; how much of δ that takes at the thesis's dimensions is settings/noise/delta.
//   - single-pass: neighbours differ in the value of one record, as (1) has it; …/presence in whether it
//     is there, as the prose of Sect. 3.1 has it, which the number of updates alone tells. All
//     iterates are released, in a fixed order of the records (a permutation that does not look
//     at the data mixes such runs, and keeps α). …/short-batch: the last batch averaged over its own
//     records; …/short-batch/program left out; …/random-batches: the "randomly chosen batch" of (5),
//     every batch drawn anew.
//   - thm-1: the printed example, ten passes at 0.01, as runs of the algorithm, whose
//     passes are adaptive; …/sum the theorem on mechanisms that do not see each other.
//   - preprocessing: different features; …/with-replacement features that may be picked twice, as the program does.
//   - datasets: rows and features, the class not counted; …/columns with the class
//     counted among the features of Banknote and Occupancy; …/occupancy the two
//     dimensions that the thesis prints. …/synthetic: 5 features and 6, as "5-dimensional" may speak of the surface.
//   - mini-batch/convergence: "does not converge" of all updates to come; mini-batch has it of one pass.
//   - learning-rate/faster: from one update to the next; settings/learning-rate has the rates themselves.
//   - mini-batch, batch-size, learning-rate, epochs, high-dimension: the figures print no
//     numbers. "Far", "almost identical" and the like are put as statements about means of the last
//     objectives, or their ratios, in single permutations, with thresholds stated in the claim, the same for all
//     figures (measures.go). Noise is that of Algorithm 1 as printed, features are picked anew for each
//     permutation, w_0 = 0. epochs/dimension/cause: the cause tried by longer noise on the same data.
//   - settings/steps, settings/short-batch: the 1,327 rows of Banknote that are printed; …/file the 1,372 of its file.
package laplacesgd

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "laplace-sgd"

// Claims returns the claims of the paper in its own order.
func Claims() []verify.Claim {
	return slices.Concat(sizeSettings(), releaseSettings(), untrainedSettings(), gradientClaims(), sensitivityClaims(),
		densityClaims(), privacyClaims(), passClaims(),
		dataClaims(), programClaims(), effectClaims(), figureClaims(), sentenceClaims())
}

// The grid on which formulas are evaluated: d = 1, the dimensions of the thesis's data
// after picking and before it, and privacy levels from its example of 0.01 to 10.
var (
	dimensions = []int{1, 2, 4, 5, 9, 15, 34, 784}
	alphas     = []float64{0.01, 1, 10}
)

const gridWords = "d ∈ {1, 2, 4, 5, 9, 15, 34, 784}, α ∈ {0.01, 1, 10}"
