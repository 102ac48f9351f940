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

// Across x a mean b of unknown direction is looked for in two steps, on samples Y of the
// component across x over ‖x‖, which are no longer than R:
//
//  1. The search takes the mean a of n₁ samples of its own. ⟨b, a⟩ is ‖b‖ times the mean of
//     values of mean ‖b‖ within [−R, R], whose second moment is at most the largest
//     eigenvalue of E[YYᵀ], and so at most V = √E⟨Y, Y'⟩², Y' being independent of Y. By
//     Bernstein's inequality ⟨b, a⟩ ≥ ‖b‖² − ρ‖b‖, where ρ is about √(2 log(1/δ) V/n₁).
//  2. The samples of the shards get a betting interval for their mean ⟨b, a⟩/‖a‖ in the
//     direction found. An interval without 0 refutes. An upper end h bounds the length:
//     ‖b‖² − ρ‖b‖ ≤ ‖a‖h.
//
// The three limits (of the deviation in 1, of V, and h) are missed with probability at
// most 1 − verify.TargetPower together, under any law on the ball: so often, at most, a mean
// longer than the effect is confirmed. For independent coordinates of variance σ² the
// length that is covered is about d^(1/4)·σ/√n₁ times a few, as by the best tests of a
// mean vector, where a direction drawn without a look would see one of d^(1/2)·σ/√n.
const (
	// What each limit may take of 1 − verify.TargetPower.
	searchDeviation, searchMoment, searchLimit = 0.4, 0.1, 0.5
	// leastSearch samples cost little at any dimension.
	leastSearch = 4096
)

// searchSize is n₁, even. Its share of the n samples of the shards grows as √d does, so
// that the length covered is of the order of the interval of the factor: 1/11 at d = 3, and
// as many as there are from d = 257 on.
func searchSize(n int64, d int) int64 {
	share := math.Min(1, math.Sqrt(float64(d-1))/16)
	return max(leastSearch, int64(share*float64(n)/2)*2)
}

// searchAcross finds the direction in which n samples lie across x, of length d ≥ 2, over ‖x‖.
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
	squares := 0.0 // of ⟨Y, Y'⟩ over disjoint pairs
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
	if direction = sum; !(s.Length > 1e-12*reach) { // rounding alone: one direction is as good as another
		direction = orthogonal(r, x)
		s.Length = 0
	} else {
		floats.Scale(1/s.Length, direction)
	}
	floats.Scale(1/norm, direction)
	s.Slack = deviation(momentLimit(squares, n/2, reach), n, reach)
	return direction, s, nil
}

// across takes out what v has along x, once more for the rounding of the first time.
func across(v, x []float64) {
	for range 2 {
		floats.AddScaled(v, -floats.Dot(v, x)/floats.Dot(x, x), x)
	}
}

// momentLimit is V, an upper limit of √E⟨Y, Y'⟩² from the sum of the squares of n
// independent products within [−R², R²]: by Chernoff's bound for values in [0, R⁴], their
// mean m falls below m − √(2R⁴m log(1/δ)/n) with probability at most δ.
func momentLimit(squares float64, n int64, reach float64) float64 {
	half := reach * reach * math.Sqrt(-math.Log(searchMoment*(1-verify.TargetPower))/2/float64(n))
	return math.Min(reach*reach, half+math.Hypot(half, math.Sqrt(squares/float64(n))))
}

// deviation is ρ: by Bernstein's inequality, the mean of n values of second moment at
// most v, none of them more than 2·reach below its mean, falls no further below.
func deviation(v float64, n int64, reach float64) float64 {
	rate := -math.Log(searchDeviation*(1-verify.TargetPower)) / float64(n)
	tail := 2 * reach * rate / 3
	return tail + math.Hypot(tail, math.Sqrt(2*v*rate))
}

// covered is the length of a mean across x that is exceeded with probability at most
// 1 − verify.TargetPower, from the counts in the direction.
func (s *acrossStatistics) covered() (float64, error) {
	if s.Slack == 0 {
		lower, upper, err := confidence.MeanInterval(s.Counts, 1-verify.TargetPower, s.Spread)
		return s.longest(lower, upper), err
	}
	upper, err := confidence.MeanUpper(s.Counts, searchLimit*(1-verify.TargetPower), s.Spread)
	return s.longest(0, upper), err
}

// longest is the length to which limits of the mean in the direction confine the mean;
// the lower one counts where d = 2 alone.
func (s *acrossStatistics) longest(lower, upper float64) float64 {
	if s.Slack == 0 {
		return math.Max(-lower, upper)
	}
	half := s.Slack / 2
	return math.Min(s.Reach, half+math.Sqrt(math.Max(0, half*half+s.Length*upper)))
}

// expected is what covered is going to be of n samples without a mean across x, or less:
// half the width of the interval, a tenth more for a spread that the pilot put too low, and
// what its centre strays with probability 0.99.
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
