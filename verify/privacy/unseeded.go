package privacy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/verify"
)

// A mechanism that draws its own randomness, for example from crypto/rand in a library, can be audited like any
// other, because its samples are independent. But no run reproduces another, and the evidence must say so.

// watchSource records whether releases differ for the same input and the same random source. For a process, the
// code that reads its replies does this.
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

// addWarnings adds the warnings to the evidence.
func (t *auditTrial[D, O]) addWarnings(e *verify.Evidence) {
	e.Warnings = append(e.Warnings, t.warnings...)
	e.Unseeded = e.Unseeded || t.unseeded
}

// OwnRandomness reports whether the mechanism is unseeded. A journal then knows that a repeated Prepare would
// choose other events.
func (t *auditTrial[D, O]) OwnRandomness() bool { return t.unseeded }
