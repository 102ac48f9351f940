package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/empirical"
)

// preparation is what the check of a process was prepared on: the outputs by which its
// pairs and events were chosen. Tallies of other choices are not to be mixed. Those of a
// process that takes all randomness from its seed it gives again; others are kept, and
// Prepare, which is a pure function of its settings and of them, chooses the same.
type preparation struct {
	Digest   string      `json:"digest"` // of all replies
	Warnings []string    `json:"warnings,omitempty"`
	Replies  []keptReply `json:"replies,omitempty"` // none of a process that was seeded

	path string // of the file that has it
}

// keptReply is the reply to one request.
type keptReply struct {
	Input   string          `json:"input"` // a digest of it
	Seed    uint64          `json:"seed"`
	Outputs json.RawMessage `json:"outputs"`
}

func (r keptReply) key() replyKey { return replyKey{r.Input, r.Seed} }

type replyKey struct {
	input string
	seed  uint64
}

// replyTape records the replies of a process, or plays them.
type replyTape struct {
	playing bool

	mu      sync.Mutex
	replies map[replyKey]keptReply
}

// newTape plays what is kept, if there are replies, else records.
func newTape(kept *preparation) *replyTape {
	t := &replyTape{replies: make(map[replyKey]keptReply)}
	if kept != nil && len(kept.Replies) > 0 {
		t.playing = true
		for _, r := range kept.Replies {
			t.replies[r.key()] = r
		}
	}
	return t
}

func inputDigest(input json.RawMessage) string {
	sum := sha256.Sum256(input)
	return fmt.Sprintf("%x", sum[:12])
}

// record adds a reply.
func (t *replyTape) record(input json.RawMessage, seed uint64, values []any) error {
	outputs, err := json.Marshal(values)
	if err != nil {
		return err
	}
	r := keptReply{inputDigest(input), seed, outputs}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replies[r.key()] = r
	return nil
}

// play finds the reply to a request.
func (t *replyTape) play(input json.RawMessage, seed uint64, n int) ([]any, error) {
	t.mu.Lock()
	r, ok := t.replies[replyKey{inputDigest(input), seed}]
	t.mu.Unlock()
	if !ok {
		return nil, errors.New("the kept replies have none to this request; delete the file to begin anew")
	}
	values, err := parseReply(fmt.Appendf(nil, `{"outputs":%s}`, r.Outputs), n)
	if err != nil {
		return nil, fmt.Errorf("a kept reply: %w", err)
	}
	return values, nil
}

// list is all replies, in an order that does not depend on the workers.
func (t *replyTape) list() []keptReply {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]keptReply, 0, len(t.replies))
	for _, r := range t.replies {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b keptReply) int { return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Seed, b.Seed)) })
	return out
}

func digestOf(replies []keptReply) string {
	h := sha256.New()
	for _, r := range replies {
		fmt.Fprintf(h, "%s %d %s\n", r.Input, r.Seed, r.Outputs) // a hash does not fail
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// keptIn is the place of a claim in a journal.
type keptIn struct {
	journal *Journal
	claim   string
}

// keptIn makes the check keep what it is prepared on.
func (p Processed) keptIn(j *Journal, claim string) Check {
	p.kept = &keptIn{j, claim}
	return p
}

// prepare prepares a check of a process on the replies that are kept, or keeps them.
func (k *keptIn) prepare(ctx context.Context, check Check, process *Process, s Settings) (Trial, error) {
	if k == nil {
		return check.Prepare(ctx, s)
	}
	before := k.journal.preparation(k.claim)
	tape := newTape(before)
	if tape.playing {
		for _, w := range before.Warnings {
			process.protocol.warn(w)
		}
	}
	process.tape.Store(tape)
	trial, err := check.Prepare(ctx, s)
	process.tape.Store(nil)
	if err != nil && !errors.Is(err, empirical.ErrNoEvent) { // which is a choice, too
		return nil, err
	}
	if wrong := k.settle(before, process.Warnings(), tape); wrong != nil {
		return nil, wrong
	}
	return trial, err
}

// settle compares what a check was prepared on with what is kept, or keeps it.
func (k *keptIn) settle(before *preparation, warnings []string, tape *replyTape) error {
	replies := tape.list()
	now := &preparation{Digest: digestOf(replies), Warnings: warnings}
	if slices.Contains(warnings, unseeded) {
		now.Replies = replies
	}
	switch {
	case before != nil && before.Digest != now.Digest:
		return fmt.Errorf("%s: was begun on other outputs of the mechanism than it gives here and now: it was changed, or gives others on this machine; delete the file to begin anew", before.path)
	case before == nil && now.Replies != nil && k.journal.head.Shard > 1:
		return errors.New("the process does not take all its randomness from the seed of the request, so that this shard would choose another event than shard 1: run shard 1 first, and give its file with --prepared FILE")
	}
	return k.journal.keepPreparation(k.claim, now)
}
