package mean

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/outputs"
)

// Stated checks that a randomised vector has the mean that is stated: E[Z_i] = Mean[i] in
// every coordinate i. Any target will do, zero as well; [Unbiased] is about factors.
//
// What is known beforehand of a coordinate decides what can be certified. With a range its
// mean gets a betting interval, with a bound on its variance Catoni's (O. Catoni 2012,
// Challenging the empirical mean and empirical variance: as a test supermartingale, H. Wang & A.
// Ramdas 2023): either refutes where it is without the stated mean, with an error of at most
// alpha over all coordinates, and confirms where it is as narrow as Effect. With neither no
// mean can be certified from samples, for a rare, large value may be missing from them:
// the verdict is inconclusive, and Student's interval stands beside it for the eye.
type Stated struct {
	Quantity string    // what Sample draws: "the noisy sum"
	Mean     []float64 // the claim; finite, at least one coordinate
	// Sample writes a value of Z to dst, of the length of Mean; all its randomness is from r.
	Sample func(r *rand.Rand, dst []float64) error
	// SampleN stands in the place of Sample where many values at a time cost less: it writes one to
	// each of dst. Whether all its randomness is from r is not looked at.
	SampleN func(r *rand.Rand, dst [][]float64) error
	// Ranges hold every value of a coordinate: Ranges[i][0] < Ranges[i][1]; nil where none is
	// known, and so is a range without finite ends. A value outside is an error.
	Ranges [][2]float64
	// Variances are upper bounds on those of the coordinates, above 0; nil where none is known, and
	// +Inf is none. A range is preferred. Values that vary visibly more, more than twice as much, decide
	// nothing.
	Variances []float64
	Samples   int64 // at the standard budget
	// Effect is the deviation of a mean that is to be seen, relative to half its range or to the
	// root of the bound on its variance; 0 means 0.1. It grows when the budget is smaller.
	Effect float64
}

const (
	statedEffect   = 0.1
	maxCoordinates = 10_000
)

// check names the parameter that is out of its domain.
func (c Stated) check() error {
	switch {
	case c.Sample == nil && c.SampleN == nil:
		return errors.New("mean: nothing to sample")
	case c.Sample != nil && c.SampleN != nil:
		return errors.New("mean: Sample and SampleN exclude each other")
	case len(c.Mean) == 0 || len(c.Mean) > maxCoordinates:
		return fmt.Errorf("mean: a stated mean of %d coordinates: want 1 to %d", len(c.Mean), maxCoordinates)
	case c.Ranges != nil && len(c.Ranges) != len(c.Mean):
		return fmt.Errorf("mean: %d ranges for %d coordinates", len(c.Ranges), len(c.Mean))
	case c.Variances != nil && len(c.Variances) != len(c.Mean):
		return fmt.Errorf("mean: %d variances for %d coordinates", len(c.Variances), len(c.Mean))
	case c.Samples < 1:
		return fmt.Errorf("mean: %d samples: want at least 1", c.Samples)
	case !(c.Effect > 0 && c.Effect <= math.MaxFloat64):
		return fmt.Errorf("mean: effect %v: want one above 0 and finite", c.Effect)
	}
	for i, m := range c.Mean {
		if !(math.Abs(m) <= math.MaxFloat64) {
			return fmt.Errorf("mean: the stated mean of coordinate %d is %v: want a finite one", i, m)
		}
		if c.Ranges != nil && !(c.Ranges[i][0] < c.Ranges[i][1]) {
			return fmt.Errorf("mean: the range of coordinate %d is [%v, %v]: want a lower end below the upper one", i,
				c.Ranges[i][0], c.Ranges[i][1])
		}
		if c.Variances != nil && !(c.Variances[i] > 0) {
			return fmt.Errorf("mean: the bound on the variance of coordinate %d is %v: want one above 0", i, c.Variances[i])
		}
	}
	return nil
}

// watched is the values that are compared with one another. Recorded outputs are drawn with replacement for a pilot,
// so that the pilot's values have another distribution than the rest.
type watched struct {
	point int
	pilot bool
}

// statedTrial is a stated mean with its design, and draws the values.
type statedTrial struct {
	Stated
	judge    statedJudge
	perShard int64
	unseeded bool // the values take randomness from elsewhere
	watches  dependence.Set[watched]
}

// Prepare measures the spreads on samples of its own: a poor one costs width, never validity.
func (c Stated) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	c.Effect = cmp.Or(c.Effect, statedEffect)
	if err := c.check(); err != nil {
		return nil, err
	}
	t := &statedTrial{Stated: c, perShard: max(1, s.Budget.Samples(c.Samples)/unbiasedShards)}
	t.judge.settings = s
	t.judge.Quantity, t.judge.Effect, t.judge.Samples = c.Quantity, c.Effect, t.perShard*unbiasedShards
	if c.Sample != nil {
		own, err := outputs.HasOwnRandomness(s, func(r *rand.Rand) (any, error) {
			z := make([]float64, len(c.Mean))
			return z, t.checked(z, c.Sample(r, z))
		})
		if err != nil {
			return nil, err
		}
		t.unseeded = own
	}
	moments := make([]confidence.Moments, len(c.Mean))
	err := t.each(ctx, s.Stream("pilot"), t.watches.Of(watched{pilot: true}), min(pilotSamples, max(2, t.judge.Samples)),
		func(z []float64) (err error) {
			for i := 0; i < len(z) && err == nil; i++ {
				err = moments[i].Add(z[i])
			}
			return err
		})
	if err != nil {
		return nil, err
	}
	t.judge.Coordinates = c.coordinates(moments)
	return t, nil
}

// coordinates returns the coordinates, whose spread is measured by a few values.
func (c Stated) coordinates(moments []confidence.Moments) (out []coordinateStatistics) {
	for i := range c.Mean {
		at := coordinateStatistics{Mean: c.Mean[i], Spread: moments[i].StdDev(),
			Range: [2]verify.Number{verify.Num(math.Inf(-1)), verify.Num(math.Inf(1))}}
		if c.Ranges != nil {
			at.Range = [2]verify.Number{verify.Num(c.Ranges[i][0]), verify.Num(c.Ranges[i][1])}
		}
		if c.Variances != nil && c.Variances[i] <= math.MaxFloat64 {
			at.Variance = c.Variances[i]
		}
		if at.Scale = at.certifiedScale(); at.Scale == 0 {
			at.Scale = at.Spread
		} else if at.ranged() {
			at.Spread = math.Max(at.Spread, at.Scale*1e-3)
		}
		out = append(out, at)
	}
	return out
}

// values returns memory for n values.
func (c Stated) values(n int64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, len(c.Mean))
	}
	return out
}

// draw writes a value to each of dst.
func (c Stated) draw(r *rand.Rand, dst [][]float64) (err error) {
	if c.SampleN != nil {
		return c.SampleN(r, dst)
	}
	for i := 0; i < len(dst) && err == nil; i++ {
		err = c.Sample(r, dst[i])
	}
	return err
}

// each draws n values and uses one after the other.
func (t *statedTrial) each(ctx context.Context, r *rand.Rand, watch *dependence.Watch, n int64,
	use func(z []float64) error) error {
	values := t.values(min(outputs.BatchSize, n))
	return outputs.DrawBatches(ctx, n, values, watch, func(dst [][]float64) error { return t.draw(r, dst) },
		func(z []float64) error {
			if err := t.checked(z, nil); err != nil {
				return err
			}
			return use(z)
		})
}

// checked names what is no number, or without its range, of a value that was drawn.
func (t *statedTrial) checked(z []float64, err error) error {
	if err != nil {
		return err
	}
	for i, x := range z {
		if !(math.Abs(x) <= math.MaxFloat64) {
			return fmt.Errorf("coordinate %d of a value is %v: it has no mean", i, x)
		}
		if t.Ranges != nil && !(x >= t.Ranges[i][0] && x <= t.Ranges[i][1]) {
			return fmt.Errorf("coordinate %d of a value is %v, outside its range [%v, %v]", i, x, t.Ranges[i][0],
				t.Ranges[i][1])
		}
	}
	return nil
}

func (t *statedTrial) Plan() empirical.Plan {
	p := empirical.Plan{Shards: unbiasedShards, SamplesPerShard: t.perShard, Effect: t.judge.effect(),
		Power: verify.TargetPower}
	for _, c := range t.judge.Coordinates {
		if !c.certified() || !(t.judge.expectedWidth(c) <= t.judge.effect()*c.Scale) {
			p.Effect, p.Power = 0, 0
		}
	}
	return p
}

// NewTally has a part for each coordinate.
func (t *statedTrial) NewTally() empirical.Tally {
	var parts empirical.Tallies
	for _, c := range t.judge.Coordinates {
		switch {
		case c.ranged():
			part, err := confidence.NewMeanTally(c.Range[0].X, c.Range[1].X, meanCells)
			if err != nil { // Prepare has checked the range
				panic(err)
			}
			parts = append(parts, part)
		case c.Variance > 0:
			parts = append(parts, newCatoniTally(c.Mean, c.Variance, t.judge.Samples, t.judge.share()))
		default:
			parts = append(parts, &confidence.Moments{})
		}
	}
	return parts
}

func (t *statedTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	parts := t.NewTally().(empirical.Tallies)
	r, round := shard.Seed.Derive("values").Rand(), shard.Seed.Derive("rounding").Rand()
	err := t.each(ctx, r, t.watches.Of(watched{}), t.perShard, func(z []float64) error {
		for i, x := range z {
			var err error
			switch part := parts[i].(type) {
			case *confidence.MeanTally:
				err = part.Add(round, x)
			case *catoniTally:
				part.Add(x)
			case *confidence.Moments:
				err = part.Add(x)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return parts, err
}

// Judge adds the tally to the statistics and judges them.
func (t *statedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	parts, ok := merged.(empirical.Tallies)
	if !ok || len(parts) != len(t.Mean) {
		return verify.Evidence{}, fmt.Errorf("mean: a tally of type %T", merged)
	}
	f := t.judge.statedStatistics
	f.Coordinates = slices.Clone(f.Coordinates)
	for i := range f.Coordinates {
		switch part := parts[i].(type) {
		case *confidence.MeanTally:
			f.Coordinates[i].Counts = part
		case *catoniTally:
			f.Coordinates[i].Sums = part
		case *confidence.Moments:
			f.Coordinates[i].Moments = part
		}
	}
	e, err := verify.JudgeStatistics(StatedMethod, f, t.judge.settings)
	if err == nil && t.unseeded {
		outputs.NoteOwnRandomness(&e)
		e.Statistics.Note(true, verify.UnseededMechanism)
	}
	return e, err
}
