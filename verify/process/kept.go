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

// replyKey tells a request from others.
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

// newTape plays what is kept, if there are replies, else records.
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

// record adds a reply.
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

// play finds the reply to a request.
func (t *replyTape) play(input json.RawMessage, seed uint64, n int) ([]any, error) {
	t.mu.Lock()
	r, ok := t.replies[replyKey{inputDigest(input), seed}]
	t.mu.Unlock()
	if !ok {
		return nil, errors.New("the kept replies have none to this request; delete the file to begin anew")
	}
	values, err := outputs.ParseReply(fmt.Appendf(nil, `{"outputs":%s}`, r.Outputs), n)
	if err != nil {
		return nil, fmt.Errorf("a kept reply: %w", err)
	}
	return values, nil
}

// list is all replies, in an order that does not depend on the workers.
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

// StoredIn makes the check keep what it is prepared on.
func (p Check) StoredIn(place checkpoint.Place) verify.Check {
	p.kept = &keptIn{place}
	return p
}

// keptIn is the place in a journal where a check keeps what it is prepared on.
type keptIn struct{ place checkpoint.Place }

// prepare prepares a check of a process on the replies that are kept, or keeps them.
func (k *keptIn) prepare(ctx context.Context, check verify.Check, process *Process,
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
	if err != nil && !errors.Is(err, distinguisher.ErrNoEvent) { // which is a choice, too
		return nil, err
	}
	if wrong := k.settle(before, process, tape); wrong != nil {
		return nil, wrong
	}
	return trial, err
}

// settle compares what a check was prepared on with what is kept, or keeps it.
func (k *keptIn) settle(before *checkpoint.Preparation, process *Process, tape *replyTape) error {
	replies, warnings := tape.list(), process.Warnings()
	now := &checkpoint.Preparation{Digest: digestOf(replies), Warnings: warnings}
	if process.unseeded(warnings) {
		now.Replies = replies
	}
	switch {
	case before != nil && before.Digest != now.Digest:
		return fmt.Errorf("%s: was begun on other outputs of the mechanism than it gives here and now: it was changed, or "+
			"gives others on this machine; delete the file to begin anew", before.From)
	case before == nil && now.Replies != nil && k.place.Shard() > 1:
		return errors.New("the process does not take all its randomness from the seed of the request, so that this shard " +
			"would choose another event than shard 1: run shard 1 first, and give its file with --prepared FILE")
	}
	return k.place.Keep(now)
}
