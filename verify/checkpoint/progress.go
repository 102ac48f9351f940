package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dpverify/dpverify/empirical"
)

// MaxParts of a run.
const MaxParts = 1 << 16

// journalProgress is how many claims a part has gone through.
type journalProgress struct {
	Finished int `json:"finished"`
	Of       int `json:"of"`
}

// Finished notes that a part of a run has gone through so many of its claims. What cannot be written is told by Close.
func (j *File) Finished(claims, of int) {
	if j == nil || j.file == nil || j.head.Total == 1 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.unwritten = errors.Join(j.unwritten, j.file.Add(journalEntry{Progress: &journalProgress{claims, of}}))
}

// Part is the file of a part of a run, or the want of one.
type Part struct {
	Path         string // "" where there is no file
	Shard, Total int
	Finished     int // claims gone through
	Claims       int // of the run; 0 where the file does not tell
	Written      time.Time
	unreadable   error
}

// Done tells whether the part has gone through all its claims.
func (p Part) Done() bool { return p.Path != "" && p.Claims > 0 && p.Finished == p.Claims }

// stopped tells whether the part says by itself that it is not done.
func (p Part) stopped() bool { return p.Claims > 0 && p.Finished < p.Claims }

// String says how far the part is.
func (p Part) String() string {
	switch {
	case p.Path == "":
		return fmt.Sprintf("part %d of %d: there is no file of it", p.Shard, p.Total)
	case p.unreadable != nil:
		return fmt.Sprintf("%s: has just begun, or %v", p.Path, p.unreadable)
	case p.Claims == 0:
		return fmt.Sprintf("%s: part %d of %d has finished no claim, last written %s", p.Path, p.Shard, p.Total, p.when())
	case p.Done():
		return fmt.Sprintf("%s: part %d of %d is done, %d claims", p.Path, p.Shard, p.Total, p.Claims)
	}
	return fmt.Sprintf("%s: part %d of %d has finished %d of %d claims, last written %s", p.Path, p.Shard, p.Total,
		p.Finished,
		p.Claims, p.when())
}

func (p Part) when() string { return p.Written.Format(time.DateTime) }

// Survey tells how far the parts of one run are whose files there are, one for each part. A file of another run, or a
// part that two files have, is an error that names it; one that has just begun is not.
func Survey(paths []string) ([]Part, error) {
	var head *Head
	have := make(map[int]Part)
	var begun []Part
	for _, path := range paths {
		p, err := surveyOne(path, &head)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case p.unreadable != nil:
			begun = append(begun, p)
			continue
		}
		if before, twice := have[p.Shard]; twice {
			return nil, fmt.Errorf("%s: is shard %d of %d, and so is %s", path, p.Shard, p.Total, before.Path)
		}
		have[p.Shard] = p
	}
	if head == nil {
		return begun, nil
	}
	if head.Total > MaxParts {
		return nil, fmt.Errorf("%d parts are more than the %d that are surveyed", head.Total, MaxParts)
	}
	out := begun
	for shard := 1; shard <= head.Total; shard++ {
		p, ok := have[shard]
		if !ok {
			p = Part{Shard: shard, Total: head.Total}
		}
		out = append(out, p)
	}
	return out, nil
}

// surveyOne reads the head of a file and how far it is.
func surveyOne(path string, first **Head) (p Part, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return p, err
	}
	p = Part{Path: path, Written: info.ModTime()}
	var head Head
	_, err = empirical.ReadJournal(path, empirical.JournalReader{
		Accept: func(raw json.RawMessage) (err error) {
			if head, err = readHead(raw); err != nil || *first == nil {
				return err
			}
			return head.sameRun(**first)
		},
		Take: func(raw json.RawMessage) error {
			var e journalEntry
			if err := json.Unmarshal(raw, &e); err == nil && e.Progress != nil {
				p.Finished, p.Claims = e.Progress.Finished, e.Progress.Of
			}
			return nil
		},
	})
	switch {
	case err != nil && head.Total == 0 && info.Size() < leastHead:
		p.unreadable = err
		return p, nil
	case err != nil:
		return p, err
	}
	p.Shard, p.Total = head.Shard, head.Total
	if *first == nil {
		*first = &head
	}
	return p, nil
}

// leastHead is a size below which a file may not have its first line yet.
const leastHead = 4096

// unfinished are the words of the parts that are not done, at most so many; nil where all are.
func unfinished(parts []Part) error {
	var words []string
	for _, p := range parts {
		if !p.Done() {
			words = append(words, p.String())
		}
	}
	const most = 20
	if len(words) == 0 {
		return nil
	}
	text := strings.Join(words[:min(most, len(words))], "\n  ")
	if more := len(words) - most; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return fmt.Errorf("%d of %d parts are not done:\n  %s", len(words), len(parts), text)
}

// InWords is a line about all parts.
func InWords(parts []Part) string {
	done := 0
	var running, absent []string
	for _, p := range parts {
		switch {
		case p.Done():
			done++
		case p.Path == "":
			absent = append(absent, fmt.Sprint(p.Shard))
		case p.unreadable != nil:
			running = append(running, p.Path)
		default:
			running = append(running, fmt.Sprintf("%d (%d of %d claims)", p.Shard, p.Finished, p.Claims))
		}
	}
	text := fmt.Sprintf("%d of %d parts are done", done, len(parts))
	for _, of := range []struct {
		word string
		all  []string
	}{{"not done", running}, {"no file of", absent}} {
		if n := len(of.all); n > 0 {
			const most = 8
			text += fmt.Sprintf("; %s: %s", of.word, strings.Join(slices.Clone(of.all[:min(n, most)]), ", "))
			if n > most {
				text += fmt.Sprintf(" and %d more", n-most)
			}
		}
	}
	return text
}
