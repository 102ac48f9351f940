// Package dataset holds binary classification data in memory and reads it
// from LIBSVM and CSV files, plain or gzipped.
//
// A [Dataset] is n rows of dimension d with labels in {-1, +1}; its rows are
// either dense or compressed sparse rows, and algorithms see both as [Row].
// A reader never guesses: labels outside the known pairs, missing values,
// ragged lines, unordered indices and values that are not finite are errors
// that name file, line and column ([ParseError]).
//
// Datasets are immutable: every transformation returns a new one, and the
// functions that draw take a *rand.Rand, so that a seed fixes every split.
package dataset
