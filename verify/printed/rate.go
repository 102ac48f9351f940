package printed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/relation"
)

// Rate is a printed share of examples: an accuracy or error rate on a
// test set of Examples, averaged over Runs runs on the same set.
type Rate struct {
	Rate     Cell
	Examples int // at least 1
	Runs     int // 0 means 1; at least 2 behind a ± deviation
}

// Rates checks that printed rates can occur at all: each must round from
// a multiple of 1/(Examples·Runs) in [0, 1] (the test of granularity of Brown &
// Heathers 2017), and a deviation must not exceed what values in [0, 1] with that
// mean can have, √(μ(1−μ)n/(n−1)) (Bhatia & Davis 2000). A rate that cannot occur
// is Inconsistent with the printed size. Where the multiples lie so close that
// every number of that many places is one, the check is Vacuous.
type Rates []Rate

// Prepare compares exactly; nothing is left to sample.
func (p Rates) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	if len(p) == 0 {
		return nil, errors.New("no printed rates to check")
	}
	findings := make([]printedFinding, len(p))
	telling, impossibles := 0, 0
	for i, rate := range p {
		f, tells, err := rate.find()
		if err != nil {
			return nil, err
		}
		findings[i] = f
		if tells {
			telling++
		}
		if f.standing == impossible {
			impossibles++
		}
	}
	e := verify.Evidence{
		Exact: true, Quantity: "printed rate, beside the nearest that can occur", Sense: verify.Equals, Verdict: verify.Holds,
		Method: fmt.Sprintf("rational arithmetic: multiples of 1/(examples·runs) in the interval that a "+
			"printed rate stands for; "+
			"%d of %d rates have enough places that some numbers could not occur, %d cannot occur", telling, len(p),
			impossibles),
	}
	switch {
	case impossibles > 0:
		e.Verdict = verify.Inconsistent
	case telling == 0:
		e.Verdict = verify.Vacuous
	}
	fillFindings(&e, findings)
	e.LookAgain(&printedLook{findings, "printed rate", e.Verdict})
	return verify.Decided(e), nil
}

// find looks for a multiple in the rate's interval. It tells something if the
// interval is narrower than the steps between multiples.
func (p Rate) find() (f printedFinding, tells bool, err error) {
	if p.Examples < 1 || p.Runs < 0 {
		return f, false, fmt.Errorf("%s: a rate of %d examples in %d runs: need at least 1 of each", p.Rate.At, p.Examples,
			p.Runs)
	}
	rate, deviation, err := p.Rate.parse()
	if err != nil {
		return f, false, err
	}
	steps := new(big.Int).Mul(big.NewInt(int64(p.Examples)), big.NewInt(int64(max(1, p.Runs))))
	width := new(big.Rat).Sub(rate.high, rate.low)
	tells = width.Mul(width, new(big.Rat).SetInt(steps)).Cmp(big.NewRat(1, 1)) < 0
	low, high := multiplesWithin(rate.low, rate.high, steps)
	nearest := nearestMultiple(rate.value, steps)
	f.cell = verify.Cell{
		At:      fmt.Sprintf("%s of %d examples, %d runs", p.Rate.quoted(), p.Examples, max(1, p.Runs)),
		Claimed: verify.Num(float(rate.value)), Measured: verify.Num(float(new(big.Rat).SetFrac(nearest, steps))),
	}
	f.standing = certain
	if low.Cmp(high) > 0 {
		f.standing = impossible
	}
	f.excess = math.Abs(relation.Point{Measured: f.cell.Measured.X, Claimed: f.cell.Claimed.X}.Difference())
	if deviation == nil {
		return f, tells, nil
	}
	if p.Runs < 2 {
		return f, false, fmt.Errorf("%s: a deviation needs the number of runs, at least 2", p.Rate.quoted())
	}
	if !deviationFits(rate, *deviation, p.Runs) {
		f.standing = impossible
		f.cell.At += ": larger than any deviation of rates with this mean"
	}
	return f, tells, nil
}

// multiplesWithin returns the smallest and largest k in [0, steps] with
// low ≤ k/steps ≤ high; the smallest exceeds the largest if there is none.
func multiplesWithin(low, high *big.Rat, steps *big.Int) (smallest, largest *big.Int) {
	scale := new(big.Rat).SetInt(steps)
	l, h := new(big.Rat).Mul(low, scale), new(big.Rat).Mul(high, scale)
	// the ceiling is the floor of the negative, negated
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

// nearestMultiple is the k in [0, steps] for which k/steps is nearest to x.
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

// deviationFits tells whether values in [0, 1] whose mean rounds to the printed
// one can have the deviation, with either divisor, n or n−1.
func deviationFits(mean, deviation decimal, runs int) bool {
	half, one := big.NewRat(1, 2), big.NewRat(1, 1)
	widest := mean.low // the mean nearest to ½ allows the largest deviation
	switch {
	case mean.low.Cmp(half) <= 0 && half.Cmp(mean.high) <= 0:
		widest = half
	case mean.high.Cmp(half) < 0:
		widest = mean.high
	}
	most := new(big.Rat).Sub(one, widest)
	most.Mul(most, widest).Mul(most, big.NewRat(int64(runs), int64(runs-1)))
	return new(big.Rat).Mul(deviation.low, deviation.low).Cmp(most) <= 0
}
