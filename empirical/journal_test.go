package empirical

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func takeAll(json.RawMessage) error { return nil }

var readAll = JournalReader{Accept: takeAll, Take: takeAll}

func readError(path string) error {
	_, err := ReadJournal(path, readAll)
	return err
}

// A file that is too large is rejected without being read, and a journal never becomes that large.
func TestJournalIsBounded(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxJournal+1); err != nil { // with a hole for its content
		t.Fatal(err)
	}
	_, opened := OpenJournal(large, "head", readAll)
	for _, err := range []error{opened, readError(large)} {
		if err == nil || !strings.HasPrefix(err.Error(), large+": is larger than 1024 MiB") {
			t.Errorf("error %v", err)
		}
	}

	path := filepath.Join(t.TempDir(), "f")
	j, err := OpenJournal(path, "head", readAll)
	if err != nil {
		t.Fatal(err)
	}
	j.room = 100
	if err := j.Add("small"); err != nil {
		t.Error(err)
	}
	if err := j.Add(strings.Repeat("x", 100)); err == nil || !strings.HasPrefix(err.Error(), path+": would grow beyond") {
		t.Errorf("beyond the room: error %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	var entries []string
	flaws, err := ReadJournal(path, JournalReader{Accept: takeAll, Take: func(e json.RawMessage) error { entries = append(entries, string(e)); return nil }})
	if err != nil || len(flaws) != 0 || len(entries) != 1 || entries[0] != `"small"` {
		t.Errorf("entries %q, error %v", entries, err)
	}
}

// An entry whose text changed after it was written is a flaw and is not used. Its checksum does not fit.
func TestChangedEntryIsAFlaw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	j, err := OpenJournal(path, "head", readAll)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Add(10), j.Add(20), j.Add(30), j.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(`"entry":20`), []byte(`"entry":21`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	var entries []string
	flaws, err := ReadJournal(path, JournalReader{Accept: takeAll, Take: func(e json.RawMessage) error { entries = append(entries, string(e)); return nil }})
	if err != nil || !slices.Equal(entries, []string{"10", "30"}) || len(flaws) != 1 || !strings.HasPrefix(flaws[0].Error(), path+": line 3") {
		t.Errorf("entries %q, flaws %v, error %v", entries, flaws, err)
	}
}

// An open journal is locked, and a closed one is not.
func TestJournalIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	first, err := OpenJournal(path, "head", readAll)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Flaws()) > 0 {
		t.Skipf("there are no locks here: %v", first.Flaws())
	}
	if _, err := OpenJournal(path, "head", readAll); err == nil || !strings.HasPrefix(err.Error(), path+": is in use by another run") {
		t.Errorf("opened twice: error %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := OpenJournal(path, "head", readAll)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}
