package cli

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
)

// runTime is what a run takes.
type runTime struct{ core, wall float64 } // seconds of all parts, and of the longest by the clock

// scaled are the samples of a subject, so many times those that it gives, to two digits, and no fewer than any of its
// claims can have.
func (j *planJob) scaled(claims []*plannedClaim, subject int, factor float64) int64 {
	n := j.Subjects[subject].Samples
	if factor != 1 {
		n = int64(roundDownTwoDigits(min(factor*float64(n), math.MaxInt64/64)))
	}
	for _, c := range claims {
		if c.subject == subject {
			n = min(max(n, c.part.Least), c.part.Most)
		}
	}
	return n
}

// roundDownTwoDigits rounds down.
func roundDownTwoDigits(x float64) float64 {
	if !(x >= 1) {
		return 1
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return math.Floor(x/unit*(1+1e-12)) * unit
}

// times of a run of so many times the samples.
func (j *planJob) times(ctx context.Context, claims []*plannedClaim, factor float64) (t runTime) {
	workers := float64(j.Options.Workers)
	var longest, busy float64
	for _, c := range claims {
		out := c.judged.judging
		var chain, part float64
		if c.asks() {
			n, err := c.count(ctx, j.scaled(claims, c.subject, factor))
			if err != nil {
				return runTime{math.Inf(1), math.Inf(1)}
			}
			w := c.work(n)
			start := 0.0
			if c.from != nil {
				start = c.from.start
			}
			prepare, sample := w.asking+w.searching, (w.sampling+w.counting)/float64(j.Shards)
			chain = start + prepare/min(workers, c.width(n)) + sample/min(workers, maxClaimShards)
			part = start*c.starts(n) + prepare + sample
			out = c.times(n).CoreSeconds()
		}
		t.core += out
		busy += part + c.judged.judging
		longest = max(longest, chain+c.judged.judging)
	}
	t.wall = max(busy/workers, longest)
	return t
}

// maxClaimShards a claim are sampled at a time, at most.
const maxClaimShards = 32

// width is how many processors the preparation of a claim can use.
func (c *plannedClaim) width(n outputCount) float64 {
	if n.layout == nil {
		return 1
	}
	switch c.part.Work {
	case claimsfile.Audited:
		return 2 * float64(len(n.layout.Pairs))
	case claimsfile.Searched:
		return 2
	}
	return float64(len(n.layout.Pairs))
}

// suggest finds the samples that a wall time allows.
func (j *planJob) suggest(ctx context.Context, claims []*plannedClaim) (*reports.PlanWall, error) {
	wall := j.Wall.Seconds()
	low, high := 1e-9, 1e9
	if least := j.times(ctx, claims, low); least.wall > wall {
		return nil, fmt.Errorf("%w: the least samples of the claims take about %v, and --wall is %v; give more time, more "+
			"--workers, or fewer claims", errWallTimeShort, time.Duration(least.wall*1e9).Round(10*time.Millisecond), j.Wall)
	}
	for high > 1.02*low {
		if mid := math.Sqrt(low * high); j.times(ctx, claims, mid).wall <= wall {
			low = mid
		} else {
			high = mid
		}
	}
	t := j.times(ctx, claims, low)
	for _, c := range claims {
		if !c.asks() {
			continue
		}
		samples := j.scaled(claims, c.subject, low)
		n, err := c.count(ctx, samples)
		if err != nil {
			return nil, err
		}
		c.row.Suggested = &reports.PlanSuggested{Samples: samples, CoreSeconds: c.times(n).CoreSeconds(), Sees: n.sees()}
	}
	return &reports.PlanWall{Given: wall, Wall: t.wall, CoreSeconds: t.core, Factor: low}, ctx.Err()
}
