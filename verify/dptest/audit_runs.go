package dptest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// auditRuns audits given pairs, and adds the run to the evidence of earlier runs. It returns ok = false if it has ended
// the test.
func auditRuns[D, O any](t testing.TB, j *judging, m verify.Mechanism[D, O], claim privacy.Guarantee,
	pairs Inputs[D]) (e verify.Evidence, ok bool) {
	t.Helper()
	if err := j.s.checkRuns(len(pairs.draw) == 0 && pairs.space == nil); err != nil {
		j.fatal(t, err)
		return e, false
	}
	j.statement = claimKey(claim)
	given := inputs.NamedPairs(pairs.given)
	for i, p := range given {
		j.statement += "; " + inputs.PairKey(p)
		given[i].Name = fmt.Sprintf("%s: A = %s, B = %s", p.Name, inputs.ShortenedText(inputs.InputText(p.A)),
			inputs.ShortenedText(inputs.InputText(p.B)))
	}
	seed := j.settings("dptest").Seed
	unchanged := inputs.Unchanged("mechanism", inputs.PairKey, given...)
	j.bets, j.valid = &eprocess.Bets{}, func() error {
		if err := unchanged(); err != nil {
			return err
		}
		_, err := within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (struct{}, error) {
			return struct{}{}, nothingButNaN(ctx, pool, m, given, seed)
		})
		return err
	}
	audit := privacy.Audit[D, O]{Mechanism: m, Pairs: given, Guarantee: claim, Samples: j.s.samples, Effect: j.s.effect,
		EventProbability: j.s.mass, Places: j.s.places}
	e, ok = j.judge(t, privacy.RunsAudit[D, O]{Audit: audit, Bets: j.bets}, "dptest")
	if ok && e.Verdict != verify.Refuted && j.s.lowBits == LowBitsWarn {
		s := j.settings("dptest")
		s.Seed = s.Seed.Derive("low bits")
		bits, err := within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (verify.Evidence, error) {
			return judgeLowBits(ctx, pool, m, given[:min(lowBitsPairs, len(given))], claim, min(j.s.samples, lowBitsSamples), s)
		})
		if err != nil {
			j.fatal(t, err)
			return e, false
		}
		if bits.Verdict == verify.Refuted {
			e.Warnings = append(e.Warnings, bits.Warnings[len(bits.Warnings)-1])
		}
	}
	e.Needed = morePower(e.Needed, j.s.samples)
	return e, ok
}

// checkRuns returns an error if an audit with evidence cannot have the settings.
func (s settings) checkRuns(givenPairs bool) error {
	switch {
	case !givenPairs || s.search > 0:
		return errors.New("an audit with dptest.Evidence needs given pairs: use dptest.Pair or dptest.Pairs")
	case s.anytime:
		return errors.New("an audit with dptest.Evidence bets in every run: leave dptest.Anytime out")
	case s.lowBits == LowBitsFail:
		return errors.New("the error probability of the low-order bits applies to each run: leave dptest.LowBits out, and " +
			"use dptest.Precision in another test")
	}
	return nil
}
