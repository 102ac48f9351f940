package cli

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

// eventLogSchema names the format of the events. Later versions only add fields and kinds of events.
const eventLogSchema = "dpverify/events/v1"

// eventLog writes the progress of a run as JSON, one object per line. It stops at the first error, which Close returns.
// A nil log writes nothing.
type eventLog struct {
	w     io.Writer
	file  *os.File // closed by Close; nil for standard output
	began time.Time
	err   error
}

// logEvent is a line of the log. Seconds is the wall time since the start.
type logEvent struct {
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
	Took        *float64               `json:"took,omitempty"` // duration of a claim, in seconds
	Seconds     float64                `json:"seconds"`
}

// openEventLog creates the log file at path. "-" is standard output, which is an error unless it is free. The log is
// nil if path is "".
func openEventLog(stdout io.Writer, path string, free bool) (*eventLog, error) {
	switch {
	case path == "":
		return nil, nil
	case path == "-" && !free:
		return nil, errors.New("--events - and the result both go to standard output: give -o FILE, or --events FILE")
	case path == "-":
		return &eventLog{w: stdout, began: time.Now()}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--events: %w", err)
	}
	return &eventLog{w: file, file: file, began: time.Now()}, nil
}

func (l *eventLog) write(e logEvent) {
	if l == nil || l.err != nil {
		return
	}
	e.Seconds = time.Since(l.began).Round(time.Millisecond).Seconds()
	var line []byte
	if line, l.err = json.Marshal(e); l.err == nil {
		_, l.err = l.w.Write(append(visible.JSON(line), '\n')) // in one write: a line is complete or missing
	}
}

// Start writes the first line.
func (l *eventLog) Start(version, command string, claims int) {
	l.write(logEvent{Event: "start", Schema: eventLogSchema, Version: version, Command: command, Of: claims})
}

// Progress writes a line for a finished claim.
func (l *eventLog) Progress(p verify.Progress) {
	if p.Finished {
		took := p.Elapsed.Round(time.Millisecond).Seconds()
		l.write(logEvent{Event: "claim", ID: p.Claim, Verdict: p.Verdict, Finished: p.Done, Of: p.Total, Took: &took})
	}
}

// Done writes the last line.
func (l *eventLog) Done(run verify.Run) {
	verdicts := make(map[verify.Verdict]int)
	for _, r := range run.Results {
		verdicts[r.Verdict]++
	}
	l.write(logEvent{Event: "done", Finished: len(run.Results), Of: run.Selected, Verdicts: verdicts,
		Interrupted: run.Interrupted})
}

// Close closes the log and returns the first error of any write.
func (l *eventLog) Close() error {
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
