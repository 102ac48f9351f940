package checkpoint

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/dpverify/dpverify/verify"
)

// Keeper is a check that keeps in the journal of its run what it was prepared on: one
// whose mechanism may give other outputs when it is asked again.
type Keeper interface {
	verify.Check
	StoredIn(Place) verify.Check
}

// Preparation is what the check of a process was prepared on: the outputs by which its
// pairs and events were chosen. Tallies of other choices are not to be mixed. Those of a
// process that takes all randomness from its seed it gives again; others are kept, and
// Prepare, which is a pure function of its settings and of them, chooses the same.
type Preparation struct {
	Digest   string   `json:"digest"` // of all replies
	Warnings []string `json:"warnings,omitempty"`
	Replies  []Reply  `json:"replies,omitempty"` // none of a process that was seeded

	From string `json:"-"` // the file that has it
}

// Reply is the reply to one request.
type Reply struct {
	Input   string          `json:"input"` // a digest of it
	Seed    uint64          `json:"seed"`
	Outputs json.RawMessage `json:"outputs"`
}

// Place is the place of a claim in a journal.
type Place struct {
	journal *File
	claim   string
}

// Shard is the number of the shard that the journal is of, from 1.
func (p Place) Shard() int { return p.journal.head.Shard }

// Preparation is what the claim was prepared on in this journal, or in that of another
// shard; nil if neither knows.
func (p Place) Preparation() *Preparation {
	j := p.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if kept := j.claim(p.claim).prepared; kept != nil || j.prepared == nil {
		return kept
	}
	return j.prepared.claim(p.claim).prepared
}

// Keep keeps what the claim was prepared on.
func (p Place) Keep(x *Preparation) error {
	j := p.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil || j.claim(p.claim).prepared != nil {
		return nil
	}
	j.claim(p.claim).prepared = x
	return j.file.Add(journalEntry{Claim: p.claim, Prepared: x})
}

// chosenAnew is the check of a claim in a journal. A mechanism with randomness of its own
// would choose other pairs and events in every process that prepares it: tallies of several
// choices would be merged as if they counted one event.
type chosenAnew struct {
	verify.Check
	place Place
}

func (c chosenAnew) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	trial, err := c.Check.Prepare(ctx, s)
	own, ok := trial.(interface{ OwnRandomness() bool })
	if err != nil || !ok || !own.OwnRandomness() {
		return trial, err
	}
	switch before := c.place.Preparation(); {
	case c.place.journal.head.Total > 1:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so that each " +
			"shard would choose another event: run this claim whole, or let the mechanism draw from the source")
	case before != nil || c.place.journal.file == nil:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so that what " +
			"was sampled before counted another event: delete the file to begin anew, or let the mechanism draw from the source")
	}
	return trial, c.place.Keep(&Preparation{Warnings: []string{verify.UnseededMechanism}})
}
