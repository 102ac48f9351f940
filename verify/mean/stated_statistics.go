package mean

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// StatedMethod is the name of the statistics of [Stated] in a report.
var StatedMethod = verify.RegisterStatistics[statedStatistics]("mean/stated")

// statedStatistics holds the sufficient statistics of [Stated].
type statedStatistics struct {
	Quantity    string                 `json:"quantity"`
	Effect      float64                `json:"effect"`
	Samples     int64                  `json:"samples"`
	Coordinates []coordinateStatistics `json:"coordinates"`
}

// coordinateStatistics is a coordinate with the tally of its values: counts on a grid if there is a range, else sums
// for Catoni's interval if there is a bound on the variance, else moments.
type coordinateStatistics struct {
	Mean     float64               `json:"mean"`               // the claim
	Range    [2]verify.Number      `json:"range"`              // infinite ends if there is none
	Variance float64               `json:"variance,omitempty"` // a bound; 0 if there is none
	Scale    float64               `json:"scale"`              // scale of the effects
	Spread   float64               `json:"spread"`             // standard deviation of the pilot
	Counts   *confidence.MeanTally `json:"counts,omitempty"`
	Sums     *catoniTally          `json:"sums,omitempty"`
	Moments  *confidence.Moments   `json:"moments,omitempty"`
}

func (c coordinateStatistics) ranged() bool { return !math.IsInf(c.Range[1].X-c.Range[0].X, 0) }

// certified reports whether a limit can be certified.
func (c coordinateStatistics) certified() bool { return c.ranged() || c.Variance > 0 }

// certifiedScale returns half the range, or the root of the bound on the variance, or 0 if there is neither.
func (c coordinateStatistics) certifiedScale() float64 {
	if c.ranged() {
		return (c.Range[1].X - c.Range[0].X) / 2
	}
	return math.Sqrt(c.Variance)
}

func (f statedStatistics) Check() error {
	if f.Samples < 1 || f.Samples%unbiasedShards != 0 || !(f.Effect > 0 && f.Effect <= math.MaxFloat64) ||
		len(f.Coordinates) == 0 || len(f.Coordinates) > maxCoordinates {
		return fmt.Errorf("%d samples of %d coordinates, effect %v: want a multiple of %d, 1 to %d, and a "+
			"finite effect above 0", f.Samples, len(f.Coordinates), f.Effect, unbiasedShards, maxCoordinates)
	}
	for i, c := range f.Coordinates {
		if err := c.check(f.Samples); err != nil {
			return fmt.Errorf("coordinate %d: %w", i, err)
		}
	}
	return nil
}

func (c coordinateStatistics) check(samples int64) error {
	lower, upper := c.Range[0].X, c.Range[1].X
	if !(lower < upper) || !(c.Variance >= 0 && c.Variance <= math.MaxFloat64) || !(math.Abs(c.Mean) <= math.MaxFloat64) {
		return fmt.Errorf("a stated mean %v, a range [%v, %v] and a bound %v on the variance: want a lower end below "+
			"the upper one, and the others finite", c.Mean, lower, upper, c.Variance)
	}
	if scale := c.certifiedScale(); c.certified() && !(math.Abs(c.Scale-scale) <= 1e-9*scale) {
		return fmt.Errorf("scale %v: want %v, from the range or the variance", c.Scale, scale)
	}
	switch {
	case c.ranged():
		return checkCounts(c.Counts, samples)
	case c.Variance > 0 && (c.Sums == nil || c.Sums.N != samples):
		return fmt.Errorf("want sums of the %d sampled values", samples)
	case c.Variance == 0 && (c.Moments == nil || c.Moments.N() != samples):
		return fmt.Errorf("want moments of the %d sampled values", samples)
	}
	return nil
}

// statedJudge judges the statistics at the alpha and the budget of the settings.
type statedJudge struct {
	statedStatistics
	settings verify.Settings
}

// share returns the error probability of one coordinate.
func (t statedJudge) share() float64 { return t.settings.Alpha / float64(len(t.Coordinates)) }

// effect returns the deviation to detect at the budget of this run.
func (t statedJudge) effect() float64 {
	const standard = 1 << 20
	return t.Effect * math.Sqrt(standard/float64(t.settings.Budget.Samples(standard)))
}

// expectedWidth estimates the width of a coordinate's interval from the pilot.
func (t statedJudge) expectedWidth(c coordinateStatistics) float64 {
	spread := 1.1 * c.Spread
	if !c.ranged() {
		spread = math.Sqrt(c.Variance) * (1 + 1./catoniSteps)
	}
	return 2 * spread * math.Sqrt(2*math.Log(2/t.share())/float64(t.Samples))
}
