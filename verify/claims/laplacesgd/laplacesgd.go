// Package laplacesgd is the ledger of Hardwarsing 2018, "Stochastic Gradient Descent
// With Differentially Private Updates" (bachelor thesis).
//
//	gradient.go    eq. (4): its two forms; eq. (6) against (8); the sensitivity
//	noise.go       eq. (7) and Algorithm 1: the density, the privacy of one update
//	passes.go      a pass over batches, and several: the density ratio of whole runs
//	data.go        Sect. 4.1: the data sets and their preparation
//	figures.go     the sentences about Figs 1-9, as statements about permutations
//	figures_run.go what they run
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these,
// fixed before anything is run; each has an id.
//
//   - eq-4: over the reals; …/double as the first form is printed, in double precision;
//     …/derivative: either is the derivative of ℓ.
//   - sensitivity: at most 2, and 2/b for a batch; …/tight that it is no less, whatever d;
//     …/last-batch: a short batch divided by b, as (8) prints it; …/last-batch/mean
//     divided by the number of its records, which the word "batch of size b" does not settle.
//   - eq-6: at b = 1, what it is printed for; …/batch with the batch it is printed with.
//   - alg-1/density: "from the unit ball" to the letter, Γ(d, 2/α) as shape and scale;
//     …/rate direction on the sphere, 2/α as a rate; …/corrected on the sphere, as a
//     scale; …/program the program of reference [1], which normalises a point of a cube.
//     …/sampled judges the implementation by its samples.
//   - alg-1/privacy: one update with the same four laws, under the same names.
//   - single-pass: neighbours differ in the value of one record, as (1) has it (the
//     prose of Sect. 3.1 speaks of presence: the number of updates alone then tells);
//     all iterates are released, in a fixed order of the records (a permutation that
//     does not look at the data mixes such runs, and keeps α). …/short-batch: the last
//     batch averaged over its own records; …/random-batches: the "randomly chosen batch" of (5),
//     every batch drawn anew.
//   - thm-1: the printed example, ten passes at 0.01, as runs of the algorithm, whose
//     passes are adaptive; …/sum the theorem on mechanisms that do not see each other.
//   - preprocessing: different features; …/with-replacement features that may be picked
//     twice, as in the program of [1]; …/zero-rows the division as it is printed.
//   - datasets: rows and features, the class not counted; …/columns with the class
//     counted among the features of Banknote and Occupancy; …/occupancy the two
//     dimensions that the thesis prints.
//   - mini-batch, batch-size, learning-rate, epochs, high-dimension: the figures print no
//     numbers. "Far", "almost identical" and the like are put as statements about the last
//     objective of single permutations, with thresholds stated in the claim, the same for all
//     figures; these, unlike the readings above, were set after a look at a few trainings.
//     Noise is that of Algorithm 1 as printed, features are picked anew for each
//     permutation, w_0 = 0. That two passes "change little" is put as: ten improve on two.
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
