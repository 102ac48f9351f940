package outputs

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// comparedValues is how many values are drawn twice: of values of which one in twenty differs,
// they show it with probability 0.96.
const comparedValues = 64

// HasOwnRandomness tells whether values differ that are drawn twice from one stream of a check.
func HasOwnRandomness(s verify.Settings, draw func(r *rand.Rand) (any, error)) (bool, error) {
	var digests [2]uint64
	for k := range digests {
		r := s.Common("source")
		drawn := make([]any, comparedValues)
		for i := range drawn {
			v, err := draw(r)
			if err != nil {
				return false, err
			}
			drawn[i] = v
		}
		digests[k] = DigestFingerprints(Fingerprints(drawn))
	}
	return digests[0] != digests[1], nil
}

// BatchSize is how many outputs are asked for at once, where a mechanism can give several.
const BatchSize = 256

// longestReply is the number of values, drawn in smaller batches, that are compared at once.
const longestReply = BatchSize

// DrawBatches draws n values, as many at a time as out has room for, and uses one after the other. Values
// that evidently depend on one another, or on those that the watch saw before, are an error: all limits rest on their
// independence.
func DrawBatches[T any](ctx context.Context, n int64, out []T, watch *dependence.Watch, draw func(out []T) error,
	use func(T) error) error {
	var reply dependence.Reply
	for n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		batch := out[:min(n, int64(len(out)))]
		if err := draw(batch); err != nil {
			return err
		}
		for _, v := range batch {
			addToReply(&reply, v)
			if err := use(v); err != nil {
				return err
			}
		}
		n -= int64(len(batch))
		if n > 0 && len(out) < longestReply && reply.Len() < longestReply {
			continue // values that are drawn one by one are compared in blocks
		}
		if err := watch.Reply(&reply); err != nil {
			return err
		}
		reply.Reset()
	}
	return nil
}

// addToReply adds a value that was drawn to those that are compared.
func addToReply(to *dependence.Reply, v any) {
	switch v := v.(type) {
	case float64:
		to.AddRow([]float64{v})
	case []float64:
		to.AddRow(v)
	default:
		to.Values([]any{v}, Fingerprints([]any{v}))
	}
}

// NoteOwnRandomness says so in the evidence.
func NoteOwnRandomness(e *verify.Evidence) {
	e.Unseeded = true
	e.Warnings = append(e.Warnings, verify.UnseededMechanism)
}
