package premises

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// NoiseMethod names the statistics of the noise premise.
var NoiseMethod = verify.RegisterStatistics[noiseStatistics]("premises/noise")

// noiseStatistics holds sums over the noise of a log, in units of the claimed standard deviation. It assumes that a
// logged value z of a normal number y has |z − y| ≤ Relative · |y| + Absolute.
type noiseStatistics struct {
	Deviation   float64      `json:"deviation"` // claimed standard deviation σC
	Steps       int          `json:"steps"`
	Coordinates int          `json:"coordinates"`
	Bits        int          `json:"bits"` // largest number of significant bits
	Relative    float64      `json:"relative"`
	Absolute    float64      `json:"absolute"`
	Squares     float64      `json:"squares"`
	Windows     []windowPair `json:"windows"` // of 1, 2, 4, ... steps
	Segment     window       `json:"segment"` // where the scale differs most
	Largest     atPlace      `json:"largest"`
	Distance    distance     `json:"distance"`
	Repeated    pairs        `json:"repeated"`
	Multiples   pairs        `json:"multiples"`
	Uniform     int          `json:"uniform,omitempty"` // steps with the same noise at all coordinates, up to the sign
	Successive  correlated   `json:"successive"`
	Across      correlated   `json:"across"`
	Sum         float64      `json:"sum"`      // noise along the sum of the step
	Previous    float64      `json:"previous"` // noise along the sum of the step before
	Sums        int          `json:"sums"`     // steps with a sum that is not 0
}

// atPlace is a value at a step and a coordinate, both counted from 1.
type atPlace struct {
	Step       int     `json:"step"`
	Coordinate int     `json:"coordinate"`
	Value      float64 `json:"value"`
}

// distance is a distance between two distribution functions.
type distance struct {
	Raw    float64 `json:"raw"`    // Kolmogorov distance
	Excess float64 `json:"excess"` // the part that rounding does not explain
	At     float64 `json:"at"`     // argument with the excess
	Share  float64 `json:"share"`  // empirical probability there
	Stated float64 `json:"stated"`
}

// pairs counts pairs of steps and holds the first pair.
type pairs struct {
	Count  int64 `json:"count"`
	First  int   `json:"first"`
	Second int   `json:"second"`
}

// add adds pairs, of which one has the given steps.
func (p *pairs) add(count int64, first, second int) {
	if p.Count == 0 && count > 0 {
		p.First, p.Second = first, second
	}
	p.Count += count
}

// correlated is a sum of products of noise values, at two coordinates of a step or at one coordinate in successive
// steps.
type correlated struct {
	First   int     `json:"first"` // coordinates, from 1; 0 if there are no products
	Second  int     `json:"second"`
	Sum     float64 `json:"sum"`
	Squares float64 `json:"squares"` // sum of the squared products
}

func (c *correlated) add(product float64) {
	c.Sum += product
	c.Squares += product * product
}

// standard returns the absolute sum divided by the root of the sum of squares.
func (c correlated) standard() float64 {
	if !(c.Squares > 0) {
		return 0
	}
	return math.Abs(c.Sum) / math.Sqrt(c.Squares)
}

// larger returns the sum with the larger standard value.
func (c correlated) larger(other correlated) correlated {
	if c.First == 0 || other.standard() > c.standard() {
		return other
	}
	return c
}

// values returns the number of logged values of noise.
func (f noiseStatistics) values() float64 { return float64(f.Steps) * float64(f.Coordinates) }

// correlated returns the number of coordinates whose pairs are tested for correlation.
func (f noiseStatistics) correlated() int { return min(f.Coordinates, maxCorrelated) }

// Check returns an error for statistics that no log has.
func (f noiseStatistics) Check() error {
	steps, n := f.Steps, f.values()
	finite := func(list ...float64) bool { return finite(list) }
	switch {
	case !positive(f.Deviation) || steps < 1 || f.Coordinates < 1 || f.Coordinates > maxCoordinates || f.Bits < coarsest ||
		f.Bits > 53:
		return fmt.Errorf("noise of deviation %v and %d bits, %d steps of %d coordinates: want positive numbers, at "+
			"most %d coordinates, and %d to 53 bits", f.Deviation, f.Bits, steps, f.Coordinates, maxCoordinates, coarsest)
	case f.Relative != (rounding{bits: f.Bits}).relative() || !(f.Absolute >= 0 && f.Absolute <= maxAbsolute):
		return fmt.Errorf("relative rounding %v and absolute rounding %v: want the rounding to %d bits, and 0 to %v",
			f.Relative, f.Absolute, f.Bits, maxAbsolute)
	case !finite(f.Squares, f.Largest.Value, f.Sum, f.Previous, f.Successive.Sum, f.Successive.Squares, f.Across.Sum,
		f.Across.Squares) || f.Squares < 0 || f.Successive.Squares < 0 || f.Across.Squares < 0:
		return fmt.Errorf("sums of noise %+v: want finite numbers, and squares of at least 0", f)
	case f.Largest.Value*f.Largest.Value > f.Squares*(1+1e-9) ||
		f.Largest.Value*f.Largest.Value*n < f.Squares*(1-1e-9):
		return fmt.Errorf("sum of squares %v of %v values, the largest of which is %v: want at least one and at most all "+
			"squares of it", f.Squares, n, f.Largest.Value)
	case !f.possibleWindows():
		return fmt.Errorf("windows of noise in %d steps: want two aligned ones of each length 1, 2, 4, ..., with possible "+
			"sums of squares", steps)
	case !f.Distance.possible():
		return fmt.Errorf("distance %+v: want probabilities, and an excess of at most the distance", f.Distance)
	case !f.Repeated.possible(steps) || !f.Multiples.possible(min(steps, maxCompared)):
		return fmt.Errorf("%+v and %+v pairs of %d steps: want possible numbers of pairs", f.Repeated, f.Multiples, steps)
	case f.Sums < 0 || f.Sums > steps:
		return fmt.Errorf("%d of %d steps have a sum that is not 0: want 0 to all steps", f.Sums, steps)
	case f.Uniform < 0 || f.Uniform > steps || f.Uniform > 0 && f.Coordinates < 2:
		return fmt.Errorf("%d of %d steps have the same noise at all %d coordinates: want 0 to all steps, and 0 for one "+
			"coordinate", f.Uniform, steps, f.Coordinates)
	case f.Largest.Coordinate > f.Coordinates || f.Largest.Step > steps ||
		f.Squares > 0 && min(f.Largest.Step, f.Largest.Coordinate) < 1:
		return fmt.Errorf("largest value at step %d and coordinate %d: want one of %d steps and %d coordinates",
			f.Largest.Step,
			f.Largest.Coordinate, steps, f.Coordinates)
	case max(f.Successive.First, f.Successive.Second, f.Across.First, f.Across.Second) > f.Coordinates ||
		min(f.Successive.First, f.Successive.Second, f.Across.First, f.Across.Second) < 0 ||
		f.Successive.standard() > math.Sqrt(n)*(1+1e-9) || f.Across.standard() > math.Sqrt(n)*(1+1e-9):
		return fmt.Errorf("correlations %+v and %+v: want two of %d coordinates, and possible sums of squares",
			f.Successive,
			f.Across, f.Coordinates)
	}
	return nil
}

func (d distance) possible() bool {
	in := func(p float64) bool { return p >= 0 && p <= 1 }
	return in(d.Raw) && in(d.Excess) && in(d.Share) && in(d.Stated) && d.Excess <= d.Raw && finite([]float64{d.At})
}

// possible reports whether some steps can have the pairs.
func (p pairs) possible(steps int) bool {
	n := int64(steps)
	return p == pairs{} || p.Count >= 1 && p.Count <= n*(n-1)/2 && p.First >= 1 && p.First < p.Second && p.Second <= steps
}
