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
	// lowBitsSamples is the number of samples per input within an audit. They suffice because
	// floating-point leaks are large.
	lowBitsSamples = 20_000
	// lowBitsPairs is the number of pairs tested within an audit. The most promising pairs come first.
	lowBitsPairs = 2
)

// Precision fails the test if the low-order bits of the output numbers depend on the input. The textbook Laplace
// and Gaussian mechanisms have this leak in floating point (Mironov 2012), so they do not satisfy the claim of the
// mechanism over the reals. [Audit] runs the same test with fewer samples and warns, see [LowBits].
//
// Precision accepts the options Name, Samples, Seed, Alpha, Timeout and Strict. From a space it takes the first 8
// edge pairs.
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
			func(context.Context) ([]inputs.Pair[D], error) { return pairs.count(s.Seed) })
		if err != nil {
			return verify.Evidence{}, err
		}
		return judgeLowBits(ctx, pool, m, pairs, claim, j.s.size(DefaultSamples), s)
	})
	if err != nil {
		j.fatal(t, err)
		return
	}
	j.report(t, named[O](e))
}

// somePairs is the number of edge pairs taken from a space.
const edgePairs = 8

// some returns the given pairs, the drawn pairs and the first edge pairs of the space.
func (i Inputs[D]) count(seed empirical.Seed) ([]inputs.Pair[D], error) {
	pairs := append(i.given[:len(i.given):len(i.given)], i.proposed(seed)...)
	if i.space != nil {
		if err := i.space.Check(); err != nil {
			return nil, err
		}
		count := 0
		for p := range inputs.Edges(i.space) {
			pairs = append(pairs, p)
			if count++; count == edgePairs {
				break
			}
		}
	}
	return pairs, nil
}

// bits runs the check of the low-order bits of a mechanism.
func judgeLowBits[D, O any](ctx context.Context, pool *empirical.Pool, m verify.Mechanism[D, O], pairs []inputs.Pair[D],
	claim privacy.Guarantee, samples int64, s verify.Settings) (verify.Evidence, error) {
	var check verify.Check = privacy.FloatingPoint[D, O]{Mechanism: m, Pairs: pairs, Guarantee: claim, Samples: samples}
	if !outputs.Supported[O]() {
		check = privacy.FloatingPoint[D, any]{Mechanism: outputs.Flat(m), Pairs: pairs, Guarantee: claim, Samples: samples}
	}
	return verify.Judge(ctx, check, s, pool, nil)
}
