package outputs

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// comparedValues is the number of values that are drawn twice. If one value in twenty differs, the probability to see a
// difference is 0.96.
const comparedValues = 64

// HasOwnRandomness draws values twice from the same random stream of a check. It reports whether the values differ, as
// they do if the mechanism does not draw all its randomness from the stream. It returns the errors of draw.
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

// BatchSize is the number of outputs requested at once from a mechanism that can return several.
const BatchSize = 256

// longestReply is the number of values that are compared at once if they are drawn in smaller batches.
const longestReply = BatchSize

// DrawBatches draws n values in batches of at most len(out) and calls use for each value. All confidence limits assume
// independent values, so it returns an error if the values clearly depend on each other or on earlier values in the
// watch.
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
			continue // values drawn one by one are compared in blocks
		}
		if err := watch.Reply(&reply); err != nil {
			return err
		}
		reply.Reset()
	}
	return nil
}

// addToReply adds a drawn value to a reply, which the watch compares.
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

// NoteOwnRandomness marks the evidence as not repeatable by its seed, and adds a warning.
func NoteOwnRandomness(e *verify.Evidence) {
	e.Unseeded = true
	e.Warnings = append(e.Warnings, verify.UnseededMechanism)
}
