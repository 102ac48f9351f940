package distribution

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/dpverify/dpverify/internal/decimal"
)

// bulk is the number of cells of equal probability for a continuous distribution. The check cannot detect how the
// probability is distributed within one cell.
const bulk = 1024

// cells partitions the outputs into sets of known probability. The last cell holds the outputs outside the support and
// has probability 0.
type cells struct {
	law           Distribution
	probabilities []float64
	levels        []float64 // continuous distribution: upper ends of the cells in its lower half, as probabilities
	cuts          []float64 // discrete distribution: the largest value of each cell except the last
	names         []string  // distribution of strings: its values
}

// levels returns, in ascending order, the probabilities at which each half of a continuous distribution is cut: powers
// of 1/2 down to minimum for the tails, and multiples of 1/bulk.
func levels(minimum float64) (out []float64) {
	for p := 0.5; p >= minimum; p /= 2 {
		out = append(out, p)
	}
	for k := 1; k < bulk/2; k++ {
		out = append(out, float64(k)/bulk)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// newCells partitions the outputs of l for n samples. It does not cut tails in which fewer than 1/16 sample is
// expected: rounding the outputs to doubles adds probability at the ends of such tails.
func newCells(l Distribution, n int64) *cells {
	c := &cells{law: l}
	steps := levels(1. / 16 / float64(n))
	switch {
	case l.categories != nil:
		c.names = slices.Sorted(maps.Keys(l.categories))
		for _, name := range c.names {
			c.probabilities = append(c.probabilities, l.categories[name])
		}
	case l.discrete():
		c.cutValues(steps)
		below, above := 0.0, 1.0
		for _, x := range append(slices.Clone(c.cuts), math.Inf(1)) {
			p, q := 1.0, 0.0
			if !math.IsInf(x, 1) {
				p, q = l.cdf(x), l.survival(x)
			}
			if p <= 0.5 {
				c.probabilities = append(c.probabilities, math.Max(0, p-below))
			} else {
				c.probabilities = append(c.probabilities, math.Max(0, above-q))
			}
			below, above = p, q
		}
	default:
		c.levels = steps
		below := 0.0
		for _, p := range steps {
			c.probabilities = append(c.probabilities, p-below)
			below = p
		}
		upper := slices.Clone(c.probabilities)
		slices.Reverse(upper)
		c.probabilities = append(c.probabilities, upper...)
	}
	c.probabilities = append(c.probabilities, 0)
	return c
}

// cutValues cuts a discrete distribution at and just before the value of each level. A value of high probability is
// then in a cell with no other value.
func (c *cells) cutValues(steps []float64) {
	for _, p := range steps {
		for _, beyond := range []func(float64) bool{
			func(x float64) bool { return c.law.cdf(x) >= p },
			func(x float64) bool { return c.law.survival(x) <= p },
		} {
			if x, before := c.law.first(beyond); c.law.values != nil && !math.IsInf(x,
				0) || math.Abs(x) < decimal.ExactWhole {
				c.cuts = append(c.cuts, before, x)
			}
		}
	}
	slices.Sort(c.cuts)
	c.cuts = slices.Compact(c.cuts)
	for len(c.cuts) > 0 && c.cuts[0] < c.law.lower {
		c.cuts = c.cuts[1:]
	}
	for len(c.cuts) > 0 && c.cuts[len(c.cuts)-1] >= c.law.upper {
		c.cuts = c.cuts[:len(c.cuts)-1]
	}
}

// first returns the first value of a discrete distribution for which the monotone condition beyond holds, and the value
// before it. Both are +Inf if there is no such value.
func (l Distribution) first(beyond func(float64) bool) (x, before float64) {
	if l.values != nil {
		i := sort.Search(len(l.values), func(i int) bool { return beyond(l.values[i]) })
		switch {
		case i == len(l.values):
			return math.Inf(1), math.Inf(1)
		case i == 0:
			return l.values[0], math.Inf(-1)
		}
		return l.values[i], l.values[i-1]
	}
	const reach = decimal.ExactWhole
	low, high := math.Max(l.lower-1, -reach), math.Min(l.upper, reach)
	if !beyond(high) {
		return math.Inf(1), math.Inf(1)
	}
	for low+1 < high {
		if middle := low + math.Floor((high-low)/2); beyond(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, high - 1
}

// outside returns the index of the cell for outputs outside the support.
func (c *cells) outside() int { return len(c.probabilities) - 1 }

// of returns the index of the cell of an output, which must be a string for a distribution of strings and a number
// otherwise.
func (c *cells) of(output any) (int, error) {
	if c.names != nil {
		s, ok := output.(string)
		if !ok {
			return 0, fmt.Errorf("an output is %#v: %s is a distribution of strings", output, c.law)
		}
		if i, ok := slices.BinarySearch(c.names, s); ok {
			return i, nil
		}
		return c.outside(), nil
	}
	x, ok := number(output)
	if !ok {
		return 0, fmt.Errorf("an output is %#v: %s is a distribution of single numbers", output, c.law)
	}
	if c.law.own && x >= c.law.lower && x <= c.law.upper {
		if p, q := c.law.cdf(x), c.law.survival(x); !(p >= 0 && q >= 0 && math.Abs(p+q-1) <= 1e-6) {
			return 0, fmt.Errorf("%s: at %v the distribution function is %v and its complement %v: want probabilities that "+
				"sum to 1", c.law, x, p, q)
		}
	}
	return c.ofNumber(x), nil
}

func (c *cells) ofNumber(x float64) int {
	x = c.law.rounded(x)
	if !(x >= c.law.lower && x <= c.law.upper) || math.IsInf(x, 0) {
		return c.outside()
	}
	switch {
	case c.law.values != nil:
		if _, ok := slices.BinarySearch(c.law.values, x); !ok {
			return c.outside()
		}
	case c.law.whole:
		if x != math.Trunc(x) {
			return c.outside()
		}
	default:
		if p := c.law.cdf(x); p <= 0.5 {
			return sort.SearchFloat64s(c.levels, p)
		}
		return c.outside() - 1 - min(sort.SearchFloat64s(c.levels, c.law.survival(x)), len(c.levels)-1)
	}
	return sort.SearchFloat64s(c.cuts, x)
}

// cancelled is the rounding error of a few operations on doubles, relative to the largest value of a distribution.
const cancelled = 1. / (1 << 50)

// rounded returns the value or end of the distribution that x misses only by rounding in single or double precision.
// Otherwise it returns x.
func (l Distribution) rounded(x float64) float64 {
	single := func(v float64) float64 { return float64(float32(v)) }
	switch {
	case l.values != nil:
		slack := cancelled * math.Max(math.Abs(l.lower), math.Abs(l.upper))
		i := sort.SearchFloat64s(l.values, x)
		if i == len(l.values) || i > 0 && x-l.values[i-1] < l.values[i]-x {
			i--
		}
		if v := l.values[i]; x == single(v) || math.Abs(x-v) <= slack {
			return v
		}
	case l.whole:
	case x < l.lower && x >= single(l.lower):
		return l.lower
	case x > l.upper && x <= single(l.upper):
		return l.upper
	}
	return x
}

// number converts a numeric or boolean output to a float64; false is 0 and true is 1.
func number(output any) (float64, bool) {
	switch v := output.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case json.Number: // an integer beyond 2⁵³
		x, err := v.Float64()
		return x, err == nil
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// coarseness returns the largest probability of a cell with more than one value.
func (c *cells) coarseness() float64 {
	largest := 0.0
	for i, p := range c.probabilities {
		if c.single(i) == "" {
			largest = math.Max(largest, p)
		}
	}
	return largest
}

// single returns the text of the value of a cell with one value, and "" for other cells.
func (c *cells) single(i int) string {
	switch {
	case c.names != nil:
		if i < len(c.names) {
			return strconv.Quote(c.names[i])
		}
		return ""
	case c.cuts == nil && c.law.values == nil || i >= c.outside():
		return ""
	case c.law.values != nil: // cuts may have left a single value of low probability between them
		low, high := c.ends(i)
		var inside []float64
		for _, v := range c.law.values {
			if v > low && v <= high {
				inside = append(inside, v)
			}
		}
		if len(inside) == 1 {
			return fmt.Sprint(inside[0])
		}
		return ""
	}
	low, high := c.ends(i)
	if math.IsInf(low, -1) {
		low = c.law.lower - 1
	}
	if math.IsInf(high, 1) {
		high = c.law.upper
	}
	if high == low+1 {
		return fmt.Sprint(high)
	}
	return ""
}

// ends returns the bounds of cell i of a discrete distribution, which holds the values in (low, high].
func (c *cells) ends(i int) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if i > 0 {
		low = c.cuts[i-1]
	}
	if i < len(c.cuts) {
		high = c.cuts[i]
	}
	return low, high
}

// event describes cell i for a report.
func (c *cells) event(i int) string {
	if name := c.single(i); name != "" {
		return "output = " + name
	}
	if i == c.outside() {
		return fmt.Sprintf("an output that %s does not have", c.law)
	}
	low, high := c.ends(i)
	switch {
	case math.IsInf(low, -1):
		return fmt.Sprintf("output ≤ %.6g", high)
	case math.IsInf(high, 1):
		return fmt.Sprintf("output > %.6g", low)
	}
	return fmt.Sprintf("%.6g < output ≤ %.6g", low, high)
}

// end describes the event that an output is at most the upper end of cell i.
func (c *cells) end(i int) string {
	if c.law.discrete() {
		return fmt.Sprintf("output ≤ %.6g", c.cuts[i])
	}
	low, high := math.Max(c.law.lower, -math.MaxFloat64/4), math.Min(c.law.upper, math.MaxFloat64/4)
	for range 2100 { // bisection: the exponent first, then the digits
		middle := low/2 + high/2
		if !(middle > low && middle < high) {
			break
		}
		if cell := c.ofNumber(middle); cell > i {
			high = middle
		} else {
			low = middle
		}
	}
	return fmt.Sprintf("output ≤ %.4g", low/2+high/2)
}
