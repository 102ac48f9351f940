package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/internal/strictjson"
)

// Statistics holds the design of a check and the tally of its samples, which determine the evidence. A trial adds
// its tally to the design and judges the result. A report stores the statistics, so that its reader can do the
// same.
type Statistics interface {
	// Check returns an error that names the figure outside its domain. Statistics from a report are checked
	// before they are judged.
	Check() error
	// Judge returns the evidence at the alpha and the budget of the settings. It uses no other settings.
	Judge(Settings) (Evidence, error)
}

// judges holds the judge function of each method.
var judges = make(map[string]func(SufficientStatistics, Settings) (Evidence, error))

// RegisterStatistics registers T as the type of the statistics of a method and returns the method. It panics if the
// method is already registered.
func RegisterStatistics[T Statistics](method string) string {
	if judges[method] != nil {
		panic(fmt.Sprintf("the method %q is registered twice", method))
	}
	judges[method] = func(b SufficientStatistics, s Settings) (Evidence, error) {
		var t T
		if err := b.Read(&t); err != nil {
			return Evidence{}, err
		}
		if err := t.Check(); err != nil {
			return Evidence{}, err
		}
		return t.Judge(s)
	}
	return method
}

// JudgeStatistics returns the evidence for the statistics of a method, including the statistics.
func JudgeStatistics(method string, t Statistics, s Settings) (Evidence, error) {
	e, err := t.Judge(s)
	if err == nil {
		e.Statistics = NewStatistics(method, t)
	}
	return e, err
}

// SufficientStatistics is the stored form of [Statistics] in a report.
type SufficientStatistics struct {
	Method string `json:"method,omitempty"` // method that determines the type of Values; "" if there are none
	// Share is the share of the claim's alpha at which the statistics are judged, in (0, 1]; 0 means all of
	// it.
	Share  float64         `json:"share,omitempty"`
	Values json.RawMessage `json:"facts,omitempty"`
	Reason string          `json:"why,omitempty"` // why there are no Values, or ""
	// Noted holds warnings from the run, such as an unexpected reply. They cannot be derived from the counts.
	Noted []string `json:"noted,omitempty"`
	// Unseeded reports whether the mechanism was observed to draw its own randomness.
	Unseeded bool `json:"unseeded,omitempty"`
}

// NewStatistics returns the stored form of the statistics of a method. If they cannot be written as JSON, it
// contains the reason instead.
func NewStatistics(method string, t any) *SufficientStatistics {
	raw, err := json.Marshal(t)
	if err != nil {
		return &SufficientStatistics{Reason: fmt.Sprintf("its counts cannot be written: %v", err)}
	}
	return &SufficientStatistics{Method: method, Values: raw}
}

// ErrUnknownMethod is wrapped by the error for statistics of a method that this program does not have.
var ErrUnknownMethod = errors.New("this version has no method")

// Judge returns the evidence that follows from the statistics, at the alpha of the claim and the budget of its run. It
// uses no other settings. It shows that verdicts, intervals, powers and texts follow from the statistics; only another
// run can show that the statistics come from the mechanism. Errors name a figure that is outside its domain, or wrap
// [ErrUnknownMethod].
func (b SufficientStatistics) Judge(s Settings) (Evidence, error) {
	judge := judges[b.Method]
	if judge == nil {
		return Evidence{}, fmt.Errorf("%w %q", ErrUnknownMethod, b.Method)
	}
	if b.Share != 0 {
		if !(b.Share > 0 && b.Share <= 1) {
			return Evidence{}, fmt.Errorf("share %v: want a share in (0, 1]", b.Share)
		}
		s.Alpha, s.Drawn = s.Alpha*b.Share, s.Drawn*b.Share
	}
	e, err := judge(b, s)
	switch {
	case err != nil:
		return e, err
	case e.Exact && b.Share != 0:
		return e, fmt.Errorf("share %v: want no share, since nothing was sampled", b.Share)
	}
	e.Warnings = append(e.Warnings, b.Noted...)
	e.Unseeded = e.Unseeded || b.Unseeded
	e.Statistics = &b
	return e, nil
}

// Note adds warnings about observations during the run. Without statistics it does nothing.
func (b *SufficientStatistics) Note(unseeded bool, warnings ...string) {
	if b == nil || b.Reason != "" {
		return
	}
	b.Noted = append(b.Noted, warnings...)
	b.Unseeded = b.Unseeded || unseeded
}

// Read decodes the stored form into statistics, given by a pointer. An unknown field is an error, because it would
// be ignored.
func (b SufficientStatistics) Read(t any) error {
	if len(b.Values) == 0 {
		return errors.New("the report has no counts for this check")
	}
	d := json.NewDecoder(bytes.NewReader(b.Values))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return fmt.Errorf("the counts cannot be read: %w", strictjson.InWords(err))
	}
	return nil
}

// String returns a text for messages.
func (b *SufficientStatistics) String() string {
	switch {
	case b == nil:
		return "none"
	case b.Reason != "":
		return "none: " + b.Reason
	}
	return fmt.Sprintf("%s, share %g: %s", b.Method, b.Share, b.Values)
}
