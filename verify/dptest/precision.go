package dptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

const (
	// lowBitsSamples of each input are enough by the way: what leaks through the bits leaks much.
	lowBitsSamples = 20_000
	// lowBitsPairs are looked at within an audit; those that promised most come first.
	lowBitsPairs = 2
)

// Precision fails the test if the low-order bits of the numbers in the outputs betray the
// input: the textbook Laplace and Gaussian mechanisms in floating point do (Mironov 2012). The claim is that
// of the mechanism over the reals. [Audit] looks at the bits by the way, and warns; see [LowBits].
//
// It takes the options Name, Samples, Seed, Alpha, Timeout and Strict. Inputs of a space are its
// edges, of which the first are tried.
func Precision[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, claim privacy.Guarantee,
	pairs Inputs[D], options ...Option) {
	t.Helper()
	j := newJudging(t, "the low-order bits", options, common...)
	if j == nil {
		return
	}
	if err := outputs.CheckType[O](); err != nil || mechanism == nil {
		if mechanism == nil {
			err = fmt.Errorf("no mechanism")
		}
		j.fatal(t, err)
		return
	}
	m := verify.Mechanism[D, O](releaseOf(mechanism))
	e, err := within(t, j.s, func(ctx context.Context, pool *empirical.Pool) (verify.Evidence, error) {
		s := j.settings("dptest")
		pairs, err := empirical.Do(ctx, pool,
			func(context.Context) ([]inputs.Pair[D], error) { return pairs.some(s.Seed) })
		if err != nil {
			return verify.Evidence{}, err
		}
		return bits(ctx, pool, m, pairs, claim, j.s.size(DefaultSamples), s)
	})
	if err != nil {
		j.fatal(t, err)
		return
	}
	j.report(t, named[O](e))
}

// somePairs is how many of a space's edges stand for it.
const somePairs = 8

// some are the pairs that are given and drawn, and the first of the space.
func (i Inputs[D]) some(seed empirical.Seed) ([]inputs.Pair[D], error) {
	pairs := append(i.given[:len(i.given):len(i.given)], i.proposed(seed)...)
	if i.space != nil {
		if err := i.space.Check(); err != nil {
			return nil, err
		}
		some := 0
		for p := range inputs.Edges(i.space) {
			pairs = append(pairs, p)
			if some++; some == somePairs {
				break
			}
		}
	}
	return pairs, nil
}

// bits judges the low-order bits of a mechanism.
func bits[D, O any](ctx context.Context, pool *empirical.Pool, m verify.Mechanism[D, O], pairs []inputs.Pair[D],
	claim privacy.Guarantee, samples int64, s verify.Settings) (verify.Evidence, error) {
	var check verify.Check = privacy.FloatingPoint[D, O]{Mechanism: m, Pairs: pairs, Guarantee: claim, Samples: samples}
	if !outputs.Supported[O]() {
		check = privacy.FloatingPoint[D, any]{Mechanism: outputs.Flat(m), Pairs: pairs, Guarantee: claim, Samples: samples}
	}
	return verify.Judge(ctx, check, s, pool, nil)
}
