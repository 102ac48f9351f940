package claimsfile

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/training"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// StandIn answers in the place of a process.
type StandIn interface {
	verify.Mechanism[json.RawMessage, any]
	verify.BatchMechanism[json.RawMessage, any]
	Warnings() []string
}

// stood is what is asked: the process, or what stands in its place.
func (s *Subject) stood(p *process.Process) StandIn {
	if s.Stand != nil {
		return s.Stand
	}
	return p
}

// Work is what a claim asks of its mechanism.
type Work string

const (
	Audited   Work = "audit"       // of given pairs
	Bets      Work = "bets"        // of given pairs, until they refute
	Searched  Work = "search"      // of pairs that are found
	Bits      Work = "precision"   // of given pairs
	Trainings Work = "trainings"   // one a run
	Stating   Work = "statement"   // at given inputs
	Finding   Work = "search over" // a statement at inputs that are found
	Mapping   Work = "map"         // a sensitivity, of a map without noise
	Replays   Work = "replay"
	Recorded  Work = "recorded"
	Computed  Work = "computed"
	Unread    Work = "unread" // the claim cannot be read
)

// Part is a claim of a subject with what it asks of the mechanism.
type Part struct {
	Claim verify.Claim
	Work  Work
	// Least and Most are how many samples it can have, as one of its sort.
	Least, Most int64
	// SamplingPlan divides the samples of an audit; of a search, those of the certificate that follows it. Nil of other
	// claims.
	SamplingPlan func(context.Context, verify.Settings) (privacy.SamplingPlan, error)
	// Fits are outputs that the claim can be about, for whoever does not ask the mechanism.
	Fits []any
	// Tries are the candidates of a search.
	Tries int
}

// Parts are the claims of a subject, in their order.
func (s *Subject) Parts() (parts []Part) {
	for _, c := range s.Claims() {
		p := Part{Claim: c, Work: s.work(c.ID), Least: 1, Most: math.MaxInt64 / 64, Fits: fractions()}
		switch p.Work {
		case Audited, Bets:
			if p.Work == Audited || s.Samples >= training.FewRuns { // fewer are those of training runs
				p.Least = max(privacy.MinSamples, training.FewRuns)
			}
			p.SamplingPlan = s.laid(func(g privacy.Guarantee) dividedCheck { audit, _ := s.audit(g); return audit })
		case Searched:
			p.Least = worstcase.MinSamples(s.Found.Search)
			p.SamplingPlan = s.laid(func(g privacy.Guarantee) dividedCheck { return s.certificate(g) })
		case Bits:
			p.Least = privacy.MinSamples
			p.SamplingPlan = s.laid(func(g privacy.Guarantee) dividedCheck { return s.bits(g, nil) })
		case Trainings:
			if p.Most = training.MaxRuns; s.event == (training.Event{}) {
				p.Most = training.FewRuns - 1
			}
		case Finding:
			p.Least = worstcase.MinSamples(s.Found.Search)
		case Stating, Mapping:
			p.Fits = fitting(s.madeIn(c.ID).Statement)
		}
		if s.Found != nil {
			p.Tries = s.Found.Search
		}
		parts = append(parts, p)
	}
	return parts
}

// work is that of a claim, by its id.
func (s *Subject) work(id string) Work {
	suffix := strings.TrimPrefix(id, s.ID())
	switch {
	case s.Broken != nil:
		return Unread
	case suffix == PrecisionSuffix && s.Recorded == nil:
		return Bits
	case suffix == "" && s.Sampled() && s.Recorded == nil:
		switch {
		case s.ofRuns():
			return Trainings
		case s.Found != nil:
			return Searched
		case s.Anytime:
			return Bets
		}
		return Audited
	case s.Recorded != nil && (suffix == "" || suffix == PrecisionSuffix) || s.Outputs != nil:
		return Recorded
	case suffix == canariesSuffix || suffix == "" && s.canaries != nil:
		return Recorded
	case suffix == accountSuffix || suffix == statesSuffix || suffix == "" && s.Account != nil:
		return Computed
	case strings.HasPrefix(suffix, replaySuffix):
		return Replays
	}
	switch s.madeIn(id).Statement.(type) {
	case interface{ Asked() *OverInputs }:
		return Finding
	case Sensitivity:
		return Mapping
	}
	return Stating
}

// madeIn is the statement of a claim, by its id; the first one has that of the subject, where no guarantee goes before.
func (s *Subject) madeIn(id string) *statedFields {
	key := strings.TrimPrefix(strings.TrimPrefix(id, s.ID()), "/")
	return s.Stated[max(0, slices.IndexFunc(s.Stated, func(m *statedFields) bool { return m.key == key }))]
}

// fractions are numbers of which none repeats soon.
func fractions() (out []any) {
	const n = 1024
	for i := range n {
		out = append(out, (float64(i)+0.5)/n)
	}
	return out
}

// fitting are outputs of the shape of a statement.
func fitting(s Statement) []any {
	within := func(x float64, ends *[2]float64) float64 {
		if ends != nil {
			return min(max(x, ends[0]), ends[1])
		}
		return x
	}
	switch s := s.(type) {
	case Unbiased:
		var out []any
		for _, x := range s.Of {
			out = append(out, within(x, s.Range))
		}
		return []any{out}
	case Rate:
		return []any{within(1, s.Range)}
	case Sensitivity:
		return []any{0.0}
	}
	return fractions()
}

// dividedCheck is a check that says beforehand how it divides its samples.
type dividedCheck interface {
	SamplingPlan(context.Context, verify.Settings) (privacy.SamplingPlan, error)
}

// laid is the layout of a check of the guarantee, or of what the account gives.
func (s *Subject) laid(of func(privacy.Guarantee) dividedCheck) func(context.Context,
	verify.Settings) (privacy.SamplingPlan,
	error) {
	return func(ctx context.Context, settings verify.Settings) (out privacy.SamplingPlan, err error) {
		_, err = s.of(func(g privacy.Guarantee) verify.Check {
			return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (_ verify.Trial, err error) {
				out, err = of(g).SamplingPlan(ctx, settings)
				return nil, err
			})
		}).Prepare(ctx, settings)
		return out, err
	}
}

// bits is the probe of low-order bits.
func (s *Subject) bits(g privacy.Guarantee, p *process.Process) privacy.FloatingPoint[json.RawMessage, any] {
	audit, _ := s.audit(g)
	if s.Found != nil {
		audit.Pairs = append(audit.Pairs, s.edges(precisionPairs)...)
	}
	return privacy.FloatingPoint[json.RawMessage, any]{
		Mechanism: s.stood(p), Pairs: audit.Pairs, Guarantee: g, Samples: min(s.Samples, precisionSamples),
	}
}

// certifiedAudit is the audit of the one pair that a search has found, by what it leaves.
type certifiedAudit struct {
	privacy.Audit[json.RawMessage, any]
}

func (s *Subject) certificate(g privacy.Guarantee) dividedCheck {
	audit, _ := s.audit(g)
	audit.Pairs = append(audit.Pairs, s.edges(1)...)[:1]
	return certifiedAudit{audit}
}

// SamplingPlan is of the samples that a search leaves, at any budget.
func (c certifiedAudit) SamplingPlan(ctx context.Context, s verify.Settings) (privacy.SamplingPlan, error) {
	c.Samples = worstcase.CertifyingSamples(s.Budget.Samples(c.Samples))
	s.Budget = verify.Standard
	return c.Audit.SamplingPlan(ctx, s)
}

// Process is one of the command, for whoever asks it on his own.
func (s *Subject) Process() *process.Process { return s.process() }

// Asked are inputs that the claims ask the command about, the first so many.
func (s *Subject) Asked(most int) (inputs []json.RawMessage) {
	add := func(all ...json.RawMessage) {
		for _, in := range all {
			if in != nil && len(inputs) < most && !slices.ContainsFunc(inputs,
				func(other json.RawMessage) bool { return string(other) == string(in) }) {
				inputs = append(inputs, in)
			}
		}
	}
	for _, p := range s.Pairs {
		add(p.A, p.B)
	}
	for _, made := range s.Stated {
		switch m := made.Statement.(type) {
		case Unbiased:
			add(m.Input)
		case Law:
			add(m.Input)
		case Rate:
			add(m.Written...)
		}
	}
	if s.Found != nil && len(inputs) == 0 {
		if singles, err := worstcase.SingleInputs[json.RawMessage](s.Found.Space); err == nil { // else the check says so
			for _, one := range singles.First {
				add(one.Input)
			}
		}
	}
	return inputs
}

// Grid is how many inputs the statement of a claim is sampled at.
func (s *Subject) Grid(id string) int { return s.madeIn(id).Inputs() }
