package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// planJob is a run of audits that is planned: how many outputs it asks of its mechanisms, which follows from the
// claims, and how long that takes, which is measured on a few of them.
type planJob struct {
	Ledger   *verify.Ledger
	Subjects []claimsfile.Subject
	Options  verify.Options
	Version  string
	Shards   int  // parts of the run
	Walled   bool // Wall is given
	Wall     time.Duration
	NoRun    bool // nothing is measured
}

// plannedClaim is one of the run.
type plannedClaim struct {
	job     *planJob
	subject int
	part    claimsfile.Part
	from    *measuredMechanism
	judged  judgingTime
	row     reports.PlanClaim
	known   map[int64]outputCount
	chosen  float64 // the share of what can be certified that the last pilot did
}

// errWallTimeShort is the error of a wall time in which the least samples of the claims cannot be drawn.
var errWallTimeShort = errors.New("the wall time is too short")

// Check names what is out of its domain.
func (j planJob) Check() error {
	const mostShards = 1_000_000
	switch {
	case j.Shards < 1 || j.Shards > mostShards:
		return fmt.Errorf("--shards %d: want the number of parts of the run, from 1 to %d", j.Shards, mostShards)
	case j.Walled && j.Wall <= 0:
		return fmt.Errorf("--wall %v: want a time above 0, as in 2h", j.Wall)
	case j.Walled && j.NoRun:
		return errors.New("--wall needs times, which --no-run does not measure: leave one of them out")
	}
	return nil
}

// Plan measures, unless that is not wanted, and plans.
func (j *planJob) Plan(ctx context.Context) (reports.Plan, error) {
	o := j.Options
	p := reports.Plan{Schema: reports.PlanSchema, Version: j.Version, Seed: strconv.FormatUint(o.Seed, 10),
		Budget: o.Budget,
		Alpha:  o.Alpha, Workers: o.Workers, Shards: j.Shards, Claims: []reports.PlanClaim{}}
	claims := j.claims(ctx)
	var all []*plannedClaim
	for _, c := range claims {
		if err := c.plan(ctx, len(claims)); err != nil {
			c.row.Failed = strings.Join(strings.Fields(err.Error()), " ")
		} else {
			all = append(all, c)
		}
		if ctx.Err() != nil {
			return p, context.Cause(ctx)
		}
	}
	p.Memory = memoryOfClaims(all, o.Workers)
	if !j.NoRun {
		times := j.times(ctx, all, 1)
		p.Times = &reports.PlanTimes{CoreSeconds: times.core, CoreHours: times.core / 3600, Wall: times.wall}
	}
	var err error
	if j.Walled {
		p.Wall, err = j.suggest(ctx, all)
	}
	for _, c := range claims {
		p.Draws = p.Draws.Add(c.row.Part.In(c.row.Prepared))
		p.Claims = append(p.Claims, c.row)
	}
	return p, err
}

// claims of all subjects, whose mechanisms are measured.
func (j *planJob) claims(ctx context.Context) (claims []*plannedClaim) {
	known := make(map[string]*measuredMechanism)
	commands := make(map[string]bool)
	for i := range j.Subjects {
		if s := &j.Subjects[i]; len(s.Command) > 0 {
			commands[mechanismKey(s)] = true
		}
	}
	limit := min(askFor, askTogether/time.Duration(max(1, len(commands))))
	for i := range j.Subjects {
		s := &j.Subjects[i]
		var from *measuredMechanism
		if len(s.Command) > 0 && s.Broken == nil && !j.NoRun {
			if from = known[mechanismKey(s)]; from == nil {
				m := measureMechanism(ctx, s, j.settings(s.ID()), limit)
				from = &m
				known[mechanismKey(s)] = from
			}
		}
		for _, part := range s.Parts() {
			claims = append(claims, &plannedClaim{job: j, subject: i, part: part, from: from,
				known: make(map[int64]outputCount)})
		}
	}
	return claims
}

// settings of a claim in the run, which the ledger knows.
func (j *planJob) settings(id string) verify.Settings {
	c, _ := j.Ledger.Find(id)
	return j.Ledger.Settings(c, j.Options)
}

// plan of one of so many claims.
func (c *plannedClaim) plan(ctx context.Context, claims int) error {
	s := c.job.Subjects[c.subject]
	c.row = reports.PlanClaim{ID: c.part.Claim.ID, Source: c.part.Claim.Source, Work: string(c.part.Work),
		Inputs: []reports.PlanInput{}}
	switch c.part.Work {
	case claimsfile.Unread:
		return s.Broken
	case claimsfile.Recorded:
		c.row.Why = "the outputs are recorded: there is nothing to sample"
	case claimsfile.Computed:
		c.row.Why = "the accountant computes it: there is nothing to sample"
	case claimsfile.Replays:
		c.row.Why = "not planned: how much is replayed follows from the calls that the mechanism makes, which nobody " +
			"knows before"
	}
	if c.from != nil && c.from.err != nil {
		return c.from.err
	}
	if c.part.Work == claimsfile.Replays {
		return nil
	}
	if c.asks() {
		if err := c.counts(ctx, s.Samples); err != nil {
			return err
		}
	}
	if c.job.NoRun {
		return nil
	}
	if err := c.pilots(ctx, min(askFor, askTogether/time.Duration(max(1, claims)))); err != nil {
		return err
	}
	n, err := c.count(ctx, s.Samples)
	if err != nil {
		return err
	}
	c.row.Times = c.times(n)
	return nil
}

// asks tells whether the claim asks a mechanism for outputs, so many as are planned.
func (c *plannedClaim) asks() bool {
	switch c.part.Work {
	case claimsfile.Unread, claimsfile.Recorded, claimsfile.Computed, claimsfile.Replays:
		return false
	}
	return true
}

// with is the claim of its subject with so many samples, at the standard budget, on what stands in the place of its
// mechanism.
func (c *plannedClaim) with(samples int64) (claimsfile.Part, *standIn) {
	s := c.job.Subjects[c.subject]
	at := c.stand()
	s.Samples, s.Stand = samples, at
	parts := s.Parts()
	part := parts[slices.IndexFunc(parts, func(p claimsfile.Part) bool { return p.Claim.ID == c.part.Claim.ID })]
	return part, at
}

// standIn is what stands in the place of the mechanism.
func (c *plannedClaim) stand() *standIn {
	at := newStandIn(nil, c.part.Fits)
	if c.from != nil {
		at = newStandIn(c.from.given, c.from.any)
	}
	at.kept = c.part.Work == claimsfile.Mapping
	switch c.part.Work {
	case claimsfile.Audited, claimsfile.Bets, claimsfile.Searched, claimsfile.Bits:
		at.blur = true
	}
	return at
}

// pilots time the check at sizes that grow until one takes long enough.
func (c *plannedClaim) pilots(ctx context.Context, limit time.Duration) error {
	settings := c.job.settings(c.part.Claim.ID)
	if !c.asks() {
		return c.compute(ctx, settings)
	}
	target := c.job.Options.Budget.Samples(c.job.Subjects[c.subject].Samples)
	settings.Budget = verify.Standard
	var runs []pilotRun
	for n := c.part.Least; ; n *= 4 {
		n = min(n, max(target, c.part.Least))
		part, at := c.with(n)
		now := processorSeconds
		if part.Work == claimsfile.Finding { // a program may be asked for the truth
			now = wallSeconds
		}
		p, err := runPilot(ctx, part.Claim.Check, settings, at, now)
		if err != nil {
			return err
		}
		p.samples = n
		runs = append(runs, p)
		if took := p.prepare + p.sample + p.judging; n >= target || len(runs) > 1 && took > limit.Seconds() {
			break
		}
	}
	large := runs[len(runs)-1]
	c.judged = judgingTimeOf(runs[max(0, len(runs)-2)], large)
	return c.shares(ctx, settings)
}

// maxComputing is how long a claim that asks for nothing is judged at most, to see how long that takes.
const maxComputing = 10 * time.Second

func (c *plannedClaim) compute(ctx context.Context, settings verify.Settings) error {
	short, cancel := context.WithTimeout(ctx, maxComputing)
	defer cancel()
	p, err := runPilot(short, c.part.Claim.Check, settings, newStandIn(nil, nil), processorSeconds)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		c.row.Why += fmt.Sprintf("; judging it takes longer than %v, how long is not known", maxComputing)
		c.judged.judging = maxComputing.Seconds()
		return nil
	}
	c.judged.judging = p.prepare + p.sample + p.judging
	return err
}

// times of a run in all parts, by the outputs that are expected.
func (c *plannedClaim) times(n outputCount) *reports.PlanClaimTimes {
	prepares, searches := float64(c.prepares(false)), float64(c.prepares(true))
	out := &reports.PlanClaimTimes{Judging: c.judged.judging}
	if !c.asks() {
		return out
	}
	w := c.work(n)
	out.Mechanism, out.Judging = prepares*w.asking+w.sampling, searches*w.searching+w.counting+c.judged.judging
	out.Expected = int64(math.Round(prepares*(n.preparing+n.repeating) + n.certifying))
	if c.from != nil {
		out.Start, out.Output, out.Outputs = c.from.start, c.from.output, c.from.outputs
		if c.part.Work == claimsfile.Trainings {
			out.Output = c.from.single
		}
		out.Mechanism += c.from.start * max(prepares, float64(c.job.Shards)) * c.starts(n)
	}
	return out
}

// maxConcurrent processes of a claim: its search and its shards use no more at a time.
const maxConcurrent = 32

// prepares is how often a claim is prepared: by each part of the run and by their merge. Of a mechanism without a seed
// the first part keeps what the others, and the merge, search again.
func (c *plannedClaim) prepares(searched bool) int {
	switch parts := c.job.Shards; {
	case parts == 1 || c.job.Subjects[c.subject].Seedless && !searched:
		return 1
	default:
		return parts + 1
	}
}

// starts is how often a part of the run starts the mechanism.
func (c *plannedClaim) starts(n outputCount) float64 {
	workers := float64(min(c.job.Options.Workers, maxConcurrent))
	if c.job.Subjects[c.subject].Seedless && n.layout != nil {
		return workers + startsSeedless*float64(len(n.layout.Inputs))
	}
	return workers
}

// claimWork is seconds of a processor.
type claimWork struct{ asking, searching, sampling, counting float64 }

func (c *plannedClaim) work(n outputCount) claimWork {
	rate := 0.0
	if c.from != nil {
		if rate = c.from.output; c.part.Work == claimsfile.Trainings {
			rate = c.from.single
		}
	}
	return claimWork{
		asking: rate * (n.preparing + n.repeating), sampling: rate * n.certifying,
		searching: c.judged.prepare.at(n.preparing), counting: c.judged.sample.at(n.certifying),
	}
}
