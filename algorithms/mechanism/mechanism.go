// Package mechanism implements the mechanisms under test, most of them with their exact output distribution.
//
// Every mechanism M with input D and output O has the methods
//
//	Release(r *rand.Rand, d D) (O, error)         one release
//	ReleaseN(r *rand.Rand, d D, out []O) error    len(out) independent releases of the same input
//
// ReleaseN draws the same random values as len(out) calls of Release. If O is a slice, it reuses the capacity of
// out[i], so repeated calls with the same out do not allocate. The elements of out must not overlap each other or
// the input.
//
// The exact distribution has one of two forms:
//
//	Distribution(d D) []float64      probabilities of the finitely many outputs 0, 1, …, in order
//	LogDensity(d D, out O) float64   natural log of the density, or of the probability for discrete outputs
//
// If d is outside the domain, Distribution returns nil and LogDensity NaN. LogDensity is -Inf outside the support.
//
// A mechanism is immutable after construction. It is safe for concurrent use with separate generators. Privacy
// statements hold for the distribution over the real numbers; unless a type says otherwise, the low-order bits of
// floating-point outputs are not protected.
//
// Some mechanisms are complete releases: they clip, sample, select or threshold a data set, as the algorithm in
// the paper does line by line. Most have only Release, and their distribution methods may assume a valid input.
// Mechanisms with real outputs may have the method
//
//	Interval(d D, lo, hi float64) float64    probability of (lo, hi], with full relative accuracy
//
// The complete releases are in
//
//	staircase.go   staircase, discrete Gaussian, truncated and folded Laplace
//	sampled.go     a sum and answers of randomly sampled records
//	choice.go      permute-and-flip, a quantile, the k best
//	sets.go        partitions, a histogram and strings above a threshold
//	numbers.go     a clipped mean, a tree of counts, a gradient step
//	record.go      a record of several fields
package mechanism

import "github.com/dpverify/dpverify/algorithms/internal/domain"

// ErrDomain is wrapped by every error about a parameter or input outside its domain.
var ErrDomain = domain.Err
