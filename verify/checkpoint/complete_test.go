package checkpoint

import (
	"fmt"
	"strings"
	"testing"
)

// Merge names a missing file or piece: the first, the last and any between.
func TestWhateverIsMissingIsTold(t *testing.T) {
	const shards, pieces = 3, 7
	whole := func() (*File, map[int]string) {
		j, files := newJournal(Head{Total: shards}), make(map[int]string)
		for shard := 1; shard <= shards; shard++ {
			files[shard] = fmt.Sprint("file", shard)
		}
		c := j.claim("a")
		c.plan.Shards = pieces
		for i := range pieces {
			c.tallies[i] = []byte("[1]")
		}
		return j, files
	}
	j, files := whole()
	if err := j.complete(files); err != nil {
		t.Errorf("nothing is missing: %v", err)
	}
	for shard := 1; shard <= shards; shard++ {
		j, files := whole()
		delete(files, shard)
		if err := j.complete(files); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("shard %d of 3 is in none of the 2 files", shard)) {
			t.Errorf("without file %d: %v", shard, err)
		}
	}
	for i := range pieces {
		j, files := whole()
		delete(j.claim("a").tallies, i)
		want := fmt.Sprintf("file%d: piece %d of 7 of a is missing", 1+i%shards, i+1)
		if err := j.complete(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without piece %d: %v, want %q", i+1, err, want)
		}
	}
}
