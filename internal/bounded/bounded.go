// Package bounded reads files and streams up to a size limit, so that a huge or endless input cannot fill the memory.
package bounded

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrTooLarge is wrapped by every error about an input above its limit.
var ErrTooLarge = errors.New("too large to be read into memory")

// ReadFile returns the content of a file of at most limit bytes. A larger file is an error that wraps ErrTooLarge.
// The error contains purpose, for example "a report". A regular file above the limit is not read at all.
func ReadFile(path string, limit int64, purpose string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ReadOpen(path, file, limit, purpose)
}

// ReadOpen does the same as ReadFile for an open file. It reads from the current offset.
func ReadOpen(path string, file *os.File, limit int64, purpose string) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var data []byte
	if !info.Mode().IsRegular() || info.Size() <= limit {
		data, err = io.ReadAll(io.LimitReader(file, limit+1))
	}
	if err == nil && (int64(len(data)) > limit || info.Mode().IsRegular() && info.Size() > limit) {
		err = fmt.Errorf("%s: is larger than %d MiB, the limit for %s: %w", path, limit>>20, purpose, ErrTooLarge)
	}
	return data, err
}

// A Reader reads a text for a parser that reads one record at a time. A text or a record above its limit is an error.
// Later calls of Read return the same error.
type Reader struct {
	r                 io.Reader
	read, maxText     int64 // bytes of the whole text
	record, maxRecord int64 // bytes since the last call of Done
	failed            error
}

// NewReader returns a reader for a text of at most maxText bytes, in records of at most maxRecord bytes. A record may
// exceed its limit by the size of the caller's buffer.
func NewReader(r io.Reader, maxText, maxRecord int64) *Reader {
	return &Reader{r: r, maxText: maxText, maxRecord: maxRecord}
}

// Done marks the end of a record. The byte count restarts at 0 for the next record.
func (r *Reader) Done() { r.record = 0 }

func (r *Reader) Read(p []byte) (n int, err error) {
	if r.failed == nil {
		n, r.failed = r.limited(p)
	}
	return n, r.failed
}

func (r *Reader) limited(p []byte) (int, error) {
	if r.read >= r.maxText {
		var probe [1]byte
		n, err := r.r.Read(probe[:])
		if n > 0 {
			return 0, TooLarge(r.maxText)
		}
		return 0, err
	}
	if r.record > r.maxRecord {
		return 0, fmt.Errorf("a row is longer than %d bytes: is a line end or a closing quote missing?", r.maxRecord)
	}
	n, err := r.r.Read(p[:min(int64(len(p)), r.maxText-r.read)])
	r.read += int64(n)
	r.record += int64(n)
	return n, err
}

// TooLarge returns the error for a text of more than limit bytes. It wraps ErrTooLarge.
func TooLarge(limit int64) error {
	return fmt.Errorf("%w: longer than %d bytes: give fewer rows", ErrTooLarge, limit)
}

// After freeExpansion bytes, compressed data may expand by at most the factor maxExpansion. Tables of numbers expand
// by a factor of 3 to 40, and decompression bombs by 1000.
const (
	maxExpansion  = 100
	freeExpansion = 16 << 20 // bytes
)

// Gunzip returns a reader that decompresses the gzip data in r. After the first 16 MiB, reading fails if the text is
// more than 100 times as long as the data read from r.
func Gunzip(r io.Reader) (io.Reader, error) {
	counted := &counter{r: r}
	plain, err := gzip.NewReader(counted)
	if err != nil {
		return nil, err
	}
	return &inflated{plain: plain, compressed: counted}, nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

type inflated struct {
	plain      *gzip.Reader
	compressed *counter
	read       int64
}

func (i *inflated) Read(p []byte) (int, error) {
	if i.read > freeExpansion && i.read > maxExpansion*i.compressed.n {
		return 0, fmt.Errorf("%w: it decompresses to more than %d times its size: decompress it and check its rows",
			ErrTooLarge, maxExpansion)
	}
	n, err := i.plain.Read(p)
	i.read += int64(n)
	return n, err
}
