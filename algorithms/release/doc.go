// Package release holds mechanisms that are under test as whole releases: further noise, and what
// data sets are turned into by clipping, sampling, selecting and thresholding. They are written from
// their papers' lines, each with its exact law where one is known.
//
// A mechanism offers Release as those of package mechanism do, and one of
//
//	Law(d D) []float64               probabilities of all outputs, in the order that its comment states
//	LogDensity(d D, out O) float64   natural log of the density, or of the probability; -Inf off the support
//	Interval(d D, lo, hi float64)    probability of (lo, hi], with full relative accuracy
//
// all of which take inputs that Release takes. What an error of Release wraps is mechanism.ErrDomain.
// A mechanism is immutable after construction and safe for concurrent use with separate generators.
//
//	noise.go     staircase, discrete Gaussian, truncated and folded Laplace
//	sampled.go   a sum and answers of a random part of the records
//	choice.go    permute-and-flip, a quantile, the k best
//	sets.go      partitions, a histogram and strings that pass a threshold
//	numbers.go   a clipped mean, a tree of counts, a gradient step
//	record.go    a record of several fields
package release
