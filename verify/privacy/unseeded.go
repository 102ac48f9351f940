package privacy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/verify"
)

// A mechanism that draws from elsewhere than the source it is given, from crypto/rand in
// a library, say, is audited as well as any: its samples are independent all the same.
// But no run repeats another, and the evidence has to say so.

// watchSource notes whether releases differ where the input and the source are the same.
// A process is watched where its replies are read.
func (t *auditTrial[D, O]) watchSource(ctx context.Context) error {
	if _, watched := t.Mechanism.(interface{ Warnings() []string }); watched {
		return nil
	}
	for i, pair := range t.Pairs {
		for side, input := range []D{pair.A, pair.B} {
			source := func() *rand.Rand { return t.settings.Common("source", strconv.Itoa(i), strconv.Itoa(side)) }
			repeats, err := drawRepeats(ctx, t.Mechanism, source, input, t.total)
			if err != nil {
				return fmt.Errorf("pair %s: %w", pair.Name, err)
			}
			if !repeats {
				t.unseeded = true
				t.warn(verify.UnseededMechanism)
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
