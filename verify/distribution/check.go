package distribution

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/outputs"
)

// Check checks that outputs are distributed as a law says.
//
// Half of alpha goes to the uniform band around the distribution function, of Dvoretzky, Kiefer
// & Wolfowitz with the constant of Massart (1990), which holds for every law; the other half to
// exact binomial tests, each with its part: of a discrete law of the probability of every
// value, and of every run of values where these are many; of a continuous one of the
// dyadic tails. Of strings, which have no order, there are the tests of values alone. An output
// that the law does not have refutes it by itself, but for what rounding to single precision can have
// made of one that it has. A law of moments is two stated means
// ([mean.Stated]): of X, and of (X − m)² for the stated m.
//
// The verdict is consistent where a Kolmogorov distance, of strings a deviation of the
// probability of one, of Effect would have been seen with probability 0.99. Finer differences, such as
// rounding to a grid, may be there.
type Check struct {
	Quantity     string // what is sampled: "the noise"
	Place        string // where, in words, of every event: "at [1,2]"; may be empty
	Distribution Distribution
	// Sample draws an output, a number, a truth value or a string; all its randomness is from r.
	Sample func(r *rand.Rand) (any, error)
	// SampleN stands in the place of Sample where many outputs at a time cost less: it fills out.
	// Whether all its randomness is from r is not looked at.
	SampleN func(r *rand.Rand, out []any) error
	Samples int64 // at the standard budget
	// Effect is the distance that is to be seen; 0 means 0.02. Of a law of moments it is relative, as
	// that of [mean.Stated]; 0 means 0.1. It grows when the budget is smaller.
	Effect float64
}

const (
	defaultEffect = 0.02
	shards        = 32
	// standing is the share of alpha of the band.
	standing = 0.5
)

// check returns an error that names what is wrong with the law or with what is sampled.
func (c Check) check() error {
	if err := c.Distribution.Check(); err != nil {
		return err
	}
	switch {
	case c.Sample == nil && c.SampleN == nil:
		return errors.New("law: nothing to sample")
	case c.Sample != nil && c.SampleN != nil:
		return errors.New("law: Sample and SampleN exclude each other")
	}
	return nil
}

// Prepare cuts the line into cells by the law.
func (c Check) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Distribution.moments != nil {
		return c.ofMoments().Prepare(ctx, s)
	}
	if c.Effect == 0 {
		c.Effect = defaultEffect
	}
	if !(c.Effect > 0 && c.Effect < 1) || c.Samples < 1 {
		return nil, fmt.Errorf("law: effect %v, %d samples: want a distance in (0, 1) and at least 1 sample", c.Effect,
			c.Samples)
	}
	t := &trial{Check: c, perShard: max(1, s.Budget.Samples(c.Samples)/shards)}
	if c.Sample != nil {
		own, err := outputs.HasOwnRandomness(s, c.Sample)
		if err != nil {
			return nil, err
		}
		t.unseeded = own
	}
	n := t.perShard * shards
	live := newCells(c.Distribution, n)
	f := statistics{Quantity: c.Quantity, At: c.Place, Law: c.Distribution.String(), Effect: c.Effect, Samples: n,
		Coarse: live.coarseness(), Names: live.names, Cuts: live.cuts, live: live}
	if live.levels == nil {
		f.Probabilities = live.probabilities
	}
	t.judge = judge{f, live, s}
	return t, nil
}

// draw fills out with outputs.
func (c Check) draw(r *rand.Rand, out []any) (err error) {
	if c.SampleN != nil {
		return c.SampleN(r, out)
	}
	for i := 0; i < len(out) && err == nil; i++ {
		out[i], err = c.Sample(r)
	}
	return err
}

// ofMoments are the stated means of a law of moments.
func (c Check) ofMoments() mean.Stated {
	m := c.Distribution.moments
	stated := mean.Stated{
		Quantity: "the mean and the squared deviation from the stated mean of " + c.Quantity,
		Mean:     []float64{m.mean, m.variance},
		Ranges: [][2]float64{{m.lower, m.upper}, {0,
			math.Nextafter(math.Max(m.square(m.lower), m.square(m.upper)), math.Inf(1))}},
		Samples: c.Samples, Effect: c.Effect,
	}
	if c.SampleN != nil {
		stated.SampleN = func(r *rand.Rand, dst [][]float64) error {
			out := make([]any, len(dst))
			err := c.SampleN(r, out)
			for i := 0; i < len(out) && err == nil; i++ {
				err = m.put(dst[i], out[i])
			}
			return err
		}
		return stated
	}
	stated.Sample = func(r *rand.Rand, dst []float64) error {
		o, err := c.Sample(r)
		if err != nil {
			return err
		}
		return m.put(dst, o)
	}
	return stated
}

// square is that of a deviation from the mean.
func (m moments) square(x float64) float64 { return (x - m.mean) * (x - m.mean) }

// put writes an output and its square to dst.
func (m moments) put(dst []float64, o any) error {
	x, ok := number(o)
	if !ok {
		return fmt.Errorf("an output is %#v: moments are of single numbers", o)
	}
	dst[0], dst[1] = x, m.square(x)
	return nil
}

// trial draws the outputs.
type trial struct {
	Check
	judge    judge
	perShard int64
	unseeded bool // the outputs take randomness from elsewhere
	watches  dependence.Set[int]
}

// judge judges the statistics at the alpha and the budget of the settings.
type judge struct {
	statistics
	cells    *cells
	settings verify.Settings
}

// effect is the distance that the budget of this run is to see.
func (t judge) effect() float64 {
	const standard = 1 << 20
	return math.Min(0.99, t.Effect*math.Sqrt(standard/float64(t.settings.Budget.Samples(standard))))
}

func (t *trial) Plan() empirical.Plan {
	p := empirical.Plan{Shards: shards, SamplesPerShard: t.perShard}
	if j := t.judge; j.seen(j.Samples) <= j.effect() {
		p.Effect, p.Power = j.effect(), verify.TargetPower
	}
	return p
}

// seen is the distance that n samples see with probability 0.99. Where the distribution
// functions are so far apart, they are at some end of a cell but for what is within one;
// there the share of the samples strays by Hoeffding's inequality, and the rest is the band.
func (t judge) seen(n int64) float64 {
	stray := math.Sqrt(-math.Log(1-verify.TargetPower) / 2 / float64(n))
	if t.cells.names == nil {
		return t.band(n) + stray + t.Coarse
	}
	// By Hoeffding's inequality again, a deviation beyond this is significant.
	return math.Sqrt(math.Log(2*float64(t.tests())/t.settings.Alpha)/2/float64(n)) + stray
}

// band is half the height of the uniform band.
func (t judge) band(n int64) float64 {
	return math.Sqrt(math.Log(2/(standing*t.settings.Alpha)) / 2 / float64(n))
}

func (t *trial) NewTally() empirical.Tally {
	return make(empirical.Counts, len(t.judge.cells.probabilities))
}

func (t *trial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	counts := make(empirical.Counts, len(t.judge.cells.probabilities))
	r := shard.Seed.Rand()
	err := outputs.DrawBatches(ctx, t.perShard, make([]any, outputs.BatchSize), t.watches.Of(0),
		func(out []any) error { return t.draw(r, out) },
		func(o any) error {
			i, err := t.judge.cells.of(o)
			if err == nil {
				counts[i]++
			}
			return err
		})
	return counts, err
}

// Judge adds the tally to the statistics and judges them.
func (t *trial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	counts, ok := merged.(empirical.Counts)
	if !ok || len(counts) != len(t.judge.cells.probabilities) {
		return verify.Evidence{}, fmt.Errorf("law: a tally of type %T", merged)
	}
	f := t.judge.statistics
	f.Counts, f.Places = counts, make(map[string]string)
	e, err := verify.JudgeStatistics(Method, f, t.judge.settings)
	if err == nil && t.unseeded {
		outputs.NoteOwnRandomness(&e)
		e.Statistics.Note(true, verify.UnseededMechanism)
	}
	return e, err
}
