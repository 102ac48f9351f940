package mean

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify"
)

// UnbiasedBasis is the method of [RecomputeUnbiased].
const UnbiasedBasis = "mean/unbiased"

// unbiasedFacts are what the evidence of [Unbiased] follows from.
type unbiasedFacts struct {
	Claimed      float64             `json:"claimed"`
	Effect       float64             `json:"effect"`
	EffectAcross float64             `json:"effect_across"`
	Cells        []unbiasedCellFacts `json:"cells"`
}

// unbiasedCellFacts are a cell, with its computed factor where there is one, and what a search across the
// input knows of the direction in which it counts.
type unbiasedCellFacts struct {
	At         string       `json:"at"`
	Exact      float64      `json:"exact,omitempty"`
	ExactError float64      `json:"exact_error,omitempty"` // 0 where no factor is computed
	Samples    int64        `json:"samples,omitempty"`
	Spread     float64      `json:"spread,omitempty"` // by a pilot
	Along      string       `json:"along,omitempty"`  // counts of the factor
	Across     *acrossFacts `json:"across,omitempty"` // nil where the input has one coordinate
}

type acrossFacts struct {
	Length float64 `json:"length"`
	Slack  float64 `json:"slack"`
	Spread float64 `json:"spread"`
	Reach  float64 `json:"reach"`
	Counts string  `json:"counts"`
}

func (t *unbiasedTrial) facts(parts empirical.Tallies) unbiasedFacts {
	f := unbiasedFacts{Claimed: t.Claimed, Effect: t.Effect, EffectAcross: t.EffectAcross}
	for i, c := range t.cells {
		cell := unbiasedCellFacts{At: t.Cells[i].At, Exact: t.Cells[i].Exact, ExactError: t.Cells[i].ExactError}
		if c.n > 0 {
			cell.Samples, cell.Spread, cell.Along = c.n, c.alongSpread, parts[0].(*limits.MeanTally).Text()
			if c.across.direction != nil {
				a := c.across
				cell.Across = &acrossFacts{a.length, a.slack, a.spread, a.reach, parts[1].(*limits.MeanTally).Text()}
			}
			parts = parts[2:]
		}
		f.Cells = append(f.Cells, cell)
	}
	return f
}

// RecomputeUnbiased is the evidence of [Unbiased] from its facts.
func RecomputeUnbiased(b verify.Basis, s verify.Settings) (verify.Evidence, error) {
	var f unbiasedFacts
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	if !(math.Abs(f.Claimed) <= math.MaxFloat64) || !(f.Effect > 0) || !(f.EffectAcross > 0) || len(f.Cells) == 0 {
		return verify.Evidence{}, fmt.Errorf("a claimed factor %v, effects %v and %v, %d cells: want a finite one, two above 0 "+
			"and at least one", f.Claimed, f.Effect, f.EffectAcross, len(f.Cells))
	}
	t := &unbiasedTrial{Unbiased: Unbiased{Claimed: f.Claimed, Effect: f.Effect, EffectAcross: f.EffectAcross}, settings: s}
	var parts empirical.Tallies
	for _, cell := range f.Cells {
		c, own, err := cell.read()
		if err != nil {
			return verify.Evidence{}, fmt.Errorf("at %s: %w", cell.At, err)
		}
		t.Cells = append(t.Cells, UnbiasedCell{At: cell.At, Exact: cell.Exact, ExactError: cell.ExactError})
		t.cells, parts = append(t.cells, c), append(parts, own...)
		if c.n > 0 {
			t.sampled++
		}
	}
	return t.Judge(parts)
}

func (f unbiasedCellFacts) read() (c unbiasedChoice, parts empirical.Tallies, err error) {
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
	across := &limits.MeanTally{}
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
func countsOf(text string, n int64) (*limits.MeanTally, error) {
	t, err := limits.ReadMeanTally(text)
	if err == nil && t.N() != n {
		err = fmt.Errorf("counts of %d values, where %d were drawn", t.N(), n)
	}
	return t, err
}
