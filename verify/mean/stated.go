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

// Stated checks that a random vector Z has the stated mean: E[Z_i] = Mean[i] in every coordinate i. [Unbiased] checks
// mechanisms that should be unbiased up to a factor.
//
// The prior knowledge of a coordinate determines the confidence interval for its mean. With a range it is a betting
// interval. With a bound on the variance it is Catoni's (O. Catoni 2012, Challenging the empirical mean and empirical
// variance), computed as a test supermartingale (H. Wang & A. Ramdas 2023). The claim is refuted if an interval
// excludes the stated mean, which happens to a true claim with probability at most alpha over all coordinates. It is
// consistent if all intervals are as narrow as Effect. With neither, samples cannot certify a mean, because a rare
// large value may be missing from them: the verdict is inconclusive, and Student's interval is only reported.
type Stated struct {
	Quantity string    // name of the sampled quantity, for example "the noisy sum"
	Mean     []float64 // the claim; finite, at least one coordinate
	// Sample writes a value of Z to dst, which has the length of Mean. It must take all its randomness from r.
	Sample func(r *rand.Rand, dst []float64) error
	// SampleN replaces Sample if drawing many values at once is faster: it writes one value to each element of dst. The
	// check does not test whether SampleN takes all its randomness from r.
	SampleN func(r *rand.Rand, dst [][]float64) error
	// Ranges[i] contains every value of coordinate i, with Ranges[i][0] < Ranges[i][1]. It is nil if no range is known;
	// so is a range with an infinite end. A value outside its range is an error.
	Ranges [][2]float64
	// Variances are upper bounds on the variances of the coordinates, above 0. It is nil if none is known; +Inf is no
	// bound. A range has precedence. If the sample variance is clearly more than twice the bound, the verdict is
	// inconclusive.
	Variances []float64
	Samples   int64 // at the standard budget
	// Effect is the deviation of a mean to detect, relative to half its range or to the root of the variance bound; 0
	// means 0.1. It grows at a smaller budget.
	Effect float64
}

const (
	statedEffect   = 0.1
	maxCoordinates = 10_000
)

// check returns an error that names the parameter outside its domain.
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
		return fmt.Errorf("mean: effect %v: want a finite number above 0", c.Effect)
	}
	for i, m := range c.Mean {
		if !(math.Abs(m) <= math.MaxFloat64) {
			return fmt.Errorf("mean: the stated mean of coordinate %d is %v: want a finite number", i, m)
		}
		if c.Ranges != nil && !(c.Ranges[i][0] < c.Ranges[i][1]) {
			return fmt.Errorf("mean: the range of coordinate %d is [%v, %v]: want a lower end below the upper one", i,
				c.Ranges[i][0], c.Ranges[i][1])
		}
		if c.Variances != nil && !(c.Variances[i] > 0) {
			return fmt.Errorf("mean: the bound on the variance of coordinate %d is %v: want a number above 0", i, c.Variances[i])
		}
	}
	return nil
}

// watched identifies values that are tested for dependence together. The pilot draws recorded outputs with replacement,
// so its values have another distribution than the rest.
type watched struct {
	point int
	pilot bool
}

// statedTrial samples the values for a stated mean.
type statedTrial struct {
	Stated
	judge    statedJudge
	perShard int64
	unseeded bool // the mechanism has its own randomness
	watches  dependence.Set[watched]
}

// Prepare estimates the spreads from separate pilot samples. A poor estimate widens the intervals but does not affect
// their validity.
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

// coordinates returns the design of each coordinate, with its spread estimated from pilot samples.
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

// values allocates n values.
func (c Stated) values(n int64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, len(c.Mean))
	}
	return out
}

// draw writes a sample to each element of dst.
func (c Stated) draw(r *rand.Rand, dst [][]float64) (err error) {
	if c.SampleN != nil {
		return c.SampleN(r, dst)
	}
	for i := 0; i < len(dst) && err == nil; i++ {
		err = c.Sample(r, dst[i])
	}
	return err
}

// each draws n values and calls use for each.
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

// checked returns an error if a coordinate is not finite or outside its range.
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

// NewTally returns one tally per coordinate.
func (t *statedTrial) NewTally() empirical.Tally {
	var parts empirical.Tallies
	for _, c := range t.judge.Coordinates {
		switch {
		case c.ranged():
			part, err := confidence.NewMeanTally(c.Range[0].X, c.Range[1].X, meanCells)
			if err != nil { // cannot happen: Prepare checked the range
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

// Judge evaluates the merged tally.
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
