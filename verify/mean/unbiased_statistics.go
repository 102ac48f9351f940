package mean

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// UnbiasedMethod is the name of the statistics of [Unbiased] in a report.
var UnbiasedMethod = verify.RegisterStatistics[unbiasedStatistics]("mean/unbiased")

// unbiasedStatistics holds the sufficient statistics of [Unbiased].
type unbiasedStatistics struct {
	Claimed      float64          `json:"claimed"`
	Effect       float64          `json:"effect"`
	EffectAcross float64          `json:"effect_across"`
	Cells        []cellStatistics `json:"cells"`
}

// cellStatistics holds a cell, its computed factor if there is one, and the tallies of its samples.
type cellStatistics struct {
	At         string                `json:"at"`
	Exact      float64               `json:"exact,omitempty"`
	ExactError float64               `json:"exact_error,omitempty"` // 0 if no factor is computed
	Samples    int64                 `json:"samples,omitempty"`
	Spread     float64               `json:"spread,omitempty"` // standard deviation of the factor in the pilot
	Along      *confidence.MeanTally `json:"along,omitempty"`  // counts of the factor
	Across     *acrossStatistics     `json:"across,omitempty"` // nil if the input has one coordinate
}

// acrossStatistics holds the result of the search for a direction orthogonal to x, and the counts in that direction.
type acrossStatistics struct {
	Length float64               `json:"length"` // ‖a‖
	Slack  float64               `json:"slack"`  // ρ; 0 if d = 2, where there is no other direction
	Spread float64               `json:"spread"` // standard deviation in the direction in the pilot
	Reach  float64               `json:"reach"`  // R
	Counts *confidence.MeanTally `json:"counts"`
}

func (f unbiasedStatistics) Check() error {
	if !(math.Abs(f.Claimed) <= math.MaxFloat64) || !(f.Effect > 0) || !(f.EffectAcross > 0) || len(f.Cells) == 0 {
		return fmt.Errorf("a claimed factor %v, effects %v and %v, %d cells: want a finite factor, effects above 0 "+
			"and at least one cell", f.Claimed, f.Effect, f.EffectAcross, len(f.Cells))
	}
	for _, c := range f.Cells {
		if err := c.check(); err != nil {
			return fmt.Errorf("at %s: %w", c.At, err)
		}
	}
	return nil
}

func (c cellStatistics) check() error {
	if !(c.ExactError >= 0 && c.ExactError < 1) || c.Samples == 0 && c.ExactError == 0 {
		return fmt.Errorf("relative error %v of a computed factor and %d samples: want an error in (0, 1), or samples",
			c.ExactError, c.Samples)
	}
	if c.Samples == 0 {
		return nil
	}
	if err := checkCounts(c.Along, c.Samples); err != nil {
		return err
	}
	if a := c.Across; a != nil {
		if !(a.Length >= 0 && a.Slack >= 0 && a.Reach > 0) {
			return errors.New("the search across the input has a negative length or slack, or no reach")
		}
		return checkCounts(a.Counts, c.Samples)
	}
	return nil
}

// checkCounts returns an error unless a tally has counted n values.
func checkCounts(t *confidence.MeanTally, n int64) error {
	switch {
	case t == nil:
		return fmt.Errorf("no counts: want counts of %d values", n)
	case t.N() != n:
		return fmt.Errorf("counts of %d values: want counts of the %d sampled values", t.N(), n)
	}
	return nil
}

// expectedWidth returns the expected width of the factor's interval: the width of [confidence.MeanInterval] for many
// samples, 10 % larger in case the pilot underestimates the spread.
func (c cellStatistics) expectedWidth(alpha float64) float64 {
	return 2.2 * c.Spread * math.Sqrt(2*math.Log(2/alpha)/float64(c.Samples))
}

// unbiasedJudge judges the statistics at the alpha and the budget of the settings.
type unbiasedJudge struct {
	unbiasedStatistics
	settings verify.Settings
}

// sampled returns the number of cells with samples.
func (t unbiasedJudge) sampled() (n int) {
	for _, c := range t.Cells {
		if c.Samples > 0 {
			n++
		}
	}
	return n
}

// share returns the error probability of one interval. Each sampled cell has two intervals.
func (t unbiasedJudge) share() float64 { return t.settings.Alpha / float64(2*t.sampled()) }

// scale returns the unit of relative deviations: the length of the claimed mean over ‖x‖.
func (t unbiasedJudge) scale() float64 { return math.Max(math.Abs(t.Claimed), 1e-300) }

// refutedByFormula reports whether a cell has a computed factor other than the claimed one.
func (t unbiasedJudge) refutedByFormula(c cellStatistics) bool {
	return c.ExactError > 0 && math.Abs(c.Exact-t.Claimed) > c.ExactError*math.Max(math.Abs(c.Exact), t.scale())
}

// effect returns the deviation to detect at the budget of this run: intervals shrink with the root of the number of
// samples.
func (t unbiasedJudge) effect() float64 { return t.Effect * t.coarser() }

func (t unbiasedJudge) effectAcross() float64 { return t.EffectAcross * t.coarser() }

// coarser returns the ratio of the detectable deviations at this budget and at the standard budget.
func (t unbiasedJudge) coarser() float64 {
	const standard = 1 << 20
	return math.Sqrt(standard / float64(t.settings.Budget.Samples(standard)))
}
