package printed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/empirical/permutation"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/sizes"
)

// Points are the points of a printed plot or the columns of a table.
type Points struct {
	X, Y       []Cell
	LogX, LogY bool // take the logarithm of the (positive) numbers
}

// side is one coordinate of the points and how far rounding may have moved it.
type side struct{ value, slack []float64 }

func (p Points) sides() (x, y side, err error) {
	if x, err = sideOf(p.X, p.LogX); err != nil {
		return x, y, err
	}
	y, err = sideOf(p.Y, p.LogY)
	return x, y, err
}

func sideOf(cells []Cell, log bool) (side, error) {
	numbers, err := numbersOf(cells)
	if err != nil {
		return side{}, err
	}
	s := side{make([]float64, len(cells)), make([]float64, len(cells))}
	for i, d := range numbers {
		value, low, high := d.floats()
		if log {
			if low <= 0 {
				return side{}, fmt.Errorf("%s has no logarithm", cells[i].quoted())
			}
			value, low, high = math.Log(value), math.Log(low), math.Log(high)
		}
		s.value[i], s.slack[i] = value, math.Max(high-value, value-low)
	}
	return s, nil
}

// Correlation checks a printed correlation coefficient against the printed
// points it belongs to: it holds where numbers that round to the points can have
// it, and is Inconsistent where they cannot.
type Correlation struct {
	R Cell
	Points
}

// Prepare encloses the coefficient; nothing is left to sample.
func (c Correlation) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	printed, err := c.R.number()
	if err != nil {
		return nil, err
	}
	x, y, err := c.sides()
	if err != nil {
		return nil, err
	}
	r := recomputed{at: c.R.quoted(), claimed: float(printed.value)}
	if r.value, err = limits.Pearson(x.value, y.value); err != nil {
		return nil, err
	}
	r.low, r.high = correlationRange(r.value, x, y)
	_, low, high := printed.floats()
	r.agrees = r.low <= high && low <= r.high
	return agreement([]recomputed{r}, fmt.Sprintf("Pearson's correlation of the %d printed points", len(x.value)),
		"r is the cosine of the angle of the centred sides; rounding turns each by at most the arcsine of "+
			"its size over theirs")
}

func correlationRange(r float64, x, y side) (low, high float64) {
	const rounding = 1e-12
	angle, turn := math.Acos(r), x.turn()+y.turn()
	return math.Cos(math.Min(math.Pi, angle+turn)) - rounding, math.Cos(math.Max(0, angle-turn)) + rounding
}

// turn is the largest angle by which rounding can have turned the centred side.
func (s side) turn() float64 {
	mean := 0.0
	for _, v := range s.value {
		mean += v / float64(len(s.value))
	}
	size, slack := 0.0, 0.0
	for i, v := range s.value {
		size, slack = math.Hypot(size, v-mean), math.Hypot(slack, s.slack[i])
	}
	if slack >= size {
		return math.Pi
	}
	return math.Asin(slack / size)
}

// Trend checks the claim that printed points show a correlation beyond
// chance: that its two-sided p-value, exact over all pairings of the x with the
// y, is at most Level. Sense is Above for a positive correlation, Below for a
// negative one; verdicts as those of Significance. At most
// permutation.MaxPermuted points.
type Trend struct {
	Quantity string // of what with what
	Points
	Sense verify.Sense
	Level float64 // 0 means DefaultLevel
}

// Prepare tries every pairing; nothing is left to sample.
func (t Trend) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	if t.Level == 0 {
		t.Level = DefaultLevel
	}
	if !(t.Level > 0 && t.Level < 1) || t.Sense != verify.Above && t.Sense != verify.Below {
		return nil, fmt.Errorf("%s: the level %v and the sense %q: need a level in (0, 1), and < or >", t.Quantity, t.Level,
			t.Sense)
	}
	x, y, err := t.sides()
	if err != nil {
		return nil, err
	}
	if t.Sense == verify.Below {
		for i := range y.value {
			y.value[i] = -y.value[i]
		}
	}
	smallest, largest, err := permutation.CorrelationWithin(x.value, y.value, x.slack, y.slack)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Quantity, err)
	}
	printed, err := permutation.Correlation(x.value, y.value)
	if err != nil {
		return nil, err
	}
	p := pRange{at: fmt.Sprintf("%d points", len(x.value)), value: twice(printed, nil), low: twice(smallest, nil),
		high: twice(largest, nil)}.ordered()
	e := verify.Evidence{
		Exact: true, Quantity: "two-sided p-value of the correlation of " + t.Quantity,
		Method: fmt.Sprintf("all pairings of the %d printed points, taken as exchangeable; enclosed over rounding; level %v",
			len(x.value), t.Level),
		Cells: []verify.Cell{p.cell(t.Level)},
	}
	fillSignificance(&e, p, t.Level)
	e.LookAgain(&significanceLook{level: t.Level, all: []pRange{p}, decisive: p, pairs: len(x.value), noun: "point"})
	return verify.Decided(e), nil
}

// CorrelationP checks that a printed two-sided p-value follows from a
// printed correlation coefficient of N points, by Student's t. Where N is not
// printed (0), it asks whether any number of points up to 10⁴ fits both. It
// holds where p and r can belong together, and is Inconsistent where they cannot.
type CorrelationP struct {
	R, P Cell
	N    int // at least 3, or 0
}

const maxUnknownPoints = 10_000

// Prepare encloses p over what r stands for; nothing is left to sample.
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
		return nil, fmt.Errorf("%s: a p-value from %d points: need at least 3, or 0 where the number is not printed",
			c.P.quoted(), c.N)
	}
	one := big.NewRat(1, 1)
	if r.low.Cmp(one) > 0 || new(big.Rat).Neg(r.high).Cmp(one) > 0 {
		return nil, errors.New(c.R.quoted() + " is no correlation: need one in [-1, 1]")
	}
	best, fits := c.search(r, p)
	method := "p from Student's t = r√((n−2)/(1−r²)) with n−2 degrees of freedom, at both ends of what r stands for"
	if c.N == 0 {
		method += fmt.Sprintf("; n is not printed: of n from 3 to %d, %s", maxUnknownPoints, fits)
	}
	return agreement([]recomputed{best}, "p-value of the printed correlation", method)
}

// search returns the fit at N, or the best one of all numbers of points, and says
// which fit.
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
		return best, fmt.Sprintf("%d alone fits", smallest)
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
		p, err := limits.PearsonP(math.Min(1, r), n)
		if err != nil {
			return math.NaN()
		}
		return p
	}
	f := recomputed{claimed: float(p.value), value: at(math.Abs(value)), low: at(strongest), high: at(weakest)}
	_, pLow, pHigh := p.floats()
	f.agrees = f.low*(1-sizes.DefaultError) <= pHigh && pLow <= f.high*(1+sizes.DefaultError)
	return f
}
