package dptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// Sensitivity fails the test if it finds neighbouring inputs between which f, the map before
// its noise, moves by more than the bound: the numbers in its outputs, by the norm. All pairs
// that are given or drawn and the edges of a space are tried, and a search goes on from
// them; the message has the smallest pair that was found. f is evaluated, not sampled: there is no
// error probability, and a pass is no proof, however long the search. A [sensitivity.Check] searches
// datasets of points further, and may prove.
//
// It takes the options Name, Samples (pairs to search, beyond those given), Seed and Timeout.
func Sensitivity[D, O any](t testing.TB, f func(input D) O, norm sensitivity.Norm, bound float64, pairs Inputs[D],
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the sensitivity", options, "Name", "Samples", "Seed", "Timeout")
	if j == nil {
		return
	}
	found, err := within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (sensitivity.PairFinding[D], error) {
		return empirical.Do(ctx, pool, func(ctx context.Context) (sensitivity.PairFinding[D], error) {
			s := j.settings("dptest")
			given := append(pairs.given[:len(pairs.given):len(pairs.given)], pairs.proposed(s.Seed)...)
			p := sensitivity.Pairs[D]{Quantity: or(j.s.name, "the map"), Norm: norm, Claimed: bound, Space: pairs.space,
				Given: given, Evaluations: j.s.size(0)}
			if f != nil {
				var vectors outputs.Vectors
				p.Map = func(input D) ([]float64, error) { return vectors.Numbers(nil, f(input)) }
			}
			if len(pairs.drawn) > 0 {
				p.Draw = func(r *rand.Rand) inputs.Pair[D] { return pairs.drawn[r.IntN(len(pairs.drawn))].draw(r) }
				p.Smaller = pairs.smaller
			}
			return p.Find(ctx, s)
		})
	})
	switch {
	case err != nil:
		j.fatal(t, err)
	case found.Smallest != nil:
		e := found.Evidence
		e.WorstCase, e.Counterexample.Label = "", ""
		smallest := smallestPair(found.Smallest.A, found.Smallest.B) +
			line("", "which differ by %.6g", found.Counterexample.Measured.X)
		fail(t, "dptest: "+j.what+": claim refuted"+details(e)+smallest+
			line("error:", "computed, not sampled: a true claim is not refuted")+line("to reproduce:", "%s", j.command))
	default:
		note(t, fmt.Sprintf("dptest: %s: not refuted: %s, and %.6g is claimed", j.what, found.Power, bound))
	}
}
