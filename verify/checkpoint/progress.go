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

// MaxParts is the maximum number of parts of one run.
const MaxParts = 1 << 16

// journalProgress counts the finished claims of a part.
type journalProgress struct {
	Finished int `json:"finished"`
	Of       int `json:"of"`
}

// Finished records the number of finished claims of the part. Close reports an error of writing it.
func (j *File) Finished(claims, of int) {
	if j == nil || j.file == nil || j.head.Total == 1 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.unwritten = errors.Join(j.unwritten, j.file.Add(journalEntry{Progress: &journalProgress{claims, of}}))
}

// Part is the state of one part of a run.
type Part struct {
	Path         string // "" if there is no file
	Shard, Total int
	Finished     int // finished claims
	Claims       int // all claims of the run; 0 if unknown
	Written      time.Time
	unreadable   error
}

// Done reports whether the part has finished all its claims.
func (p Part) Done() bool { return p.Path != "" && p.Claims > 0 && p.Finished == p.Claims }

// stopped reports whether the file records fewer finished claims than there are.
func (p Part) stopped() bool { return p.Claims > 0 && p.Finished < p.Claims }

// String describes the progress of the part.
func (p Part) String() string {
	switch {
	case p.Path == "":
		return fmt.Sprintf("part %d of %d: no file", p.Shard, p.Total)
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

// Survey returns the progress of all parts of one run from those files that exist. A file of another run, or two files
// of one part, is an error that names the file. A file without a complete first line is not an error.
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
		return nil, fmt.Errorf("%d parts are more than the maximum of %d", head.Total, MaxParts)
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

// surveyOne reads the head and the progress of a file.
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
	case err != nil && head.Total == 0 && info.Size() < minHeadSize:
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

// minHeadSize is the size in bytes below which the first line of a file may be incomplete.
const minHeadSize = 4096

// unfinished returns an error that lists unfinished parts, at most 20; nil if all are done.
func unfinished(parts []Part) error {
	var words []string
	for _, p := range parts {
		if !p.Done() {
			words = append(words, p.String())
		}
	}
	const maxListed = 20
	if len(words) == 0 {
		return nil
	}
	text := strings.Join(words[:min(maxListed, len(words))], "\n  ")
	if more := len(words) - maxListed; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return fmt.Errorf("%d of %d parts are not done:\n  %s", len(words), len(parts), text)
}

// InWords describes the progress of all parts in one line.
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
	for _, state := range []struct {
		word  string
		parts []string
	}{{"not done", running}, {"no file of", absent}} {
		if n := len(state.parts); n > 0 {
			const maxShown = 8
			text += fmt.Sprintf("; %s: %s", state.word, strings.Join(slices.Clone(state.parts[:min(n, maxShown)]), ", "))
			if n > maxShown {
				text += fmt.Sprintf(" and %d more", n-maxShown)
			}
		}
	}
	return text
}
