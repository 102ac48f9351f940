package mean

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// RateMethod is the method of [RecomputeRate].
const RateMethod = "mean/rate"

func (t *rateTrial) basis(counts []*rateCount, curves *verify.CurveRecorder) rateStatistics {
	f := rateStatistics{Quantity: t.Quantity, Variable: t.Variable, Exact: t.Exact, Error: t.Error, Sense: t.Sense,
		Exponent: t.Exponent, Law: t.Distribution, Bounded: t.Bound != nil, Trivial: t.Trivial != nil,
		Resolution: t.Resolution,
		Effect:     t.Effect, Replicates: t.replicates(), Note: t.Note, Outside: t.outside}
	if t.Curves != nil {
		f.Beside = &curveStatistics{Along: t.Curves.Variable, Quantity: t.Curves.Quantity, Curves: curves}
	}
	for i, p := range t.points {
		at := pointStatistics{X: p.x, Bound: p.bound, Range: [2]verify.Number{verify.Num(p.lo), verify.Num(p.hi)},
			Pilot: [2]float64{p.mean, p.spread}, Moments: counts[i].Moments}
		if t.Trivial != nil {
			at.Trivial = verify.Num(p.trivial)
		}
		if c := counts[i].Below; c != nil {
			at.Below = c.Text()
		}
		if c := counts[i].Above; c != nil {
			at.Above = c.Text()
		}
		f.Points = append(f.Points, at)
	}
	return f
}

// RecomputeRate returns the evidence of a [Rate] from its facts.
func RecomputeRate(b verify.SufficientStatistics, s verify.Settings) (verify.Evidence, error) {
	var f rateStatistics
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	t, err := rateTrialOf(f, s)
	if err != nil {
		return verify.Evidence{}, err
	}
	tally := t.newTally()
	for i, p := range f.Points {
		if tally.counts[i], err = rateCountOf(p, t, &t.points[i]); err != nil {
			return verify.Evidence{}, fmt.Errorf("at %s: %w", t.at(p.X), err)
		}
	}
	e, err := t.Judge(tally)
	if b := f.Beside; err == nil && b != nil && b.Curves != nil {
		e.Curves = b.Curves.Curves(b.Along, b.Quantity)
	}
	return e, err
}

// trial of the facts, which runs nothing: it knows bounds at the points of the grid alone.
func rateTrialOf(f rateStatistics, s verify.Settings) (*rateTrial, error) {
	t := &rateTrial{Rate: Rate{Quantity: f.Quantity, Variable: f.Variable, Exact: f.Exact, Error: f.Error, Sense: f.Sense,
		Exponent: f.Exponent, Distribution: f.Law, Note: f.Note, Resolution: f.Resolution, Effect: f.Effect,
		Replicates: max(1,
			f.Replicates)},
		settings: s, blocks: 1, perShard: f.Replicates, outside: f.Outside}
	bounds, trivial := make(map[float64]float64), make(map[float64]float64)
	known := func(of map[float64]float64) func(x float64) float64 {
		return func(x float64) float64 {
			if v, ok := of[x]; ok {
				return v
			}
			return math.NaN()
		}
	}
	for _, p := range f.Points {
		bounds[p.X], trivial[p.X] = p.Bound, p.Trivial.X
		t.Grid = append(t.Grid, p.X)
	}
	if f.Bounded {
		t.Bound = known(bounds)
	}
	if f.Trivial {
		t.Trivial = known(trivial)
	}
	// What validate asks of whoever runs is nothing that facts have.
	runs := t.Rate
	runs.Run = func(context.Context, *rand.Rand, float64) (float64, error) { return 0, nil }
	if err := runs.validate(); err != nil {
		return nil, err
	}
	for _, p := range f.Points {
		point, err := t.point(p.X)
		if err != nil {
			return nil, fmt.Errorf("at %s: %w", t.at(p.X), err)
		}
		point.lo, point.hi, point.mean, point.spread = p.Range[0].X, p.Range[1].X, p.Pilot[0], p.Pilot[1]
		if !(point.lo < point.hi) || !t.Exact && !(point.spread > 0 && point.spread <= math.MaxFloat64) {
			return nil, fmt.Errorf("at %s: a range [%v, %v] and a spread %v: want a lower end below the upper one, and one "+
				"above 0 and finite", t.at(p.X), point.lo, point.hi, point.spread)
		}
		t.points = append(t.points, point)
	}
	if _, decided := t.decided(); decided {
		return nil, errors.New("too few points for a slope")
	}
	return t, nil
}

// count of a point: all its parts are of the same values, as many as there were replicates.
func rateCountOf(f pointStatistics, t *rateTrial, p *ratePoint) (*rateCount, error) {
	if f.Moments == nil || f.Moments.N() != t.replicates() {
		return nil, fmt.Errorf("moments of another number of values than the %d replicates", t.replicates())
	}
	empty, err := t.newCount(p)
	if err != nil {
		return nil, err
	}
	c := &rateCount{Moments: f.Moments}
	for _, part := range []struct {
		text  string
		empty *confidence.MeanTally
		to    **confidence.MeanTally
	}{{f.Below, empty.Below, &c.Below}, {f.Above, empty.Above, &c.Above}} {
		if part.empty == nil && part.text == "" {
			continue
		}
		read := &confidence.MeanTally{}
		switch err := read.Read(part.text); {
		case err != nil:
			return nil, err
		case part.empty == nil || !part.empty.SameGrid(read):
			return nil, errors.New("counts on another grid than that of the range and the pilot")
		case read.N() != f.Moments.N():
			return nil, fmt.Errorf("counts of %d values, and moments of %d", read.N(), f.Moments.N())
		}
		*part.to = read
	}
	return c, nil
}
