// Package draw draws releases of mechanisms in batches.
package draw

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
)

const batchSize = 256

// Releases calls use with batches of n releases in all.
func Releases[D, O any](ctx context.Context, m verify.Mechanism[D, O], r *rand.Rand, input D, n int64,
	use func([]O)) error {
	out := make([]O, batchSize)
	for n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		batch := out[:min(n, batchSize)]
		if err := release(m, r, input, batch); err != nil {
			return err
		}
		use(batch)
		n -= int64(len(batch))
	}
	return nil
}

// release fills out, by the batch form where there is one.
func release[D, O any](m verify.Mechanism[D, O], r *rand.Rand, input D, out []O) error {
	if b, ok := m.(verify.BatchMechanism[D, O]); ok {
		return b.ReleaseN(r, input, out)
	}
	for i := range out {
		o, err := m.Release(r, input)
		if err != nil {
			return err
		}
		out[i] = o
	}
	return nil
}
