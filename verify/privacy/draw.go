package privacy

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify/outputs"

	"github.com/dpverify/dpverify/verify"
)

const batchSize = 256

// drawReleases draws n releases in batches and calls use with each batch.
func drawReleases[D, O any](ctx context.Context, m verify.Mechanism[D, O], r *rand.Rand, input D, n int64,
	use func([]O) error) error {
	out := make([]O, batchSize)
	for n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		batch := out[:min(n, batchSize)]
		if err := releaseBatch(m, r, input, batch); err != nil {
			return err
		}
		if err := use(batch); err != nil {
			return err
		}
		n -= int64(len(batch))
	}
	return nil
}

// releaseBatch fills out with releases, using the batch form of the mechanism if it has one.
func releaseBatch[D, O any](m verify.Mechanism[D, O], r *rand.Rand, input D, out []O) error {
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

// comparedReleases returns the number of releases that are drawn twice from one source, at most total. If each output
// differs with probability 0.01, in either draw, 512 releases detect it with probability 0.9999 and 64 with
// probability 0.7.
func comparedReleases(total int64) int64 { return min(total, 512, max(64, total/256)) }

// drawRepeats reports whether the first releases are the same if they are drawn again from the same source.
func drawRepeats[D, O any](ctx context.Context, m verify.Mechanism[D, O], source func() *rand.Rand, input D,
	total int64) (bool, error) {
	var prints [2][]uint64
	for k := range prints {
		err := drawReleases(ctx, m, source(), input, comparedReleases(total), func(batch []O) error {
			for _, o := range batch {
				prints[k] = append(prints[k], outputs.Fingerprints([]any{o})...)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return outputs.DigestFingerprints(prints[0]) == outputs.DigestFingerprints(prints[1]), nil
}
