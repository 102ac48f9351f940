package cli

import (
	"context"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// outputCount is how many outputs a claim asks for in a run of one part.
type outputCount struct {
	reports.PlanDraws
	samples               int64   // of each input of a pair
	preparing, certifying float64 // that are expected
	repeating             float64
	layout                *privacy.SamplingPlan
	effect, power         float64 // of a statement, by its plan; 0 where none is claimed
	atMost                bool
}

const (
	// repeatedFirst is how many times more a process is asked its first request at an input, and one without a seed.
	repeatedFirst, repeatedSeedless = 2, 4
	// spreadPilot is what a stated mean asks for before it is certified.
	spreadPilot = 1000
)

// outputCount of a claim of so many samples, as it gives them.
func (c *plannedClaim) count(ctx context.Context, samples int64) (outputCount, error) {
	if n, known := c.known[samples]; known {
		return n, nil
	}
	n, err := c.counted(ctx, samples)
	if n.repeating == 0 {
		n.repeating = float64(n.Repeats)
	}
	if err == nil {
		c.known[samples] = n
	}
	return n, err
}

func (c *plannedClaim) counted(ctx context.Context, samples int64) (n outputCount, err error) {
	settings := c.job.settings(c.part.Claim.ID)
	n.samples = settings.Budget.Samples(samples)
	switch c.part.Work {
	case claimsfile.Audited, claimsfile.Bets, claimsfile.Bits:
		return c.laid(ctx, samples, settings)
	case claimsfile.Trainings:
		const worlds = 2
		n.Most, n.Repeats = worlds*n.samples, worlds*c.repeats()
		if n.Least = n.Most; c.job.Subjects[c.subject].Anytime {
			n.Least, n.atMost = 0, true
		}
		n.certifying = float64(n.Most)
		return n, nil
	case claimsfile.Searched, claimsfile.Finding:
		return c.search(ctx, samples, settings)
	}
	return n, c.prepared(ctx, samples, settings, &n)
}

// repeats is how many times more the first request at an input is asked.
func (c *plannedClaim) repeats() int64 {
	if c.job.Subjects[c.subject].Seedless {
		return repeatedSeedless
	}
	return repeatedFirst
}

// startsAt is how many outputs newly started processes are asked for at an input whose first request is for so many
// outputs.
func (c *plannedClaim) startsAt(first int64, in privacy.PlannedInput) int64 {
	if first >= process.StartOutputs {
		return c.startsOf(first, true)
	}
	later := in.Shard
	if c.part.Work == claimsfile.Bets {
		later = max(later, in.Search)
	}
	return c.startsOf(min(maxBatch, later), false)
}

// startsOf is how many outputs newly started processes are asked for after a request for n. A process without a seed is
// started after its first request in any case: these outputs are among its repeats.
func (c *plannedClaim) startsOf(n int64, first bool) int64 {
	seedless := c.job.Subjects[c.subject].Seedless
	switch {
	case n < process.StartOutputs || first && seedless:
		return 0
	case seedless:
		return startsSeedless * n
	}
	return n
}

// laid counts by the layout of an audit.
func (c *plannedClaim) laid(ctx context.Context, samples int64, settings verify.Settings) (n outputCount, err error) {
	part, _ := c.with(samples)
	l, err := part.SamplingPlan(ctx, settings)
	if err != nil {
		return n, err
	}
	n.samples, n.layout, n.atMost, n.Search = l.Samples, &l, l.MayStopEarly, l.Searching()
	n.Least, n.Most = l.Certified()
	for i, in := range l.Inputs {
		first := c.first(l, i, in)
		n.Repeats += c.repeats() * first
		if i < process.StartsCompared {
			n.Repeats += c.startsAt(first, in)
		}
	}
	if c.part.Work != claimsfile.Audited {
		n.Least = 0 // bets that have won, or bits of which none tells the inputs apart
	}
	n.preparing, n.certifying = float64(n.Search), float64(n.Least)+c.chosen*float64(n.Most-n.Least)
	return n, nil
}

// first is how many outputs the first request at an input asks for.
func (c *plannedClaim) first(l privacy.SamplingPlan, i int, in privacy.PlannedInput) int64 {
	switch {
	case c.part.Work == claimsfile.Bets:
		return 1
	case c.part.Work == claimsfile.Bits:
		return min(maxBatch, in.Search-l.Rows)
	case i == 0:
		return l.Probe
	}
	return min(maxBatch, l.Rows)
}

// sees is the least violation that is seen; nil where none is known.
func (n outputCount) sees() *reports.PlanSees {
	switch {
	case n.power > 0:
		return &reports.PlanSees{Effect: verify.Num(n.effect), Probability: n.power}
	case n.layout == nil:
		return nil
	}
	s := n.layout.Sizes()
	out := &reports.PlanSees{NearDelta: s.SmallDelta, NearMass: s.SmallProbability, GrossMass: s.LargeProbability,
		Probability: s.Probability}
	if s.SmallDetected {
		out.Near = verify.Num(s.Small)
	}
	return out
}

// search counts what a search asks for at most, and what is expected by the last pilot.
func (c *plannedClaim) search(ctx context.Context, samples int64, settings verify.Settings) (n outputCount, err error) {
	n.samples, n.atMost = settings.Budget.Samples(samples), true
	left := worstcase.CertifyingSamples(n.samples)
	inputs := int64(1)
	if c.part.Work == claimsfile.Searched {
		inputs = 2
		part, _ := c.with(samples)
		l, err := part.SamplingPlan(ctx, settings)
		if err != nil {
			return n, err
		}
		n.layout, n.Most = &l, 2*l.Probe
	} else {
		n.Most = 2 * spreadPilot
	}
	n.Search, n.Most = inputs*(n.samples-left), n.Most+inputs*left
	n.Repeats = c.repeats()*min(n.Search, inputs*int64(c.part.Tries)*maxBatch) +
		process.StartsCompared*c.startsOf(maxBatch, false)
	n.preparing, n.certifying = float64(n.Search), float64(n.Most)
	if last := c.judged.last; last.samples > 0 {
		scale := float64(n.samples) / float64(last.samples)
		n.preparing, n.certifying = scale*float64(last.preparing), scale*float64(last.certifying)
		n.repeating = min(float64(n.Repeats), scale*float64(c.repeats()*last.repeats))
	}
	return n, nil
}

// prepared counts what a statement asks for while it is prepared, and what its shards do.
func (c *plannedClaim) prepared(ctx context.Context, samples int64, settings verify.Settings, n *outputCount) error {
	part, at := c.with(samples)
	trial, err := part.Claim.Check.Prepare(ctx, settings)
	if err != nil {
		return err
	}
	plan := trial.Plan()
	drawn, first := at.counted()
	n.Search, n.Repeats, n.Least, n.Most = drawn, c.repeats()*first, plan.Samples(), plan.Samples()
	for _, r := range at.compared(min(maxBatch, plan.SamplesPerShard)) {
		n.Repeats += c.startsOf(r.outputs, r.first)
	}
	n.atMost = c.part.Work == claimsfile.Mapping && c.part.Tries > 0
	n.preparing, n.certifying = float64(n.Search), float64(n.Most)
	if c.from != nil && plan.Power > 0 {
		n.effect, n.power = plan.Effect, plan.Power
	}
	return nil
}

// shares finds what share of what can be certified a run does, by the last pilot.
func (c *plannedClaim) shares(ctx context.Context, settings verify.Settings) error {
	if c.part.SamplingPlan == nil || c.part.Work == claimsfile.Searched {
		return nil
	}
	last := c.judged.last
	n, err := c.laid(ctx, last.samples, settings)
	switch {
	case err != nil:
		return err
	case c.part.Work == claimsfile.Bets:
		c.chosen = 1 // what is true is not refuted
	case n.Most > n.Least:
		c.chosen = min(1, max(0, float64(last.certifying-n.Least)/float64(n.Most-n.Least)))
	}
	c.known = make(map[int64]outputCount)
	return nil
}

// maxShownInputs inputs of a claim are listed.
const maxShownInputs = 16

// counts enters into the row what is asked for.
func (c *plannedClaim) counts(ctx context.Context, samples int64) error {
	n, err := c.count(ctx, samples)
	if err != nil {
		return err
	}
	row := &c.row
	row.Samples, row.Part, row.AtMost, row.Sees = n.samples, n.PlanDraws, n.atMost, n.sees()
	row.Memory, row.Prepared = c.memory(n), c.prepares(false)
	switch c.part.Work {
	case claimsfile.Trainings:
		row.Pairs, row.Of = 1, 2
		row.Why = "each output is a training"
	case claimsfile.Bets:
		row.Why = "bets stop as soon as they refute: so much is drawn of a claim that is true; how soon a false one is " +
			"refuted follows from how false it is"
	case claimsfile.Searched, claimsfile.Finding:
		row.Why = "which inputs are tried, and so what is drawn, follows from what the search finds: so much at most"
	case claimsfile.Stating:
		row.Of = c.job.Subjects[c.subject].Grid(c.row.ID)
	case claimsfile.Mapping:
		row.Samples = 0
	}
	if l := n.layout; l != nil && c.part.Work != claimsfile.Searched {
		row.Pairs, row.Of = len(l.Pairs), len(l.Inputs)
		for _, in := range l.Inputs[:min(maxShownInputs, len(l.Inputs))] {
			side := reports.Side("A")
			if in.AtB {
				side = "B"
			}
			row.Inputs = append(row.Inputs, reports.PlanInput{Pair: in.Pair + 1, Side: side, Uses: in.Uses,
				Search: in.Search, Certify: l.Shards * in.Shard})
		}
	}
	return nil
}
