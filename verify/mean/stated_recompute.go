package mean

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// StatedMethod is the method of [RecomputeStated].
const StatedMethod = "mean/stated"

func (t *statedTrial) basis(parts empirical.Tallies) statedStatistics {
	f := statedStatistics{Quantity: t.Quantity, Effect: t.Effect, Samples: t.n()}
	for i, c := range t.choices {
		at := coordinateStatistics{Mean: t.Mean[i], Range: [2]verify.Number{verify.Num(c.lo), verify.Num(c.hi)},
			Variance: c.variance, Scale: c.scale, Spread: c.spread}
		switch part := parts[i].(type) {
		case *confidence.MeanTally:
			at.Counts = part.Text()
		case *confidence.Moments:
			at.Moments = part
		default:
			at.Sums, _ = part.MarshalJSON() // of numbers: those that JSON does not have fail with the facts
		}
		f.Coordinates = append(f.Coordinates, at)
	}
	return f
}

// RecomputeStated is the evidence of [Stated] from its facts.
func RecomputeStated(b verify.SufficientStatistics, s verify.Settings) (verify.Evidence, error) {
	var f statedStatistics
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	if f.Samples < 1 || f.Samples%unbiasedShards != 0 || !(f.Effect > 0 && f.Effect <= math.MaxFloat64) ||
		len(f.Coordinates) == 0 || len(f.Coordinates) > maxCoordinates {
		return verify.Evidence{}, fmt.Errorf("%d samples of %d coordinates, effect %v: want a multiple of %d, 1 to "+
			"%d, and a "+
			"finite effect above 0", f.Samples, len(f.Coordinates), f.Effect, unbiasedShards, maxCoordinates)
	}
	t := &statedTrial{Stated: Stated{Quantity: f.Quantity, Effect: f.Effect}, settings: s,
		perShard: f.Samples / unbiasedShards}
	for _, c := range f.Coordinates {
		t.Mean = append(t.Mean, c.Mean)
	}
	var parts empirical.Tallies
	for i, c := range f.Coordinates {
		choice, part, err := statedChoiceOf(c, t)
		if err != nil {
			return verify.Evidence{}, fmt.Errorf("coordinate %d: %w", i, err)
		}
		t.choices, parts = append(t.choices, choice), append(parts, part)
	}
	return t.Judge(parts)
}

func statedChoiceOf(f coordinateStatistics, t *statedTrial) (c statedChoice, part empirical.Tally, err error) {
	c = statedChoice{f.Range[0].X, f.Range[1].X, f.Variance, f.Scale, f.Spread}
	if !(c.lo < c.hi) || !(c.variance >= 0 && c.variance <= math.MaxFloat64) || !(math.Abs(f.Mean) <= math.MaxFloat64) {
		return c, nil, fmt.Errorf("a stated mean %v, a range [%v, %v] and a bound %v on the variance: want a lower "+
			"end below "+
			"the upper one, and the others finite", f.Mean, c.lo, c.hi, c.variance)
	}
	// What effects are relative to follows from the range or the variance.
	scale := math.Sqrt(c.variance)
	if c.ranged() {
		scale = (c.hi - c.lo) / 2
	}
	if c.certified() && !(math.Abs(c.scale-scale) <= 1e-9*scale) {
		return c, nil, fmt.Errorf("a scale of %v, where the range or the variance gives %v", c.scale, scale)
	}
	switch {
	case c.ranged():
		part, err = countsOf(f.Counts, t.n())
	case c.variance > 0:
		sums := newCatoniTally(f.Mean, c.variance, t.n(), t.share())
		if err = sums.UnmarshalJSON(f.Sums); err == nil && sums.N != t.n() {
			err = fmt.Errorf("sums of %d values, where %d were drawn", sums.N, t.n())
		}
		part = sums
	case f.Moments == nil || f.Moments.N() != t.n():
		err = errors.New("moments of another number of values than were drawn")
	default:
		part = f.Moments
	}
	return c, part, err
}
