// Package dataset holds binary classification data in memory and reads it
// from LIBSVM, CSV and IDX files, plain or gzipped.
//
// A [Dataset] is n rows of dimension d with labels in {-1, +1}; its rows are
// either dense or compressed sparse rows, and algorithms see both as [Row].
// [Images] keep all classes of an image file in its own bytes. A reader never
// guesses: labels outside the known pairs or the named classes, missing values
// without a policy, ragged lines, unordered indices and values that are not
// finite are errors that name file, line and column, or the byte
// ([ParseError]).
//
// [Known] is the table of the public data behind the papers' experiments, and
// [Open] reads them by name; [Sphere] and [Planted] draw the papers' synthetic
// data.
//
// Datasets are immutable: every transformation returns a new one, and the
// functions that draw take a *rand.Rand, so that a seed fixes every split.
package dataset
