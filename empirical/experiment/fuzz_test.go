package experiment

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A checkpoint is either rejected and not changed, or the run gives the same results as a run without it.
func FuzzCheckpoint(f *testing.F) {
	e := experiment(panel("one", noise("a", 1), noise("a", 2)))
	path := filepath.Join(f.TempDir(), "made")
	if _, err := e.Run(context.Background(), Options{Checkpoint: path}); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"", "{}\n", "dear diary\n", string(good), string(good[:len(good)-4]), string(good[:10]), string(good) + "null\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Run(context.Background(), Options{Checkpoint: path}); err != nil {
			if after := read(t, path); after != string(data) {
				t.Fatalf("%v, and the file is now %q", err, after)
			}
			return
		}
		var flaws []error
		if _, err := e.Run(context.Background(), Options{Checkpoint: path, Flaw: func(flaw error) { flaws = append(flaws, flaw) }}); err != nil {
			t.Fatalf("what was gone on with cannot be read again: %v", err)
		}
		if after := read(t, path); after != string(good) && len(flaws) == 0 && !strings.Contains(after, "\r") {
			t.Fatalf("the checkpoint became %q", after)
		}
	})
}
