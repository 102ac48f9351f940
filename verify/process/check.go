package process

import (
	"context"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Check is a check of a process. It ends the process when the check is judged, fails or runs out of time. Warnings
// about the replies are added to the evidence.
type Check struct {
	verify.Check
	Process *Process

	store *preparationStore // nil without a journal
}

// Prepare prepares the check, which starts the process, or reads the replies of an earlier preparation from the
// journal.
func (p Check) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	context.AfterFunc(ctx, p.close)
	trial, err := p.store.prepare(ctx, p.Check, p.Process, s)
	if unusable := p.Process.protocol.usable(); unusable != nil {
		err = unusable
	}
	if err != nil || trial == nil {
		p.close()
		return nil, err
	}
	return processedTrial{Trial: trial, owner: p}, nil
}

func (p Check) close() { _ = p.Process.Close() } // Close returns nil

type processedTrial struct {
	verify.Trial
	owner Check
}

// Sample ends the process when its context ends, which is when the last shard is done or a shard has failed.
func (t processedTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	context.AfterFunc(ctx, t.owner.close)
	return t.Trial.Sample(ctx, shard)
}

func (t processedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	t.owner.close()
	e, err := t.Trial.Judge(merged)
	warnings := t.owner.Process.Warnings()
	if t.owner.Process.Seedless && !e.Exact {
		warnings = append(warnings, verify.SeedlessProcess)
	}
	unseeded := !e.Exact && t.owner.Process.unseeded(warnings)
	e.Warnings = append(e.Warnings, warnings...)
	e.Unseeded = e.Unseeded || unseeded
	e.Statistics.Note(unseeded, warnings...)
	return e, err
}

// Done reports whether the trial needs no more samples. Only a trial that implements [empirical.Stopper] stops early.
func (t processedTrial) Done(merged empirical.Tally) bool {
	s, ok := t.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}
