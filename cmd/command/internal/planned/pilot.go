package planned

import (
	"context"
	"errors"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// pilot is a run of a claim's own check on few outputs, which stand in the place of its mechanism, on one processor.
type pilot struct {
	samples                  int64 // of each input
	preparing, certifying    int64 // outputs that it asked for
	repeats                  int64
	prepare, sample, judging float64 // seconds
}

// run times a check: by the processor that this process has had, where nothing is waited for.
func run(ctx context.Context, check verify.Check, s verify.Settings, at *stand, now func() float64) (p pilot,
	err error) {
	return empirical.Do(ctx, empirical.NewPool(1), func(ctx context.Context) (p pilot, err error) {
		begin := now()
		trial, err := check.Prepare(ctx, s)
		if err != nil || trial == nil {
			return p, errors.Join(err, ctx.Err())
		}
		p.prepare = now() - begin
		p.preparing, p.repeats = at.counted()
		begin = now()
		plan, merged := trial.Plan(), trial.NewTally()
		for i := range plan.Shards {
			tally, err := trial.Sample(ctx, empirical.Shard{Index: i, Of: plan.Shards, Samples: plan.SamplesPerShard,
				Seed: s.Seed.Derive("sample").Shard(i)})
			if err == nil {
				err = merged.Merge(tally)
			}
			if err != nil {
				return p, err
			}
			if stopper, ok := trial.(empirical.Stopper); ok && stopper.Done(merged) {
				break
			}
		}
		p.sample = now() - begin
		all, repeats := at.counted()
		p.certifying, p.repeats = all-p.preparing, repeats
		begin = now()
		_, err = trial.Judge(merged)
		p.judging = now() - begin
		return p, err
	})
}

// clock is that on the wall, in seconds.
func clock() float64 { return time.Since(begun).Seconds() }

var begun = time.Now()

// line is a time that grows with a number of outputs.
type line struct{ fixed, each float64 }

func (l line) at(n float64) float64 { return l.fixed + l.each*n }

// through two pilots, of which the second is the larger one.
func through(x1, y1, x2, y2 float64) line {
	if !(x2 > x1) {
		return line{fixed: max(y1, y2)}
	}
	each := max(0, (y2-y1)/(x2-x1))
	return line{max(0, y2-each*x2), each}
}

// judgement is what judging a claim takes, by its two largest pilots.
type judgement struct {
	prepare, sample line // by the outputs that are asked for
	judging         float64
	last            pilot
}

func judged(small, large pilot) judgement {
	return judgement{
		prepare: through(float64(small.preparing), small.prepare, float64(large.preparing), large.prepare),
		sample:  through(float64(small.certifying), small.sample, float64(large.certifying), large.sample),
		judging: large.judging, last: large,
	}
}
