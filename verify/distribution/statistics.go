package distribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Method is the method of the statistics of a [Check].
var Method = verify.RegisterStatistics[statistics]("law")

// statistics are those of a [Check]: the counts of the cells into which its law cuts the line, or of strings. The cells
// of a continuous law follow from the number of samples; those of other laws have their probabilities here.
type statistics struct {
	Quantity string  `json:"quantity"`
	At       string  `json:"at,omitempty"`
	Law      string  `json:"law"` // in words
	Effect   float64 `json:"effect"`
	Samples  int64   `json:"samples"`
	// Coarse is the largest probability of a cell of several values.
	Coarse        float64   `json:"coarse"`
	Names         []string  `json:"names,omitempty"` // of strings
	Cuts          []float64 `json:"cuts,omitempty"`  // of a discrete law: the last value of each cell but that of the end
	Probabilities []float64 `json:"probabilities,omitempty"`
	Counts        []int64   `json:"counts"` // the last one of what the law does not have
	// Places that the evidence names: the events of the exact tests and the ends of cells, by their places.
	Places map[string]string `json:"places,omitempty"`

	live *cells // of the law itself; nil in a report
}

// law is a law of which nothing is known but its cells.
func (f statistics) law() Distribution {
	half := func(float64) float64 { return 0.5 }
	return Distribution{name: f.Law, cdf: half, survival: half, lower: math.Inf(-1), upper: math.Inf(1),
		whole: f.Names == nil && f.Probabilities != nil}
}

// cells are those of the law, or of a report.
func (f statistics) cells() *cells {
	if f.live != nil {
		return f.live
	}
	if f.Probabilities == nil {
		return newCells(f.law(), f.Samples)
	}
	return &cells{law: f.law(), names: f.Names, cuts: f.Cuts, probabilities: f.Probabilities}
}

func (f statistics) Check() error {
	if f.Samples < 1 || f.Samples%shards != 0 || !(f.Effect > 0 && f.Effect < 1) || !(f.Coarse >= 0 && f.Coarse <= 1) {
		return fmt.Errorf("%d samples, effect %v, cells of %v: want a multiple of %d, and numbers in (0, 1)",
			f.Samples, f.Effect, f.Coarse, shards)
	}
	return f.check(f.cells())
}

// check the counts against the cells.
func (f statistics) check(c *cells) error {
	if len(f.Counts) != len(c.probabilities) || len(f.Counts) < 2 || c.names != nil && len(c.names) != c.outside() ||
		c.names == nil && c.law.whole && len(c.cuts)+1 != c.outside() || !slices.IsSorted(c.cuts) {
		return fmt.Errorf("%d counts of %d cells: want one of each, and ends that rise", len(f.Counts), len(c.probabilities))
	}
	rest, mass := f.Samples, 0.0
	for i, n := range f.Counts {
		if n < 0 || n > rest || !(c.probabilities[i] >= 0 && c.probabilities[i] <= 1) {
			return fmt.Errorf("cell %d: %d samples at probability %v: want counts of %d, and probabilities", i, n,
				c.probabilities[i], f.Samples)
		}
		rest, mass = rest-n, mass+c.probabilities[i]
	}
	const rounding = 1e-6
	if rest != 0 || !(math.Abs(mass-1) <= rounding) || c.probabilities[c.outside()] != 0 {
		return fmt.Errorf("%d of %d samples are in cells of probability %v together: want all, and 1", f.Samples-rest,
			f.Samples, mass)
	}
	return nil
}
