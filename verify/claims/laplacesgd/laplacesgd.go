// Package laplacesgd holds the claims of Hardwarsing 2018, "Stochastic Gradient Descent
// With Differentially Private Updates" (bachelor thesis).
//
//	settings.go    noise, rates and costs at the thesis's own settings
//	gradient.go    eq. (4), and the movement of the gradient and of an average
//	noise.go       eq. (7) and Algorithm 1: the density and the size of the noise
//	privacy.go     the privacy of one update
//	passes.go      one pass and several passes over batches: the density ratio of whole runs
//	data.go        Sect. 4.1: the data sets and their preparation
//	program.go     the records, labels and synthetic data of the published program
//	margin.go      the largest margin of any hyperplane
//	effects.go     computable statements about the causes of the figures
//	figures.go     statements about Figs. 1-6 and 9, measured over permutations
//	sentences.go   statements about several passes, Figs. 7 and 8
//	measures.go    the measures for both, with numbers for the words of the thesis
//	figures_run.go the training runs for both
//
// The program is reference [1] of the thesis, github.com/RayelH/Differentially-Private-SGD (MATLAB).
// Claims about it have the origin "program" and name the file and the line; claims about the text use only the text.
//
// # Readings
//
//   - alg-1: v is in the unit ball, as printed; its correction draws v on the sphere. 2/α is the scale of Γ(d, 2/α).
//   - single-pass: a short last batch is divided by b, as eq. (8) prints; in settings/short-batch by its own size.
//   - datasets: the class counts as a column of Banknote and Occupancy; in datasets/synthetic "5-dimensional" means 5
//     or 6 features.
//   - figures: they print no numbers. The thresholds of "far", "almost identical" and similar words are in measures.go
//     and in each statement. A claim whose outcome depends on the measure has the origin "reading" and states the
//     measure.
package laplacesgd

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the first part of the thesis's claim ids.
const ID = "laplace-sgd"

// Claims returns the claims of the thesis.
func Claims() []verify.Claim {
	return slices.Concat(settingClaims(), gradientClaims(), densityClaims(), privacyClaims(), passClaims(), dataClaims(),
		programClaims(), effectClaims(), figureClaims(), sentenceClaims())
}

// The grid on which formulas are evaluated: d = 1, the dimensions of the thesis's data after and before features are
// picked, and privacy levels from 0.01, the thesis's example, to 10.
var (
	dimensions = []int{1, 2, 4, 5, 9, 15, 34, 784}
	alphas     = []float64{0.01, 1, 10}
)
