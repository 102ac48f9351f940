package empirical

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An opened journal contains the entries of its complete lines. A rejected file is not changed. A journal can be
// read again after a new entry.
func FuzzOpenJournal(f *testing.F) {
	head := map[string]int{"run": 1}
	first, _ := json.Marshal(head)
	entry := []byte(`{"x":1}`)
	good := string(first) + "\n" + `{"entry":` + string(entry) + `,"sum":"` + journalSum(first, entry) + "\"}\n"
	for _, text := range []string{"", good, good[:len(good)-3], good[:5], "dear diary", "null\n", good + "{}\n", strings.ToUpper(good), good + "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		accept := func(json.RawMessage) error { return nil }
		entries := 0
		take := func(json.RawMessage) error { entries++; return nil }
		j, err := OpenJournal(path, head, JournalReader{Accept: accept, Take: take})
		if err != nil {
			if after, _ := os.ReadFile(path); !bytes.Equal(after, data) || !strings.HasPrefix(err.Error(), path+":") {
				t.Fatalf("the message is %q, the file %q", err, after)
			}
			return
		}
		if err := j.Add("more"); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		before := entries
		if _, err := ReadJournal(path, JournalReader{Accept: accept, Take: take}); err != nil || entries != 2*before+1 {
			t.Fatalf("%d entries after %d and one more: %v", entries-before, before, err)
		}
	})
}

// A seed is parsed or rejected, without a panic.
func FuzzParseSeed(f *testing.F) {
	for _, s := range []string{"", "0", "1", "-1", "1.5", "18446744073709551615", "18446744073709551616", " 1", "0x1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseSeed(s); err == nil && n == 0 {
			t.Fatal("the seed 0 asks for another and is none")
		}
	})
}
