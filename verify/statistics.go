package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/internal/strictjson"
)

// Statistics are the design of a check and the tally of its samples. They determine the evidence: a trial adds its
// tally to the design and judges the two, and so does a reader of a report, which stores them.
type Statistics interface {
	// Check returns an error that names the figure outside its domain. Statistics of a report are checked before they are
	// judged.
	Check() error
	// Judge returns the evidence at the alpha and the budget of the settings. It uses no other settings.
	Judge(Settings) (Evidence, error)
}

// judges has the judge of each method.
var judges = make(map[string]func(SufficientStatistics, Settings) (Evidence, error))

// RegisterStatistics makes T the type of the statistics of a method, and returns the method. It panics if the method
// has a type already.
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

// JudgeStatistics returns the evidence that follows from the statistics of a method, with the statistics in it.
func JudgeStatistics(method string, t Statistics, s Settings) (Evidence, error) {
	e, err := t.Judge(s)
	if err == nil {
		e.Statistics = NewStatistics(method, t)
	}
	return e, err
}

// SufficientStatistics are [Statistics] in the form in which a report stores them.
type SufficientStatistics struct {
	Method string `json:"method,omitempty"` // names the type of Values; "" if there are none
	// Share is the part of the claim's alpha that the statistics are judged at, in (0, 1]; 0 is all of it.
	Share  float64         `json:"share,omitempty"`
	Values json.RawMessage `json:"facts,omitempty"`
	Reason string          `json:"why,omitempty"` // why there are no Values; "" if there are
	// Noted holds warnings from the run, such as an unexpected reply. They cannot be derived from the counts.
	Noted []string `json:"noted,omitempty"`
	// Unseeded reports whether the mechanism was observed to draw from elsewhere than its seed.
	Unseeded bool `json:"unseeded,omitempty"`
}

// NewStatistics returns the stored form of the statistics of a method. If they cannot be written as JSON, the stored
// form has the reason instead.
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
		s.Alpha *= b.Share
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

// Note adds warnings about what was observed during the run. Without statistics it does nothing.
func (b *SufficientStatistics) Note(unseeded bool, warnings ...string) {
	if b == nil || b.Reason != "" {
		return
	}
	b.Noted = append(b.Noted, warnings...)
	b.Unseeded = b.Unseeded || unseeded
}

// Read fills statistics, given by a pointer, from the stored form. A field that they do not have is an error, since it
// would be ignored.
func (b SufficientStatistics) Read(t any) error {
	if len(b.Values) == 0 {
		return errors.New("the report has no counts of it")
	}
	d := json.NewDecoder(bytes.NewReader(b.Values))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return fmt.Errorf("its counts cannot be read: %w", strictjson.InWords(err))
	}
	return nil
}

// String is for messages.
func (b *SufficientStatistics) String() string {
	switch {
	case b == nil:
		return "none"
	case b.Reason != "":
		return "none: " + b.Reason
	}
	return fmt.Sprintf("%s, share %g: %s", b.Method, b.Share, b.Values)
}
