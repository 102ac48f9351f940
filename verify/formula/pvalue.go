package formula

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// The p-values for Significance test Left > Right: at the reported numbers and at both ends of their rounding
// intervals.

// welch returns the range of the p-value of Welch's t-test. The p-value decreases in |t| and, at fixed t, in the
// degrees of freedom, so the ends of both intervals give the range.
func (p Pair) welch() (pRange, error) {
	left, leftSD, err := p.Left.parse()
	if err != nil {
		return pRange{}, err
	}
	right, rightSD, err := p.Right.parse()
	if err != nil {
		return pRange{}, err
	}
	if leftSD == nil || rightSD == nil {
		return pRange{}, fmt.Errorf("%s: a t-test needs ± deviations on both sides", p.at())
	}
	if p.Runs < 2 {
		return pRange{}, fmt.Errorf("%s: a t-test of %d runs: need at least 2 behind each mean", p.at(), p.Runs)
	}
	root := math.Sqrt(float64(p.Runs))
	e1, e1Low, e1High := leftSD.floats()
	e2, e2Low, e2High := rightSD.floats()
	for _, e := range []*float64{&e1, &e1Low, &e1High, &e2, &e2Low, &e2High} {
		*e /= root
	}
	minus := func(a, b *big.Rat) float64 { return float(new(big.Rat).Sub(a, b)) }
	fewest, most := dfRange(e1Low, e1High, e2Low, e2High, p.Runs)
	return pRange{
		value: oneWayStudent(minus(left.value, right.value), math.Hypot(e1, e2), confidence.WelchDF(e1, p.Runs, e2,
			p.Runs)),
		low:  oneWayStudent(minus(left.high, right.low), math.Hypot(e1Low, e2Low), most),
		high: oneWayStudent(minus(left.low, right.high), math.Hypot(e1High, e2High), fewest),
	}.ordered(), nil
}

// dfRange returns the range of Welch's degrees of freedom for two means of n runs over intervals of their standard
// errors. The value depends only on the ratio of the errors and is largest, 2n−2, at ratio 1.
func dfRange(low1, high1, low2, high2 float64, n int) (fewest, most float64) {
	a, b := confidence.WelchDF(low1, n, high2, n), confidence.WelchDF(high1, n, low2, n)
	fewest, most = math.Min(a, b), math.Max(a, b)
	if low1 <= high2 && low2 <= high1 {
		most = float64(2*n - 2)
	}
	return fewest, most
}

// oneWayStudent returns the two-sided p-value of a positive difference, and 1 for other differences: the claimed
// direction is positive.
func oneWayStudent(difference, standardError, df float64) float64 {
	if !(difference > 0) {
		return 1
	}
	return confidence.StudentTwoSided(difference/standardError, df)
}

// successes returns the count nearest to a reported share, and the range of counts that round to it.
func (p Pair) successes(c Cell) (value, low, high int64, err error) {
	if p.Examples < 1 {
		return 0, 0, 0, fmt.Errorf("%s: shares of %d examples: need at least 1", p.at(), p.Examples)
	}
	share, err := c.number()
	if err != nil {
		return 0, 0, 0, err
	}
	steps := big.NewInt(int64(p.Examples))
	smallest, largest := multiplesWithin(share.low, share.high, steps)
	if smallest.Cmp(largest) > 0 {
		return 0, 0, 0, fmt.Errorf("%s is not a share of %d examples", c.quoted(), p.Examples)
	}
	low, high = smallest.Int64(), largest.Int64()
	return min(max(nearestMultiple(share.value, steps).Int64(), low), high), low, high, nil
}

// multiplesWithin returns the smallest and largest k in [0, steps] with low ≤ k/steps ≤ high. If there is none,
// smallest exceeds largest.
func multiplesWithin(low, high *big.Rat, steps *big.Int) (smallest, largest *big.Int) {
	scale := new(big.Rat).SetInt(steps)
	l, h := new(big.Rat).Mul(low, scale), new(big.Rat).Mul(high, scale)
	// ceil(x) = −floor(−x)
	smallest = new(big.Int).Neg(floor(l.Neg(l)))
	largest = floor(h)
	if smallest.Sign() < 0 {
		smallest.SetInt64(0)
	}
	if largest.Cmp(steps) > 0 {
		largest.Set(steps)
	}
	return smallest, largest
}

func floor(x *big.Rat) *big.Int {
	// Euclidean division by the positive denominator rounds down
	return new(big.Int).Div(x.Num(), x.Denom())
}

// nearestMultiple returns the k in [0, steps] for which k/steps is nearest to x.
func nearestMultiple(x *big.Rat, steps *big.Int) *big.Int {
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(steps))
	k := floor(scaled.Add(scaled, big.NewRat(1, 2)))
	switch {
	case k.Sign() < 0:
		return new(big.Int)
	case k.Cmp(steps) > 0:
		return steps
	}
	return k
}

// mcNemar returns the range of the p-value of McNemar's test. The paper reports only the difference d of the two kinds
// of discordant examples. At fixed d the p-value increases in their number, which is at least d and at most min(errors,
// successes) of both together. At a fixed number it decreases in d.
func (p Pair) mcNemar() (pRange, error) {
	left, leftLow, leftHigh, err := p.successes(p.Left)
	if err != nil {
		return pRange{}, err
	}
	right, rightLow, rightHigh, err := p.successes(p.Right)
	if err != nil {
		return pRange{}, err
	}
	all := 2 * int64(p.Examples)
	return pRange{
		value: oneWaySign(left-right, min(left+right, all-left-right)),
		low:   oneWaySign(leftHigh-rightLow, leftHigh-rightLow),
		high:  oneWaySign(leftLow-rightHigh, min(leftHigh+rightHigh, all-leftLow-rightLow)),
	}.ordered(), nil
}

// oneWaySign returns the two-sided p-value of the sign test for n examples (n+1 if n and d differ in parity) with d
// more wins than losses, and 1 if d ≤ 0.
func oneWaySign(d, n int64) float64 {
	if d <= 0 {
		return 1
	}
	return twice(confidence.BinomialTest((n+d+1)/2, n+(n+d)%2, 0.5))
}

// twice returns twice the upper tail, at most 1. It returns NaN after an error, which makes the evidence invalid.
func twice(t confidence.Tails, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return math.Min(1, 2*t.Greater)
}

// rows tests all pairs jointly.
func (s Significance) rows() (pRange, error) {
	d := make([]decimal, len(s.Pairs))
	for i, p := range s.Pairs {
		left, right, err := p.numbers()
		if err != nil {
			return pRange{}, err
		}
		if s.Sense == verify.Below {
			left, right = right, left
		}
		d[i] = decimal{
			value: new(big.Rat).Sub(left.value, right.value),
			low:   new(big.Rat).Sub(left.low, right.high),
			high:  new(big.Rat).Sub(left.high, right.low),
		}
	}
	return signsOf(d), nil
}

// signsOf returns the range of the sign test's p-value. Pairs that rounding leaves undecided count as wins at one end
// and as losses at the other.
func signsOf(d []decimal) pRange {
	var wins, losses, ties, seenWins, seenLosses int64
	for _, x := range d {
		switch {
		case x.low.Sign() > 0:
			wins++
		case x.high.Sign() < 0:
			losses++
		case x.low.Sign() == 0 && x.high.Sign() == 0:
			ties++
		}
		switch x.value.Sign() {
		case 1:
			seenWins++
		case -1:
			seenLosses++
		}
	}
	open := int64(len(d)) - wins - losses - ties
	return pRange{
		at:    fmt.Sprintf("%d pairs: %d as claimed, %d the other way, %d open, %d tied", len(d), wins, losses, open, ties),
		value: twice(confidence.BinomialTest(seenWins, seenWins+seenLosses, 0.5)),
		low:   twice(confidence.BinomialTest(wins+open, wins+open+losses, 0.5)),
		high:  twice(confidence.BinomialTest(wins, wins+open+losses, 0.5)),
	}.ordered()
}
