// Package boundary hides the types of inputs, so that the engine of audits is compiled for few types.
package boundary

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
)

// hiddenInput takes inputs whose type is hidden. The engine of audits is compiled for each pair of types that is
// audited, which takes the compiler most of a second; so only the types of outputs differ here. What is released,
// and which inputs are equal, is the same.
type hiddenInput[D, O any] struct{ mechanism verify.Mechanism[D, O] }

func (h hiddenInput[D, O]) Release(r *rand.Rand, input any) (O, error) {
	return h.mechanism.Release(r, input.(D))
}

// ReleaseN is that of the mechanism, or its Release for each output.
func (h hiddenInput[D, O]) ReleaseN(r *rand.Rand, input any, out []O) (err error) {
	if batch, ok := h.mechanism.(verify.BatchMechanism[D, O]); ok {
		return batch.ReleaseN(r, input.(D), out)
	}
	for i := range out {
		if out[i], err = h.mechanism.Release(r, input.(D)); err != nil {
			return err
		}
	}
	return nil
}

// Audit is an audit of so many samples of each input of each pair.
func Audit[D, O any](m verify.Mechanism[D, O], pairs []neighbours.Pair[D], g privacy.Guarantee,
	samples int64) privacy.Audit[any, O] {
	a := privacy.Audit[any, O]{Mechanism: hiddenInput[D, O]{m}, Guarantee: g, Samples: samples}
	for _, p := range pairs {
		a.Pairs = append(a.Pairs, neighbours.Pair[any]{Name: p.Name, A: p.A, B: p.B})
	}
	return a
}
