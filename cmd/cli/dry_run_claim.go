package cli

import (
	"context"
	"encoding/json"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/worstcase"
)

const (
	pilotTime      = 200 * time.Millisecond // time of the last pilot of a claim
	pilotTimeOfAll = 10 * time.Second       // time of the last pilots of all claims
	patience       = 10.0                   // maximum expected seconds of a pilot
	maxBatch       = 256                    // maximum number of outputs in a request of an audit
	pilotsOfMean   = 1000                   // outputs from which a check of a mean estimates the spread
)

// pilotProcess is the mechanism of a subject during a dry run. It counts the requested outputs.
type pilotProcess struct {
	*process.Process
	outputs       atomic.Int64
	start, output float64 // seconds per start and per output, on one processor
}

func newPilotProcess(ctx context.Context, s *claimsfile.Subject) *pilotProcess {
	p := &pilotProcess{Process: s.Process()}
	context.AfterFunc(ctx, p.close)
	return p
}

func (p *pilotProcess) close() { _ = p.Close() } // never fails

// ReleaseN fills out with the reply to one request.
func (p *pilotProcess) ReleaseN(r *rand.Rand, input json.RawMessage, out []any) error {
	p.outputs.Add(int64(len(out)))
	return p.Process.ReleaseN(r, input, out)
}

// measure times a few requests at the first input of the subject. The first request starts the process and is repeated.
// The first request of process.StartOutputs outputs starts a second process, so measure makes this request twice.
func (p *pilotProcess) measure(ctx context.Context, s *claimsfile.Subject, r *rand.Rand, limit time.Duration) error {
	input := s.FirstInput()
	request := func(n int) (float64, error) {
		return empirical.Do(ctx, empirical.NewPool(1), func(context.Context) (float64, error) {
			before := time.Now()
			err := p.ReleaseN(r, input, make([]any, n))
			return time.Since(before).Seconds(), err
		})
	}
	first, err := request(1)
	if err != nil {
		return err
	}
	requests := float64(1 + repeatsOf(s))
	p.output = first / requests
	for i, n := range []int{1, process.StartOutputs, process.StartOutputs, maxBatch} {
		if 2*p.output*float64(n) > patience || i == 3 && p.output*float64(n) > limit.Seconds() {
			break
		}
		took, err := request(n)
		switch {
		case err != nil:
			return err
		case i == 0:
			p.start = max(0, first-requests*took)
		case i == 1:
			continue
		}
		p.output = took / float64(n)
	}
	return nil
}

// repeatsOf returns how often the first request at an input is repeated.
func repeatsOf(s *claimsfile.Subject) int64 {
	if s.Seedless {
		return 4
	}
	return 2
}

// plannedClaim is a claim of the audit with its row of the plan.
type plannedClaim struct {
	run     *dryRun
	subject *claimsfile.Subject
	part    claimsfile.Part
	from    *pilotProcess // process of the subject; nil if the claim needs no process
	layout  *privacy.SamplingPlan
	output  float64 // seconds per output, for the mechanism and dpverify together
	row     reports.PlanClaim
}

// plan counts the outputs of the claim, and measures the time per output on few of them.
func (c *plannedClaim) plan(ctx context.Context, limit time.Duration) error {
	switch c.part.Work {
	case claimsfile.Unread:
		return c.subject.Broken
	case claimsfile.Recorded:
		c.row.Why = "the outputs are recorded: there is nothing to sample"
	case claimsfile.Computed:
		c.row.Why = "the accountant computes it: there is nothing to sample"
	case claimsfile.Replays:
		c.row.Why = "not planned: the calls that the mechanism makes decide how much is replayed"
	default:
		settings := c.run.settings(c.row.ID)
		if err := c.count(ctx, c.subject.Samples, settings); err != nil {
			return err
		}
		if err := c.pilot(ctx, settings, limit); err != nil {
			return err
		}
		c.time()
	}
	return nil
}

// with returns the claim with this number of samples at the standard budget. It uses the process of the dry run.
func (c *plannedClaim) with(samples int64) claimsfile.Part {
	s := *c.subject
	s.Samples, s.Stand = samples, c.from
	parts := s.Parts()
	return parts[slices.IndexFunc(parts, func(p claimsfile.Part) bool { return p.Claim.ID == c.row.ID })]
}

// slow reports whether the mechanism needs more time for n outputs than a dry run waits.
func (c *plannedClaim) slow(n int64) bool { return c.from.output*float64(n) > patience }

// count enters the outputs of a run with this number of samples, and the violation that it detects.
func (c *plannedClaim) count(ctx context.Context, samples int64, settings verify.Settings) error {
	part, s, row := c.with(samples), c.subject, &c.row
	all, pairs, sampled := settings.Budget.Samples(samples), max(1, len(s.Pairs)), part.SamplingPlan != nil
	row.Samples, row.Of, row.AtMost, row.Part, row.Sees, c.layout = all, 2*pairs, false, reports.PlanDraws{}, nil, nil
	// early is the number of outputs that are needed before the others can be counted. first is the number of outputs
	// in the first request at an input.
	n, early, first := &row.Part, int64(maxBatch), int64(maxBatch)
	switch {
	case part.Work == claimsfile.Stating:
		row.Of = part.Inputs
		early = int64(row.Of) * pilotsOfMean
	case part.Work == claimsfile.Searched:
		row.Of = 2
	case part.Work == claimsfile.Mapping:
		early = 4 * 16 * (int64(pairs) + 2*int64(part.Tries)*settings.Budget.Samples(1000)/1000)
		all, row.Samples = early/int64(row.Of), 0
	}
	switch {
	case part.Work == claimsfile.Trainings:
		row.Why, row.Pairs, row.Of, row.AtMost, first = "each output is a training", 1, 2, s.Anytime, 1
		if n.Most = 2 * all; !s.Anytime {
			n.Least = n.Most
		}
	case part.Work == claimsfile.Finding:
		row.Of, row.AtMost = part.Tries, true
		left := worstcase.CertifyingSamples(all)
		n.Search, n.Most = all-left, 2*pilotsOfMean+left
	case part.Work != claimsfile.Bits && c.slow(early):
		row.Why, row.AtMost = "the mechanism is slow: counted without its first outputs", true
		n.Most = int64(row.Of) * all
	case sampled:
		l, err := part.SamplingPlan(ctx, settings)
		if err != nil {
			return err
		}
		c.laid(&l, all)
	default:
		before := c.from.outputs.Load()
		trial, err := part.Claim.Check.Prepare(ctx, settings)
		if err != nil {
			return err
		}
		plan := trial.Plan()
		n.Search, n.Least, n.Most, first = c.from.outputs.Load()-before, plan.Samples(), plan.Samples(), 8
		if plan.Power > 0 {
			row.Sees = &reports.PlanSees{Effect: verify.Num(plan.Effect), Probability: plan.Power}
		}
		if part.Work == claimsfile.Mapping {
			row.Of, row.AtMost, first = 2*(pairs+part.Tries), part.Tries > 0, 16
		}
	}
	n.Repeats = repeatsOf(s) * min(n.Search+n.Most, first*int64(row.Of))
	if part.Work != claimsfile.Trainings && part.Work != claimsfile.Mapping {
		n.Repeats += repeatsOf(s) / 2 * maxBatch * int64(min(process.StartsCompared, row.Of)) // of other starts
	}
	row.Memory, row.Prepared = c.memory(), c.run.shards+1
	if c.run.shards == 1 || s.Seedless { // shard 1 keeps the preparation of a mechanism without a seed
		row.Prepared = 1
	}
	return nil
}

// laid enters the outputs of an audit from its sampling plan; all is the number of samples.
func (c *plannedClaim) laid(l *privacy.SamplingPlan, all int64) {
	row, n := &c.row, &c.row.Part
	c.layout, row.Samples, row.Pairs, row.Of, row.AtMost = l, l.Samples, len(l.Pairs), len(l.Inputs), l.MayStopEarly
	n.Search = l.Searching()
	n.Least, n.Most = l.Certified()
	switch c.part.Work {
	case claimsfile.Searched:
		left := worstcase.CertifyingSamples(all)
		row.Why = "the maximum: a search decides which inputs are tried"
		row.Samples, row.Pairs, row.Of, row.AtMost = all, 0, 2*c.part.Tries, true
		n.Search, n.Least, n.Most = 2*(all-left), 0, 2*l.Probe+2*left
	case claimsfile.Bets:
		row.Why = "the maximum: a sequential test stops as soon as it refutes the claim"
		n.Least = 0
	case claimsfile.Bits:
		n.Least = 0
	}
	s := l.Sizes()
	row.Sees = &reports.PlanSees{NearDelta: s.SmallDelta, NearMass: s.SmallProbability, GrossMass: s.LargeProbability,
		Probability: s.Probability}
	if s.SmallDetected {
		row.Sees.Near = verify.Num(s.Small)
	}
}

// pilot runs the claim's own check on few samples, and repeats it with four times as many until the runs have taken
// 2·limit. It keeps the minimum time per output, because the first run, and some others, also start processes. The
// seeds differ from the audit's seeds, and the verdicts are discarded. If the mechanism is slow, trains or has no
// noise, the time from measure remains.
func (c *plannedClaim) pilot(ctx context.Context, settings verify.Settings, limit time.Duration) error {
	c.output = c.from.output
	if c.part.Work == claimsfile.Trainings || c.part.Work == claimsfile.Mapping {
		return nil
	}
	root, target := settings.Seed, max(settings.Budget.Samples(c.subject.Samples), c.part.Least)
	settings.Budget = verify.Standard
	spent, n := time.Duration(0), c.part.Least
	for run := 0; !c.slow(4*n) && (run < 2 || spent < 2*limit); run++ {
		settings.Seed = root.Derive("pilot", strconv.Itoa(run))
		before, begin := c.from.outputs.Load(), time.Now()
		if _, err := verify.Judge(ctx, c.with(n).Claim.Check, settings, empirical.NewPool(1), nil); err != nil {
			return err
		}
		took := time.Since(begin)
		rate := took.Seconds() / float64(max(1, c.from.outputs.Load()-before))
		switch {
		case run == 0:
			continue
		case run == 1:
			c.output = rate
		}
		c.output, spent = min(c.output, rate), spent+took
		if n == target {
			break
		}
		n = min(4*n, target)
	}
	return nil
}

// time enters the seconds for the maximum number of outputs, in all shards of the run.
func (c *plannedClaim) time() {
	parts := float64(max(c.row.Prepared, c.run.shards))
	c.row.Times = &reports.PlanClaimTimes{Start: c.from.start, Output: c.output, Outputs: c.from.outputs.Load(),
		CoreSeconds: c.output*float64(c.row.Part.In(c.row.Prepared).Total()) +
			c.from.start*parts*float64(c.run.options.Workers)}
}

// recount counts with another number of samples. It uses a new process, because a process compares its replies.
func (c *plannedClaim) recount(ctx context.Context, samples int64) error {
	measured := c.from
	c.from = newPilotProcess(ctx, c.subject)
	defer c.from.close()
	c.from.start, c.from.output = measured.start, measured.output
	err := c.count(ctx, samples, c.run.settings(c.row.ID))
	c.time()
	return err
}

// The constants are fitted to the largest resident sets of audits of one number and of twenty, of one pair and of
// twelve.
const (
	residentBytes = 38 << 20 // before sampling
	numberBytes   = 8
	// A row of a search needs numbersPerRow numbers, and numbersPerNumber for each number in an output: its scores and
	// their order.
	numbersPerRow, numbersPerNumber = 16, 8
	markBytes                       = 12 // bytes of the mark that a row is in an event
)

// memory estimates the bytes of a claim while it is judged: the rows of concurrent searches, and the marks of the rows
// of all pairs that are in their events.
func (c *plannedClaim) memory() int64 {
	l := c.layout
	if l == nil {
		return 0
	}
	const sides = 2
	width, pairs := int64(max(1, l.Width)), int64(len(l.Pairs))
	rows := sides * l.Rows * numberBytes * (numbersPerRow + numbersPerNumber*width)
	if c.part.Work == claimsfile.Bits {
		return rows * pairs
	}
	held := rows*l.Folds*min(int64(c.run.options.Workers), pairs) +
		markBytes*sides*l.Folds*l.Rows*pairs*int64(bits.Len64(uint64(pairs)))
	for _, in := range l.Inputs {
		if in.Uses > 1 {
			held += in.Search * numberBytes * width
		}
	}
	return held
}

// memory estimates the bytes of a run: each worker judges one of the claims with the largest memory.
func (d *dryRun) memory() int64 {
	var all []int64
	for _, c := range d.claims {
		all = append(all, c.row.Memory)
	}
	slices.Sort(all)
	slices.Reverse(all)
	sum := int64(residentBytes)
	for _, m := range all[:min(d.options.Workers, len(all))] {
		sum += m
	}
	return sum
}
