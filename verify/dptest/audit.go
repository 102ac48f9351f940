package dptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Audit fails the test if it can show that the mechanism breaks the claim on some of the
// inputs. See the package documentation for what that means, and for what a
// mechanism must do.
func Audit[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, claim privacy.Guarantee, inputs Inputs[D],
	options ...Option) {
	t.Helper()
	var m verify.Mechanism[D, O]
	if mechanism != nil {
		m = ReleaseFunc[D, O](func(r *rand.Rand, input D) (O, error) { return mechanism(r, input), nil })
	}
	AuditMechanism(t, m, claim, inputs, options...)
}

// ReleaseFunc is a mechanism made of a function that may fail.
type ReleaseFunc[D, O any] func(r *rand.Rand, input D) (O, error)

// Release calls f.
func (f ReleaseFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }

// AuditMechanism is [Audit] for a [verify.Mechanism]. Its batch form is used where
// it has one.
func AuditMechanism[D, O any](t testing.TB, m verify.Mechanism[D, O], claim privacy.Guarantee, inputs Inputs[D],
	options ...Option) {
	t.Helper()
	s, err := settingsOf(options)
	if err != nil {
		t.Fatalf("dptest: claim %s was not tested: %v", claim, err)
		return
	}
	command := reproduce(t.Name(), callerPackage(), s.seed)
	f, err := run(m, claim, inputs, s, deadline(t, s.timeout))
	switch {
	case err != nil:
		t.Fatalf("dptest: claim %s was not tested: %s\n  to run again: %s", claim, explain(err), command)
	case f.Verdict == verify.Refuted:
		t.Error(refutation(claim, f, command))
	case f.Verdict == verify.Consistent:
		t.Logf("dptest: claim %s was not refuted on %d pairs: certified %s ≥ %.4g%s; %s%s", claim, len(f.Pairs), f.Quantity,
			f.Lower.X, certifiedDelta(claim, f.Evidence), f.Power, warned(f.Evidence))
	default:
		text := fmt.Sprintf("dptest: claim %s is neither refuted nor borne out on %d pairs: certified %s ≥ %.4g%s; %s\n  "+
			"to see more: %s; raise dptest.Samples (%d now), give pairs that differ more, or ask for less by dptest.Mass",
			claim, len(f.Pairs), f.Quantity, f.Lower.X, certifiedDelta(claim, f.Evidence), f.Power, f.Needed, s.samples) +
			warned(f.Evidence)
		if s.strict {
			t.Error(text + "\n  this test is strict: it must have the power to see a violation\n  " + again(f.Unseeded) + ": " +
				command)
			return
		}
		t.Log(text)
	}
}

// deadline leaves the test the time to report.
func deadline(t testing.TB, timeout time.Duration) time.Duration {
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := d.Deadline(); ok {
			left := time.Until(end)
			return min(timeout, left-min(5*time.Second, left/10))
		}
	}
	return timeout
}

// run judges the claim, with all that user code does under a time limit.
func run[D, O any](m verify.Mechanism[D, O], claim privacy.Guarantee, inputs Inputs[D], s settings,
	timeout time.Duration) (privacy.Finding[D], error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), timeout,
		fmt.Errorf("%w: no result within %v: the mechanism hangs or is slow; lower dptest.Samples or raise dptest.Timeout",
			verify.ErrTimeout, timeout))
	defer cancel()
	pool := empirical.NewPool(runtime.GOMAXPROCS(0))
	seed := empirical.NewSeed(s.seed).Derive("dptest")
	if inputs.space != nil {
		if err := inputs.space.Check(); err != nil {
			return privacy.Finding[D]{}, err
		}
	}
	proposed, err := empirical.Do(ctx, pool,
		func(context.Context) ([]neighbours.Pair[D], error) { return inputs.drawn(seed), nil })
	if err != nil {
		return privacy.Finding[D]{}, fmt.Errorf("drawing inputs: %w", err)
	}
	p := privacy.PairAudit[D, O]{
		Audit: privacy.Audit[D, O]{Mechanism: m, Pairs: inputs.given, Guarantee: claim, Samples: s.samples,
			Effect: s.effect, Mass: s.mass, Anytime: s.anytime},
		Proposed: proposed,
		Space:    inputs.space,
	}
	f, err := p.Judge(ctx, verify.Settings{Budget: verify.Standard, Alpha: s.alpha, Seed: seed}, pool)
	if err == nil && f.Verdict != verify.Refuted {
		err = nothingButNaN(ctx, pool, m, f.Pairs, seed)
	}
	return f, err
}

// nothingButNaN is an error where no output is a number: then there is nothing to tell
// the inputs apart by, and the mechanism is broken rather than private.
func nothingButNaN[D, O any](ctx context.Context, pool *empirical.Pool, m verify.Mechanism[D, O],
	pairs []neighbours.Pair[D], seed empirical.Seed) error {
	numbers, err := empirical.Do(ctx, pool, func(context.Context) (bool, error) {
		r := seed.Derive("nan").Rand()
		for _, p := range pairs {
			for _, input := range []D{p.A, p.A, p.B, p.B} {
				if o, err := m.Release(r, input); err != nil || !allNaN(o) {
					return true, err
				}
			}
		}
		return false, nil
	})
	if err == nil && !numbers {
		err = errors.New("the mechanism returned NaN, and nothing else, on every input that was tried")
	}
	return err
}

// allNaN tells whether an output is NaN, or a vector of nothing else.
func allNaN(output any) bool {
	switch o := output.(type) {
	case float64:
		return math.IsNaN(o)
	case []float64:
		return len(o) > 0 && !slices.ContainsFunc(o, func(v float64) bool { return !math.IsNaN(v) })
	}
	return false
}
