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

// catoniTally holds the sums for Catoni's interval for the mean μ of values with variance at most v.
//
// Let φ(x) = sign(x)·log(1 + |x| + x²/2). Then E exp φ(λ(X − μ)) ≤ 1 + λ²v/2 ≤ exp(λ²v/2), and the same is true of −φ.
// So |Σφ(λ(X − μ))| over n values exceeds nλ²v/2 + log(2/α) with probability at most α. At λ = √(2 log(2/α)/(nv)) this
// limit is 2·log(2/α). The means that are not rejected form an interval of width about 2·√(2v log(2/α)/n) for any
// distribution. The sum decreases in μ, so it is enough to compute it on a grid around the stated mean: each limit is a
// rejected point of the grid.
type catoniTally struct {
	points []float64 // points of the grid, ascending
	stake  float64   // λ
	half   float64   // nλ²v/2
	limit  float64   // nλ²v/2 + log(2/α), for the sum at the true mean
	N      int64     `json:"n"`
	Total  float64   `json:"total"`
	Sums   []float64 `json:"sums"`
	// Spread holds the moments of λ(X − c) for the stated mean c. They test the bound on the variance.
	Spread *confidence.Moments `json:"spread"`
	center float64
}

// The grid has equal steps up to reach half-widths of the interval, which contain the limits of a true claim. Further
// steps grow by a factor, so that the limits of a claim far from the mean are on the grid too.
const (
	catoniSteps = 8 // steps per half-width of the interval
	reach       = 1.5
	growth      = 1.3
	far         = 1e4
)

// newCatoniTally returns an empty tally for n values around a stated mean, with variance at most the given one.
func newCatoniTally(center, variance float64, n int64, alpha float64) *catoniTally {
	log := math.Log(2 / alpha)
	half := math.Sqrt(2 * variance * log / float64(n))
	c := &catoniTally{stake: math.Sqrt(2 * log / float64(n) / variance), half: log, limit: 2 * log, center: center,
		points: []float64{center}, Spread: &confidence.Moments{}}
	for x := 1. / catoniSteps; x < far; {
		c.points = append(c.points, center-x*half, center+x*half)
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

// at sets the error probability of the limits. It keeps λ and the grid, with which the values were counted.
func (c *catoniTally) at(alpha float64) { c.limit = c.half + math.Log(2/alpha) }

// Add counts a value.
func (c *catoniTally) Add(x float64) {
	c.N++
	c.Total += x
	// Moments.Add fails only for values that are not finite.
	_ = c.Spread.Add(math.Max(-maxDeviation, math.Min(maxDeviation, c.stake*(x-c.center))))
	for i, point := range c.points {
		y := c.stake * (x - point)
		c.Sums[i] += math.Copysign(math.Log1p(math.Min(math.Abs(y)+y*y/2, math.MaxFloat64)), y)
	}
}

// Mean returns the mean of the values.
func (c *catoniTally) Mean() float64 { return c.Total / float64(c.N) }

// maxDeviation keeps squares finite.
const maxDeviation = 1e100

// Overspread reports whether the sample variance is more than twice the bound. The limits are then meaningless.
func (c *catoniTally) Overspread() bool {
	deviation := c.Spread.StdDev()
	return deviation*deviation*float64(c.N) > 4*c.half
}

// Limits returns the confidence limits of the mean, infinite beyond the grid.
func (c *catoniTally) Limits() (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	for i, s := range c.Sums {
		if s >= c.limit {
			lower = c.points[i]
		}
		if j := len(c.Sums) - 1 - i; c.Sums[j] <= -c.limit {
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

// plain is a catoniTally without methods, so that JSON uses its fields.
type plain catoniTally

// MarshalJSON writes the sums.
func (c *catoniTally) MarshalJSON() ([]byte, error) { return json.Marshal((*plain)(c)) }

// UnmarshalJSON reads the sums into a tally of the same grid, or into the zero tally.
func (c *catoniTally) UnmarshalJSON(data []byte) error {
	var read plain
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("mean: %w", err)
	}
	if c.Sums != nil && len(read.Sums) != len(c.Sums) || read.N < 0 || read.Spread == nil || read.Spread.N() != read.N {
		return errors.New("mean: the sums belong to another grid: want the grid of this claim")
	}
	c.N, c.Total, c.Sums, c.Spread = read.N, read.Total, read.Sums, read.Spread
	return nil
}
