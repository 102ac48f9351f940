//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package empirical

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A closed journal can be opened again, even if a new child process still has a copy of the file.
func TestClosedJournalIsUnlocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	reader := JournalReader{Accept: func(json.RawMessage) error { return nil }, Take: func(json.RawMessage) error { return nil }}
	first, err := OpenJournal(path, "head", reader)
	if err != nil {
		t.Fatal(err)
	}
	inherited, err := unix.Dup(int(first.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(inherited) }()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := OpenJournal(path, "head", reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
