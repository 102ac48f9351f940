package checkpoint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Merge rejects a journal or uses all of it, and repeats its result.
func FuzzMergeJournals(f *testing.F) {
	path := filepath.Join(f.TempDir(), "good")
	head := Head{Schema: Schema, Version: "v", Command: []string{"verify"}, Seed: 1, Alpha: 1e-6, Budget: verify.Quick, Shard: 1, Total: 1}
	j, err := Open(path, head)
	if err != nil {
		f.Fatal(err)
	}
	if err := (Place{j, "a/b"}).Keep(&Preparation{Digest: "d", Replies: []Reply{{"i", 1, []byte("[1]")}}}); err != nil {
		f.Fatal(err)
	}
	s := j.Shelf("a/b")
	if err := s.Begin(empirical.Plan{Shards: 1, SamplesPerShard: 2}); err != nil {
		f.Fatal(err)
	}
	if err := s.Keep(0, empirical.NoTally{}); err != nil {
		f.Fatal(err)
	}
	if err := j.Close(); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"schema":"` + Schema + `","shard":1,"of":9223372036854775807}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, _, err := Merge([]string{path})
		if err != nil {
			if !strings.Contains(err.Error(), path) && !strings.Contains(err.Error(), "shard") {
				t.Fatalf("the message is %q", err)
			}
			return
		}
		for id, c := range j.claims {
			if len(c.tallies) != max(0, c.plan.Shards) && c.enough == 0 && len(c.failures) == 0 {
				t.Fatalf("%s: %d pieces of %d", id, len(c.tallies), c.plan.Shards)
			}
		}
	})
}
