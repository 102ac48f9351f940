package claimsfile

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// CanaryFlags holds the flags of a one-run audit: the file of canary scores, the event, and the inclusion
// probability.
type CanaryFlags struct {
	Path  string
	event string
	coin  float64
}

// Names of the flags that apply to canary scores.
const (
	eventFlag     = "event"
	inclusionFlag = "inclusion"
)

// fairCoin is the default inclusion probability.
const fairCoin = 0.5

// Add adds the flags except for the file.
func (f *CanaryFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.event, eventFlag, "",
		"`EVENT` fixed beforehand, for example 'score >= 0.3'")
	c.Flags().Float64Var(&f.coin, inclusionFlag, fairCoin,
		"inclusion `PROBABILITY` of each canary")
}

// Unread returns an error if a flag was given without the canary file that it applies to. An event may also apply to
// a multi-run audit.
func (f *CanaryFlags) Unread(flags *pflag.FlagSet, runs bool) error {
	for _, name := range []string{eventFlag, inclusionFlag} {
		if flags.Changed(name) && !(runs && name == eventFlag) {
			return fmt.Errorf("--%s applies to the file of --canaries: give that file, or leave the flag out", name)
		}
	}
	return nil
}

// Event returns the event of the flags, or the zero value if none was given.
func (f *CanaryFlags) Event(flags *pflag.FlagSet) (training.Event, error) {
	if !flags.Changed(eventFlag) {
		return training.Event{}, nil
	}
	return training.ParseEvent(f.event)
}

// Canaries returns the claim of the flags about a file of canary scores.
func (f *CanaryFlags) Canaries(g *GuaranteeFlags, account AccountFile, flags *pflag.FlagSet) (Subject, error) {
	s, err := g.Claimed(account, flags)
	if err != nil {
		return s, err
	}
	s.Name, s.Source, s.At = "canaries", "scores of canaries", reports.Place{File: FromRoot(f.Path)}
	s.canaries, err = readCanaries(f.Path, f.event, f.coin)
	return s, err
}

// readCanaries reads a file of canary scores and the event by which inclusion is guessed.
func readCanaries(path, event string, coin float64) (*training.OneRunAudit, error) {
	if !(coin > 0 && coin < 1) {
		return nil, fmt.Errorf("inclusion probability %v: want a number above 0 and below 1", coin)
	}
	a := &training.OneRunAudit{Chance: coin}
	var err error
	if event != "" {
		if a.Event, err = training.ParseEvent(event); err != nil {
			return nil, err
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	a.Scores, err = training.ReadScores(path, file)
	return a, err
}

// audited reports whether the claim has training runs or a mechanism, in addition to an account, to audit for
// privacy.
func (c claimFields) audited() bool { return len(c.Exec) > 0 || c.Canaries != "" || c.Recorded != nil }

// readCanaries reads the canaries of a claim, if it has any.
func (p configParser) readCanaries(at string, c claimFields, s *Subject) (err error) {
	switch {
	case c.Canaries == "" && p.node(at+".canaries") != nil:
		return p.errorf(at+".canaries", "claim %q: canaries names no file", c.Name)
	case c.Canaries == "" && p.node(at+".event") != nil && (c.Recorded != nil || len(c.Exec) > 0):
		if s.event, err = training.ParseEvent(c.Event); err != nil {
			return p.errorf(at+".event", "claim %q: %w", c.Name, err)
		}
		return nil
	case c.Canaries == "" && p.node(at+".event") != nil:
		return p.errorf(at+".event", "claim %q: event applies to canaries or to training runs: the claim has none", c.Name)
	case c.Canaries == "" && p.node(at+".inclusion") != nil:
		return p.errorf(at+".inclusion", "claim %q: inclusion applies to canaries: the claim has none", c.Name)
	case c.Canaries == "":
		return nil
	case c.Account == nil && !s.guaranteed:
		return p.errorf(at+".canaries", "claim %q: canaries test a guarantee, and none is claimed: want guarantee or "+
			"account", c.Name)
	}
	coin := fairCoin
	if c.Inclusion != nil {
		coin = *c.Inclusion
	}
	if p.node(at+".event") != nil {
		if _, err := training.ParseEvent(c.Event); err != nil {
			return p.errorf(at+".event", "claim %q: %w", c.Name, err)
		}
	}
	if s.canaries, err = readCanaries(p.resolve(c.Canaries), c.Event, coin); err == nil {
		err = s.checkCanaries()
	}
	if err != nil {
		return p.errorf(at+".canaries", "claim %q: %w", c.Name, err)
	}
	return nil
}

// checkCanaries returns an error if the claim cannot be tested with its canaries.
func (s *Subject) checkCanaries() error {
	if s.canaries == nil {
		return nil
	}
	audit := *s.canaries
	audit.Guarantee = s.Guarantee
	if s.Account != nil {
		audit.Guarantee = s.Account.against.Guarantee(0)
	}
	return audit.Check()
}

const canariesSuffix = "/canaries"

// canaryClaims returns the claim about the canaries, if there are any.
func (s *Subject) canaryClaims() []Part {
	if s.canaries == nil {
		return nil
	}
	return []Part{s.part(Recorded, canariesSuffix,
		fmt.Sprintf("the training of the canaries in %s %s", s.canaries.Scores.Name, s.privacyPredicate()),
		s.privacyCheck(func(g privacy.Guarantee) verify.Check { return s.auditCanaries(g) }))}
}

// auditCanaries audits the canaries against a guarantee, and against the trade-off function of the account if there
// is one.
func (s *Subject) auditCanaries(g privacy.Guarantee) verify.Check {
	audit := *s.canaries
	audit.Guarantee = g
	if s.Account == nil {
		return audit
	}
	return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
		var err error
		if audit.Described, err = s.Account.described(); err != nil {
			return nil, err
		}
		return audit.Prepare(ctx, settings)
	})
}

// described returns the trade-off function of the account.
func (a *Account) described() (*training.Described, error) {
	lines, err := a.release.TradeOff()
	if err != nil {
		return nil, errors.Join(errors.New("the trade-off function of the account is not known"), err)
	}
	return &training.Described{Null: lines, Description: a.release.String(), Steps: equalSteps(a.release.Event)}, nil
}

// equalSteps returns the steps of an account if it consists of equal steps with Gaussian noise; otherwise nil.
func equalSteps(e event.Event) *training.Steps {
	steps := func(rate float64, e event.Event) *training.Steps {
		if e.Kind != event.KindGaussian {
			return nil
		}
		return &training.Steps{Rate: rate, Noise: e.A / e.Sensitivity, Count: 1}
	}
	switch e.Kind {
	case event.KindGaussian:
		return steps(1, e)
	case event.KindPoisson, event.KindTruncatedPoisson:
		return steps(e.A, e.Parts[0])
	case event.KindWithoutReplacement:
		return steps(e.B/float64(e.Count), e.Parts[0])
	case event.KindFixedBatches, event.KindShuffledBatches:
		return steps(1, e.Parts[0])
	case event.KindRepeat:
		s := equalSteps(e.Parts[0])
		if s != nil {
			s.Count *= e.Count
		}
		return s
	case event.KindCompose:
		return equalParts(e.Parts)
	}
	return nil
}

// equalParts returns the steps of composed accounts, or nil if they differ.
func equalParts(parts []event.Event) (all *training.Steps) {
	for _, part := range parts {
		s := equalSteps(part)
		switch {
		case s == nil || all != nil && (s.Rate != all.Rate || s.Noise != all.Noise):
			return nil
		case all != nil:
			s.Count += all.Count
		}
		all = s
	}
	return all
}
