package mean

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// The mean b across x has an unknown direction. Two steps search for it, on samples Y of the component of Z across x,
// divided by ‖x‖, with ‖Y‖ ≤ R:
//
//  1. The search computes the mean a of n₁ separate samples. ⟨b, a⟩ is ‖b‖ times the mean of values in [−R, R] with
//     expectation ‖b‖. Their second moment is at most the largest eigenvalue of E[YYᵀ], which is at most V = √E⟨Y, Y'⟩²
//     with Y' independent of Y. By Bernstein's inequality ⟨b, a⟩ ≥ ‖b‖² − ρ‖b‖ with ρ ≈ √(2 log(1/δ) V/n₁).
//  2. The samples of the shards give a betting interval for the mean ⟨b, a⟩/‖a‖ in the direction of a. An interval
//     without 0 refutes. Its upper end h bounds the length of b: ‖b‖² − ρ‖b‖ ≤ ‖a‖h.
//
// The three limits (of the deviation in step 1, of V, and h) are missed with total probability at most
// 1 − verify.TargetPower under any distribution on the ball. A mean longer than the effect is confirmed with at most
// that probability. For independent coordinates with variance σ² the detectable length is a small multiple of
// d^(1/4)·σ/√n₁, as for the best tests of a mean vector. A random direction would only detect d^(1/2)·σ/√n.
const (
	// Shares of the three limits in 1 − verify.TargetPower.
	searchDeviation, searchMoment, searchLimit = 0.4, 0.1, 0.5
	// minSearch is a number of samples that is cheap at any dimension.
	minSearch = 4096
)

// searchSize returns the even number n₁. Its share of the n samples of the shards grows as √d, so that the detectable
// length across x is about the width of the interval of the factor: 1/11 at d = 3, and 1 for d ≥ 257.
func searchSize(n int64, d int) int64 {
	share := math.Min(1, math.Sqrt(float64(d-1))/16)
	return max(minSearch, int64(share*float64(n)/2)*2)
}

// searchAcross returns the direction of the mean of n samples across x, divided by ‖x‖, for d ≥ 2.
func searchAcross(ctx context.Context, r *rand.Rand, cell UnbiasedCell, n int64,
	reach float64) (direction []float64, s *acrossStatistics, err error) {
	x := cell.Target
	norm := floats.Norm(x, 2)
	s = &acrossStatistics{Reach: reach}
	if len(x) == 2 {
		direction = orthogonal(r, x)
		floats.Scale(1/norm, direction)
		return direction, s, nil
	}
	sum, pair := make([]float64, len(x)), [2][]float64{make([]float64, len(x)), make([]float64, len(x))}
	squares := 0.0 // sum of ⟨Y, Y'⟩² over disjoint pairs
	for k := range n / 2 {
		if k%1024 == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		for _, z := range pair {
			if err := cell.Sample(r, z); err != nil {
				return nil, nil, err
			}
			if length := floats.Norm(z, 2); !(length <= cell.Bound*(1+1e-9)) {
				return nil, nil, fmt.Errorf("the output exceeds its bound: it has norm %v, more than %v", length, cell.Bound)
			}
			floats.Add(sum, z)
		}
		along := floats.Dot(pair[0], x) / norm * (floats.Dot(pair[1], x) / norm)
		product := (floats.Dot(pair[0], pair[1]) - along) / norm / norm
		squares += product * product
	}
	floats.Scale(1/float64(n)/norm, sum)
	across(sum, x)
	s.Length = floats.Norm(sum, 2)
	if direction = sum; !(s.Length > 1e-12*reach) { // only rounding: any direction will do
		direction = orthogonal(r, x)
		s.Length = 0
	} else {
		floats.Scale(1/s.Length, direction)
	}
	floats.Scale(1/norm, direction)
	s.Slack = deviation(momentLimit(squares, n/2, reach), n, reach)
	return direction, s, nil
}

// across removes the component of v along x, twice to reduce the rounding error.
func across(v, x []float64) {
	for range 2 {
		floats.AddScaled(v, -floats.Dot(v, x)/floats.Dot(x, x), x)
	}
}

// momentLimit returns V, an upper limit of √E⟨Y, Y'⟩² from the sum of the squares of n independent products in
// [−R², R²]. By Chernoff's bound for values in [0, R⁴] with expectation m, their mean is below m − √(2R⁴m log(1/δ)/n)
// with probability at most δ.
func momentLimit(squares float64, n int64, reach float64) float64 {
	half := reach * reach * math.Sqrt(-math.Log(searchMoment*(1-verify.TargetPower))/2/float64(n))
	return math.Min(reach*reach, half+math.Hypot(half, math.Sqrt(squares/float64(n))))
}

// deviation returns ρ, by Bernstein's inequality: how far the mean of n values is below its expectation at most, if
// their second moment is at most v and each is at most 2·reach below the expectation.
func deviation(v float64, n int64, reach float64) float64 {
	rate := -math.Log(searchDeviation*(1-verify.TargetPower)) / float64(n)
	tail := 2 * reach * rate / 3
	return tail + math.Hypot(tail, math.Sqrt(2*v*rate))
}

// covered returns an upper limit of the length of the mean across x, missed with probability at most
// 1 − verify.TargetPower, from the counts in the direction.
func (s *acrossStatistics) covered() (float64, error) {
	if s.Slack == 0 {
		lower, upper, err := confidence.MeanInterval(s.Counts, 1-verify.TargetPower, s.Spread)
		return s.longest(lower, upper), err
	}
	upper, err := confidence.MeanUpper(s.Counts, searchLimit*(1-verify.TargetPower), s.Spread)
	return s.longest(0, upper), err
}

// longest returns the maximum length of the mean across x, given limits of the mean in the direction. Only d = 2 uses
// the lower limit.
func (s *acrossStatistics) longest(lower, upper float64) float64 {
	if s.Slack == 0 {
		return math.Max(-lower, upper)
	}
	half := s.Slack / 2
	return math.Min(s.Reach, half+math.Sqrt(math.Max(0, half*half+s.Length*upper)))
}

// expected returns a length that covered stays below with probability 0.99 for n samples without a mean across x. It
// adds half the width of the interval, 10 % larger in case the pilot underestimates the spread, and the error of its
// center.
func (s *acrossStatistics) expected(n int64) float64 {
	if s == nil {
		return 0
	}
	upper := s.Spread / math.Sqrt(float64(n)) * (1.1*math.Sqrt(-2*math.Log(searchLimit*(1-verify.TargetPower))) + normal99)
	return s.longest(-upper, upper)
}

// orthogonal draws a unit vector orthogonal to x, which has at least two entries.
func orthogonal(r *rand.Rand, x []float64) []float64 {
	u := make([]float64, len(x))
	for {
		for i := range u {
			u[i] = rng.Normal(r)
		}
		across(u, x)
		if norm := floats.Norm(u, 2); norm > 1e-6 {
			floats.Scale(1/norm, u)
			return u
		}
	}
}
