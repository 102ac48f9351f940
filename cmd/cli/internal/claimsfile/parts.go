package claimsfile

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/training"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// StandIn answers in the place of a process. Dry runs use it to count outputs.
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
	// Tries are the candidates of a search.
	Tries int
	// Inputs is the number of inputs at which a statement is sampled.
	Inputs int
}

// part is one about privacy, unless its kind is set to another.
func (s *Subject) part(work Work, suffix, statement string, check verify.Check) Part {
	return Part{Work: work, Claim: verify.Claim{ID: s.ID() + suffix, Source: s.Source, Kind: verify.Privacy,
		Statement: statement, Check: check}}
}

// Claims are those of the parts.
func (s *Subject) Claims() (claims []verify.Claim) {
	for _, p := range s.Parts() {
		claims = append(claims, p.Claim)
	}
	return claims
}

// Parts are the privacy claim and the one about precision of a mechanism, those about canaries, an account and replays,
// and what else is stated of the mechanism. The first one has the id of the subject.
func (s *Subject) Parts() []Part {
	if s.Broken != nil {
		return []Part{s.part(Unread, "", "a claim that cannot be read",
			verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { return nil, s.Broken }))}
	}
	parts := slices.Concat(s.mechanism(), s.canaryClaims(), s.accountClaims(), s.replayClaims(), s.statedClaims())
	for i := range parts {
		s.size(&parts[i])
	}
	if len(parts) > 0 {
		parts[0].Claim.ID = s.ID()
	}
	return parts
}

// size sets how many samples a part can have, how they are divided, and the candidates of its search.
func (s *Subject) size(p *Part) {
	p.Least, p.Most = 1, math.MaxInt64/64
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
	}
	if s.Found != nil {
		p.Tries = s.Found.Search
	}
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

// Process returns a process of the command, for requests other than those of the claims.
func (s *Subject) Process() *process.Process { return s.process() }

// FirstInput returns an input at which the claims ask the command, nil if none is known.
func (s *Subject) FirstInput() json.RawMessage {
	if len(s.Pairs) > 0 {
		return s.Pairs[0].A
	}
	for _, made := range s.Stated {
		switch m := made.Statement.(type) {
		case Unbiased:
			return m.Input
		case Law:
			return m.Input
		case Rate:
			return m.Written[0]
		}
	}
	if s.Found != nil {
		if singles, err := worstcase.SingleInputs[json.RawMessage](s.Found.Space); err == nil && len(singles.First) > 0 {
			return singles.First[0].Input // the check itself names the error
		}
	}
	return nil
}
