package mean

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// catoniTally is that of Catoni's interval for the mean of values of variance at most v.
//
// With φ(x) = sign(x)·log(1 + |x| + x²/2), E exp φ(λ(X − μ)) ≤ 1 + λ²v/2 ≤ exp(λ²v/2) at the
// true mean μ, and the same of −φ. So Σφ(λ(X − μ)) of n values lies beyond
// ±(nλ²v/2 + log(2/α)) with probability at most α; at λ = √(2 log(2/α)/(nv)) that is twice
// log(2/α), and the means that are left make an interval of about 2·√(2v log(2/α)/n), of
// whatever law. The sum falls as μ rises, so that it is enough to take it on a grid around
// the stated mean: each limit is a point of the grid that is rejected.
type catoniTally struct {
	points []float64 // of the grid, ascending
	stake  float64   // λ
	most   float64   // of the sum at the true mean
	N      int64     `json:"n"`
	Total  float64   `json:"total"`
	Sums   []float64 `json:"sums"`
	// Spread has the moments of λ(X − c), where c is the stated mean: they tell whether the bound on the
	// variance can be true.
	Spread *confidence.Moments `json:"spread"`
	centre float64
}

// The grid has even steps where a true claim has its limits, up to reach half-widths of
// the interval, and grows beyond, so that a claim that is far off has limits too.
const (
	catoniSteps = 8 // in half the width of the interval
	reach       = 1.5
	growth      = 1.3
	far         = 1e4
)

// newCatoniTally is an empty tally for n values around a stated mean, of at most this variance.
func newCatoniTally(centre, variance float64, n int64, alpha float64) *catoniTally {
	least := math.Log(2 / alpha)
	half := math.Sqrt(2 * variance * least / float64(n))
	c := &catoniTally{stake: math.Sqrt(2 * least / float64(n) / variance), most: 2 * least, centre: centre,
		points: []float64{centre}, Spread: &confidence.Moments{}}
	for x := 1. / catoniSteps; x < far; {
		c.points = append(c.points, centre-x*half, centre+x*half)
		if x < reach {
			x += 1. / catoniSteps
		} else {
			x *= growth
		}
	}
	slices.Sort(c.points)
	c.Sums = make([]float64, len(c.points))
	return c
}

// Add counts a value.
func (c *catoniTally) Add(x float64) {
	c.N++
	c.Total += x
	// Add takes what is finite.
	_ = c.Spread.Add(math.Max(-mostDeviation, math.Min(mostDeviation, c.stake*(x-c.centre))))
	for i, point := range c.points {
		y := c.stake * (x - point)
		c.Sums[i] += math.Copysign(math.Log1p(math.Min(math.Abs(y)+y*y/2, math.MaxFloat64)), y)
	}
}

// Mean of the values.
func (c *catoniTally) Mean() float64 { return c.Total / float64(c.N) }

// mostDeviation keeps squares finite.
const mostDeviation = 1e100

// Overspread tells whether the variance of the values is more than twice the bound on it. Of values of
// that variance the limits say nothing.
func (c *catoniTally) Overspread() bool {
	deviation := c.Spread.StdDev()
	return deviation*deviation*float64(c.N) > 2*c.most
}

// Limits of the mean; infinite beyond the grid.
func (c *catoniTally) Limits() (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	for i, s := range c.Sums {
		if s >= c.most {
			lower = c.points[i]
		}
		if j := len(c.Sums) - 1 - i; c.Sums[j] <= -c.most {
			upper = c.points[j]
		}
	}
	return lower, upper
}

// Merge adds the values of another tally of the same grid.
func (c *catoniTally) Merge(other empirical.Tally) error {
	o, ok := other.(*catoniTally)
	if !ok || len(o.Sums) != len(c.Sums) || o.N < 0 {
		return fmt.Errorf("mean: cannot merge %T into Catoni's sums", other)
	}
	if err := c.Spread.Merge(o.Spread); err != nil {
		return fmt.Errorf("mean: %w", err)
	}
	c.N, c.Total = c.N+o.N, c.Total+o.Total
	for i, s := range o.Sums {
		c.Sums[i] += s
	}
	return nil
}

// plain has the fields alone.
type plain catoniTally

// MarshalJSON writes the sums.
func (c *catoniTally) MarshalJSON() ([]byte, error) { return json.Marshal((*plain)(c)) }

// UnmarshalJSON reads them into a tally of the same grid, or into the zero tally.
func (c *catoniTally) UnmarshalJSON(data []byte) error {
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("mean: %w", err)
	}
	if c.Sums != nil && len(read.Sums) != len(c.Sums) || read.N < 0 || read.Spread == nil || read.Spread.N() != read.N {
		return errors.New("mean: sums of another grid")
	}
	c.N, c.Total, c.Sums, c.Spread = read.N, read.Total, read.Sums, read.Spread
	return nil
}
