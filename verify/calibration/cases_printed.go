package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// press prints numbers as papers do, with a number of decimals. True values are whole numbers of thousandths of the
// last printed decimal, so that ties are exact.
type press struct {
	r       *rand.Rand
	places  int
	ties    bool // all drawn values are half-way between two printed numbers
	cut     bool // rounded up, down or to the nearest number; the reader does not know which
	percent bool
}

const thousandths = 1000

// newPress draws 1 to 4 decimals, and each habit with probability 0.25.
func newPress(r *rand.Rand) press {
	quarter := func() bool { return r.IntN(4) == 0 }
	return press{r, between(r, 1, 4), quarter(), quarter(), quarter()}
}

// draw draws a true value from low to high units, in thousandths of a unit.
func (p press) draw(low, high int) int64 {
	v := int64(between(p.r, low, high)) * thousandths
	if p.ties {
		return v + thousandths/2
	}
	return v + int64(p.r.IntN(thousandths))
}

// round returns the units that are printed for a value ≥ 0. Ties are rounded in a random direction.
func (p press) round(v int64) int64 {
	units, rest := v/thousandths, 2*(v%thousandths)
	if p.cut && rest > 0 {
		return units + int64(p.r.IntN(2))
	}
	if rest > thousandths || rest == thousandths && p.r.Uint64()&1 == 0 {
		units++
	}
	return units
}

// slack returns the maximum rounding error in half units.
func (p press) slack() int {
	if p.cut {
		return 2
	}
	return 1
}

func (p press) cell(units int64) formula.Cell {
	c := formula.Cell{Place: "a cell", Text: strconv.FormatFloat(float64(units)/math.Pow10(p.places), 'f', p.places, 64)}
	if p.cut {
		c.Rounding = formula.AnyRounding
	}
	if p.percent {
		c.Text += "%"
	}
	return c
}

// value converts a true value to a float64.
func (p press) value(v int64) float64 {
	x := float64(v) / thousandths / math.Pow10(p.places)
	if p.percent {
		x /= 100
	}
	return x
}

// significant returns the number of decimals that show at least four digits of x > 0.
func significant(x float64) int { return max(0, 3-int(math.Floor(math.Log10(x)))) }

func printedCases() []Case {
	return slices.Concat(
		exactPair("products and ratios", "off by 1 to 30 %", printedProduct),
		exactPair("relative changes", "off by 1 to 30 %", printedChange),
		exactPair("orders", "one pair the other way round", printedOrder),
		exactPair("orders in most pairs", "in too few", printedMajority),
		exactPair("p-values of correlations", "off by 0.05 to 0.3", printedPValue))
}

// sign draws −1 or 1.
func sign(r *rand.Rand) float64 { return float64(2*r.IntN(2) - 1) }

// printedProduct claims ab/c for numbers with four digits. Their rounding changes the result by at most 0.4 %.
func printedProduct(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p := newPress(r)
	return p.formula(isTrue, 0.01, []int64{p.draw(1000, 9999), p.draw(1000, 9999), p.draw(1000, 9999)},
		func(x []float64) float64 { return x[0] * x[1] / x[2] })
}

// printedChange claims (a − b)/b. Because a ≥ 5b/3, rounding changes the result by at most 0.4 %.
func printedChange(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p := newPress(r)
	return p.formula(isTrue, 0.01, []int64{p.draw(5000, 9999), p.draw(1000, 2999)},
		func(x []float64) float64 { return (x[0] - x[1]) / x[1] })
}

// formula prints values and the result of a relation. If isTrue is false, the result is off by a relative error from
// leastFault to 0.3.
func (p press) formula(isTrue bool, leastFault float64, values []int64,
	relation func([]float64) float64) (verify.Check, error) {
	var x []float64
	var cells []formula.Cell
	for _, v := range values {
		x, cells = append(x, p.value(v)), append(cells, p.cell(p.round(v)))
	}
	y := relation(x)
	places := significant(y)
	if !isTrue {
		y *= 1 + sign(p.r)*logUniform(p.r, leastFault, 0.3)
	}
	return formula.Formulas{{Result: printedFloat(y, places), Inputs: cells, Formula: relation}}, nil
}

// pair prints a value and a second value that is larger by the given number of units and up to one more unit.
func (p press) pair(units int64) formula.Pair {
	low := p.draw(100, 9999)
	high := low + units*thousandths + 1 + int64(p.r.IntN(thousandths))
	return formula.Pair{Left: p.cell(p.round(low)), Right: p.cell(p.round(high))}
}

// wrong prints a pair whose order is wrong for every possible rounding. Rounding moves both numbers, and a reader has
// to assume the same error for both. The values must therefore differ by more than 2·slack−1 units, and by one more
// if equal numbers satisfy the order.
func (p press) wrong(sense verify.Sense) formula.Pair {
	units := 2*p.slack() - 1
	if sense == verify.AtMost {
		units++
	}
	pair := p.pair(int64(between(p.r, units, 9)))
	pair.Left, pair.Right = pair.Right, pair.Left
	return pair
}

// printedOrder claims an order of printed pairs, some of which differ by less than a unit. In a false claim one pair
// is in the wrong order for every possible rounding.
func printedOrder(r *rand.Rand, isTrue bool) (verify.Check, error) {
	o := formula.Order{Quantity: "error", Sense: []verify.Sense{verify.Below, verify.AtMost}[r.IntN(2)]}
	p := newPress(r)
	for range between(r, 1, 8) {
		o.Pairs = append(o.Pairs, p.pair(int64(r.IntN(3))))
	}
	if !isTrue {
		o.Pairs[r.IntN(len(o.Pairs))] = p.wrong(o.Sense)
	}
	return o, nil
}

// printedMajority claims an order for at least Need pairs. In a false claim one pair too few is in order.
func printedMajority(r *rand.Rand, isTrue bool) (verify.Check, error) {
	n := between(r, 2, 10)
	o := formula.Order{Quantity: "error", Sense: verify.Below, Need: between(r, 1, n)}
	inOrder := between(r, o.Need, n)
	if !isTrue {
		inOrder = o.Need - 1
	}
	p := newPress(r)
	for i := range n {
		pair := p.pair(int64(r.IntN(3)))
		if i >= inOrder {
			pair = p.wrong(o.Sense)
		}
		o.Pairs = append(o.Pairs, pair)
	}
	return o, nil
}

// printedPValue claims the p-value of a correlation of n points. In a false claim it is off by 0.05 to 0.3.
func printedPValue(r *rand.Rand, isTrue bool) (verify.Check, error) {
	n := between(r, 4, 30)
	rho := sign(r) * math.Sqrt(r.Float64())
	p, err := confidence.PearsonP(rho, n)
	if err != nil {
		return nil, err
	}
	for !isTrue {
		if off := p + sign(r)*(0.05+0.25*r.Float64()); off >= 0 && off <= 1 {
			p = off
			break
		}
	}
	return formula.CorrelationP{R: printedFloat(rho, 3), P: printedFloat(p, 3), N: n}, nil
}
