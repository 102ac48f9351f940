package formula

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// CorrelationP checks that a reported two-sided p-value follows from a reported correlation coefficient of N points by
// Student's t-test. If N is not reported (0), it checks whether any number of points up to 10⁴ fits both. The verdict
// is Holds if p and r are compatible after rounding, and Contradictory otherwise.
type CorrelationP struct {
	R, P Cell
	N    int // at least 3, or 0
}

const maxUnknownPoints = 10_000

// Prepare computes the range of p over all r that round to the reported one. It needs no samples.
func (c CorrelationP) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	r, err := c.R.number()
	if err != nil {
		return nil, err
	}
	p, err := c.P.number()
	if err != nil {
		return nil, err
	}
	if c.N < 0 || c.N == 1 || c.N == 2 {
		return nil, fmt.Errorf("%s: a p-value from %d points: need at least 3, or 0 if the number is not reported",
			c.P.quoted(), c.N)
	}
	one := big.NewRat(1, 1)
	if r.low.Cmp(one) > 0 || new(big.Rat).Neg(r.high).Cmp(one) > 0 {
		return nil, errors.New(c.R.quoted() + " is not a correlation: want a value in [-1, 1]")
	}
	best, fits := c.search(r, p)
	method := "p from Student's t = r√((n−2)/(1−r²)) with n−2 degrees of freedom, at both ends of the interval that " +
		"rounds to r"
	if c.N == 0 {
		method += fmt.Sprintf("; n is not printed: of n from 3 to %d, %s", maxUnknownPoints, fits)
	}
	return agreement([]recomputed{best}, "p-value of the printed correlation", method)
}

// search returns the comparison at N, or the best one over all numbers of points, and describes which numbers fit.
func (c CorrelationP) search(r, p decimal) (best recomputed, fits string) {
	first, last := c.N, c.N
	if c.N == 0 {
		first, last = 3, maxUnknownPoints
	}
	var smallest, largest int
	distance := math.Inf(1)
	for n := first; n <= last; n++ {
		f := pFrom(r, p, n)
		f.at = fmt.Sprintf("%s; %s; n=%d", c.P.quoted(), c.R.quoted(), n)
		if f.agrees {
			if smallest == 0 {
				smallest = n
			}
			largest = n
		}
		if d := math.Abs(f.value - f.claimed); n == first || f.agrees && !best.agrees ||
			f.agrees == best.agrees && d < distance {
			best, distance = f, d
		}
	}
	if smallest == 0 {
		return best, "none fits"
	}
	if smallest == largest {
		return best, fmt.Sprintf("only %d fits", smallest)
	}
	return best, fmt.Sprintf("those from %d to %d fit", smallest, largest)
}

func pFrom(r, p decimal, n int) recomputed {
	value, low, high := r.floats()
	weakest, strongest := math.Min(math.Abs(low), math.Abs(high)), math.Max(math.Abs(low), math.Abs(high))
	if low <= 0 && high >= 0 {
		weakest = 0
	}
	at := func(r float64) float64 {
		p, err := confidence.PearsonP(math.Min(1, r), n)
		if err != nil {
			return math.NaN()
		}
		return p
	}
	f := recomputed{claimed: float(p.value), value: at(math.Abs(value)), low: at(strongest), high: at(weakest)}
	_, pLow, pHigh := p.floats()
	f.room = math.Min(f.high-pLow, pHigh-f.low)
	f.agrees = f.low*(1-verify.DefaultRelativeError) <= pHigh && pLow <= f.high*(1+verify.DefaultRelativeError)
	return f
}
