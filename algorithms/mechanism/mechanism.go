// Package mechanism implements the mechanisms under test. Each has its exact output distribution if it is known.
//
// Every mechanism M with input D and output O offers
//
//	Release(r *rand.Rand, d D) (O, error)         one release
//	ReleaseN(r *rand.Rand, d D, out []O) error    len(out) independent releases of the same input
//
// ReleaseN draws the same stream as len(out) calls of Release. Where O is a slice it
// reuses the capacity of out[i], so that repeated calls with the same out do not allocate;
// the elements of out must not overlap each other or the input.
//
// The exact law comes in one of two forms:
//
//	Distribution(d D) []float64      probabilities of the finitely many outputs 0, 1, …, in order; nil where d is outside the domain
//	LogDensity(d D, out O) float64   natural log of the density (of the probability, for discrete outputs); -Inf off the support, NaN where d is outside the domain
//
// A mechanism is immutable after construction and safe for concurrent use with
// separate generators. Its privacy is that of the law over the reals: low-order bits of
// floating-point outputs are not protected unless the type says so.
//
// Some mechanisms are whole releases: they clip, sample, select or threshold a data set. Their code follows the
// algorithms in the papers line by line. Mechanisms with real outputs may offer
//
//	Interval(d D, lo, hi float64) float64    probability of (lo, hi], with full relative accuracy
//
// The files are
//
//	staircase.go   staircase, discrete Gaussian, truncated and folded Laplace
//	sampled.go     a sum and answers of a random part of the records
//	choice.go      permute-and-flip, a quantile, the k best
//	sets.go        partitions, a histogram and strings that pass a threshold
//	numbers.go     a clipped mean, a tree of counts, a gradient step
//	record.go      a record of several fields
package mechanism

import "github.com/dpverify/dpverify/algorithms/internal/domain"

// ErrDomain is wrapped by every error about a parameter or input outside its domain.
var ErrDomain = domain.Err
