package empirical

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
)

// maxJournal is the largest size of a journal in bytes. A journal is read into memory.
const maxJournal = 1 << 30

// Journal is a file of finished work that survives the process. It contains JSON lines. The first line is a header
// that identifies the run. Each other line is an entry with its checksum, written as soon as the work is finished.
type Journal struct {
	path  string
	head  []byte // first line, which is part of the other lines' checksums
	flaws []error

	mu   sync.Mutex
	file *os.File
	room int64 // remaining bytes before the file is too large to be read
}

// journalLine is a line after the header.
type journalLine struct {
	Entry json.RawMessage `json:"entry"`
	Sum   string          `json:"sum"` // CRC-32 of header and entry
}

func journalSum(head, entry []byte) string {
	return fmt.Sprintf("%08x", crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, entry))
}

// Add writes an entry. It may be called concurrently. It rejects an entry with an error if the file would become
// too large to be read.
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

// Flaws returns an error, with file and line, for each part of the file that was unusable when it was opened. The
// rest of the file is used.
func (j *Journal) Flaws() []error { return j.flaws }

// Close closes the file and releases the lock.
func (j *Journal) Close() error {
	err := j.file.Sync()
	unlockFile(j.file)
	return errors.Join(err, j.file.Close())
}
