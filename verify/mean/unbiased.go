package mean

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Unbiased checks that a random vector Z has mean E[Z] = factor · x with the claimed factor, and so no mean orthogonal
// to x.
//
// The mean of ⟨Z, x⟩/‖x‖² estimates the factor. The mean of ⟨Z, u⟩/‖x‖ for a unit vector u orthogonal to x estimates
// the mean across x. Prepare chooses u on separate samples, in the direction of their mean across x. Both statistics
// are bounded by ‖Z‖/‖x‖ and get betting intervals: an interval without the claimed value refutes. If the exact factor
// is known, it is also reported and decides about the factor.
//
// A cell is confirmed if the interval of the factor is as narrow as Effect, and the mean across x in any direction is
// bounded by EffectAcross. A cell with a longer mean across x is confirmed with probability at most 0.01 for any
// distribution of Z.
type Unbiased struct {
	Cells   []UnbiasedCell
	Claimed float64 // the claimed factor, 1 for unbiasedness
	// Effect is the relative deviation of the factor to detect in sampled cells at the standard budget. EffectAcross is
	// the length of a mean across x to detect, relative to the length of the claimed mean; 0 means Effect.
	Effect, EffectAcross float64
}

// UnbiasedCell is one mechanism at one input.
type UnbiasedCell struct {
	Place  string
	Target []float64 // x, of length d ≥ 1, not zero
	// Sample writes a release of x to dst, of length d.
	Sample func(r *rand.Rand, dst []float64) error
	Bound  float64 // upper bound on ‖Z‖; a longer output is an error
	// Exact is the computed factor, with relative error at most ExactError. A cell has an exact value, samples, or both.
	Exact, ExactError float64
	Samples           int64 // at the standard budget; 0 if there is only the exact value
}

const (
	unbiasedShards = 32
	pilotSamples   = 1000
	// meanCells is the number of grid cells for a mean. With a bound of 30 standard deviations, as for d = 784, a cell
	// has 0.06 standard deviations, which adds 0.1 % to the variance.
	meanCells = 1024
)

// Prepare chooses the direction across x and estimates the spread of both statistics on separate samples.
func (u Unbiased) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if len(u.Cells) == 0 {
		return nil, errors.New("no cells")
	}
	if !(math.Abs(u.Claimed) <= math.MaxFloat64) {
		return nil, fmt.Errorf("claimed factor %v: want a finite number", u.Claimed)
	}
	if u.EffectAcross == 0 {
		u.EffectAcross = u.Effect
	}
	t := &unbiasedTrial{Unbiased: u,
		judge: unbiasedJudge{unbiasedStatistics{Claimed: u.Claimed, Effect: u.Effect, EffectAcross: u.EffectAcross}, s}}
	for i := range u.Cells {
		c, f, err := t.prepareCell(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", u.Cells[i].Place, err)
		}
		t.choices, t.judge.Cells = append(t.choices, c), append(t.judge.Cells, f)
		t.perShard = max(t.perShard, c.perShard)
	}
	return t, nil
}

// unbiasedTrial draws the samples of the cells.
type unbiasedTrial struct {
	Unbiased
	judge    unbiasedJudge
	choices  []unbiasedChoice
	perShard int64 // samples per shard of the largest cell
}

// unbiasedChoice holds the vectors by which the statistics of a cell are computed.
type unbiasedChoice struct {
	along     []float64 // x/‖x‖²
	direction []float64 // across x, over ‖x‖; nil if d = 1
	reach     float64   // bound on both statistics
	perShard  int64     // 0 if the cell has no samples
}

func (t *unbiasedTrial) prepareCell(ctx context.Context, i int) (c unbiasedChoice, f cellStatistics, err error) {
	cell := t.Cells[i]
	f = cellStatistics{At: cell.Place, Exact: cell.Exact, ExactError: cell.ExactError}
	norm := floats.Norm(cell.Target, 2)
	if len(cell.Target) == 0 || !(norm > 0 && norm <= math.MaxFloat64) {
		return c, f, fmt.Errorf("the target has norm %v: want a finite vector that is not zero", norm)
	}
	if !(cell.ExactError >= 0 && cell.ExactError < 1) || !(math.Abs(cell.Exact) <= math.MaxFloat64) {
		return c, f, fmt.Errorf("the computed factor is %v with relative error %v: want a finite factor "+
			"and an error in [0, 1)", cell.Exact, cell.ExactError)
	}
	c.along = make([]float64, len(cell.Target))
	floats.ScaleTo(c.along, 1/norm/norm, cell.Target)
	if cell.Samples == 0 {
		if !(cell.ExactError > 0) {
			return c, f, errors.New("neither samples nor an exact value: set Samples, or Exact and ExactError")
		}
		return c, f, nil
	}
	c.perShard = max(1, t.judge.settings.Budget.Samples(cell.Samples)/unbiasedShards)
	f.Samples = c.perShard * unbiasedShards
	// The factor allows for the rounding of the dot product.
	c.reach = cell.Bound / norm * (1 + 1e-9)
	if !(c.reach > 0 && c.reach <= math.MaxFloat64) {
		return c, f, fmt.Errorf("the bound %v on a target of norm %v is not a finite range", cell.Bound, norm)
	}
	r := t.judge.settings.Stream("pilot", strconv.Itoa(i))
	if len(cell.Target) > 1 {
		n := int64(minSearch)
		if !t.judge.refutedByFormula(f) { // a refuted cell needs no long search
			n = searchSize(f.Samples, len(cell.Target))
		}
		if c.direction, f.Across, err = searchAcross(ctx, r, cell, n, c.reach); err != nil {
			return c, f, err
		}
	}
	return c, f, c.pilot(ctx, r, cell, &f)
}

// pilot estimates the standard deviations. A poor estimate widens the interval but does not affect its validity.
func (c *unbiasedChoice) pilot(ctx context.Context, r *rand.Rand, cell UnbiasedCell, f *cellStatistics) error {
	z := make([]float64, len(cell.Target))
	var a, aa, b, bb float64
	for range pilotSamples {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := cell.Sample(r, z); err != nil {
			return err
		}
		x, y := c.statistics(z)
		a, aa, b, bb = a+x, aa+x*x, b+y, bb+y*y
	}
	spread := func(sum, squares float64) float64 {
		mean := sum / pilotSamples
		return math.Max(math.Sqrt(math.Max(0, squares/pilotSamples-mean*mean)), c.reach*1e-3)
	}
	f.Spread = spread(a, aa)
	if f.Across != nil {
		f.Across.Spread = spread(b, bb)
	}
	return nil
}

// statistics returns the statistics along and across x for one output.
func (c *unbiasedChoice) statistics(z []float64) (along, across float64) {
	along = floats.Dot(z, c.along)
	if c.direction != nil {
		across = floats.Dot(z, c.direction)
	}
	return along, across
}

// tally returns an empty tally for one of the statistics. Prepare has checked its range.
func (c *unbiasedChoice) tally() *confidence.MeanTally {
	t, err := confidence.NewMeanTally(-c.reach, c.reach, meanCells)
	if err != nil {
		panic(err)
	}
	return t
}

func (t *unbiasedTrial) Plan() empirical.Plan {
	j := t.judge
	if j.sampled() == 0 {
		return empirical.Plan{}
	}
	p := empirical.Plan{Shards: unbiasedShards, SamplesPerShard: t.perShard, Effect: j.effect(), Power: verify.TargetPower}
	for _, c := range j.Cells {
		if c.Samples > 0 && !(c.expectedWidth(j.share()) <= j.effect()*j.scale() &&
			c.Across.expected(c.Samples) <= j.effectAcross()*j.scale()) {
			p.Effect, p.Power = 0, 0
		}
	}
	return p
}

// NewTally returns two tallies per sampled cell: along x and across x.
func (t *unbiasedTrial) NewTally() empirical.Tally {
	if t.judge.sampled() == 0 {
		return empirical.NoTally{}
	}
	var parts empirical.Tallies
	for _, c := range t.choices {
		if c.perShard > 0 {
			parts = append(parts, c.tally(), c.tally())
		}
	}
	return parts
}

func (t *unbiasedTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	tally := t.NewTally().(empirical.Tallies)
	part := 0
	for i, c := range t.choices {
		if c.perShard == 0 {
			continue
		}
		r := shard.Seed.Derive("cell", strconv.Itoa(i)).Rand()
		along, across := tally[part].(*confidence.MeanTally), tally[part+1].(*confidence.MeanTally)
		if err := t.sampleCell(ctx, r, i, along, across); err != nil {
			return nil, fmt.Errorf("at %s: %w", t.Cells[i].Place, err)
		}
		part += 2
	}
	return tally, nil
}

func (t *unbiasedTrial) sampleCell(ctx context.Context, r *rand.Rand, i int, along,
	across *confidence.MeanTally) error {
	c, sample := &t.choices[i], t.Cells[i].Sample
	z := make([]float64, len(t.Cells[i].Target))
	for k := range c.perShard {
		if k%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := sample(r, z); err != nil {
			return err
		}
		x, y := c.statistics(z)
		if err := along.Add(r, x); err != nil {
			return fmt.Errorf("the output exceeds its bound: %w", err)
		}
		if c.direction == nil {
			continue
		}
		if err := across.Add(r, y); err != nil {
			return fmt.Errorf("the output exceeds its bound: %w", err)
		}
	}
	return nil
}

// Judge adds the tally to the statistics and judges them.
func (t *unbiasedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	f := t.judge.unbiasedStatistics
	f.Cells = slices.Clone(f.Cells)
	parts, _ := merged.(empirical.Tallies)
	if len(parts) != 2*t.judge.sampled() {
		return verify.Evidence{}, fmt.Errorf("unbiased: the tally belongs to another trial: %T", merged)
	}
	for i := range f.Cells {
		c := &f.Cells[i]
		if c.Samples == 0 {
			continue
		}
		c.Along = parts[0].(*confidence.MeanTally)
		if c.Across != nil {
			across := *c.Across
			across.Counts = parts[1].(*confidence.MeanTally)
			c.Across = &across
		}
		parts = parts[2:]
	}
	e, err := verify.JudgeStatistics(UnbiasedMethod, f, t.judge.settings)
	if t.judge.sampled() == 0 {
		e.Statistics = nil
	}
	return e, err
}
