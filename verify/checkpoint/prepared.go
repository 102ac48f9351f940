package checkpoint

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/dpverify/dpverify/verify"
)

// Keeper is a check that stores its preparation in the journal, because its mechanism may not repeat its outputs.
type Keeper interface {
	verify.Check
	StoredIn(Place) verify.Check
}

// Preparation holds the outputs of a process from which Prepare chose pairs and events. Tallies of different choices
// must not be mixed. A process that takes all randomness from its seed repeats these outputs, so only their digest is
// stored. Otherwise the outputs are stored, and Prepare, a pure function of its settings and these outputs, repeats
// the choices.
type Preparation struct {
	Digest   string   `json:"digest"` // digest of all replies
	Warnings []string `json:"warnings,omitempty"`
	Replies  []Reply  `json:"replies,omitempty"` // empty for a seeded process

	From string `json:"-"` // file that contains it
}

// Reply is the reply to one request.
type Reply struct {
	Input   string          `json:"input"` // digest of the input
	Seed    uint64          `json:"seed"`
	Outputs json.RawMessage `json:"outputs"`
}

// Place is the place of a claim in a journal.
type Place struct {
	journal *File
	claim   string
}

// Shard returns the number of the journal's shard, from 1.
func (p Place) Shard() int { return p.journal.head.Shard }

// Preparation returns the preparation of the claim from this journal, or else from the journal of the other shard that
// [File.PreparedBy] read. It returns nil if neither has one.
func (p Place) Preparation() *Preparation {
	j := p.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if kept := j.claim(p.claim).prepared; kept != nil || j.prepared == nil {
		return kept
	}
	return j.prepared.claim(p.claim).prepared
}

// Keep stores the preparation of the claim, unless one is stored already.
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

// unseededGuard is the check of a claim in a journal. It returns an error if a mechanism with its own randomness would
// be prepared more than once: each process would choose other pairs and events, and merged tallies would mix their
// counts.
type unseededGuard struct {
	verify.Check
	place Place
}

func (c unseededGuard) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	trial, err := c.Check.Prepare(ctx, s)
	own, ok := trial.(interface{ OwnRandomness() bool })
	if err != nil || !ok || !own.OwnRandomness() {
		return trial, err
	}
	switch before := c.place.Preparation(); {
	case c.place.journal.head.Total > 1:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so each " +
			"shard would choose another event: run this claim in one shard, or let the mechanism draw from the source")
	case before != nil || c.place.journal.file == nil:
		return nil, errors.New("the mechanism does not take all its randomness from the source it is given, so the " +
			"stored counts are of another event: delete the file to start again, or let the mechanism draw from the source")
	}
	return trial, c.place.Keep(&Preparation{Warnings: []string{verify.UnseededMechanism}})
}
