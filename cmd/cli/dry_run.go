package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// dryRunFlags holds --dry-run and --wall of `dpverify audit`.
type dryRunFlags struct {
	on   bool
	wall time.Duration
}

const (
	dryRunName = "dry-run"
	wallName   = "wall"
)

func (f *dryRunFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, dryRunName, false, "print the cost of the audit; judge nothing and write no file")
	c.Flags().DurationVar(&f.wall, wallName, 0,
		"with --dry-run: suggest samples for this wall `TIME`")
	complete(c, wallName, cobra.NoFileCompletions)
}

// check rejects flags that contradict each other.
func (f *dryRunFlags) check(walled bool, out outputFlags) error {
	switch {
	case walled && !f.on:
		return errors.New("--wall needs --dry-run: it judges nothing")
	case walled && f.wall <= 0:
		return fmt.Errorf("--wall %v: want a time above 0, as in 2h", f.wall)
	case f.on && !slices.Contains([]string{"markdown", "json", "terminal"}, out.format):
		return fmt.Errorf("--format %s: --dry-run writes markdown, json or terminal", out.format)
	}
	return nil
}

// planCommand returns the hidden command that names its successor.
func (a *app) planCommand() *cobra.Command {
	return &cobra.Command{Use: "plan", Hidden: true, DisableFlagParsing: true,
		Short: "Replaced by audit --dry-run",
		RunE: func(*cobra.Command, []string) error {
			return usage(fmt.Errorf("the command plan was removed: use '%s audit --dry-run'", a.command()))
		}}
}

// dryRun computes the plan of an audit.
type dryRun struct {
	auditJob
	shards int           // number of shards
	wall   time.Duration // value of --wall; 0 for none
	claims []*plannedClaim
}

// dryRun writes the plan of an audit to standard output. Failed mechanisms and claims give the exit codes of an audit.
func (a *app) dryRun(ctx context.Context, j auditJob, f auditFlags) error {
	_, shards, err := f.run.journal.part(a)
	if err != nil {
		return err
	}
	if _, err := j.work().Check(true); err != nil {
		return usage(err)
	}
	a.phase.Work()
	d := dryRun{auditJob: j, shards: shards, wall: f.dry.wall}
	p, err := d.plan(ctx)
	p.Version = a.version
	switch {
	case ctx.Err() != nil:
		return withCode(codeInterrupted, errors.New("interrupted: the plan was not finished"))
	case err != nil:
		return usage(err)
	}
	f.out.path = ""
	if f.out.json() {
		err = a.write(f.out, func(w io.Writer) error { return reports.WriteJSON(w, p) })
	} else {
		err = a.writeSheet(f.out, p.Sheet())
	}
	if err != nil {
		return err
	}
	var failed []string
	for _, c := range p.Claims {
		if c.Failed != "" {
			failed = append(failed, c.ID+": "+c.Failed)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	err = fmt.Errorf("%d of %d claims failed: %s", len(failed), len(p.Claims), strings.Join(failed, "; "))
	if j.unfit(verify.Run{}) != nil { // the claims are at fault, not their mechanisms
		return usage(err)
	}
	return internal(err)
}

// plan counts the outputs of each claim, measures the pilots and returns the sums.
func (d *dryRun) plan(ctx context.Context) (reports.Plan, error) {
	o := d.options
	p := reports.Plan{Schema: reports.PlanSchema, Seed: strconv.FormatUint(o.Seed, 10), Budget: o.Budget, Alpha: o.Alpha,
		Workers: o.Workers, Shards: d.shards, Claims: []reports.PlanClaim{}}
	for i := range d.subjects {
		d.subject(ctx, &d.subjects[i])
		if ctx.Err() != nil {
			return p, context.Cause(ctx)
		}
	}
	for _, c := range d.claims {
		p.Draws = p.Draws.Add(c.row.Part.In(c.row.Prepared))
	}
	p.Memory = d.memory()
	core, wall := d.times()
	p.Times = reports.PlanTimes{CoreSeconds: core, CoreHours: core / 3600, Wall: wall}
	var err error
	if d.wall > 0 {
		p.Wall, err = d.suggest(ctx, wall)
	}
	for _, c := range d.claims {
		p.Claims = append(p.Claims, c.row)
	}
	return p, err
}

// subject plans the claims of one subject, whose pilots share a process.
func (d *dryRun) subject(ctx context.Context, s *claimsfile.Subject) {
	limit := min(pilotTime, pilotTimeOfAll/time.Duration(len(d.ledger.Claims())))
	var from *pilotProcess
	var failed error
	if len(s.Command) > 0 && s.Broken == nil {
		from = newPilotProcess(ctx, s)
		defer from.close()
		failed = from.measure(ctx, s, d.settings(s.ID()).Stream("dry run"), limit)
	}
	for _, part := range s.Parts() {
		c := &plannedClaim{run: d, subject: s, part: part, from: from, row: reports.PlanClaim{ID: part.Claim.ID,
			Source: part.Claim.Source, Work: string(part.Work)}}
		d.claims = append(d.claims, c)
		err := failed
		if err == nil {
			err = c.plan(ctx, limit)
		}
		if err != nil {
			c.row.Failed = strings.Join(strings.Fields(err.Error()), " ")
		}
	}
}

// settings returns the settings of a claim in the run.
func (d *dryRun) settings(id string) verify.Settings {
	c, _ := d.ledger.Find(id)
	return d.ledger.Settings(c, d.options)
}

// times returns the seconds of all shards on one processor, and the wall seconds of one shard if its workers are
// always busy.
func (d *dryRun) times() (core, wall float64) {
	for _, c := range d.claims {
		if t := c.row.Times; t != nil {
			core += t.CoreSeconds
			n := c.row.Part
			wall += t.Start + t.Output*(float64(n.Search+n.Repeats)+float64(n.Most)/float64(d.shards))/
				float64(d.options.Workers)
		}
	}
	return core, wall
}

// suggest scales the samples of all claims to a wall time, in proportion to the time of the unscaled run. It
// returns an error if the wall time is too short for the minimum samples of the claims.
func (d *dryRun) suggest(ctx context.Context, wall float64) (*reports.PlanWall, error) {
	out := &reports.PlanWall{Given: d.wall.Seconds(), Factor: 1}
	if wall > 0 {
		out.Factor = d.wall.Seconds() / wall
	}
	scaled, minimal := dryRun{auditJob: d.auditJob, shards: d.shards}, false
	for _, c := range d.claims {
		if c.row.Times == nil {
			continue
		}
		again := *c
		samples := roundDownTwoDigits(out.Factor * float64(c.subject.Samples))
		minimal = minimal || samples < c.part.Least
		samples = min(max(samples, c.part.Least), c.part.Most)
		if err := again.recount(ctx, samples); err != nil {
			return nil, err
		}
		c.row.Suggested = &reports.PlanSuggested{Samples: samples, CoreSeconds: again.row.Times.CoreSeconds,
			Sees: again.row.Sees}
		scaled.claims = append(scaled.claims, &again)
	}
	out.CoreSeconds, out.Wall = scaled.times()
	if minimal && out.Wall > out.Given {
		return nil, fmt.Errorf("the wall time is too short: the minimum samples of the claims take about %v, and --wall is "+
			"%v; give more time, more --workers, or fewer claims",
			time.Duration(out.Wall*1e9).Round(10*time.Millisecond), d.wall)
	}
	return out, nil
}

// roundDownTwoDigits returns the largest whole number of two significant digits that is at most x, at least 1.
func roundDownTwoDigits(x float64) int64 {
	if !(x >= 1) {
		return 1
	}
	x = min(x, math.MaxInt64/64)
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return int64(math.Floor(x/unit*(1+1e-12)) * unit)
}
