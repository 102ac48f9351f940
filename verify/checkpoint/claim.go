package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// journalEntry is a line of a journal: the plan or the preparation of a claim, the tally or the failure of a piece, or
// the number of pieces that sufficed.
type journalEntry struct {
	Claim    string          `json:"claim"`
	Plan     *journalPlan    `json:"plan,omitempty"`
	Prepared *Preparation    `json:"prepared,omitempty"`
	Enough   int             `json:"enough,omitempty"`
	Shard    int             `json:"shard"`
	Tally    json.RawMessage `json:"tally,omitempty"`
	Failure  string          `json:"failure,omitempty"`
	// Progress is the progress of the whole shard; such an entry has no claim.
	Progress *journalProgress `json:"progress,omitempty"`
}

type journalPlan struct {
	Shards  int   `json:"shards"`
	Samples int64 `json:"samples"`
	// Prepared is the digest of the stored preparation of the claim, if there is one. Without that preparation the
	// tallies are unusable, since they depend on its choices.
	Prepared string `json:"prepared,omitempty"`
}

// journalClaim holds the entries of one claim.
type journalClaim struct {
	begun    bool // there is a plan
	plan     empirical.Plan
	tallies  map[int]json.RawMessage
	failures map[int]string
	enough   int // number of pieces that sufficed; 0 if unknown
	prepared *Preparation
}

func (j *File) claim(id string) *journalClaim {
	c := j.claims[id]
	if c == nil {
		c = &journalClaim{tallies: make(map[int]json.RawMessage), failures: make(map[int]string)}
		j.claims[id] = c
	}
	return c
}

// reader returns a reader that adds the entries of a file to j.
func (j *File) reader(path string, accept func(json.RawMessage) error) empirical.JournalReader {
	return empirical.JournalReader{Accept: accept, Name: nameOfEntry, Take: func(raw json.RawMessage) error {
		var e journalEntry
		if err := json.Unmarshal(raw, &e); err != nil {
			return errors.New("is not an entry of a checkpoint")
		}
		if e.Prepared != nil {
			e.Prepared.From = path
		}
		return j.take(e)
	}}
}

// nameOfEntry describes an entry for messages; "" if it cannot be read.
func nameOfEntry(raw json.RawMessage) string {
	var e journalEntry
	if err := json.Unmarshal(raw, &e); err != nil || e.Claim == "" {
		return ""
	}
	switch {
	case e.Plan != nil:
		return "the plan of " + e.Claim
	case e.Prepared != nil:
		return "the preparation of " + e.Claim
	case e.Enough > 0:
		return "the end of " + e.Claim
	}
	return fmt.Sprintf("piece %d of %s", e.Shard+1, e.Claim)
}

func (j *File) take(e journalEntry) error {
	if e.Progress != nil {
		return nil // only for Survey
	}
	c := j.claim(e.Claim)
	switch {
	case e.Plan != nil && e.Plan.Prepared != "" && (c.prepared == nil || c.prepared.Digest != e.Plan.Prepared):
		return errors.New("the preparation of the claim is not in the file")
	case e.Plan != nil:
		return c.begin(e.Claim, empirical.Plan{Shards: e.Plan.Shards, SamplesPerShard: e.Plan.Samples})
	case e.Prepared != nil:
		return c.prepare(e.Claim, e.Prepared)
	case !c.begun || e.Shard < 0 || e.Shard >= c.plan.Shards || e.Enough < 0 || e.Enough > c.plan.Shards:
		return errors.New("there is no such piece, or the plan before it is damaged")
	case e.Enough > 0:
		if c.enough == 0 || e.Enough < c.enough {
			c.enough = e.Enough
		}
		return nil
	}
	if _, twice := c.tallies[e.Shard]; twice {
		return fmt.Errorf("piece %d occurs twice; the first one is used", e.Shard+1)
	}
	if e.Failure != "" {
		c.failures[e.Shard] = e.Failure
		return nil
	}
	delete(c.failures, e.Shard) // a later attempt succeeded
	c.tallies[e.Shard] = e.Tally
	return nil
}

// begin stores a plan, or compares it with the stored one.
func (c *journalClaim) begin(claim string, p empirical.Plan) error {
	if c.begun && (c.plan.Shards != p.Shards || c.plan.SamplesPerShard != p.SamplesPerShard) {
		return &empirical.Contradiction{Err: fmt.Errorf("%s was sampled in %d pieces of %d, not in %d of %d", claim,
			c.plan.Shards, c.plan.SamplesPerShard, p.Shards, p.SamplesPerShard)}
	}
	c.begun, c.plan = true, p
	return nil
}

// prepare stores the preparation of a claim, or compares it with the stored one.
func (c *journalClaim) prepare(claim string, p *Preparation) error {
	if before := c.prepared; before != nil && before.Digest != p.Digest {
		return &empirical.Contradiction{Err: fmt.Errorf("%s was prepared on other outputs than in %s: the mechanism "+
			"changed, or its outputs depend on the machine; if it does not take its randomness from the seed, give every "+
			"shard --prepared FILE with the file of shard 1", claim, before.From)}
	}
	if c.prepared == nil {
		c.prepared = p
	}
	return nil
}

// gap returns the index of the first needed piece without a tally. Pieces after a failure are not needed.
func (c *journalClaim) gap() (piece int, missing bool) {
	needed := c.plan.Shards
	if c.enough > 0 {
		needed = c.enough
	}
	for i := range needed {
		if _, failed := c.failures[i]; failed {
			break
		}
		if _, ok := c.tallies[i]; !ok {
			return i, true
		}
	}
	return 0, false
}

// retry removes failures, so that a continued run attempts these pieces again.
func (j *File) retry() {
	for _, c := range j.claims {
		clear(c.failures)
	}
}

// Failed stores the failure of a piece, for the merged report.
func (j *File) Failed(claim string, err error) error {
	piece := (*empirical.ShardError)(nil)
	if j == nil || j.file == nil || !errors.As(err, &piece) {
		return nil
	}
	return j.file.Add(journalEntry{Claim: claim, Shard: piece.Index, Failure: piece.Err.Error()})
}

// Check returns the check of a claim. If j is not nil, a [Keeper] stores its preparation in the journal, and a claim
// whose mechanism has its own randomness cannot be divided into shards.
func (j *File) Check(c verify.Claim) verify.Check {
	if j == nil {
		return c.Check
	}
	place := Place{j, c.ID}
	if k, ok := c.Check.(Keeper); ok {
		return k.StoredIn(place)
	}
	return unseededGuard{c.Check, place}
}

// Shelf returns the storage of one claim; nil if j is nil.
func (j *File) Shelf(claim string) empirical.Shelf {
	if j == nil {
		return nil
	}
	return shelf{j, claim}
}

type shelf struct {
	*File
	id string
}

func (s shelf) Begin(p empirical.Plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.claim(s.id)
	begun := c.begun
	if err := c.begin(s.id, p); err != nil || begun || s.file == nil {
		return err
	}
	plan := &journalPlan{Shards: p.Shards, Samples: p.SamplesPerShard}
	if c.prepared != nil {
		plan.Prepared = c.prepared.Digest
	}
	return s.file.Add(journalEntry{Claim: s.id, Plan: plan})
}

func (s shelf) Stored(shard int) (tally json.RawMessage, ok bool, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.claim(s.id)
	if text, failed := c.failures[shard]; failed {
		return nil, true, errors.New(text)
	}
	tally, ok = c.tallies[shard]
	return tally, ok, nil
}

func (s shelf) Mine(shard int) bool {
	return s.file != nil && shard%s.head.Total == s.head.Shard-1
}

func (s shelf) Keep(shard int, t empirical.Tally) error {
	raw, err := t.MarshalJSON()
	if err != nil {
		return err
	}
	return s.file.Add(journalEntry{Claim: s.id, Shard: shard, Tally: raw})
}

func (s shelf) Enough(shards int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.claim(s.id); s.file == nil || c.enough == shards {
		return nil
	}
	return s.file.Add(journalEntry{Claim: s.id, Enough: shards})
}
