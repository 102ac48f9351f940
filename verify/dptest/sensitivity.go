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

// Sensitivity fails the test if it finds neighboring inputs A and B with ‖f(A) − f(B)‖ > bound, where f is the map
// before noise is added and its output is taken as a vector of numbers.
//
// Sensitivity tries all given and drawn pairs and the edges of a space, then searches on from them. A failure
// reports the smallest pair. The map f is evaluated, not sampled, so a refutation has no error probability. A pass
// is not a proof, however long the search. A [sensitivity.Check] searches datasets of points more thoroughly and
// can prove a bound.
//
// Sensitivity accepts the options Name, Samples (searched pairs, in addition to the given ones), Seed and Timeout.
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
			p := sensitivity.Pairs[D]{Quantity: firstNonEmpty(j.s.name, "the map"), Norm: norm, Claimed: bound,
				Space: pairs.space,
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
		note(t, fmt.Sprintf("dptest: %s: not refuted: %s; claimed %.6g", j.what, found.Power, bound))
	}
}
