package verify

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/empirical"
)

// JournalSchema names the form of a Journal's file.
const JournalSchema = "dpverify/tallies/v1"

// JournalHead says what run a journal belongs to, and which of its shards.
type JournalHead struct {
	Schema  string   `json:"schema"`
	Version string   `json:"version"` // of the program: tallies of two versions are not merged
	Command []string `json:"command"` // its words, without the flags below: "verify", "prestige"
	Seed    uint64   `json:"seed,string"`
	Alpha   float64  `json:"alpha"`
	Budget  Budget   `json:"budget"`
	Data    bool     `json:"data"`   // whether data files were given
	Claims  string   `json:"claims"` // a digest of the ids, in order
	Shard   int      `json:"shard"`  // from 1; 1 of 1 is a checkpoint of a whole run
	Of      int      `json:"of"`
}

// NewJournalHead is the head of a run of the claims.
func NewJournalHead(version string, command []string, claims []Claim, o Options, shard, of int) JournalHead {
	digest := sha256.New()
	for _, c := range claims {
		_, _ = io.WriteString(digest, c.ID+"\n") // a hash does not fail
	}
	return JournalHead{
		Schema: JournalSchema, Version: version, Command: command, Seed: o.Seed, Alpha: o.Alpha, Budget: o.Budget,
		Data: o.Data != "", Claims: fmt.Sprintf("%x", digest.Sum(nil)[:12]), Shard: shard, Of: of,
	}
}

// sameRun names the first thing in which two heads are not of one run, the shard apart.
func (h JournalHead) sameRun(other JournalHead) error {
	for _, c := range []struct {
		same bool
		what string
	}{
		{h.Schema == other.Schema, "is not of the form " + JournalSchema},
		{h.Version == other.Version, fmt.Sprintf("was written by version %s, not %s", h.Version, other.Version)},
		{slices.Equal(h.Command, other.Command) && h.Claims == other.Claims, fmt.Sprintf("holds a run of %q, not of %q", h.Command, other.Command)},
		{h.Seed == other.Seed, fmt.Sprintf("has the seed %d, not %d", h.Seed, other.Seed)},
		{h.Alpha == other.Alpha, fmt.Sprintf("has the error probability %g, not %g", h.Alpha, other.Alpha)},
		{h.Budget == other.Budget, fmt.Sprintf("has the budget %s, not %s", h.Budget, other.Budget)},
		{h.Data == other.Data, "was run with data, or without, and the other was not"},
		{h.Of == other.Of, fmt.Sprintf("is one of %d shards, not of %d", h.Of, other.Of)},
	} {
		if !c.same {
			return errors.New(c.what)
		}
	}
	return nil
}

// Journal keeps the tallies of a run's shards in a file: a run that was killed goes on
// where it was, and shards that were sampled on several machines are merged. What is
// chosen in Prepare is chosen anew by every process, from the seed.
type Journal struct {
	head JournalHead
	file *empirical.Journal // nil where journals are merged: nothing is sampled

	mu    sync.Mutex
	plans map[string]empirical.Plan
	kept  map[string]map[int]json.RawMessage
}

// journalEntry begins a claim, with Plan, or keeps the tally of a shard.
type journalEntry struct {
	Claim string          `json:"claim"`
	Plan  *journalPlan    `json:"plan,omitempty"`
	Shard int             `json:"shard"`
	Tally json.RawMessage `json:"tally,omitempty"`
}

type journalPlan struct {
	Shards  int   `json:"shards"`
	Samples int64 `json:"samples"`
}

func newJournal(head JournalHead) *Journal {
	return &Journal{head: head, plans: make(map[string]empirical.Plan), kept: make(map[string]map[int]json.RawMessage)}
}

// OpenJournal makes a journal, or opens one that the same run has begun. Errors name
// the file and what is wrong with it; it is then left as it was.
func OpenJournal(path string, head JournalHead) (*Journal, error) {
	j := newJournal(head)
	file, entries, err := empirical.OpenJournal(path, head, func(raw json.RawMessage) error {
		var h JournalHead
		if err := json.Unmarshal(raw, &h); err != nil || h.Schema != JournalSchema {
			return errors.New("is no journal of tallies; give another file")
		}
		if err := h.sameRun(head); err != nil {
			return err
		}
		if h.Shard != head.Shard {
			return fmt.Errorf("is shard %d, not %d", h.Shard, head.Shard)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	j.file = file
	if err := j.read(path, entries); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// MergeJournals reads the journals of all shards of one run. Another version, another
// plan, a shard that is there twice, or missing, is an error that names the file.
func MergeJournals(paths []string) (*Journal, JournalHead, error) {
	var j *Journal
	seen := make(map[int]string)
	for _, path := range paths {
		var h JournalHead
		entries, err := empirical.ReadJournal(path, func(raw json.RawMessage) error {
			if err := json.Unmarshal(raw, &h); err != nil || h.Schema != JournalSchema || h.Of < 1 || h.Shard < 1 || h.Shard > h.Of {
				return errors.New("is no journal of tallies")
			}
			if j == nil {
				j = newJournal(h)
			}
			if err := h.sameRun(j.head); err != nil {
				return err
			}
			if before, twice := seen[h.Shard]; twice {
				return fmt.Errorf("is shard %d of %d, and so is %s", h.Shard, h.Of, before)
			}
			seen[h.Shard] = path
			return nil
		})
		if err != nil {
			return nil, JournalHead{}, err
		}
		if err := j.read(path, entries); err != nil {
			return nil, JournalHead{}, err
		}
	}
	if j == nil {
		return nil, JournalHead{}, errors.New("no files to merge")
	}
	return j, j.head, j.complete(seen)
}

// complete refuses gaps: a shard without a file, and a file without a tally of its own.
func (j *Journal) complete(files map[int]string) error {
	for shard := 1; shard <= j.head.Of; shard++ {
		if files[shard] == "" {
			return fmt.Errorf("shard %d of %d is in none of the %d files", shard, j.head.Of, len(files))
		}
	}
	for claim, plan := range j.plans {
		for i := range plan.Shards {
			if _, ok := j.kept[claim][i]; !ok {
				return fmt.Errorf("%s: piece %d of %d of %s is missing; run that shard again to its end", files[1+i%j.head.Of], i+1, plan.Shards, claim)
			}
		}
	}
	return nil
}

func (j *Journal) read(path string, entries []json.RawMessage) error {
	for i, raw := range entries {
		var e journalEntry
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, i+2, err)
		}
		if err := j.take(e); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, i+2, err)
		}
	}
	return nil
}

func (j *Journal) take(e journalEntry) error {
	if e.Plan != nil {
		return j.plan(e.Claim, empirical.Plan{Shards: e.Plan.Shards, SamplesPerShard: e.Plan.Samples})
	}
	plan, begun := j.plans[e.Claim]
	if !begun || e.Shard < 0 || e.Shard >= plan.Shards {
		return fmt.Errorf("%s has no piece %d", e.Claim, e.Shard+1)
	}
	if _, twice := j.kept[e.Claim][e.Shard]; twice {
		return fmt.Errorf("piece %d of %s is there twice", e.Shard+1, e.Claim)
	}
	j.kept[e.Claim][e.Shard] = e.Tally
	return nil
}

// plan begins a claim, or compares with how it was begun.
func (j *Journal) plan(claim string, p empirical.Plan) error {
	before, begun := j.plans[claim]
	if begun && (before.Shards != p.Shards || before.SamplesPerShard != p.SamplesPerShard) {
		return fmt.Errorf("%s was sampled in %d pieces of %d, not in %d of %d", claim, before.Shards, before.SamplesPerShard, p.Shards, p.SamplesPerShard)
	}
	if !begun {
		j.plans[claim], j.kept[claim] = p, make(map[int]json.RawMessage)
	}
	return nil
}

// Close ends the file.
func (j *Journal) Close() error {
	if j == nil || j.file == nil {
		return nil
	}
	return j.file.Close()
}

// shelf is the part of a claim; nil where there is no journal.
func (j *Journal) shelf(claim string) empirical.Shelf {
	if j == nil {
		return nil
	}
	return journalShelf{j, claim}
}

type journalShelf struct {
	*Journal
	claim string
}

func (s journalShelf) Begin(p empirical.Plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, begun := s.plans[s.claim]
	if err := s.plan(s.claim, p); err != nil || begun || s.file == nil {
		return err
	}
	return s.file.Add(journalEntry{Claim: s.claim, Plan: &journalPlan{p.Shards, p.SamplesPerShard}})
}

func (s journalShelf) Kept(shard int) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tally, ok := s.kept[s.claim][shard]
	return tally, ok
}

func (s journalShelf) Mine(shard int) bool {
	return s.file != nil && shard%s.head.Of == s.head.Shard-1
}

func (s journalShelf) Keep(shard int, t empirical.Tally) error {
	raw, err := t.MarshalJSON()
	if err != nil {
		return err
	}
	return s.file.Add(journalEntry{Claim: s.claim, Shard: shard, Tally: raw})
}
