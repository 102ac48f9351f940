package process

import (
	"context"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Check is a check of a process, which it ends when it is judged, when it fails
// and when its time is over; what was odd about the replies stands in the evidence.
type Check struct {
	verify.Check
	Process *Process

	kept *keptIn // nil without a journal
}

// Prepare starts the process.
func (p Check) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	context.AfterFunc(ctx, p.close)
	trial, err := p.kept.prepare(ctx, p.Check, p.Process, s)
	if odd := p.Process.protocol.usable(); odd != nil {
		err = odd
	}
	if err != nil || trial == nil {
		p.close()
		return nil, err
	}
	return processedTrial{Trial: trial, owner: p}, nil
}

func (p Check) close() { _ = p.Process.Close() } // which never fails

type processedTrial struct {
	verify.Trial
	owner Check
}

// Sample ends the process with the sampling: its context ends when the last shard is
// done, or one has failed.
func (t processedTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	context.AfterFunc(ctx, t.owner.close)
	return t.Trial.Sample(ctx, shard)
}

func (t processedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	t.owner.close()
	e, err := t.Trial.Judge(merged)
	odd := t.owner.Process.Warnings()
	if t.owner.Process.Seedless && !e.Exact {
		odd = append(odd, verify.SeedlessProcess)
	}
	unseeded := !e.Exact && t.owner.Process.unseeded(odd)
	e.Warnings = append(e.Warnings, odd...)
	e.Unseeded = e.Unseeded || unseeded
	e.Statistics.Note(unseeded, odd...)
	return e, err
}

// Done passes on the question to a trial that can have enough.
func (t processedTrial) Done(merged empirical.Tally) bool {
	s, ok := t.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}
