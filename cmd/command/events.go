package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dpverify/dpverify/verify"
)

// eventSchema names the form of the events; it only ever gains fields and kinds.
const eventSchema = "dpverify/events/v1"

// eventLog writes what happens as JSON, an object a line. The first error stops it and
// is told at the end. A nil log writes nothing.
type eventLog struct {
	w     io.Writer
	file  *os.File // to be closed; nil for standard output
	began time.Time
	err   error
}

// runEvent is a line. Seconds are since the start, by the clock.
type runEvent struct {
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

// openEvents opens the log at path, anew; "-" is standard output, which has to be free.
func openEvents(a *app, path string, free bool) (*eventLog, error) {
	switch {
	case path == "":
		return nil, nil
	case path == "-" && !free:
		return nil, errors.New("--events - and the result both go to standard output: give -o FILE, or --events FILE")
	case path == "-":
		return &eventLog{w: a.stdout, began: time.Now()}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--events: %w", err)
	}
	return &eventLog{w: file, file: file, began: time.Now()}, nil
}

func (l *eventLog) write(e runEvent) {
	if l == nil || l.err != nil {
		return
	}
	e.Seconds = time.Since(l.began).Round(time.Millisecond).Seconds()
	var line []byte
	if line, l.err = json.Marshal(e); l.err == nil {
		_, l.err = l.w.Write(append(line, '\n')) // in one go: a line is whole, or not there
	}
}

func (l *eventLog) start(version, command string, claims int) {
	l.write(runEvent{Event: "start", Schema: eventSchema, Version: version, Command: command, Of: claims})
}

func (l *eventLog) progress(p verify.Progress) {
	if p.Finished {
		took := p.Elapsed.Round(time.Millisecond).Seconds()
		l.write(runEvent{Event: "claim", ID: p.Claim, Verdict: p.Verdict, Finished: p.Done, Of: p.Of, Took: &took})
	}
}

func (l *eventLog) done(run verify.Run) {
	verdicts := make(map[verify.Verdict]int)
	for _, r := range run.Results {
		verdicts[r.Verdict]++
	}
	l.write(runEvent{Event: "done", Finished: len(run.Results), Of: run.Selected, Verdicts: verdicts,
		Interrupted: run.Interrupted})
}

// close tells the first error of all.
func (l *eventLog) close() error {
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
