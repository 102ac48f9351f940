package process

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/verify/outputs"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
)

// replyKey identifies a request.
type replyKey struct {
	input string
	seed  uint64
}

// replyTape records the replies of a process, or plays them.
type replyTape struct {
	playing bool

	mu      sync.Mutex
	replies map[replyKey]checkpoint.Reply
}

// newTape returns a tape that plays the replies of a preparation. Without replies the tape records.
func newTape(kept *checkpoint.Preparation) *replyTape {
	t := &replyTape{replies: make(map[replyKey]checkpoint.Reply)}
	if kept != nil && len(kept.Replies) > 0 {
		t.playing = true
		for _, r := range kept.Replies {
			t.replies[replyKey{r.Input, r.Seed}] = r
		}
	}
	return t
}

func inputDigest(input json.RawMessage) string {
	sum := sha256.Sum256(input)
	return fmt.Sprintf("%x", sum[:12])
}

// record adds the reply to a request.
func (t *replyTape) record(input json.RawMessage, seed uint64, values []any) error {
	outputs, err := json.Marshal(values)
	if err != nil {
		return err
	}
	r := checkpoint.Reply{Input: inputDigest(input), Seed: seed, Outputs: outputs}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replies[replyKey{r.Input, r.Seed}] = r
	return nil
}

// play returns the n outputs of the recorded reply to a request.
func (t *replyTape) play(input json.RawMessage, seed uint64, n int) ([]any, error) {
	t.mu.Lock()
	r, ok := t.replies[replyKey{inputDigest(input), seed}]
	t.mu.Unlock()
	if !ok {
		return nil, errors.New("the recorded replies hold none to this request; delete the file to start again")
	}
	values, err := outputs.ParseReply(fmt.Appendf(nil, `{"outputs":%s}`, r.Outputs), n)
	if err != nil {
		return nil, fmt.Errorf("recorded reply: %w", err)
	}
	return values, nil
}

// list returns all replies in an order that does not depend on the number of workers.
func (t *replyTape) list() []checkpoint.Reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]checkpoint.Reply, 0, len(t.replies))
	for _, r := range t.replies {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b checkpoint.Reply) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Seed, b.Seed))
	})
	return out
}

func digestOf(replies []checkpoint.Reply) string {
	h := sha256.New()
	for _, r := range replies {
		fmt.Fprintf(h, "%s %d %s\n", r.Input, r.Seed, r.Outputs) // a hash does not fail
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// StoredIn returns the check with a place in a journal. The check stores the replies of its preparation there, or plays
// the stored ones.
func (p Check) StoredIn(place checkpoint.Place) verify.Check {
	p.store = &preparationStore{place}
	return p
}

// preparationStore is the place in a journal that holds the replies of a preparation.
type preparationStore struct{ place checkpoint.Place }

// prepare prepares a check of a process. It plays the stored replies if there are any, and stores new ones otherwise.
func (k *preparationStore) prepare(ctx context.Context, check verify.Check, process *Process,
	s verify.Settings) (verify.Trial, error) {
	if k == nil {
		return check.Prepare(ctx, s)
	}
	before := k.place.Preparation()
	tape := newTape(before)
	if tape.playing {
		for _, w := range before.Warnings {
			process.protocol.warn(w)
		}
	}
	process.tape.Store(tape)
	trial, err := check.Prepare(ctx, s)
	process.tape.Store(nil)
	if err != nil && !errors.Is(err, distinguisher.ErrNoEvent) { // that no event was chosen is a result to store
		return nil, err
	}
	if mismatch := k.settle(before, process, tape); mismatch != nil {
		return nil, mismatch
	}
	return trial, err
}

// settle stores the replies of a preparation. It returns an error if they differ from the stored ones.
func (k *preparationStore) settle(before *checkpoint.Preparation, process *Process, tape *replyTape) error {
	replies, warnings := tape.list(), process.Warnings()
	now := &checkpoint.Preparation{Digest: digestOf(replies), Warnings: warnings}
	if process.unseeded(warnings) {
		now.Replies = replies
	}
	switch {
	case before != nil && before.Digest != now.Digest:
		return fmt.Errorf("%s: the mechanism now gives other outputs than at the start of the file: it was changed, or "+
			"depends on the machine; delete the file to start again", before.From)
	case before == nil && now.Replies != nil && k.place.Shard() > 1:
		return errors.New("the process does not take all its randomness from the seed of the request, so that this shard " +
			"would choose another event than shard 1: run shard 1 first, and pass its file with --prepared FILE")
	}
	return k.place.Keep(now)
}
