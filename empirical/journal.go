package empirical

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
)

// maxJournal is the most bytes of a journal: it is read whole.
const maxJournal = 1 << 30

// Journal is a file of finished work that survives the death of the process: JSON lines,
// of which the first is a head that says what run they belong to, and each other is an
// entry with its checksum, written at once when the work is finished.
type Journal struct {
	path  string
	head  []byte // its first line, which the sums of the others cover
	flaws []error

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

// Flaws are the parts of the file that were found unusable when it was opened, each with the
// file and the line. The rest is used.
func (j *Journal) Flaws() []error { return j.flaws }

// Close ends the file, and with it the lock.
func (j *Journal) Close() error {
	err := j.file.Sync()
	unlockFile(j.file)
	return errors.Join(err, j.file.Close())
}
