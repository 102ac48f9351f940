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

// Replay fails the test if a release is found not to be private by the primitives that it calls: if, replayed on a
// neighbour with the same released by every call, it makes other calls, gives one of them a value further away
// than the sensitivity that it declares, puts out something else, or pays more than is claimed. All pairs that are
// given or drawn and the edges of a space are replayed, and a search goes on from those that come nearest; the
// message has the call, its place and the smallest pair that was found. It takes a few runs for each pair: nothing
// is sampled, and a pass is no proof. A cost rests on what the output showed in a limited number of replays. See
// package replay for what it means, and for what ends without
// a verdict. The zero Guarantee leaves out the cost.
//
// It takes the options Name, Samples (pairs to search, beyond those given, 300 unless told), Seed and Timeout.
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
			note(t, fmt.Sprintf("dptest: %s: %s: %s: needs %s", j.what, part, or(found.Power, "nothing is concluded"),
				found.Needed))
		}
	}
}

// replayed is what was found, on which inputs.
func replayed[D any](statement string, part replay.Part, f replay.Finding[D]) string {
	basis := "computed, not sampled: a release that is private by its primitives is not refuted"
	if part == replay.Account {
		basis = "computed, not sampled, from replays in which the output determined what each charged call released"
	}
	return line("statement:", "%s", statement) + line("found:", "%s", f.How) +
		smallestPair(f.Smallest.A, f.Smallest.B) +
		line("error:", "%s", basis)
}
