package dptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/replay"
)

// Replay fails the test if the release is not private by the noise primitives it calls. It records one run on an
// input and replays the run on a neighbor so that every call releases the same value. The replay detects a
// different sequence of calls, a value that moves by more than the declared sensitivity, a different output, and a
// total cost above the claim.
//
// Replay tries all given and drawn pairs and the edges of a space, then searches on from the pairs closest to a
// violation. A failure reports the call, its source line and the smallest pair. Each pair takes a few runs. Nothing
// is sampled, so a refutation has no error probability; a pass is not a proof. The cost relies on the outputs of a
// limited number of replays. Package replay describes the method and the cases without a verdict. With the zero
// Guarantee, Replay does not test the cost.
//
// Replay accepts the options Name, Samples (searched pairs, in addition to the given ones, default 300), Seed and
// Timeout.
func Replay[D, O any](t testing.TB, release func(n *primitive.Noise, input D) (O, error), claim privacy.Guarantee,
	pairs Inputs[D], options ...Option) {
	t.Helper()
	j := newJudging(t, "the release", options, "Name", "Samples", "Seed", "Timeout")
	if j == nil {
		return
	}
	p := replay.Replay[D]{Claim: claim, Space: pairs.space, Pairs: j.s.size(0)}
	if release != nil {
		p.Subject = replay.Mechanism[D, O](func(n *primitive.Noise, _ *rand.Rand, d D) (O, error) { return release(n, d) })
	}
	if len(pairs.drawn) > 0 {
		p.Draw = func(r *rand.Rand) inputs.Pair[D] { return pairs.drawn[r.IntN(len(pairs.drawn))].draw(r) }
		p.Smaller = pairs.smaller
	}
	if err := outputs.CheckType[O](); err != nil {
		j.fatal(t, err)
		return
	}
	for _, part := range p.Parts() {
		found, err := within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (replay.Finding[D], error) {
			return empirical.Do(ctx, pool, func(ctx context.Context) (replay.Finding[D], error) {
				s := j.settings("dptest")
				p.Given = append(pairs.given[:len(pairs.given):len(pairs.given)], pairs.proposed(s.Seed)...)
				return p.Find(ctx, s, part)
			})
		})
		switch {
		case err != nil:
			j.fatal(t, err)
			return
		case found.Verdict == verify.Refuted:
			fail(t, fmt.Sprintf("dptest: %s: refuted by replay: %s", j.what, part)+replayed(p.Statement(part), part, found)+
				line("to reproduce:", "%s", j.command))
		default:
			note(t, fmt.Sprintf("dptest: %s: %s: %s: needs %s", j.what, part, firstNonEmpty(found.Power, "no conclusion"),
				found.Needed))
		}
	}
}

// replayed formats the finding of a replay and its pair of inputs.
func replayed[D any](statement string, part replay.Part, f replay.Finding[D]) string {
	basis := "computed, not sampled: a release that is private by its primitives is not refuted"
	if part == replay.Account {
		basis = "computed, not sampled, from replays in which the output determined what each charged call released"
	}
	return line("statement:", "%s", statement) + line("found:", "%s", f.How) +
		smallestPair(f.Smallest.A, f.Smallest.B) +
		line("error:", "%s", basis)
}
