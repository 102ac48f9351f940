package confidence

import (
	"fmt"
	"math"
)

// meanBet is one of the bets mixed by MeanInterval: its stake as a multiple of
// the best stake at the given scale, and its share of the initial wealth.
type meanBet struct{ stake, share float64 }

// meanBets puts most of the wealth on the given scale. The loss against betting
// all of it there is log(1/0.8) in the exponent of alpha; a scale wrong by a
// factor 4 still has a bet within a factor 2 of its best stake.
var meanBets = []meanBet{
	{1, 0.8}, {0.5, 0.05}, {2, 0.05}, {0.25, 0.03}, {4, 0.03}, {0.0625, 0.02}, {16, 0.02},
}

// MeanInterval returns limits for the mean of the variable counted in t, wrong
// with probability at most alpha: each side at alpha/2, valid at any sample
// size and for any law on [lo, hi].
//
// For independent values x with mean m and a fixed stake λ with 1 + λ(x−m) ≥ 0,
// the product of the factors 1 + λ(x−m) has expectation 1; so has a mixture
// over fixed stakes, and Markov's inequality makes it a test (Waudby-Smith &
// Ramdas 2024, at a fixed sample size, where the product needs no order). For
// λ > 0 the product falls in m: the lower limit is where it crosses 2/alpha.
//
// scale is a guess of the standard deviation, from a pilot on other samples or
// from theory, never from t itself: the stakes are √(2 log(2/alpha)/n)/scale
// and its multiples. With a good guess the width is about 2·sd·√(2
// log(2/alpha)/n) for large n. A bad guess costs width (1.3 times for a factor
// 2, about 2 times for a factor 10), never validity. The number of values must
// be fixed in advance.
//
// 0 < alpha < 1, 0 < scale < ∞; returns ErrDomain otherwise. Without values the
// limits are lo and hi.
func MeanInterval(t *MeanTally, alpha, scale float64) (lower, upper float64, err error) {
	if !(alpha < 1) {
		return t.lo, t.hi, fmt.Errorf("mean interval: alpha = %v: need 0 < alpha < 1: %w", alpha, ErrDomain)
	}
	if lower, err = MeanLower(t, alpha/2, scale); err != nil {
		return t.lo, t.hi, err
	}
	upper, err = MeanUpper(t, alpha/2, scale)
	return lower, upper, err
}

// MeanLower is the lower limit of MeanInterval alone: above the mean with probability at most
// alpha. Arguments and errors as there.
func MeanLower(t *MeanTally, alpha, scale float64) (float64, error) {
	s, err := newMeanSide(t, alpha, scale)
	if err != nil {
		return t.lo, err
	}
	for i, c := range t.counts {
		if c > 0 {
			s.add(t.point(i)-t.lo, c)
		}
	}
	return math.Max(t.lo, t.lo+s.limit()), nil
}

// MeanUpper is the upper limit of MeanInterval alone: below the mean with probability at most
// alpha. Arguments and errors as there.
func MeanUpper(t *MeanTally, alpha, scale float64) (float64, error) {
	s, err := newMeanSide(t, alpha, scale)
	if err != nil {
		return t.hi, err
	}
	for i, c := range t.counts {
		if c > 0 {
			s.add(t.hi-t.point(i), c)
		}
	}
	return math.Min(t.hi, t.hi-s.limit()), nil
}

// meanSide is a one-sided problem: a lower limit for the mean of values in
// [0, span].
type meanSide struct {
	values, counts []float64
	n, sum         float64
	span           float64
	stake          float64 // the best at the given scale
	threshold      float64 // of the log wealth
}

func newMeanSide(t *MeanTally, alpha, scale float64) (*meanSide, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("mean limit: tally not made by NewMeanTally: %w", err)
	}
	if !(alpha > 0 && alpha < 1) || !(scale > 0 && scale <= math.MaxFloat64) {
		return nil, fmt.Errorf("mean limit: alpha = %v, scale = %v: need 0 < alpha < 1 and 0 < scale < ∞: %w", alpha, scale,
			ErrDomain)
	}
	threshold := -math.Log(alpha)
	return &meanSide{
		span:      t.hi - t.lo,
		stake:     math.Sqrt(2*threshold/math.Max(1, float64(t.N()))) / scale,
		threshold: threshold,
	}, nil
}

func (s *meanSide) add(value float64, count int64) {
	s.values, s.counts = append(s.values, value), append(s.counts, float64(count))
	s.n += float64(count)
	s.sum += value * float64(count)
}

// logWealth is the log of the mixture at mean m, less the threshold. A stake is
// cut at 1/m, where the factor of the value 0 reaches 0; the factor x/m is then
// still falling in m. Cutting the stake keeps the expectation, cutting the
// factor would not.
func (s *meanSide) logWealth(m float64) float64 {
	peak, logs := math.Inf(-1), [16]float64{}
	for j, bet := range meanBets {
		stake := math.Min(s.stake*bet.stake, (1-1e-9)/m)
		sum := math.Log(bet.share)
		for i, v := range s.values {
			sum += s.counts[i] * math.Log1p(stake*(v-m))
		}
		logs[j] = sum
		peak = math.Max(peak, sum)
	}
	mixture := 0.0
	for j := range meanBets {
		mixture += math.Exp(logs[j] - peak)
	}
	return peak + math.Log(mixture) - s.threshold
}

// limit is the largest m, up to a relative 1e-12 of the span and rounded down,
// at which the wealth reaches the threshold: regula falsi with the Illinois
// weights, bisection where the wealth is infinite.
func (s *meanSide) limit() float64 {
	low, high := s.span*1e-12, s.sum/s.n
	if !(high > low) {
		return 0
	}
	atLow, atHigh := s.logWealth(low), s.logWealth(high)
	if !(atLow >= 0) {
		return 0
	}
	moved := 0 // how often in a row the same end moved
	for step := 0; high-low > 1e-12*s.span && atLow > 0 && step < 200; step++ {
		m := low + (high-low)*atLow/(atLow-atHigh)
		if !(m > low && m < high) || step%4 == 3 || math.IsInf(atLow-atHigh, 0) {
			m = low + (high-low)/2
		}
		at := s.logWealth(m)
		if at >= 0 {
			low, atLow = m, at
			if moved = max(1, moved+1); moved > 1 {
				atHigh /= 2
			}
		} else {
			high, atHigh = m, at
			if moved = min(-1, moved-1); moved < -1 {
				atLow /= 2
			}
		}
	}
	return low
}
