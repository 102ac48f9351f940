package verify

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// A mechanism that draws from elsewhere than the source it is given, from crypto/rand in
// a library, say, is audited as well as any: its samples are independent all the same.
// But no run repeats another, and the evidence has to say so.

// releasesCompared are how many releases are drawn twice from one seed, of total samples: of
// outputs of which one in a hundred differs, the most betray it with probability 0.9999, the
// least with 0.7.
func releasesCompared(total int64) int64 { return min(512, max(64, total/256)) }

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
				err := releases(ctx, t.Mechanism, r, input, releasesCompared(t.total), func(batch []O) {
					for _, o := range batch {
						prints[k] = append(prints[k], fingerprints([]any{o})...)
					}
				})
				if err != nil {
					return fmt.Errorf("pair %s: %w", pair.Name, err)
				}
			}
			if fingerprintOf(prints[0]) != fingerprintOf(prints[1]) {
				t.unseeded = true
				t.warn(unseededMechanism)
				return nil
			}
		}
	}
	return nil
}

// addOdd adds to the evidence what was odd.
func (t *auditTrial[D, O]) addOdd(e *Evidence) {
	e.Warnings = append(e.Warnings, t.warnings...)
	e.Unseeded = e.Unseeded || t.unseeded
}

// chosenAnew is the check of a claim in a journal. A mechanism with randomness of its own
// would choose other pairs and events in every process that prepares it: tallies of several
// choices would be merged as if they counted one event.
type chosenAnew struct {
	Check
	place JournalPlace
}

func (c chosenAnew) Prepare(ctx context.Context, s Settings) (Trial, error) {
	trial, err := c.Check.Prepare(ctx, s)
	own, ok := trial.(interface{ ownRandomness() bool })
	if err != nil || !ok || !own.ownRandomness() {
		return trial, err
	}
	switch before := c.place.Preparation(); {
	case c.place.journal.head.Of > 1:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so that each shard would choose another event: run this claim whole, or let the mechanism draw from the source")
	case before != nil || c.place.journal.file == nil:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so that what was sampled before counted another event: delete the file to begin anew, or let the mechanism draw from the source")
	}
	return trial, c.place.Keep(&Preparation{Warnings: []string{unseededMechanism}})
}

func (t *auditTrial[D, O]) ownRandomness() bool { return t.unseeded }
