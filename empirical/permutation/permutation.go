package permutation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/limits"
)

const (
	// MaxFlips is the largest number of differences whose signs are all flipped.
	MaxFlips = 22
	// MaxPermuted is the largest number of pairs that are permuted in every way.
	MaxPermuted = 10
	// tieMargin, relative to the sum of absolute terms, is below any difference of
	// printed numbers and above the rounding error of a sum: closer sums are equal.
	tieMargin = 1e-12
)

// Paired is the exact test of "each difference is as likely to have
// either sign" by all 2ⁿ choices of signs, the statistic being the sum (Fisher
// 1935, §21). At most MaxFlips differences, all finite; returns ErrDomain
// otherwise. Without differences both tails are 1.
func Paired(differences []float64) (limits.Tails, error) {
	margin, err := flipMargin(differences)
	if err != nil {
		return limits.Tails{Less: 1, Greater: 1}, err
	}
	if len(differences) > MaxFlips {
		return limits.Tails{Less: 1, Greater: 1},
			fmt.Errorf("%d differences have too many signs to try: need at most %d, or a sampled test: %w", len(differences),
				MaxFlips, limits.ErrDomain)
	}
	// Flipping the signs of a set of differences lowers the sum by twice theirs.
	var notAbove, notBelow float64
	var flip func(i int, flipped float64)
	flip = func(i int, flipped float64) {
		if i == len(differences) {
			if flipped <= margin {
				notBelow++
			}
			if flipped >= -margin {
				notAbove++
			}
			return
		}
		flip(i+1, flipped)
		flip(i+1, flipped+differences[i])
	}
	flip(0, 0)
	all := math.Ldexp(1, len(differences))
	return limits.Tails{Less: notAbove / all, Greater: notBelow / all}, nil
}

// PairedSampled is Paired by draws ≥ 1 random choices of
// signs. The observed one is counted among them, so that each tail is valid as
// a p-value at any number of draws (Phipson & Smyth 2010).
func PairedSampled(r *rand.Rand, differences []float64, draws int) (limits.Tails, error) {
	margin, err := flipMargin(differences)
	if err != nil {
		return limits.Tails{Less: 1, Greater: 1}, err
	}
	return sampledTails(draws, margin, func() float64 {
		flipped := 0.0
		for _, d := range differences {
			if r.Uint64()&1 == 1 {
				flipped -= d
			}
		}
		return flipped
	})
}

func flipMargin(differences []float64) (float64, error) {
	sum := 0.0
	for _, d := range differences {
		sum += math.Abs(d)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, fmt.Errorf("differences %v: need finite ones with a finite sum: %w", differences, limits.ErrDomain)
	}
	return sum * tieMargin, nil
}

// sampledTails counts the changes of a statistic by random rearrangement.
func sampledTails(draws int, margin float64, change func() float64) (limits.Tails, error) {
	if draws < 1 {
		return limits.Tails{Less: 1, Greater: 1},
			fmt.Errorf("%d random rearrangements: need at least 1: %w", draws, limits.ErrDomain)
	}
	notAbove, notBelow := 1.0, 1.0
	for range draws {
		c := change()
		if c <= margin {
			notAbove++
		}
		if c >= -margin {
			notBelow++
		}
	}
	all := float64(draws) + 1
	return limits.Tails{Less: notAbove / all, Greater: notBelow / all}, nil
}

// Correlation is the exact test of "every pairing of the x with the y
// is as likely as every other" by all n! pairings, the statistic being the
// correlation. Values as for Pearson, at most MaxPermuted pairs; returns
// ErrDomain otherwise.
func Correlation(x, y []float64) (limits.Tails, error) {
	zero := make([]float64, len(x))
	smallest, _, err := CorrelationWithin(x, y, zero, zero)
	return smallest, err
}

// CorrelationWithin encloses the tails of Correlation for
// values known to within dx[i] and dy[i] only, finite and at least 0: whatever
// the values, each tail lies between that of smallest and that of largest.
// (Where dx and dy are 0, the two are the same.)
func CorrelationWithin(x, y, dx, dy []float64) (smallest, largest limits.Tails, err error) {
	one := limits.Tails{Less: 1, Greater: 1}
	if err := checkPairing(x, y); err != nil {
		return one, one, err
	}
	if len(x) > MaxPermuted {
		return one, one, fmt.Errorf("%d pairs have too many pairings to try: need at most %d, or a sampled test: %w", len(x),
			MaxPermuted, limits.ErrDomain)
	}
	if err := checkSlack(x, dx, dy); err != nil {
		return one, one, err
	}
	// gain[i][j] is what the covariance gains when x[i] goes with y[j].
	gain, slack := make([][]float64, len(x)), make([][]float64, len(x))
	scale := 0.0
	u, v := limits.Centred(x), limits.Centred(y)
	for i := range x {
		gain[i], slack[i] = make([]float64, len(x)), make([]float64, len(x))
		largestGain := 0.0
		for j := range y {
			if i == j {
				continue
			}
			gain[i][j] = u[i] * (v[j] - v[i])
			slack[i][j] = (math.Abs(u[i])+dx[i])*(dy[i]+dy[j]) + math.Abs(v[j]-v[i])*dx[i]
			largestGain = math.Max(largestGain, math.Abs(gain[i][j]))
		}
		scale += largestGain
	}
	p := pairings{gain: gain, slack: slack, margin: scale * tieMargin}
	p.pair(0, 0, 0)
	smallest = limits.Tails{Less: p.surelyBelow / p.all, Greater: p.surelyAbove / p.all}
	largest = limits.Tails{Less: p.maybeBelow / p.all, Greater: p.maybeAbove / p.all}
	return smallest, largest, nil
}

// pairings counts all pairings by what the covariance gains, and by how much
// that gain is uncertain.
type pairings struct {
	gain, slack                                           [][]float64
	margin                                                float64
	used                                                  uint32
	all, surelyBelow, surelyAbove, maybeBelow, maybeAbove float64
}

func (p *pairings) pair(i int, gain, slack float64) {
	if i < len(p.gain) {
		for j := range p.gain {
			if p.used&(1<<j) == 0 {
				p.used |= 1 << j
				p.pair(i+1, gain+p.gain[i][j], slack+p.slack[i][j])
				p.used &^= 1 << j
			}
		}
		return
	}
	p.all++
	if gain+slack <= p.margin {
		p.surelyBelow++
	}
	if gain-slack <= p.margin {
		p.maybeBelow++
	}
	if gain-slack >= -p.margin {
		p.surelyAbove++
	}
	if gain+slack >= -p.margin {
		p.maybeAbove++
	}
}

// CorrelationSampled is Correlation by draws ≥ 1 random
// pairings, of any number of pairs. The observed one is counted among them, as in
// PairedSampled.
func CorrelationSampled(r *rand.Rand, x, y []float64, draws int) (limits.Tails, error) {
	if err := checkPairing(x, y); err != nil {
		return limits.Tails{Less: 1, Greater: 1}, err
	}
	u, v := limits.Centred(x), limits.Centred(y)
	observed, scale := 0.0, 0.0
	for i := range u {
		observed += u[i] * v[i]
	}
	largest := 0.0
	for _, y := range v {
		largest = math.Max(largest, math.Abs(y))
	}
	for _, x := range u {
		scale += math.Abs(x) * largest
	}
	shuffled := slices.Clone(v)
	return sampledTails(draws, scale*tieMargin, func() float64 {
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		sum := 0.0
		for i := range u {
			sum += u[i] * shuffled[i]
		}
		return sum - observed
	})
}

func checkPairing(x, y []float64) error {
	_, err := limits.Pearson(x, y)
	return err
}

func checkSlack(x, dx, dy []float64) error {
	if len(dx) != len(x) || len(dy) != len(x) {
		return fmt.Errorf("%d and %d uncertainties of %d pairs: need one for each value: %w", len(dx), len(dy), len(x),
			limits.ErrDomain)
	}
	for _, d := range slices.Concat(dx, dy) {
		if !(d >= 0) || math.IsInf(d, 1) {
			return fmt.Errorf("an uncertainty of %v: need a finite one of at least 0: %w", d, limits.ErrDomain)
		}
	}
	return nil
}
