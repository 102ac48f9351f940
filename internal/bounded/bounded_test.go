package bounded_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/bounded"
)

// endless is a stream of one byte.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestReadFile(t *testing.T) {
	const limit = 1 << 20
	path := filepath.Join(t.TempDir(), "file")
	for size, tooLarge := range map[int64]bool{0: false, limit: false, limit + 1: true, 20 << 30: true} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // a sparse file
			t.Skip(err)
		}
		data, err := bounded.ReadFile(path, limit, "a report")
		if errors.Is(err, bounded.ErrTooLarge) != tooLarge || err == nil && int64(len(data)) != size {
			t.Errorf("%d bytes: got %d, %v", size, len(data), err)
		}
		if tooLarge && !strings.HasPrefix(err.Error(), path+": is larger than 1 MiB, the limit for a report") {
			t.Error(err)
		}
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := bounded.ReadFile("/dev/zero", limit, "a report"); !errors.Is(err, bounded.ErrTooLarge) {
			t.Errorf("an endless file: %v", err)
		}
	}
}

func TestReader(t *testing.T) {
	r := bounded.NewReader(endless('x'), 100, 1000)
	if n, err := io.Copy(io.Discard, r); n != 100 || !errors.Is(err, bounded.ErrTooLarge) {
		t.Errorf("a text of at most 100 bytes: %d, %v", n, err)
	}
	if n, err := io.Copy(io.Discard, bounded.NewReader(strings.NewReader("12345"), 5, 5)); n != 5 || err != nil {
		t.Errorf("a text as long as the limit: %d, %v", n, err)
	}
	r, p := bounded.NewReader(endless('x'), 1<<20, 10), make([]byte, 8)
	for range 100 {
		if _, err := r.Read(p); err != nil {
			t.Fatalf("records within the limit: %v", err)
		}
		r.Done()
	}
	if _, err := io.Copy(io.Discard, r); err == nil || !strings.Contains(err.Error(), "a row is longer than 10 bytes") {
		t.Errorf("an endless record: %v", err)
	}
}

// A repetitive text compresses by a factor of 1000, and is rejected only after the first 16 MiB.
func TestGunzip(t *testing.T) {
	compressed := func(line string, bytesOfText int) io.Reader {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(bytes.Repeat([]byte(line), bytesOfText/len(line)))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	for _, c := range []struct {
		mebibytes int
		tooLarge  bool
	}{{15, false}, {30, true}} {
		plain, err := bounded.Gunzip(compressed("1 1:1\n", c.mebibytes<<20))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, plain); errors.Is(err, bounded.ErrTooLarge) != c.tooLarge || n > 17<<20 {
			t.Errorf("%d MiB: %d bytes, %v", c.mebibytes, n, err)
		}
	}
}
