package cli

import (
	"context"
	"errors"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// pilotRun is a run of a claim's own check on few outputs, which stand in the place of its mechanism, on one processor.
type pilotRun struct {
	samples                  int64 // of each input
	preparing, certifying    int64 // outputs that it asked for
	repeats                  int64
	prepare, sample, judging float64 // seconds
}

// runPilot times a check: by the processor that this process has had, where nothing is waited for.
func runPilot(ctx context.Context, check verify.Check, s verify.Settings, at *standIn, now func() float64) (p pilotRun,
	err error) {
	return empirical.Do(ctx, empirical.NewPool(1), func(ctx context.Context) (p pilotRun, err error) {
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
			tally, err := trial.Sample(ctx, empirical.Shard{Index: i, Total: plan.Shards, Samples: plan.SamplesPerShard,
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

// wallSeconds is that on the wall, in seconds.
func wallSeconds() float64 { return time.Since(processStart).Seconds() }

var processStart = time.Now()

// linearTime is a time that grows with a number of outputs.
type linearTime struct{ fixed, each float64 }

func (l linearTime) at(n float64) float64 { return l.fixed + l.each*n }

// lineThrough two pilots, of which the second is the larger one.
func lineThrough(x1, y1, x2, y2 float64) linearTime {
	if !(x2 > x1) {
		return linearTime{fixed: max(y1, y2)}
	}
	each := max(0, (y2-y1)/(x2-x1))
	return linearTime{max(0, y2-each*x2), each}
}

// judgingTime is what judging a claim takes, by its two largest pilots.
type judgingTime struct {
	prepare, sample linearTime // by the outputs that are asked for
	judging         float64
	last            pilotRun
}

func judgingTimeOf(small, large pilotRun) judgingTime {
	return judgingTime{
		prepare: lineThrough(float64(small.preparing), small.prepare, float64(large.preparing), large.prepare),
		sample:  lineThrough(float64(small.certifying), small.sample, float64(large.certifying), large.sample),
		judging: large.judging, last: large,
	}
}
