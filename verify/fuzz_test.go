package verify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// A recording is an error that names its file, or outputs of one kind that can be written again.
func FuzzReadRecording(f *testing.F) {
	for _, text := range []string{"", lines(200, "1.5"), lines(200, "[1, \"x\"]"), "noise\n" + lines(200, "1"), "\xef\xbb\xbf" + lines(200, "1,2"), "\"", "NaN\n", "{}\n", lines(200, "\"inf\"") + "null"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		name := "f.jsonl"
		if isCSV {
			name = "f.csv"
		}
		got, err := ReadRecording(name, strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") || len(err.Error()) > 2000 {
				t.Fatalf("the message is %q", err)
			}
			return
		}
		if len(got.Outputs) < leastSamples {
			t.Fatalf("%d outputs and no error", len(got.Outputs))
		}
		for _, v := range got.Outputs {
			if _, err := json.Marshal(v); err != nil || !alike(got.Outputs[0], v) && got.Outputs[0] != nil {
				t.Fatalf("the output %v: %v", v, err)
			}
		}
	})
}

// A reply is an error of bounded length, or as many outputs as were asked for.
func FuzzReply(f *testing.F) {
	for _, line := range []string{"", "{}", `{"outputs": [1, "nan"]}`, `{"outputs": [[1, [2]], null]}`, `{"outputs": [1], "outputs": [2]}`, `{"outputs": [NaN, 1]}`, `{"x": {}, "outputs": [true, false]}`, "\xff", strings.Repeat("[", 100)} {
		f.Add([]byte(line), 2)
	}
	f.Fuzz(func(t *testing.T, line []byte, n int) {
		values, err := parseReply(line, n)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("the message is %q", err)
			}
			return
		}
		if len(values) != n {
			t.Fatalf("%d outputs, want %d", len(values), n)
		}
		var seen repliesSeen
		seen.first(nil)
		if err := seen.note(nil, 1, values); err == nil {
			_ = seen.usable()
		}
	})
}

// A journal is refused, or is taken whole; merging twice gives the same.
func FuzzMergeJournals(f *testing.F) {
	path := filepath.Join(f.TempDir(), "good")
	head := JournalHead{Schema: JournalSchema, Version: "v", Command: []string{"verify"}, Seed: 1, Alpha: 1e-6, Budget: Quick, Shard: 1, Of: 1}
	j, err := OpenJournal(path, head)
	if err != nil {
		f.Fatal(err)
	}
	if err := (JournalPlace{j, "a/b"}).Keep(&Preparation{Digest: "d", Replies: []KeptReply{{"i", 1, []byte("[1]")}}}); err != nil {
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
	f.Add([]byte(`{"schema":"` + JournalSchema + `","shard":1,"of":9223372036854775807}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, _, err := MergeJournals([]string{path})
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
