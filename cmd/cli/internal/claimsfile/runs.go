package claimsfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/training"
)

// isMultiRun reports whether the outputs are scores of training runs, so that a multi-run audit applies: an event is
// named, there are few outputs, or a sequential test uses recorded ones in their order.
func (s *Subject) isMultiRun() bool {
	switch {
	case s.event != (training.Event{}):
		return true
	case s.Recorded != nil:
		return s.Anytime || min(len(s.Recorded.A.Outputs), len(s.Recorded.B.Outputs)) < training.FewRuns
	}
	_, curve := s.Guarantee.Curve() // few runs are tested against a curve as any samples are
	return s.Found == nil && len(s.Command) > 0 && s.Samples > 0 && s.Samples < training.FewRuns && !curve
}

// SetEvent sets the event of a multi-run audit from the flags.
func (s *Subject) SetEvent(f *CanaryFlags, flags *pflag.FlagSet) (err error) {
	s.event, err = f.Event(flags)
	return err
}

// checkRuns returns an error if the claim cannot be tested by a multi-run audit.
func (s *Subject) checkRuns(g privacy.Guarantee) error {
	err := training.MultiRunAudit{Guarantee: g}.Check()
	switch {
	case s.Recorded != nil && !(training.AllNumbers(s.Recorded.A) && training.AllNumbers(s.Recorded.B)):
		err = errors.New("the outputs are not scores, but an audit of training runs needs scores: want numbers")
	case s.Recorded == nil && (len(s.Pairs) != 1 || s.Found != nil):
		err = errors.New("training runs need exactly one pair of inputs: with the record and without it")
	case s.Recorded == nil && err == nil:
		err = s.trainedAudit(g, s.process()).Check()
	}
	if err != nil {
		return fmt.Errorf("%s: claim %q: %w", s.Source, s.Name, err)
	}
	return nil
}

// trainedAudit returns the multi-run audit of a process that trains once per output.
func (s *Subject) trainedAudit(g privacy.Guarantee, p *process.Process) training.TrainedAudit[json.RawMessage] {
	t := training.TrainedAudit[json.RawMessage]{Training: s.standIn(p), With: s.Pairs[0].A,
		Without: s.Pairs[0].B, Runs: int(s.Samples)}
	t.Guarantee, t.Event, t.Anytime = g, s.event, s.Anytime
	t.A.Name, t.B.Name = "runs at A", "runs at B"
	return t
}

// auditRuns returns the multi-run audit of recorded scores or of a process, against the guarantee and against the
// trade-off function of the account if there is one.
func (s *Subject) auditRuns() verify.Check {
	withAccount := func(check func(*training.Described) verify.Check) verify.Check {
		if s.Account == nil {
			return check(nil)
		}
		return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
			account, err := s.Account.described()
			if err != nil {
				return nil, err
			}
			return check(account).Prepare(ctx, settings)
		})
	}
	if s.Recorded != nil {
		return s.privacyCheck(func(g privacy.Guarantee) verify.Check {
			a := training.MultiRunAudit{A: s.Recorded.A, B: s.Recorded.B, Guarantee: g, Event: s.event, Anytime: s.Anytime}
			return withAccount(func(d *training.Described) verify.Check { a.Described = d; return a })
		})
	}
	watched := s.process()
	s.Processes = append(s.Processes, watched)
	return process.Check{Process: watched, Check: s.privacyCheck(func(g privacy.Guarantee) verify.Check {
		t := s.trainedAudit(g, watched)
		return withAccount(func(d *training.Described) verify.Check { t.Described = d; return t })
	})}
}
