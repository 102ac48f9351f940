// Package laplacesgd holds the claims of Hardwarsing 2018, "Stochastic Gradient Descent
// With Differentially Private Updates" (bachelor thesis).
//
//	settings.go    noise, rates and costs at the thesis's own settings
//	gradient.go    eq. (4), and the movement of the gradient and of an average
//	noise.go       eq. (7) and Algorithm 1: the density and the size of the noise
//	privacy.go     the privacy of one update
//	passes.go      a pass over batches, and several: the density ratio of whole runs
//	data.go        Sect. 4.1: the data sets and their preparation
//	program.go     what the published program does with records, labels and synthetic data
//	margin.go      the largest margin of any hyperplane
//	effects.go     causes and limits that the text names, as far as they can be computed
//	figures.go     the sentences about Figs 1-6 and 9, as statements about permutations
//	sentences.go   the sentences about several passes, Figs 7 and 8
//	measures.go    the measures for both, and the words of the thesis in numbers
//	figures_run.go the trainings for both
//
// The program is that of reference [1] of the thesis, github.com/RayelH/Differentially-Private-SGD (MATLAB).
// Claims about it have the origin "program" and name the file and the line; claims about the text rest only on the
// text.
//
// # Readings
//
//   - alg-1: v is in the unit ball, as printed; its correction draws v on the sphere. 2/α is the scale of Γ(d, 2/α).
//   - single-pass: a short last batch is divided by b, as eq. (8) prints; settings/short-batch has its average.
//   - datasets: the class counts as a column of Banknote and Occupancy; in datasets/synthetic "5-dimensional" is 5
//     or 6.
//   - figures: they print no numbers. The thresholds of "far", "almost identical" and the like are in measures.go and
//     in each statement. A claim whose outcome depends on the measure has the origin "reading" and states the measure.
package laplacesgd

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "laplace-sgd"

// Claims returns the claims of the paper in its own order.
func Claims() []verify.Claim {
	return slices.Concat(settingClaims(), gradientClaims(), densityClaims(), privacyClaims(), passClaims(), dataClaims(),
		programClaims(), effectClaims(), figureClaims(), sentenceClaims())
}

// The grid on which formulas are evaluated: d = 1, the dimensions of the thesis's data
// after picking and before it, and privacy levels from its example of 0.01 to 10.
var (
	dimensions = []int{1, 2, 4, 5, 9, 15, 34, 784}
	alphas     = []float64{0.01, 1, 10}
)
