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

// StandIn replaces a process. Dry runs use it to count outputs.
type StandIn interface {
	verify.Mechanism[json.RawMessage, any]
	verify.BatchMechanism[json.RawMessage, any]
	Warnings() []string
}

// standIn returns the mechanism to sample: the process, or its replacement in a dry run.
func (s *Subject) standIn(p *process.Process) StandIn {
	if s.Stand != nil {
		return s.Stand
	}
	return p
}

// Work is the kind of sampling or computation that a claim needs.
type Work string

const (
	Audited   Work = "audit"       // a fixed-sample audit of given pairs
	Bets      Work = "bets"        // a sequential test of given pairs
	Searched  Work = "search"      // a search for the worst pair, and its audit
	Bits      Work = "precision"   // the floating-point probe
	Trainings Work = "trainings"   // a multi-run audit: one training per output
	Stating   Work = "statement"   // a statement at given inputs
	Finding   Work = "search over" // a statement at the worst input of a search
	Mapping   Work = "map"         // the sensitivity of a map without noise
	Replays   Work = "replay"
	Recorded  Work = "recorded"
	Computed  Work = "computed"
	Unread    Work = "unread" // the claim cannot be read
)

// Part is one claim of a subject with its cost.
type Part struct {
	Claim verify.Claim
	Work  Work
	// Least and Most bound its number of samples.
	Least, Most int64
	// SamplingPlan divides the samples of an audit, or of the certification after a search; nil for other claims.
	SamplingPlan func(context.Context, verify.Settings) (privacy.SamplingPlan, error)
	// Tries is the number of candidates of a search.
	Tries int
	// Inputs is the number of inputs at which a statement is sampled.
	Inputs int
}

// part returns a privacy claim; the caller may change its kind.
func (s *Subject) part(work Work, suffix, statement string, check verify.Check) Part {
	return Part{Work: work, Claim: verify.Claim{ID: s.ID() + suffix, Source: s.Source, Kind: verify.Privacy,
		Statement: statement, Check: check}}
}

// Claims returns the claims of all parts.
func (s *Subject) Claims() (claims []verify.Claim) {
	for _, p := range s.Parts() {
		claims = append(claims, p.Claim)
	}
	return claims
}

// Parts returns all claims of the subject: privacy and floating-point leaks of the mechanism, canaries, account,
// record and replay, and the other statements. The first one has the id of the subject. The premises of a training log
// follow.
func (s *Subject) Parts() []Part {
	if s.Broken != nil {
		return []Part{s.part(Unread, "", "a claim that cannot be read",
			verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { return nil, s.Broken }))}
	}
	parts := slices.Concat(s.mechanism(), s.canaryClaims(), s.accountClaims(), s.replayClaims(), s.statedClaims())
	if len(parts) > 0 {
		parts[0].Claim.ID = s.ID()
	}
	parts = append(parts, s.premiseClaims()...)
	for i := range parts {
		s.size(&parts[i])
	}
	return parts
}

// size sets the bounds on a part's samples, its sampling plan and its number of search candidates.
func (s *Subject) size(p *Part) {
	p.Least, p.Most = 1, math.MaxInt64/64
	switch p.Work {
	case Audited, Bets:
		if p.Work == Audited || s.Samples >= training.FewRuns { // fewer samples are training runs
			p.Least = max(privacy.MinSamples, training.FewRuns)
		}
		p.SamplingPlan = s.samplingPlan(func(g privacy.Guarantee) dividedCheck { audit, _ := s.audit(g); return audit })
	case Searched:
		p.Least = worstcase.MinSamples(s.Found.Search)
		p.SamplingPlan = s.samplingPlan(func(g privacy.Guarantee) dividedCheck { return s.certificate(g) })
	case Bits:
		p.Least = privacy.MinSamples
		p.SamplingPlan = s.samplingPlan(func(g privacy.Guarantee) dividedCheck { return s.floatingPoint(g, nil) })
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

// dividedCheck is a check that can describe its sampling plan before it runs.
type dividedCheck interface {
	SamplingPlan(context.Context, verify.Settings) (privacy.SamplingPlan, error)
}

// samplingPlan returns the sampling plan of a check against the guarantee or the account.
func (s *Subject) samplingPlan(divided func(privacy.Guarantee) dividedCheck) func(context.Context,
	verify.Settings) (privacy.SamplingPlan, error) {
	return func(ctx context.Context, settings verify.Settings) (out privacy.SamplingPlan, err error) {
		_, err = s.privacyCheck(func(g privacy.Guarantee) verify.Check {
			return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (_ verify.Trial, err error) {
				out, err = divided(g).SamplingPlan(ctx, settings)
				return nil, err
			})
		}).Prepare(ctx, settings)
		return out, err
	}
}

// floatingPoint returns the floating-point probe, which compares the low-order bits of outputs.
func (s *Subject) floatingPoint(g privacy.Guarantee, p *process.Process) privacy.FloatingPoint[json.RawMessage, any] {
	audit, _ := s.audit(g)
	if s.Found != nil {
		audit.Pairs = append(audit.Pairs, s.edges(precisionPairs)...)
	}
	return privacy.FloatingPoint[json.RawMessage, any]{
		Mechanism: s.standIn(p), Pairs: audit.Pairs, Guarantee: g, Samples: min(s.Samples, precisionSamples),
	}
}

// certifiedAudit is the audit of the pair that a search finds.
type certifiedAudit struct {
	privacy.Audit[json.RawMessage, any]
}

func (s *Subject) certificate(g privacy.Guarantee) dividedCheck {
	audit, _ := s.audit(g)
	audit.Pairs = append(audit.Pairs, s.edges(1)...)[:1]
	return certifiedAudit{audit}
}

// SamplingPlan returns the plan for the samples that remain after the search, at any budget.
func (c certifiedAudit) SamplingPlan(ctx context.Context, s verify.Settings) (privacy.SamplingPlan, error) {
	c.Samples = worstcase.CertifyingSamples(s.Budget.Samples(c.Samples))
	s.Budget = verify.Standard
	return c.Audit.SamplingPlan(ctx, s)
}

// Process returns a new process of the command, for requests that no claim makes.
func (s *Subject) Process() *process.Process { return s.process() }

// FirstInput returns an input at which a claim runs the command, or nil if none is known.
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
