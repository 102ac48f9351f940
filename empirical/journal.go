package empirical

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"
)

// maxJournal is the most bytes of a journal: it is read whole.
const maxJournal = 1 << 30

// Journal is a file of finished work that survives the death of the process: JSON lines,
// of which the first is a head that says what run they belong to, and each other is an
// entry with its checksum, written at once when the work is finished.
type Journal struct {
	path string
	head []byte // its first line, which the sums of the others cover

	mu   sync.Mutex
	file *os.File
	room int64 // bytes that it may still grow by, to be readable
}

// journalLine is a line after the head.
type journalLine struct {
	Entry json.RawMessage `json:"entry"`
	Sum   string          `json:"sum"` // CRC-32 of head and entry
}

func journalSum(head, entry []byte) string {
	return fmt.Sprintf("%08x", crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, entry))
}

// OpenJournal makes the file with the head given, or opens it. accept says whether the
// head of a file that is there belongs to this run, and take gets its entries, in order. A
// last line without its end was being written when a process died, and is dropped; any
// other damage is an error, and the file is left alone. Errors name the file.
func OpenJournal(path string, head any, accept, take func(json.RawMessage) error) (*Journal, error) {
	first, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	data, err := readBounded(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	j := &Journal{path: path, head: first, room: maxJournal - int64(len(whole)+len(first)+1)}
	switch {
	case len(whole) > 0:
		if j.head, err = readJournal(path, whole, accept, take); err != nil {
			return nil, err
		}
	case !bytes.HasPrefix(first, data): // neither empty nor torn in its first line
		return nil, fmt.Errorf("%s: %w", path, errNoJournal)
	}
	if j.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	if err = j.file.Truncate(int64(len(whole))); err == nil && len(whole) == 0 {
		_, err = j.file.Write(append(bytes.Clone(first), '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	return j, nil
}

// ReadJournal reads a finished file, as OpenJournal does. One that ends within a line is
// an error here.
func ReadJournal(path string, accept, take func(json.RawMessage) error) error {
	data, err := readBounded(path)
	if err != nil {
		return err
	}
	if len(data) == 0 || data[len(data)-1] != '\n' {
		return fmt.Errorf("%s: is cut off in its last line; let the run that writes it finish", path)
	}
	_, err = readJournal(path, data, accept, take)
	return err
}

// readBounded reads a file that is not too large to be a journal.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tooLarge := fmt.Errorf("%s: is larger than %d MiB, and is read whole; give another file", path, maxJournal>>20)
	if info, err := file.Stat(); err == nil && info.Size() > maxJournal {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(file, maxJournal+1))
	if err == nil && len(data) > maxJournal { // a pipe has no size
		err = tooLarge
	}
	return data, err
}

const damaged = "the file is damaged: delete it to begin anew"

var errNoJournal = errors.New("is no journal of dpverify; give another file")

func readJournal(path string, whole []byte, accept, take func(json.RawMessage) error) (head []byte, err error) {
	lines := bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n"))
	head = bytes.Clone(lines[0])
	if !json.Valid(head) {
		return nil, fmt.Errorf("%s: %w", path, errNoJournal)
	}
	if err := accept(head); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, line := range lines[1:] {
		var l journalLine
		err := json.Unmarshal(line, &l)
		switch {
		case err != nil:
			err = fmt.Errorf("is not JSON; %s", damaged)
		case l.Sum != journalSum(head, l.Entry):
			err = fmt.Errorf("its sum does not fit; %s", damaged)
		default:
			err = take(l.Entry)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, i+2, err)
		}
	}
	return head, nil
}

// Add writes an entry. It may be called by several goroutines at a time. An entry with
// which the file would be too large to be read again is an error and not written.
func (j *Journal) Add(entry any) error {
	raw, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	line, err := json.Marshal(journalLine{raw, journalSum(j.head, raw)})
	if err != nil {
		return err
	}
	line = append(line, '\n')
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.room -= int64(len(line)); j.room < 0 {
		return fmt.Errorf("%s: would grow beyond %d MiB, and could not be read again", j.path, maxJournal>>20)
	}
	_, err = j.file.Write(line)
	return err
}

// Close ends the file.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }
