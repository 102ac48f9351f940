package benchmark

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/printed"
)

// press prints numbers of so many decimals. True values are whole numbers of
// thousandths of the last printed place, so that ties are ties.
type press struct {
	r       *rand.Rand
	places  int
	ties    bool // all values drawn lie half-way between two printed ones
	cut     bool // rounded up, down or to the nearest, nobody knows which
	percent bool
}

const thousandths = 1000

// newPress prints with 1 to 4 decimals; each habit is that of a quarter of the tables.
func newPress(r *rand.Rand) press {
	quarter := func() bool { return r.IntN(4) == 0 }
	return press{r, between(r, 1, 4), quarter(), quarter(), quarter()}
}

// draw is a true value from low to high units.
func (p press) draw(low, high int) int64 {
	v := int64(between(p.r, low, high)) * thousandths
	if p.ties {
		return v + thousandths/2
	}
	return v + int64(p.r.IntN(thousandths))
}

// round gives the units that are printed for a value ≥ 0; ties go either way.
func (p press) round(v int64) int64 { return p.roundShare(v, 1) }

// roundShare is round of v/n.
func (p press) roundShare(v, n int64) int64 {
	unit := thousandths * n
	units, rest := v/unit, 2*(v%unit)
	if p.cut && rest > 0 {
		return units + int64(p.r.IntN(2))
	}
	if rest > unit || rest == unit && p.r.Uint64()&1 == 0 {
		units++
	}
	return units
}

// slack is how far rounding moves a number at most, in half units.
func (p press) slack() int {
	if p.cut {
		return 2
	}
	return 1
}

func (p press) cell(units int64) printed.Cell {
	c := printed.Cell{At: "a cell", Text: strconv.FormatFloat(float64(units)/math.Pow10(p.places), 'f', p.places, 64)}
	if p.cut {
		c.Rounding = printed.AnyRounding
	}
	if p.percent {
		c.Text += "%"
	}
	return c
}

// value is a true value as a number.
func (p press) value(v int64) float64 {
	x := float64(v) / thousandths / math.Pow10(p.places)
	if p.percent {
		x /= 100
	}
	return x
}

// printedFloat prints x with so many decimals.
func printedFloat(x float64, places int) printed.Cell {
	return printed.Cell{At: "a result", Text: strconv.FormatFloat(x, 'f', places, 64)}
}

// significant are the decimals that show at least four digits of x > 0.
func significant(x float64) int { return max(0, 3-int(math.Floor(math.Log10(x)))) }

func printedCases() ([]Case, error) {
	kinds := []struct {
		name, fault string
		draw        func(r *rand.Rand, isTrue bool) (verify.Check, error)
	}{
		{"sums", "off by the least that rounding excludes, or more", printedSum},
		{"means", "off by the least that rounding excludes, or more", printedMean},
		{"products and ratios", "off by 1 to 30 %", printedProduct},
		{"relative changes", "off by 1 to 30 %", printedChange},
		{"orders", "one pair the other way round", printedOrder},
		{"orders in most pairs", "in too few", printedMajority},
		{"never rising", "one number above an earlier one", printedMonotone},
		{"rates of few examples", "half-way between two that can occur", printedRate},
		{"deviations of rates", "larger than any can be", printedDeviation},
		{"correlations", "off by 0.1 to 0.5", printedCorrelation},
		{"p-values of correlations", "off by 0.05 to 0.3", printedPValue},
	}
	var out []Case
	for _, k := range kinds {
		for _, isTrue := range []bool{true, false} {
			name := k.name
			if !isTrue {
				name += ", " + k.fault
			}
			out = append(out, Case{Name: name, True: isTrue, Exact: true,
				Check: drawn(func(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
					return k.draw(r, isTrue)
				})})
		}
	}
	return out, nil
}

// sign draws −1 or 1.
func sign(r *rand.Rand) float64 { return float64(2*r.IntN(2) - 1) }

// column draws n true values and prints them.
func (p press) column(n, low, high int) (values []int64, cells []printed.Cell, units int64) {
	for range n {
		v := p.draw(low, high)
		u := p.round(v)
		values, cells, units = append(values, v), append(cells, p.cell(u)), units+u
	}
	return values, cells, units
}

func total(values []int64) (sum int64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// printedSum prints 2 to 12 terms and their sum. n roundings, and that of the sum, exclude
// what is more than n+1 times the slack off.
func printedSum(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p, n := newPress(r), between(r, 2, 12)
	values, terms, units := p.column(n, 100, 9999)
	cell := p.round(total(values))
	if !isTrue {
		cell = units + int64(sign(r))*int64((n+1)*p.slack()/2+1+r.IntN(3))
	}
	return printed.Sums{{Total: p.cell(cell), Terms: terms}}, nil
}

// printedMean is printedSum over n: more than twice the slack off is excluded.
func printedMean(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p, n := newPress(r), between(r, 2, 12)
	values, terms, units := p.column(n, 100, 9999)
	cell := p.roundShare(total(values), int64(n))
	if !isTrue {
		cell = int64(math.Round(float64(units)/float64(n))) + int64(sign(r))*int64(1+p.slack()+r.IntN(3))
	}
	return printed.Sums{printed.Mean(p.cell(cell), terms)}, nil
}

// printedProduct is ab/c of numbers with four digits, which pin it down to 0.4 %.
func printedProduct(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p := newPress(r)
	return p.formula(isTrue, 0.01, []int64{p.draw(1000, 9999), p.draw(1000, 9999), p.draw(1000, 9999)},
		func(x []float64) float64 { return x[0] * x[1] / x[2] })
}

// printedChange is (a − b)/b. As a is at least 5b/3, it is pinned down to 0.4 %.
func printedChange(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p := newPress(r)
	return p.formula(isTrue, 0.01, []int64{p.draw(5000, 9999), p.draw(1000, 2999)},
		func(x []float64) float64 { return (x[0] - x[1]) / x[1] })
}

// formula prints values and what follows from them, or what is off by a share.
func (p press) formula(isTrue bool, leastFault float64, values []int64,
	formula func([]float64) float64) (verify.Check, error) {
	var x []float64
	var cells []printed.Cell
	for _, v := range values {
		x, cells = append(x, p.value(v)), append(cells, p.cell(p.round(v)))
	}
	y := formula(x)
	places := significant(y)
	if !isTrue {
		y *= 1 + sign(p.r)*logUniform(p.r, leastFault, 0.3)
	}
	return printed.Formulas{{Result: printedFloat(y, places), Inputs: cells, Formula: formula}}, nil
}

// pair prints a value and one that is more by so many units and up to a unit.
func (p press) pair(units int64) printed.Pair {
	low := p.draw(100, 9999)
	high := low + units*thousandths + 1 + int64(p.r.IntN(thousandths))
	return printed.Pair{Left: p.cell(p.round(low)), Right: p.cell(p.round(high))}
}

// wrong prints a pair that is not in order however it was rounded. Both numbers are moved
// by rounding, and both stand for more than they print: the values must differ by more than
// 2·slack−1 units, and by one more where the numbers may be equal.
func (p press) wrong(sense verify.Sense) printed.Pair {
	least := 2*p.slack() - 1
	if sense == verify.AtMost {
		least++
	}
	pair := p.pair(int64(between(p.r, least, 9)))
	pair.Left, pair.Right = pair.Right, pair.Left
	return pair
}

// printedOrder prints pairs in order, some by less than a unit. One that is far enough the
// other way round is so however it was rounded.
func printedOrder(r *rand.Rand, isTrue bool) (verify.Check, error) {
	o := printed.Order{Quantity: "error", Sense: []verify.Sense{verify.Below, verify.AtMost}[r.IntN(2)]}
	p := newPress(r)
	for range between(r, 1, 8) {
		o.Pairs = append(o.Pairs, p.pair(int64(r.IntN(3))))
	}
	if !isTrue {
		o.Pairs[r.IntN(len(o.Pairs))] = p.wrong(o.Sense)
	}
	return o, nil
}

// printedMajority has at least Need pairs in order, or one too few.
func printedMajority(r *rand.Rand, isTrue bool) (verify.Check, error) {
	n := between(r, 2, 10)
	o := printed.Order{Quantity: "error", Sense: verify.Below, Need: between(r, 1, n)}
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

// printedMonotone prints falling numbers, some by less than a unit.
func printedMonotone(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p, n := newPress(r), between(r, 2, 8)
	values := make([]int64, n)
	v := p.draw(5000, 9999)
	for i := range values {
		values[i] = v
		v -= int64(r.IntN(2 * thousandths))
	}
	if !isTrue {
		i := between(r, 1, n-1)
		values[i] = values[r.IntN(i)] + int64(between(r, 2*p.slack()*thousandths+1, 9*thousandths))
	}
	var cells []printed.Cell
	for _, v := range values {
		cells = append(cells, p.cell(p.round(v)))
	}
	return printed.Monotone("error", verify.AtMost, cells), nil
}

// printedRate prints a share k/(examples·runs) with so many decimals that not every
// number is one: a unit is less than half a step. Half-way between two is none.
func printedRate(r *rand.Rand, isTrue bool) (verify.Check, error) {
	examples, runs := between(r, 20, 500), between(r, 1, 10)
	steps := examples * runs
	k := float64(r.IntN(steps))
	if !isTrue {
		k += 0.5
	}
	places := int(math.Ceil(math.Log10(2.2 * float64(steps))))
	return printed.Rates{{Rate: printedFloat(k/float64(steps), places), Examples: examples, Runs: runs}}, nil
}

// printedDeviation prints the mean and the deviation of rates; the faulty one exceeds
// √(μ(1−μ)n/(n−1)), the largest there can be, by 5 % or more.
func printedDeviation(r *rand.Rand, isTrue bool) (verify.Check, error) {
	examples, runs := between(r, 20, 500), between(r, 2, 10)
	rates := make([]float64, runs)
	mean, extreme := 0.0, r.Uint64()&1 == 0
	for i := range rates {
		rates[i] = float64(r.IntN(2)) // all or nothing has the largest deviation
		if !extreme {
			rates[i] = float64(r.IntN(examples+1)) / float64(examples)
		}
		mean += rates[i] / float64(runs)
	}
	squares := 0.0
	for _, x := range rates {
		squares += (x - mean) * (x - mean)
	}
	deviation := math.Sqrt(squares / float64(runs-1))
	if !isTrue {
		most := math.Max(0.05, math.Sqrt(mean*(1-mean)*float64(runs)/float64(runs-1)))
		deviation = most * (1.05 + r.Float64())
	}
	text := fmt.Sprintf("%.6f±%.6f", mean, deviation)
	return printed.Rates{{Rate: printed.Cell{At: "a rate", Text: text}, Examples: examples, Runs: runs}}, nil
}

// printedCorrelation prints points of three digits and their correlation.
func printedCorrelation(r *rand.Rand, isTrue bool) (verify.Check, error) {
	points, rho, err := correlated(r, between(r, 4, 12))
	if err != nil {
		return nil, err
	}
	for !isTrue {
		if off := rho + sign(r)*(0.1+0.4*r.Float64()); math.Abs(off) <= 1 {
			rho = off
			break
		}
	}
	return printed.Correlation{R: printedFloat(rho, between(r, 2, 3)), Points: points}, nil
}

// correlated draws n points, prints them, and returns the correlation of the true ones.
func correlated(r *rand.Rand, n int) (points printed.Points, rho float64, err error) {
	p := newPress(r)
	var x, y []float64
	slope := 4*r.Float64() - 2
	for range n {
		u := p.draw(1000, 2000)
		v := 8_000_000 + int64(slope*float64(u)) + int64(r.NormFloat64()*300*thousandths)
		x, y = append(x, p.value(u)), append(y, p.value(v))
		points.X, points.Y = append(points.X, p.cell(p.round(u))), append(points.Y, p.cell(p.round(v)))
	}
	rho, err = limits.Pearson(x, y)
	return points, rho, err
}

// printedPValue prints r and p of a correlation of n points; where n is printed, p cannot
// be far off.
func printedPValue(r *rand.Rand, isTrue bool) (verify.Check, error) {
	n := between(r, 4, 30)
	rho := sign(r) * math.Sqrt(r.Float64())
	p, err := limits.PearsonP(rho, n)
	if err != nil {
		return nil, err
	}
	for !isTrue {
		if off := p + sign(r)*(0.05+0.25*r.Float64()); off >= 0 && off <= 1 {
			p = off
			break
		}
	}
	return printed.CorrelationP{R: printedFloat(rho, 3), P: printedFloat(p, 3), N: n}, nil
}
