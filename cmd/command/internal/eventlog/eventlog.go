// Package eventlog writes the progress of a run, an object of JSON a line.
package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
)

// schema names the form of the events; it only ever gains fields and kinds.
const schema = "dpverify/events/v1"

// Log writes what happens as JSON, an object a line. The first error stops it and
// is told at the end. A nil log writes nothing.
type Log struct {
	w     io.Writer
	file  *os.File // to be closed; nil for standard output
	began time.Time
	err   error
}

// event is a line. Seconds are since the start, by the clock.
type event struct {
	Event       string                 `json:"event"` // "start", "claim" or "done"
	Schema      string                 `json:"schema,omitempty"`
	Version     string                 `json:"version,omitempty"`
	Command     string                 `json:"command,omitempty"`
	ID          string                 `json:"id,omitempty"`
	Verdict     verify.Verdict         `json:"verdict,omitempty"`
	Finished    int                    `json:"finished"`
	Of          int                    `json:"of"`
	Verdicts    map[verify.Verdict]int `json:"verdicts,omitempty"`
	Interrupted bool                   `json:"interrupted,omitempty"`
	Took        *float64               `json:"took,omitempty"` // of a claim, in seconds
	Seconds     float64                `json:"seconds"`
}

// Open opens the log at path, anew; "-" is standard output, which has to be free. It is nil where path is "".
func Open(stdout io.Writer, path string, free bool) (*Log, error) {
	switch {
	case path == "":
		return nil, nil
	case path == "-" && !free:
		return nil, errors.New("--events - and the result both go to standard output: give -o FILE, or --events FILE")
	case path == "-":
		return &Log{w: stdout, began: time.Now()}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--events: %w", err)
	}
	return &Log{w: file, file: file, began: time.Now()}, nil
}

func (l *Log) write(e event) {
	if l == nil || l.err != nil {
		return
	}
	e.Seconds = time.Since(l.began).Round(time.Millisecond).Seconds()
	var line []byte
	if line, l.err = json.Marshal(e); l.err == nil {
		_, l.err = l.w.Write(append(visible.JSON(line), '\n')) // in one go: a line is whole, or not there
	}
}

// Start is the first line.
func (l *Log) Start(version, command string, claims int) {
	l.write(event{Event: "start", Schema: schema, Version: version, Command: command, Of: claims})
}

// Progress is a line for each claim that was finished.
func (l *Log) Progress(p verify.Progress) {
	if p.Finished {
		took := p.Elapsed.Round(time.Millisecond).Seconds()
		l.write(event{Event: "claim", ID: p.Claim, Verdict: p.Verdict, Finished: p.Done, Of: p.Of, Took: &took})
	}
}

// Done is the last line.
func (l *Log) Done(run verify.Run) {
	verdicts := make(map[verify.Verdict]int)
	for _, r := range run.Results {
		verdicts[r.Verdict]++
	}
	l.write(event{Event: "done", Finished: len(run.Results), Of: run.Selected, Verdicts: verdicts,
		Interrupted: run.Interrupted})
}

// Close tells the first error of all.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	if l.file != nil {
		l.err = errors.Join(l.err, l.file.Close())
	}
	if l.err != nil {
		return fmt.Errorf("--events: %w", l.err)
	}
	return nil
}
