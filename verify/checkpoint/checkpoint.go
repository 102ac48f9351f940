// Package checkpoint stores the tallies of a run in a file. A killed run continues from its checkpoint, and
// several machines can each run one shard.
package checkpoint

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Schema names the format of a checkpoint file.
const Schema = "dpverify/tallies/v1"

// Head says what run a journal belongs to, and which of its shards.
type Head struct {
	Schema  string        `json:"schema"`
	Version string        `json:"version"` // of the program: tallies of two versions are not merged
	Command []string      `json:"command"` // its words, without the flags below: "verify", "prestige"
	Seed    uint64        `json:"seed,string"`
	Alpha   float64       `json:"alpha"`
	Budget  verify.Budget `json:"budget"`
	Data    bool          `json:"data"`   // whether data files were given
	Claims  string        `json:"claims"` // a digest of the ids, in order
	// Config is a digest of what is audited; "" for claims of the ledger, which the version tells.
	Config string `json:"config,omitempty"`
	Shard  int    `json:"shard"` // from 1; 1 of 1 is a checkpoint of a whole run
	Total  int    `json:"of"`
}

// NewHead is the head of a run of the claims, as one shard.
func NewHead(version string, command []string, claims []verify.Claim, o verify.Options) Head {
	digest := sha256.New()
	for _, c := range claims {
		_, _ = io.WriteString(digest, c.ID+"\n") // a hash does not fail
	}
	return Head{
		Schema: Schema, Version: version, Command: command, Seed: o.Seed, Alpha: o.Alpha, Budget: o.Budget,
		Data: o.Data != "", Claims: fmt.Sprintf("%x", digest.Sum(nil)[:12]), Shard: 1, Total: 1,
	}
}

// sameRun names the first thing in which two heads are not of one run, the shard apart.
func (h Head) sameRun(other Head) error {
	for _, c := range []struct {
		same bool
		what string
	}{
		{h.Schema == other.Schema, "is not of the form " + Schema},
		{h.Version == other.Version, fmt.Sprintf("was written by version %s, not %s: go on by the one that began it, or "+
			"begin anew", h.Version, other.Version)},
		{slices.Equal(h.Command, other.Command), fmt.Sprintf("holds a run of %q, not of %q", h.Command, other.Command)},
		{h.Claims == other.Claims && h.Config == other.Config,
			"was sampled for other claims, under another configuration, or on other recorded outputs"},
		{h.Seed == other.Seed, fmt.Sprintf("has the seed %d, not %d", h.Seed, other.Seed)},
		{h.Alpha == other.Alpha, fmt.Sprintf("has the error probability %g, not %g", h.Alpha, other.Alpha)},
		{h.Budget == other.Budget, fmt.Sprintf("has the budget %s, not %s", h.Budget, other.Budget)},
		{h.Data == other.Data, "was run with data, or without, and the other was not"},
		{h.Total == other.Total, fmt.Sprintf("is one of %d shards, not of %d", h.Total, other.Total)},
	} {
		if !c.same {
			return errors.New(c.what)
		}
	}
	return nil
}

// File keeps the tallies of a run's shards in a file: a run that was killed goes on
// where it was, and shards that were sampled on several machines are merged. What is
// chosen in Prepare is chosen anew by every process, from the seed, or from what the
// journal keeps of a mechanism that cannot be seeded.
type File struct {
	head Head
	file *empirical.Journal // nil where journals are merged: nothing is sampled

	mu       sync.Mutex
	claims   map[string]*journalClaim
	prepared *File   // of another shard, for what its claims were prepared on; may be nil
	gaps     []error // found while merging
	flaws    []error // of the files
	// unwritten is why progress could not be noted.
	unwritten error
}

func newJournal(head Head) *File {
	return &File{head: head, claims: make(map[string]*journalClaim)}
}

// Open makes a journal, or opens one that the same run has begun, and locks it. Errors name
// the file and what is wrong with it; it is then left as it was.
func Open(path string, head Head) (*File, error) {
	j := newJournal(head)
	var err error
	j.file, err = empirical.OpenJournal(path, head, j.reader(path, func(raw json.RawMessage) error {
		h, err := readHead(raw)
		if err != nil {
			return fmt.Errorf("%w; give another file", err)
		}
		if err := h.sameRun(head); err != nil {
			return err
		}
		if h.Shard != head.Shard {
			return fmt.Errorf("is shard %d, not %d", h.Shard, head.Shard)
		}
		return nil
	}))
	if err != nil {
		return nil, err
	}
	j.flaws = j.file.Flaws()
	j.retry()
	return j, nil
}

func readHead(raw json.RawMessage) (h Head, err error) {
	if err := json.Unmarshal(raw, &h); err != nil || h.Schema != Schema || h.Total < 1 || h.Shard < 1 ||
		h.Shard > h.Total {
		return h, errors.New("is no journal of tallies")
	}
	return h, nil
}

// PreparedBy takes what claims are prepared on from the journal of another shard of the
// run, where it keeps that: of processes that cannot be seeded, which would give every
// shard other outputs to choose pairs and events by.
func (j *File) PreparedBy(path string) error {
	j.prepared = newJournal(j.head)
	flaws, err := empirical.ReadJournal(path, j.prepared.reader(path, func(raw json.RawMessage) error {
		h, err := readHead(raw)
		if err != nil {
			return err
		}
		h.Total = j.head.Total // into how many parts it was divided does not matter
		return h.sameRun(j.head)
	}))
	j.flaws = append(j.flaws, flaws...)
	return err
}

// Merge reads the journals of all shards of one run. Another version, another
// plan, a shard that is there twice, or missing, is an error that names the file; what is
// damaged and not needed is a flaw.
func Merge(paths []string) (*File, Head, error) {
	if len(paths) == 0 {
		return nil, Head{}, errors.New("no files to merge")
	}
	j := newJournal(Head{})
	seen := make(map[int]string)
	for _, path := range paths {
		flaws, err := empirical.ReadJournal(path, j.reader(path, func(raw json.RawMessage) error {
			h, err := readHead(raw)
			if err != nil {
				return err
			}
			if len(seen) == 0 {
				j.head = h
			}
			if err := h.sameRun(j.head); err != nil {
				return err
			}
			if before, twice := seen[h.Shard]; twice {
				return fmt.Errorf("is shard %d of %d, and so is %s", h.Shard, h.Total, before)
			}
			seen[h.Shard] = path
			return nil
		}))
		if err != nil {
			return nil, Head{}, err
		}
		j.flaws = append(j.flaws, flaws...)
	}
	err := j.complete(seen)
	if parts, surveyed := Survey(paths); surveyed == nil {
		// A piece may be missing for the run is not over, or without a part there is no word of its claims.
		if open := unfinished(parts); open != nil && (err != nil || slices.ContainsFunc(parts, Part.stopped)) {
			err = errors.Join(err, open)
		}
	}
	if err != nil {
		const most = 20 // flaws that say as much as all of them
		return nil, Head{}, errors.Join(append(slices.Clone(j.flaws[:min(most, len(j.flaws))]), err)...)
	}
	return j, j.head, nil
}

// complete refuses gaps: a shard without a file, and a file without a tally of its own.
func (j *File) complete(files map[int]string) error {
	for shard := 1; shard <= j.head.Total; shard++ {
		if files[shard] == "" {
			return fmt.Errorf("shard %d of %d is in none of the %d files", shard, j.head.Total, len(files))
		}
	}
	for _, claim := range slices.Sorted(maps.Keys(j.claims)) {
		if i, missing := j.claims[claim].gap(); missing {
			return fmt.Errorf("%s: piece %d of %d of %s is missing; run that shard again to its end", files[1+i%j.head.Total],
				i+1,
				j.claims[claim].plan.Shards, claim)
		}
	}
	return nil
}

// Gaps are the claims that could not be judged while merging, for a piece that they
// need turned out to be in none of the files.
func (j *File) Gaps() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.gaps...)
}

// Left notes that a claim has pieces that are not here: in a shard, as it should be.
func (j *File) Left(claim string) {
	if j.file != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gaps = append(j.gaps, fmt.Errorf("%s cannot be judged: pieces of it are in none of the files; was a mechanism or "+
		"a configuration changed?", claim))
}

// Flaws are the parts of the files that could not be used, each with its file and line.
func (j *File) Flaws() []error { return j.flaws }

// Close ends the file.
func (j *File) Close() error {
	if j == nil || j.file == nil {
		return nil
	}
	return errors.Join(j.unwritten, j.file.Close())
}
