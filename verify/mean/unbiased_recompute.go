package mean

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// UnbiasedMethod is the method of [RecomputeUnbiased].
const UnbiasedMethod = "mean/unbiased"

func (t *unbiasedTrial) basis(parts empirical.Tallies) unbiasedStatistics {
	f := unbiasedStatistics{Claimed: t.Claimed, Effect: t.Effect, EffectAcross: t.EffectAcross}
	for i, c := range t.cells {
		cell := cellStatistics{At: t.Cells[i].Place, Exact: t.Cells[i].Exact, ExactError: t.Cells[i].ExactError}
		if c.n > 0 {
			cell.Samples, cell.Spread, cell.Along = c.n, c.alongSpread, parts[0].(*confidence.MeanTally).Text()
			if c.across.direction != nil {
				a := c.across
				cell.Across = &acrossStatistics{Length: a.length, Slack: a.slack, Spread: a.spread, Reach: a.reach,
					Counts: parts[1].(*confidence.MeanTally).Text()}
			}
			parts = parts[2:]
		}
		f.Cells = append(f.Cells, cell)
	}
	return f
}

// RecomputeUnbiased is the evidence of [Unbiased] from its facts.
func RecomputeUnbiased(b verify.SufficientStatistics, s verify.Settings) (verify.Evidence, error) {
	var f unbiasedStatistics
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	if !(math.Abs(f.Claimed) <= math.MaxFloat64) || !(f.Effect > 0) || !(f.EffectAcross > 0) || len(f.Cells) == 0 {
		return verify.Evidence{}, fmt.Errorf("a claimed factor %v, effects %v and %v, %d cells: want a finite one, "+
			"two above 0 "+
			"and at least one", f.Claimed, f.Effect, f.EffectAcross, len(f.Cells))
	}
	t := &unbiasedTrial{Unbiased: Unbiased{Claimed: f.Claimed, Effect: f.Effect, EffectAcross: f.EffectAcross},
		settings: s}
	var parts empirical.Tallies
	for _, cell := range f.Cells {
		c, own, err := unbiasedChoiceOf(cell)
		if err != nil {
			return verify.Evidence{}, fmt.Errorf("at %s: %w", cell.At, err)
		}
		t.Cells = append(t.Cells, UnbiasedCell{Place: cell.At, Exact: cell.Exact, ExactError: cell.ExactError})
		t.cells, parts = append(t.cells, c), append(parts, own...)
		if c.n > 0 {
			t.sampled++
		}
	}
	return t.Judge(parts)
}

func unbiasedChoiceOf(f cellStatistics) (c unbiasedChoice, parts empirical.Tallies, err error) {
	if !(f.ExactError >= 0 && f.ExactError < 1) || f.Samples == 0 && f.ExactError == 0 {
		return c, nil, fmt.Errorf("relative error %v of a computed factor and %d samples: want one in (0, 1), or samples",
			f.ExactError, f.Samples)
	}
	if f.Samples == 0 {
		return c, nil, nil
	}
	c.n, c.alongSpread = f.Samples, f.Spread
	along, err := countsOf(f.Along, f.Samples)
	if err != nil {
		return c, nil, err
	}
	across := &confidence.MeanTally{}
	if a := f.Across; a != nil {
		if !(a.Length >= 0 && a.Slack >= 0 && a.Reach > 0) {
			return c, nil, errors.New("a search across the input of negative length, or without reach")
		}
		c.across = acrossSearch{direction: []float64{}, length: a.Length, slack: a.Slack, spread: a.Spread, reach: a.Reach}
		if across, err = countsOf(a.Counts, f.Samples); err != nil {
			return c, nil, err
		}
	}
	return c, empirical.Tallies{along, across}, nil
}

// countsOf reads counts of so many values.
func countsOf(text string, n int64) (*confidence.MeanTally, error) {
	t := &confidence.MeanTally{}
	err := t.Read(text)
	if err == nil && t.N() != n {
		err = fmt.Errorf("counts of %d values, where %d were drawn", t.N(), n)
	}
	return t, err
}
