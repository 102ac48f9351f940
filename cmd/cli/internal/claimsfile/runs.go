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

// ofRuns tells whether the outputs are the scores of training runs, one a run: where an event of them is named, where
// there are few, and where recorded ones are bet on in their order.
func (s *Subject) ofRuns() bool {
	switch {
	case s.event != (training.Event{}):
		return true
	case s.Recorded != nil:
		return s.Anytime || min(len(s.Recorded.A.Outputs), len(s.Recorded.B.Outputs)) < training.FewRuns
	}
	_, curve := s.Guarantee.Curve() // against which few runs bet as any samples do
	return s.Found == nil && len(s.Command) > 0 && s.Samples > 0 && s.Samples < training.FewRuns && !curve
}

// SetEvent makes the event of the flags that of the runs.
func (s *Subject) SetEvent(f *CanaryFlags, flags *pflag.FlagSet) (err error) {
	s.event, err = f.Event(flags)
	return err
}

// checkRuns refuses what is no claim about training runs.
func (s *Subject) checkRuns(g privacy.Guarantee) error {
	err := training.MultiRunAudit{Guarantee: g}.Check()
	switch {
	case s.Recorded != nil && !(training.AllNumbers(s.Recorded.A) && training.AllNumbers(s.Recorded.B)):
		err = errors.New("the outputs are no scores, of which an event or the order of the runs could be told: want numbers")
	case s.Recorded == nil && (len(s.Pairs) != 1 || s.Found != nil):
		err = errors.New("training runs have one pair of inputs, with the record and without")
	case s.Recorded == nil && err == nil:
		err = s.trained(g, s.process()).Check()
	}
	if err != nil {
		return fmt.Errorf("%s: claim %q: %w", s.Source, s.Name, err)
	}
	return nil
}

// trained is the audit of a process that trains once a request.
func (s *Subject) trained(g privacy.Guarantee, p *process.Process) training.TrainedAudit[json.RawMessage] {
	t := training.TrainedAudit[json.RawMessage]{Training: s.stood(p), With: s.Pairs[0].A,
		Without: s.Pairs[0].B, Runs: int(s.Samples)}
	t.Guarantee, t.Event, t.Anytime = g, s.event, s.Anytime
	t.A.Name, t.B.Name = "runs at A", "runs at B"
	return t
}

// auditRuns audits recorded scores, or a process that trains once a request, against what is claimed and the
// trade-off function of an account.
func (s *Subject) auditRuns() verify.Check {
	described := func(of func(*training.Described) verify.Check) verify.Check {
		if s.Account == nil {
			return of(nil)
		}
		return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
			account, err := s.Account.described()
			if err != nil {
				return nil, err
			}
			return of(account).Prepare(ctx, settings)
		})
	}
	if s.Recorded != nil {
		return s.of(func(g privacy.Guarantee) verify.Check {
			a := training.MultiRunAudit{A: s.Recorded.A, B: s.Recorded.B, Guarantee: g, Event: s.event, Anytime: s.Anytime}
			return described(func(d *training.Described) verify.Check { a.Described = d; return a })
		})
	}
	watched := s.process()
	s.Processes = append(s.Processes, watched)
	return process.Check{Process: watched, Check: s.of(func(g privacy.Guarantee) verify.Check {
		t := s.trained(g, watched)
		return described(func(d *training.Described) verify.Check { t.Described = d; return t })
	})}
}
