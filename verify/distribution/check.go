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

// Check tests whether the outputs of a mechanism have a stated distribution.
//
// Half of alpha is spent on the uniform confidence band around the distribution function (Dvoretzky, Kiefer &
// Wolfowitz, with the constant of Massart 1990), which is valid for every distribution. The other half is divided
// equally among exact binomial tests. For a discrete distribution they test the probability of every cell: single
// values, or ranges if there are many values. For a continuous one they test tails of probability 2⁻ᵏ. Strings have no
// order, so the binomial tests of the values use all of alpha. One output outside the support refutes the claim, unless
// rounding to single precision explains it. For [Moments], the check is [mean.Stated] for the means of X and of
// (X − m)², where m is the stated mean.
//
// The verdict is consistent if a Kolmogorov distance of Effect would have been detected with probability 0.99; for
// strings, if a difference of Effect in one probability would have been. Smaller differences, for example rounding to a
// grid, remain possible.
type Check struct {
	Quantity     string // name of the sampled quantity, for example "the noise"
	Place        string // condition that is added to every event, for example "at [1,2]"; may be empty
	Distribution Distribution
	// Sample draws an output: a number, a boolean or a string. It must take all its randomness from r.
	Sample func(r *rand.Rand) (any, error)
	// SampleN replaces Sample if drawing many outputs at once is faster: it fills out. The check does not test whether
	// SampleN takes all its randomness from r.
	SampleN func(r *rand.Rand, out []any) error
	Samples int64 // at the standard budget
	// Effect is the Kolmogorov distance to detect (for strings, the difference in a probability); 0 means 0.02. For
	// [Moments] it is relative as in [mean.Stated], and 0 means 0.1. It grows at a smaller budget.
	Effect float64
}

const (
	defaultEffect = 0.02
	shards        = 32
	// standing is the share of alpha that the band uses.
	standing = 0.5
)

// check returns an error if the distribution or the choice of Sample and SampleN is invalid.
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

// Prepare partitions the outputs into cells and plans the samples.
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

// draw fills out with samples.
func (c Check) draw(r *rand.Rand, out []any) (err error) {
	if c.SampleN != nil {
		return c.SampleN(r, out)
	}
	for i := 0; i < len(out) && err == nil; i++ {
		out[i], err = c.Sample(r)
	}
	return err
}

// ofMoments returns the check of the stated mean and variance.
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

// square returns the squared deviation of x from the stated mean.
func (m moments) square(x float64) float64 { return (x - m.mean) * (x - m.mean) }

// put stores an output and its squared deviation from the stated mean in dst.
func (m moments) put(dst []float64, o any) error {
	x, ok := number(o)
	if !ok {
		return fmt.Errorf("an output is %#v: moments need single numbers", o)
	}
	dst[0], dst[1] = x, m.square(x)
	return nil
}

// trial samples the outputs and counts them by cell.
type trial struct {
	Check
	judge    judge
	perShard int64
	unseeded bool // the mechanism has its own randomness
	watches  dependence.Set[int]
}

// judge evaluates statistics at given settings (alpha and budget).
type judge struct {
	statistics
	cells    *cells
	settings verify.Settings
}

// effect returns the distance to detect at the budget of this run.
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

// seen returns the distance that n samples detect with probability 0.99. Two distribution functions at Kolmogorov
// distance d differ by at least d − Coarse at the end of some cell. The empirical fraction there deviates by more than
// stray with probability at most 0.01 (Hoeffding), and the band must exclude what remains.
func (t judge) seen(n int64) float64 {
	stray := math.Sqrt(-math.Log(1-verify.TargetPower) / 2 / float64(n))
	if t.cells.names == nil {
		return t.band(n) + stray + t.Coarse
	}
	// By Hoeffding's inequality, the binomial test rejects at every larger deviation.
	return math.Sqrt(math.Log(2*float64(t.tests())/t.settings.Alpha)/2/float64(n)) + stray
}

// band returns the half-width of the uniform confidence band for n samples.
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

// Judge evaluates the merged counts.
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
