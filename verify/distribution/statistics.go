package distribution

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Method is the name of this package's statistics in a report.
var Method = verify.RegisterStatistics[statistics]("law")

// statistics holds the sufficient statistics of a [Check]: the sample counts of the cells. The cells of a continuous
// distribution follow from the number of samples. Those of other distributions are stored here.
type statistics struct {
	Quantity string  `json:"quantity"`
	At       string  `json:"at,omitempty"`
	Law      string  `json:"law"` // its name and parameters
	Effect   float64 `json:"effect"`
	Samples  int64   `json:"samples"`
	// Coarse is the largest probability of a cell with more than one value.
	Coarse float64  `json:"coarse"`
	Names  []string `json:"names,omitempty"` // values of a distribution of strings
	// discrete distribution: the largest value of each cell except the last
	Cuts          []float64 `json:"cuts,omitempty"`
	Probabilities []float64 `json:"probabilities,omitempty"`
	Counts        []int64   `json:"counts"` // the last one counts outputs outside the support
	// Places holds the texts of the events and cell ends in the evidence, by kind and cell index.
	Places map[string]string `json:"places,omitempty"`

	live *cells // nil if the statistics come from a report
}

// law returns a placeholder for the distribution in a report, which stores only the name and the cells.
func (f statistics) law() Distribution {
	half := func(float64) float64 { return 0.5 }
	return Distribution{name: f.Law, cdf: half, survival: half, lower: math.Inf(-1), upper: math.Inf(1),
		whole: f.Names == nil && f.Probabilities != nil}
}

// cells returns the partition of the live check or the stored one.
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

// check returns an error unless the counts fit the cells.
func (f statistics) check(c *cells) error {
	if len(f.Counts) != len(c.probabilities) || len(f.Counts) < 2 || c.names != nil && len(c.names) != c.outside() ||
		c.names == nil && c.law.whole && len(c.cuts)+1 != c.outside() || !slices.IsSorted(c.cuts) {
		return fmt.Errorf("%d counts of %d cells: want one count for each cell and ascending cuts", len(f.Counts),
			len(c.probabilities))
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
		return fmt.Errorf("the counts sum to %d of %d samples, the probabilities to %v: want equal counts and "+
			"probability 1", f.Samples-rest,
			f.Samples, mass)
	}
	return nil
}
