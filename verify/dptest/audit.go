package dptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// Audit fails the test if samples of the mechanism refute the privacy claim on one of the pairs of inputs. The
// package documentation explains what failing and passing mean, and which rules a mechanism must follow. Audit
// accepts all options except [Range], [Variance] and [Resolution].
func Audit[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, claim privacy.Guarantee, pairs Inputs[D],
	options ...Option) {
	t.Helper()
	var m verify.Mechanism[D, O]
	if mechanism != nil {
		m = releaseOf(mechanism)
	}
	AuditMechanism(t, m, claim, pairs, options...)
}

// ReleaseFunc adapts a function that can return an error to [verify.Mechanism].
type ReleaseFunc[D, O any] func(r *rand.Rand, input D) (O, error)

// Release returns f(r, input).
func (f ReleaseFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }

func releaseOf[D, O any](mechanism func(*rand.Rand, D) O) ReleaseFunc[D, O] {
	return func(r *rand.Rand, input D) (O, error) { return mechanism(r, input), nil }
}

// Must converts a function that can return an error into one that does not. If f returns an error, the running test
// ends with that error. Use it to pass such a function to a test of this package.
func Must[D, O any](f func(r *rand.Rand, input D) (O, error)) func(r *rand.Rand, input D) O {
	if f == nil {
		return nil
	}
	return func(r *rand.Rand, input D) O {
		o, err := f(r, input)
		if err != nil {
			panic(released{err})
		}
		return o
	}
}

// released carries an error that a mechanism returned through a panic, see [Must].
type released struct{ error }

// auditOptions lists the options that Audit accepts.
var auditOptions = append(common[:len(common):len(common)], "Effect", "EventProbability", "Anytime", "LowBits",
	"Search", "Evidence", "EvidenceVersion", "EvidenceStart")

// AuditMechanism is like [Audit] for a [verify.Mechanism]. If the mechanism has a batch form, the audit calls the
// batch form.
func AuditMechanism[D, O any](t testing.TB, m verify.Mechanism[D, O], claim privacy.Guarantee, pairs Inputs[D],
	options ...Option) {
	t.Helper()
	s, err := settingsOf(options, auditOptions...)
	s.samples = s.size(DefaultSamples)
	s.places = outputs.Places[O]()
	about := claim.String()
	if s.name != "" {
		about += " of " + s.name
	}
	if err == nil {
		err = outputs.CheckType[O]()
	}
	if err != nil {
		stop(t, fmt.Sprintf("dptest: claim %s was not tested: %v", about, err))
		return
	}
	if s.evidence.file != "" {
		j := newJudging(t, claim.String(), options, auditOptions...)
		j.s, j.what = s, "claim "+about
		var e verify.Evidence
		var ok bool
		if m == nil || outputs.Supported[O]() {
			e, ok = auditRuns(t, j, m, claim, pairs)
		} else {
			e, ok = auditRuns(t, j, outputs.Flat(m), claim, pairs)
		}
		if ok {
			j.report(t, named[O](e))
		}
		return
	}
	command := reproduce(t.Name(), callerPackage(), s.seed)
	f, err := within(t, s, func(ctx context.Context, pool *empirical.Pool) (audited[D], error) {
		if m == nil || outputs.Supported[O]() {
			return run(ctx, pool, m, claim, pairs, s)
		}
		return run(ctx, pool, outputs.Flat(m), claim, pairs, s)
	})
	f.Evidence, f.Event = named[O](f.Evidence), inWords[O](f.Event)
	switch {
	case err != nil:
		stop(t, fmt.Sprintf("dptest: claim %s was not tested: %s\n  to run again: %s", about, explain(err), command))
	case f.Verdict == verify.Refuted:
		fail(t, refutation(about, claim, f.Finding, command))
	case f.bits.Verdict == verify.Refuted && s.lowBits == LowBitsFail:
		e := named[O](f.bits)
		fail(t, "dptest: privacy claim refuted by the low-order bits of the outputs"+details(e)+
			line("error:", "a true claim is refuted with probability at most %.2g", f.Alpha)+
			line(commandLabel(e.Unseeded)+":", "%s", command))
	case f.Verdict == verify.Consistent:
		power := f.Power
		if detected := f.DetectedViolations(); detected != "" {
			power = detected + " on any one of the pairs"
			if s.search > 0 {
				power = "only at the chosen pair: " + detected
			}
		}
		note(t, fmt.Sprintf("dptest: claim %s was not refuted on %s: certified %s ≥ %.4g%s; %s%s", about,
			verify.Plural(len(f.Pairs), "pair"), f.Quantity, f.Lower.X, certifiedDelta(claim, f.Evidence), power,
			warningLines(f.Evidence)))
	default:
		text := fmt.Sprintf("dptest: claim %s is inconclusive on %s: certified %s ≥ %.4g%s; %s\n  "+
			"for more power: %s",
			about, verify.Plural(len(f.Pairs), "pair"), f.Quantity, f.Lower.X, certifiedDelta(claim, f.Evidence), f.Power,
			morePower(f.Needed, s.samples)) +
			warningLines(f.Evidence)
		if s.strict {
			fail(t, text+"\n  the test is strict: it requires enough power to detect a violation\n  "+
				commandLabel(f.Unseeded)+": "+
				command)
			return
		}
		t.Log(visible.Text(text))
	}
}

// morePower returns what an inconclusive audit needs, with the options to set. If no number of samples suffices, it
// does not propose more.
func morePower(needed string, samples int64) string {
	named := strings.NewReplacer("set samples to", "set dptest.Samples to", "set mass to",
		"set dptest.EventProbability to").Replace(needed)
	if named != needed || !strings.HasPrefix(needed, "about ") {
		return named
	}
	return fmt.Sprintf("%s; raise dptest.Samples (now %d), use pairs that differ more, or raise dptest.EventProbability",
		needed, samples)
}

// deadline returns the time limit of an audit. It is at most the timeout and ends early enough before the deadline
// of the test to report the result: 5 s, or a tenth of the remaining time if that is less.
func deadline(t testing.TB, timeout time.Duration) time.Duration {
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := d.Deadline(); ok {
			left := time.Until(end)
			return min(timeout, left-min(5*time.Second, left/10))
		}
	}
	return timeout
}

// audited holds the result of an audit and of its check of the low-order bits.
type audited[D any] struct {
	privacy.Finding[D]
	bits verify.Evidence // zero if the low-order bits were not tested
}

// run audits the claim first. If the audit does not refute it, run also tests the low-order bits of the outputs.
func run[D, O any](ctx context.Context, pool *empirical.Pool, m verify.Mechanism[D, O], claim privacy.Guarantee,
	pairs Inputs[D], s settings) (f audited[D], err error) {
	seed := empirical.NewSeed(s.seed).Derive("dptest")
	if pairs.space != nil {
		if err := pairs.space.Check(); err != nil {
			return f, err
		}
	}
	proposed, err := empirical.Do(ctx, pool,
		func(context.Context) ([]inputs.Pair[D], error) { return pairs.proposed(seed), nil })
	if err != nil {
		return f, fmt.Errorf("drawing inputs: %w", err)
	}
	p := privacy.PairAudit[D, O]{
		Audit: privacy.Audit[D, O]{Mechanism: m, Pairs: pairs.given, Guarantee: claim, Samples: s.samples,
			Effect: s.effect, EventProbability: s.mass, Anytime: s.anytime, Places: s.places},
		Proposed: proposed,
		Space:    pairs.space,
		Smaller:  pairs.smaller,
	}
	alpha := s.alpha
	if s.lowBits == LowBitsFail {
		alpha /= 2
	}
	judge := p.Judge
	if s.search > 0 {
		if pairs.space == nil {
			return f, errors.New("dptest.Search needs a space: pass the inputs as dptest.Generated")
		}
		p.Audit.Pairs = append(p.Audit.Pairs[:len(p.Audit.Pairs):len(p.Audit.Pairs)], proposed...)
		judge = worstcase.Privacy[D, O]{Audit: p.Audit, Space: pairs.space, Search: s.search}.Judge
	}
	f.Finding, err = judge(ctx, verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: seed}, pool)
	if f.Alpha = s.alpha; err != nil || f.Verdict == verify.Refuted {
		return f, err
	}
	if err = nothingButNaN(ctx, pool, m, f.Pairs, seed); err != nil || s.lowBits == LowBitsOff {
		return f, err
	}
	f.bits, err = judgeLowBits(ctx, pool, m, f.Pairs[:min(lowBitsPairs, len(f.Pairs))], claim, min(s.samples,
		lowBitsSamples),
		verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: seed.Derive("low bits")})
	if f.bits.Verdict == verify.Refuted && s.lowBits == LowBitsWarn {
		// The last warning explains the finding about the low-order bits.
		f.Warnings = append(f.Warnings[:len(f.Warnings):len(f.Warnings)], f.bits.Warnings[len(f.bits.Warnings)-1])
	}
	return f, err
}

// nothingButNaN returns an error if every output is NaN on all inputs. The outputs are then equal for all inputs,
// so the audit would pass although the mechanism is broken.
func nothingButNaN[D, O any](ctx context.Context, pool *empirical.Pool, m verify.Mechanism[D, O],
	pairs []inputs.Pair[D], seed empirical.Seed) error {
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
		err = errors.New("the mechanism returned only NaN on all tested inputs")
	}
	return err
}

// allNaN reports whether an output is NaN or a non-empty list that contains only NaN.
func allNaN(output any) bool {
	switch o := output.(type) {
	case float64:
		return math.IsNaN(o)
	case []float64:
		return len(o) > 0 && !slices.ContainsFunc(o, func(v float64) bool { return !math.IsNaN(v) })
	case []any:
		return len(o) > 0 && !slices.ContainsFunc(o, func(v any) bool { return !allNaN(v) })
	}
	return false
}
