package dptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// Audit fails the test if it can show that the mechanism breaks the claim on some of the
// inputs. See the package documentation for what that means, and for what a
// mechanism must do. All options but [Range], [Variance] and [Resolution] are its own.
func Audit[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, claim privacy.Guarantee, pairs Inputs[D],
	options ...Option) {
	t.Helper()
	var m verify.Mechanism[D, O]
	if mechanism != nil {
		m = releaseOf(mechanism)
	}
	AuditMechanism(t, m, claim, pairs, options...)
}

// ReleaseFunc is a mechanism made of a function that may fail.
type ReleaseFunc[D, O any] func(r *rand.Rand, input D) (O, error)

// Release calls f.
func (f ReleaseFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }

func releaseOf[D, O any](mechanism func(*rand.Rand, D) O) ReleaseFunc[D, O] {
	return func(r *rand.Rand, input D) (O, error) { return mechanism(r, input), nil }
}

// Must makes of a function that may fail one that ends the test with the error: for all tests
// that take a function.
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

// released is an error of a mechanism, on its way out of a function that returns none.
type released struct{ error }

// auditOptions are those of an audit.
var auditOptions = append(common[:len(common):len(common)], "Effect", "Mass", "Anytime", "LowBits", "Search")

// AuditMechanism is [Audit] for a [verify.Mechanism]. Its batch form is used where
// it has one.
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
			line(again(e.Unseeded)+":", "%s", command))
	case f.Verdict == verify.Consistent:
		note(t, fmt.Sprintf("dptest: claim %s was not refuted on %d pairs: certified %s ≥ %.4g%s; %s%s", about, len(f.Pairs),
			f.Quantity, f.Lower.X, certifiedDelta(claim, f.Evidence), f.Power, warned(f.Evidence)))
	default:
		text := fmt.Sprintf("dptest: claim %s is neither refuted nor borne out on %d pairs: certified %s ≥ %.4g%s; %s\n  "+
			"to see more: %s; raise dptest.Samples (%d now), give pairs that differ more, or ask for less by "+
			"dptest.EventProbability",
			about, len(f.Pairs), f.Quantity, f.Lower.X, certifiedDelta(claim, f.Evidence), f.Power, f.Needed, s.samples) +
			warned(f.Evidence)
		if s.strict {
			fail(t, text+"\n  this test is strict: it must have the power to see a violation\n  "+again(f.Unseeded)+": "+
				command)
			return
		}
		t.Log(visible.Text(text))
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

// audited is what an audit found, and what the low-order bits show.
type audited[D any] struct {
	privacy.Finding[D]
	bits verify.Evidence // the zero value where they were not looked at
}

// run judges the claim, and then the low-order bits.
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
			return f, errors.New("dptest.Search is over a space: give the inputs by dptest.Generated")
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
	f.bits, err = bits(ctx, pool, m, f.Pairs[:min(lowBitsPairs, len(f.Pairs))], claim, min(s.samples, lowBitsSamples),
		verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: seed.Derive("low bits")})
	if f.bits.Verdict == verify.Refuted && s.lowBits == LowBitsWarn {
		// The last warning says what it means.
		f.Warnings = append(f.Warnings[:len(f.Warnings):len(f.Warnings)], f.bits.Warnings[len(f.bits.Warnings)-1])
	}
	return f, err
}

// nothingButNaN is an error where no output is a number: then there is nothing to tell
// the inputs apart by, and the mechanism is broken rather than private.
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
		err = errors.New("the mechanism returned NaN, and nothing else, on every input that was tried")
	}
	return err
}

// allNaN tells whether an output is NaN, or a list of nothing else.
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
