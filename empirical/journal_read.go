package empirical

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/dpverify/dpverify/internal/bounded"
)

// JournalReader handles the contents of a journal.
type JournalReader struct {
	// Accept returns an error if the header of a file does not belong to this run.
	Accept func(head json.RawMessage) error
	// Take receives the entries in order. If it returns an error, the entry becomes a flaw of the file. A
	// [*Contradiction] ends the reading.
	Take func(entry json.RawMessage) error
	// Name describes an entry in a few words, or returns "". It may be nil.
	Name func(entry json.RawMessage) string
}

// Contradiction is the error of an entry that contradicts earlier entries, so that later entries cannot be
// assigned.
type Contradiction struct{ Err error }

func (c *Contradiction) Error() string { return c.Err.Error() }
func (c *Contradiction) Unwrap() error { return c.Err }

// OpenJournal opens the file, or creates it with the given header. The file is locked until Close or the end of the
// process, if the file system supports locks; a second process gets an error. Lines that are damaged, torn or
// belong to another run are skipped and reported by Flaws. A file of another run or another format is an error and
// is not changed. Errors name the file.
func OpenJournal(path string, head any, r JournalReader) (_ *Journal, err error) {
	first, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s: is not a regular file: want a file that can be read again", path))
	}
	locked := lockFile(file)
	if errors.Is(locked, errLocked) {
		return nil, fmt.Errorf("%s: is in use by another run, which keeps what it samples there; wait for its end, or "+
			"give another file", path)
	}
	data, err := bounded.ReadOpen(path, file, maxJournal, "a journal, which is read whole")
	if err != nil {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	j := &Journal{path: path, head: first, file: file, room: maxJournal - int64(len(whole)+len(first)+1)}
	switch {
	case len(whole) > 0:
		if j.head, j.flaws, err = readJournal(path, whole, r); err != nil {
			return nil, err
		}
		if torn := len(data) - len(whole); torn > 0 {
			j.flaws = append(j.flaws, fmt.Errorf("%s: its last line is cut off, as by a kill: %d bytes of it are dropped", path,
				torn))
		}
	case !bytes.HasPrefix(first, data): // neither empty nor torn in its first line
		return nil, fmt.Errorf("%s: %w", path, errNoJournal)
	}
	if locked != nil {
		j.flaws = append(j.flaws, fmt.Errorf("%s: cannot be locked here (%w): see to it that no second run uses it", path,
			locked))
	}
	if err = file.Truncate(int64(len(whole))); err == nil && len(whole) == 0 {
		_, err = file.Write(append(bytes.Clone(first), '\n'))
	}
	return j, err
}

// ReadJournal reads a file that no run continues, like OpenJournal, and returns its flaws. A file without a
// complete line is an error.
func ReadJournal(path string, r JournalReader) (flaws []error, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := bounded.ReadOpen(path, file, maxJournal, "a journal, which is read whole")
	if err != nil {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if len(whole) == 0 {
		return nil, fmt.Errorf("%s: is empty, or cut off in its first line; let the run that writes it finish", path)
	}
	_, flaws, err = readJournal(path, whole, r)
	if torn := len(data) - len(whole); torn > 0 {
		flaws = append(flaws, fmt.Errorf("%s: its last line is cut off: the run that writes it was killed, or goes on", path))
	}
	return flaws, err
}

var errNoJournal = errors.New("is no journal of dpverify; give another file")

func readJournal(path string, whole []byte, r JournalReader) (head []byte, flaws []error, err error) {
	lines := bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n"))
	for i := range lines { // line ends may have been converted by another system
		lines[i] = bytes.TrimSuffix(lines[i], []byte("\r"))
	}
	head = bytes.Clone(lines[0])
	if !json.Valid(head) {
		return nil, nil, fmt.Errorf("%s: %w", path, errNoJournal)
	}
	if err := r.Accept(head); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	fit := 0 // number of lines with valid checksums
	for i, line := range lines[1:] {
		place := fmt.Sprintf("%s: line %d", path, i+2)
		entry, err := openLine(head, line)
		if err == nil {
			fit++
			err = r.Take(entry)
		}
		switch contradiction := (*Contradiction)(nil); {
		case errors.As(err, &contradiction):
			return nil, nil, fmt.Errorf("%s: %w", place, err)
		case err != nil:
			if name := r.nameOf(entry); name != "" {
				place += " (" + name + ")"
			}
			flaws = append(flaws, fmt.Errorf("%s: %w: it is not used", place, err))
		}
	}
	if fit == 0 && len(lines) > 1 {
		return nil, nil, fmt.Errorf("%s: none of its %d lines fits the first: that is damaged, or the rest is of another "+
			"run; give another file", path, len(lines)-1)
	}
	return head, flaws, nil
}

// openLine returns the entry of a line, also if its checksum is wrong.
func openLine(head, line []byte) (json.RawMessage, error) {
	var l journalLine
	if err := json.Unmarshal(line, &l); err != nil || l.Entry == nil {
		return nil, errors.New("is damaged: it is not a journal entry")
	}
	if l.Sum != journalSum(head, l.Entry) {
		return l.Entry, errors.New("is damaged, or of another run: its sum does not fit")
	}
	return l.Entry, nil
}

func (r JournalReader) nameOf(entry json.RawMessage) string {
	if r.Name == nil || entry == nil {
		return ""
	}
	return r.Name(entry)
}
