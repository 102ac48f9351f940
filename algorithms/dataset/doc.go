// Package dataset holds binary classification data in memory and reads them from LIBSVM, CSV and IDX files, plain
// or gzipped.
//
// A [Dataset] is n rows of dimension d with labels in {-1, +1}. Its rows are dense or compressed sparse rows;
// algorithms access both as [Row]. [Images] keep all classes of an image file in the file's bytes.
//
// A reader never guesses. These are errors that name file, line and column, or the byte offset ([ParseError]):
// labels outside the known pairs or the named classes, missing values without a policy, ragged lines, unordered
// indices, and values that are not finite.
//
// [Known] describes the public data sets of the papers' experiments, and [Open] reads them by name. [Sphere] and
// [Planted] draw the papers' synthetic data.
//
// A Dataset is immutable: every transformation returns a new one. Functions that draw take a *rand.Rand, so a seed
// fixes every split.
package dataset
