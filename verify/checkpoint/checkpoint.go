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

// Head identifies the run that a journal belongs to, and the shard of the run.
type Head struct {
	Schema  string        `json:"schema"`
	Version string        `json:"version"` // of the program: tallies of two versions are not merged
	Command []string      `json:"command"` // its words, without the flags below: "verify", "prestige"
	Seed    uint64        `json:"seed,string"`
	Alpha   float64       `json:"alpha"`
	Budget  verify.Budget `json:"budget"`
	Data    bool          `json:"data"`   // whether data files were given
	Claims  string        `json:"claims"` // a digest of the ids, in order
	// Config is a digest of the audited mechanism and its claims. It is "" for the built-in claims, which Version
	// identifies.
	Config string `json:"config,omitempty"`
	Shard  int    `json:"shard"` // from 1; 1 of 1 is a checkpoint of a whole run
	Total  int    `json:"of"`
}

// NewHead returns the head of a run of the claims in one shard.
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

// sameRun returns an error that names the first difference between the runs of two heads. It ignores the shard.
func (h Head) sameRun(other Head) error {
	for _, c := range []struct {
		same bool
		what string
	}{
		{h.Schema == other.Schema, "is not of the form " + Schema},
		{h.Version == other.Version, fmt.Sprintf("was written by version %s, not %s: continue with the version that "+
			"began it, or "+
			"start a new file", h.Version, other.Version)},
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

// File stores the tallies of a run's shards in a file. A killed run continues from it, and shards from several machines
// are merged from their files. Every process repeats the choices of Prepare: from the seed, or from the outputs that
// the journal stores if the mechanism has its own randomness.
type File struct {
	head Head
	file *empirical.Journal // nil while merging, which samples nothing

	mu       sync.Mutex
	claims   map[string]*journalClaim
	prepared *File   // journal of another shard, for the preparation of its claims; may be nil
	gaps     []error // found while merging
	flaws    []error // of the files
	// unwritten holds the errors of writing progress.
	unwritten error
}

func newJournal(head Head) *File {
	return &File{head: head, claims: make(map[string]*journalClaim)}
}

// Open creates a journal, or opens one that the same run began, and locks it. An error names the file and the problem;
// the file is then unchanged.
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
		return h, errors.New("is not a checkpoint or shard file of dpverify")
	}
	return h, nil
}

// PreparedBy takes the preparation of claims from the journal of another shard of the run. It is needed for processes
// without a seed: their outputs differ from shard to shard, and so would the chosen pairs and events.
func (j *File) PreparedBy(path string) error {
	j.prepared = newJournal(j.head)
	flaws, err := empirical.ReadJournal(path, j.prepared.reader(path, func(raw json.RawMessage) error {
		h, err := readHead(raw)
		if err != nil {
			return err
		}
		h.Total = j.head.Total // the number of shards does not matter
		return h.sameRun(j.head)
	}))
	j.flaws = append(j.flaws, flaws...)
	return err
}

// Merge reads the journals of all shards of one run. Another version or plan and a missing or repeated shard are errors
// that name the file. Damage in entries that are not needed is a flaw; see [File.Flaws].
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
		// A piece can be missing because its shard is still running or because a file was not given.
		if open := unfinished(parts); open != nil && (err != nil || slices.ContainsFunc(parts, Part.stopped)) {
			err = errors.Join(err, open)
		}
	}
	if err != nil {
		const maxFlaws = 20
		return nil, Head{}, errors.Join(append(slices.Clone(j.flaws[:min(maxFlaws, len(j.flaws))]), err)...)
	}
	return j, j.head, nil
}

// complete returns an error for a shard without a file, and for a file that lacks one of its tallies.
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

// Gaps returns an error for each claim that could not be judged while merging, because no file has one of its pieces.
func (j *File) Gaps() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.gaps...)
}

// Left records that a claim lacks pieces. In a single shard this is normal and is not recorded.
func (j *File) Left(claim string) {
	if j.file != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gaps = append(j.gaps, fmt.Errorf("%s cannot be judged: no file has all of its pieces; was a mechanism or "+
		"a configuration changed?", claim))
}

// Flaws returns an error for each unusable entry of the files, with its file and line.
func (j *File) Flaws() []error { return j.flaws }

// Close closes the file and reports progress that could not be written.
func (j *File) Close() error {
	if j == nil || j.file == nil {
		return nil
	}
	return errors.Join(j.unwritten, j.file.Close())
}
