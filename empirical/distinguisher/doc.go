// Package distinguisher searches samples of outputs at two inputs for the event that best distinguishes the inputs.
// The event is chosen on one pair of samples and certified on independent samples, so the search needs no
// soundness: any event gives a valid test, and a better event gives a larger bound.
//
// [Search.Find] fits candidate scores on half of the rows and chooses score, threshold and direction on the other
// half (cross-fitting). Log density ratios along a score are shrunk by empirical Bayes, and standard errors are
// subtracted for the winner's curse. The caller supplies the value to maximize, for example
// [confidence.EpsilonFast].
//
//	a, b := ...                                  // Rows for two neighboring inputs
//	events, err := distinguisher.Search{...}.Find(a, b)
//	hit := events[0].Holds(rng, row)             // on new samples
//
// Files:
//
//	rows.go        outputs of any kind as rows of float64; table.go counts them
//	encode.go      the map from outputs to rows
//	detail.go      digits and strings that a float64 cannot hold
//	text.go        the form of strings
//	search.go      the search
//	complexity.go  choice of the simplest event among those that certify nearly as much
//	features.go    features of a row; sequence.go of a whole sequence; binner.go their bins
//	mixed.go       sequences of repeated values and numbers
//	whole.go       residues and digits of integers; division.go scores their classes
//	scan.go        the scan for large violations; family.go its events
//	learned.go, linear.go, quadratic.go, pattern.go   scores learned from rows
//	symbols.go, words.go, model.go   a model of sequences of few symbols
//	tail.go        rings of values and exponential tails; trend.go the posterior of the log ratio
//	smooth.go      empirical Bayes fits of log density ratios along a score
//	boost.go       sums of small decision trees by gradient boosting (Friedman 2001)
//	wording.go     the text of an event
//
// # Families of events
//
// The search covers the following events, on either side of each threshold. A value is a number, a string, true,
// false or null. A sequence has its length before its values, and a nested sequence is flattened. The first 160
// values have features. Values 161 to 4096 are tested only individually.
//
//   - thresholds of each value, of each length and of the difference of neighboring values (for strings:
//     whether they are equal); of the sum, Euclidean norm, extremes, range, positions of the extremes and gaps at
//     both ends; and of the numbers of infinite or equal values
//   - if some values of sequences are symbols or repeat often and the others are numbers that hardly repeat:
//     thresholds of the first such number and of its position
//   - residues modulo 2 to 16, each binary digit (the last 63), each decimal digit and the lowest set bit of
//     each value and length that is an integer in all search outputs, of a number in a string, of a string's
//     length and of the sum; with fewer than 97 values between the extremes only large differences
//   - the digits of an integer beyond 2⁵³ in groups of fifteen, each with thresholds
//   - for each string: its length, first and last character, whether it is a number, and thresholds of this
//     number; for strings at positions up to 8 also each of the first 16 and last 4 characters, the first 2, 4
//     and 8 and the last 4 characters, the shape (every number replaced by 0, cut at 128 bytes) and the format
//     (also every run of letters replaced by a)
//   - whole outputs by their frequencies, if there are at most half as many as training rows; strings and
//     symbols are distinguished here as well
//   - intervals of each value and feature, and unions of intervals, by a curve of the log ratio in at most 96
//     rings of values
//   - whole outputs by a model of sequences of few symbols, if there are at most 64 different words: lists of
//     bits, marks or positions of any length up to 64, possibly with a number, and strings. Numbers that repeat often
//     among numbers that do not are symbols. Words with a common beginning are modeled as differing similarly, and
//     so are close numbers. An unexpected event must stand out
//   - linear scores of the numbers, likelihood ratios of normal distributions of the numbers, and sums of trees
//     over all features above, which also combine few values (at most 96) into any set
//
// For large violations of a stated size, the scan also tests
//
//   - each value and each interval of every feature
//   - each class of every residue, digit and character (the 96 most common characters), and its complement
//   - which of two values is larger and whether they are equal (for bits: whether they differ), for every pair
//     of the first 24 values of a sequence
//   - the number of values below their predecessor, which detects sorted sequences
//   - each whole output
//
// No detection is promised for other events: combinations of several values other than the features above, residues
// and sets of values beyond the 160th, pairs beyond the 24th value, sets of residues, digits or characters, the
// middle of long strings, and numbers within a string beyond its shape.
//
// Integers of up to 300 digits and integer float64 values up to 2⁵³ are compared exactly. Other numbers keep 40
// bits of their significand, because the search concerns privacy over the reals. The floating-point check,
// privacy.FloatingPoint, tests the bits that are cut.
package distinguisher
