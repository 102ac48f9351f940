// Package mechanism holds the noise mechanisms under test, each with its exact
// law where one is known.
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
//	Law(d D) []float64               probabilities of the finitely many outputs 0, 1, …, in order; nil where d is outside the domain
//	LogDensity(d D, out O) float64   natural log of the density (of the probability, for discrete outputs); -Inf off the support, NaN where d is outside the domain
//
// A mechanism is immutable after construction and safe for concurrent use with
// separate generators. Its privacy is that of the law over the reals: low-order bits of
// floating-point outputs are not protected unless the type says so.
package mechanism

import (
	"errors"
	"fmt"
	"math"
)

// ErrDomain is wrapped by every error about a parameter or input outside its domain.
var ErrDomain = errors.New("outside the domain")

// DomainError says that a field of its owner has a value outside the domain, and what is wanted; it wraps ErrDomain.
func DomainError(owner, field string, value any, want string) error {
	return fmt.Errorf("%s: %s = %v is %w: want %s", owner, field, value, ErrDomain, want)
}

// CheckPositive returns nil for a finite v > 0, else a DomainError.
func CheckPositive(owner, field string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return DomainError(owner, field, v, "finite and > 0")
	}
	return nil
}

// CheckFinite returns nil for any v but NaN and the infinities, else a DomainError.
func CheckFinite(owner, field string, v float64) error {
	if !(math.Abs(v) <= math.MaxFloat64) {
		return DomainError(owner, field, v, "finite")
	}
	return nil
}

// CheckAnswers returns nil for at least one answer, all of them finite, else a DomainError.
func CheckAnswers(owner string, x []float64) error {
	if len(x) == 0 {
		return DomainError(owner, "number of answers", 0, ">= 1")
	}
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return DomainError(owner, fmt.Sprintf("answer[%d]", i), v, "finite")
		}
	}
	return nil
}

// Resize returns a slice of length n that reuses s where its capacity allows.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
