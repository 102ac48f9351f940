package confidence

import (
	"fmt"
	"math"
)

// meanBet is one component of the mixture of bets: its stake as a multiple of the best stake at the given scale,
// and its share of the initial wealth.
type meanBet struct{ stake, share float64 }

// meanBets puts most of the initial wealth on the given scale. Compared with a single bet at this scale, the
// mixture loses at most a factor 0.8 of alpha. If the scale is wrong by a factor of 4, another bet is still within
// a factor of 2 of its best stake.
var meanBets = []meanBet{
	{1, 0.8}, {0.5, 0.05}, {2, 0.05}, {0.25, 0.03}, {4, 0.03}, {0.0625, 0.02}, {16, 0.02},
}

// MeanInterval returns confidence limits for the mean of the variable counted in t. Each limit is wrong with
// probability at most alpha/2, at any sample size and for any distribution on [lo, hi].
//
// For independent values x with mean m and a fixed stake λ with 1 + λ(x−m) ≥ 0, the product of the factors 1 +
// λ(x−m) has expectation 1. The same holds for a mixture over fixed stakes, so by Markov's inequality the mixture
// is a test statistic (Waudby-Smith & Ramdas 2024; at a fixed sample size the order of the values does not matter).
// For λ > 0 the product decreases in m, and the lower limit is the m at which it equals 2/alpha.
//
// scale is a guess of the standard deviation, from theory or from a pilot on other samples. It must not come from
// t. The stakes are √(2 log(2/alpha)/n)/scale and multiples of it. With a good guess the width is about 2·sd·√(2
// log(2/alpha)/n) for large n. A bad guess increases the width (1.3 times for a factor of 2, about 2 times for a
// factor of 10), but the limits remain valid. The number of values must be fixed in advance.
//
// MeanInterval requires 0 < alpha < 1 and 0 < scale < ∞, and returns ErrDomain otherwise. Without values it returns
// lo and hi.
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

// MeanLower returns a one-sided lower limit by the method of MeanInterval. The limit exceeds the mean with
// probability at most alpha. The domain and the errors are the same.
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

// MeanUpper returns a one-sided upper limit by the method of MeanInterval. The limit is below the mean with
// probability at most alpha. The domain and the errors are the same.
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

// meanSide holds the one-sided problem: a lower limit for the mean of values in [0, span].
type meanSide struct {
	values, counts []float64
	n, sum         float64
	span           float64
	stake          float64 // best stake at the given scale
	threshold      float64 // log wealth at which m is rejected
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

// logWealth returns the log of the mixture's wealth at mean m minus the threshold. A stake is capped at 1/m, at
// which the factor of the value 0 becomes 0. The factor x/m still decreases in m. A cap on the stake keeps the
// expectation at 1, which a cap on the factor would not.
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

// limit returns the largest m at which the wealth reaches the threshold, rounded down, to within 1e-12 of the span.
// It uses regula falsi with Illinois weights, and bisection if the wealth is infinite.
func (s *meanSide) limit() float64 {
	low, high := s.span*1e-12, s.sum/s.n
	if !(high > low) {
		return 0
	}
	atLow, atHigh := s.logWealth(low), s.logWealth(high)
	if !(atLow >= 0) {
		return 0
	}
	moved := 0 // number of consecutive moves of the same end, negative for high
	for step := 0; high-low > 1e-12*s.span && atLow > 0 && step < 200; step++ {
		m := low + (high-low)*atLow/(atLow-atHigh)
		if !(m > low && m < high) || step%4 == 3 || math.IsInf(atLow-atHigh, 0) {
			m = low + (high-low)/2
		}
		excess := s.logWealth(m)
		if excess >= 0 {
			low, atLow = m, excess
			if moved = max(1, moved+1); moved > 1 {
				atHigh /= 2
			}
		} else {
			high, atHigh = m, excess
			if moved = min(-1, moved-1); moved < -1 {
				atLow /= 2
			}
		}
	}
	return low
}
