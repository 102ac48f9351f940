package eprocess

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dpverify/dpverify/empirical"
)

// Schema names the format of an evidence file.
const Schema = "dpverify/evidence/v1"

// head is the first line of an evidence file.
type head struct {
	Schema string  `json:"schema"`
	Alpha  float64 `json:"alpha"` // error probability of all runs together
}

// File is an open evidence file. It is locked until Close.
type File struct {
	Runs    []Run // the earlier runs, in order
	Start   int   // number of the start to which Add adds runs
	journal *empirical.Journal
}

// Options holds the options of Open.
type Options struct {
	Alpha float64 // error probability of all runs together, in (0, 1)
	Start int     // number of the start; 0 for the last one in the file, or 1
	New   bool    // begin the start; it is an error if the file has a run of it
}

// Open opens an evidence file to add a run. The error for a missing or contradictory file says how to go on. The file
// is then unchanged.
func Open(path string, o Options) (_ *File, err error) {
	if !(o.Alpha > 0 && o.Alpha < 1) || o.Start < 0 {
		return nil, fmt.Errorf("alpha %v, start %d: want an error probability in (0, 1) and a start from 1", o.Alpha, o.Start)
	}
	f := &File{}
	earlier, _, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Start = max(1, o.Start)
	case err != nil:
		return nil, err
	default:
		f.Start = max(o.Start, lastStart(earlier))
	}
	begun := slices.ContainsFunc(earlier, func(r Run) bool { return r.Start == f.Start })
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case o.Start > 0 && f.Start > o.Start:
		return nil, fmt.Errorf("%s has runs of start %d, but start %d is requested: set the start to %d "+
			"(--evidence-start, or evidence.start in the claims file). A start that is used twice doubles the error "+
			"probability", path, f.Start, o.Start, f.Start)
	case missing && !o.New:
		return nil, fmt.Errorf("%s does not exist: restore it. If it is lost, or if this is the first run, give "+
			"--evidence-new. After a loss, also raise the start by 1 (--evidence-start, or evidence.start in the "+
			"claims file)", path)
	case !missing && !begun && !o.New: // also a file that lost all its runs
		return nil, fmt.Errorf("%s has no run of start %d: restore the file of that start, or give --evidence-new to "+
			"begin it", path, f.Start)
	case o.New && begun:
		return nil, fmt.Errorf("%s has runs of start %d already: leave --evidence-new out", path, f.Start)
	}
	f.journal, err = empirical.OpenJournal(path, head{Schema, o.Alpha}, reader(path, &f.Runs, o.Alpha))
	if err != nil {
		return nil, err
	}
	inOrder(f.Runs)
	return f, nil
}

func lastStart(runs []Run) (last int) {
	for _, r := range runs {
		last = max(last, r.Start)
	}
	return max(1, last)
}

// reader returns a reader that appends the runs of a file. If alpha is not 0, the file must have it.
func reader(path string, runs *[]Run, alpha float64) empirical.JournalReader {
	return empirical.JournalReader{
		Accept: func(raw json.RawMessage) error {
			var h head
			if err := json.Unmarshal(raw, &h); err != nil || h.Schema != Schema || !(h.Alpha > 0 && h.Alpha < 1) {
				return errors.New("is not an evidence file of dpverify; give another file")
			}
			if alpha != 0 && h.Alpha != alpha {
				return fmt.Errorf("has the error probability %g, not %g: give --alpha %g, because all runs share one error "+
					"probability", h.Alpha, alpha, h.Alpha)
			}
			return nil
		},
		Take: func(raw json.RawMessage) error {
			var r Run
			if err := json.Unmarshal(raw, &r); err != nil {
				return errors.New("is not a run")
			}
			if err := r.check(); err != nil {
				return err
			}
			if slices.ContainsFunc(*runs, func(o Run) bool { return o.Start == r.Start && o.ID == r.ID }) {
				return fmt.Errorf("run %s is there twice", r.ID)
			}
			*runs = append(*runs, r)
			return nil
		},
	}
}

// read returns the runs of a file and its error probability.
func read(path string) (runs []Run, flaws []error, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, nil, err
	}
	flaws, err = empirical.ReadJournal(path, reader(path, &runs, 0))
	return runs, flaws, err
}

// Flaws returns an error, with file and line, for each unusable part of the file. The other runs count.
func (f *File) Flaws() []error { return f.journal.Flaws() }

// NextID returns the id of the next run if the user gives none: its number in the start, or the next unused number.
func (f *File) NextID() string {
	for n := f.known() + 1; ; n++ {
		if id := fmt.Sprint(n); f.Unused(id) == nil {
			return id
		}
	}
}

// known returns the number of runs of the present start.
func (f *File) known() (n int) {
	for _, r := range f.Runs {
		if r.Start == f.Start {
			n++
		}
	}
	return n
}

// Unused returns an error if the file has a run with this id in the present start. A run that counted twice would use
// the same samples twice.
func (f *File) Unused(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if slices.ContainsFunc(f.Runs, func(r Run) bool { return r.Start == f.Start && r.ID == id }) {
		return fmt.Errorf("run %s is in the evidence file already, and its samples count once: give another --run-id", id)
	}
	return nil
}

// Add appends a run of the present start.
func (f *File) Add(id string, collects bool, claims map[string]Outcome) error {
	if err := f.Unused(id); err != nil {
		return err
	}
	r := next(f.Runs, f.Start, id, collects)
	r.Claims = claims
	if err := r.check(); err != nil {
		return err
	}
	if err := f.journal.Add(r); err != nil {
		return err
	}
	f.Runs = append(f.Runs, r)
	inOrder(f.Runs)
	return nil
}

// Close writes the file to the disk and unlocks it.
func (f *File) Close() error { return f.journal.Close() }

// Merged is the union of evidence files.
type Merged struct {
	Alpha float64
	Runs  []Run // in order
	Flaws []error
}

// Read returns the union of the files. All files must have the same error probability.
func Read(paths ...string) (m Merged, err error) {
	for _, path := range paths {
		var runs []Run
		var h head
		r := reader(path, &runs, m.Alpha)
		accept := r.Accept
		r.Accept = func(raw json.RawMessage) error {
			if err := accept(raw); err != nil {
				return err
			}
			return json.Unmarshal(raw, &h)
		}
		flaws, err := empirical.ReadJournal(path, r)
		if err != nil {
			return m, err
		}
		m.Alpha, m.Flaws = h.Alpha, append(m.Flaws, flaws...)
		if m.Runs, err = Union(m.Runs, runs); err != nil {
			return m, fmt.Errorf("%s: %w", path, err)
		}
	}
	return m, nil
}

// Write writes the runs to a new file. It replaces an existing file only when the new one is complete.
func (m Merged) Write(path string) (err error) {
	temporary, err := os.MkdirTemp(filepath.Dir(path), ".evidence-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	part := filepath.Join(temporary, "part")
	j, err := empirical.OpenJournal(part, head{Schema, m.Alpha}, empirical.JournalReader{})
	if err != nil {
		return err
	}
	for _, r := range m.Runs {
		if err := j.Add(r); err != nil {
			return errors.Join(err, j.Close())
		}
	}
	if err := j.Close(); err != nil {
		return err
	}
	return os.Rename(part, path)
}
