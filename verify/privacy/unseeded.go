package privacy

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/values"
	"github.com/dpverify/dpverify/verify/internal/words"
	"github.com/dpverify/dpverify/verify/privacy/internal/draw"
)

// A mechanism that draws from elsewhere than the source it is given, from crypto/rand in
// a library, say, is audited as well as any: its samples are independent all the same.
// But no run repeats another, and the evidence has to say so.

// releasesCompared are how many releases are drawn twice from one seed, of total samples: of
// outputs of which one in a hundred differs, the most show it with probability 0.9999, 64
// with 0.7. They are no more than the samples.
func releasesCompared(total int64) int64 { return min(total, 512, max(64, total/256)) }

// watchSource notes whether releases differ where the input and the source are the same.
// A process is watched where its replies are read.
func (t *auditTrial[D, O]) watchSource(ctx context.Context) error {
	if _, watched := t.Mechanism.(interface{ Warnings() []string }); watched {
		return nil
	}
	for i, pair := range t.Pairs {
		for side, input := range []D{pair.A, pair.B} {
			var prints [2][]uint64
			for k := range prints {
				r := t.settings.Common("source", strconv.Itoa(i), strconv.Itoa(side))
				err := draw.Releases(ctx, t.Mechanism, r, input, releasesCompared(t.total), func(batch []O) {
					for _, o := range batch {
						prints[k] = append(prints[k], values.Fingerprints([]any{o})...)
					}
				})
				if err != nil {
					return fmt.Errorf("pair %s: %w", pair.Name, err)
				}
			}
			if values.Digest(prints[0]) != values.Digest(prints[1]) {
				t.unseeded = true
				t.warn(words.UnseededMechanism)
				return nil
			}
		}
	}
	return nil
}

// addOdd adds to the evidence what was odd.
func (t *auditTrial[D, O]) addOdd(e *verify.Evidence) {
	e.Warnings = append(e.Warnings, t.warnings...)
	e.Unseeded = e.Unseeded || t.unseeded
}

// OwnRandomness tells a journal that a run which prepares anew would choose other events.
func (t *auditTrial[D, O]) OwnRandomness() bool { return t.unseeded }
