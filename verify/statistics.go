package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/internal/strictjson"
)

// SufficientStatistics is what sampled evidence follows from: its counts, or other sufficient statistics, with all that
// was
// fixed before they were taken. Whoever has a report can judge again from it, with no mechanism and no sample.
type SufficientStatistics struct {
	Method string `json:"method,omitempty"` // who judges the facts; "" where they cannot be had
	// Share is the part of the claim's alpha that the facts were judged at, in (0, 1]; 0 is all of it.
	Share  float64         `json:"share,omitempty"`
	Values json.RawMessage `json:"facts,omitempty"`
	Reason string          `json:"why,omitempty"` // the evidence does not follow from counts; "" where it does
	// Noted are warnings about what was observed during the run, such as an odd reply. They follow from no count.
	Noted []string `json:"noted,omitempty"`
	// Unseeded reports whether the mechanism was observed to draw from elsewhere than its seed.
	Unseeded bool `json:"unseeded,omitempty"`
}

// NewStatistics are facts that a method judges. Facts are written as JSON; what JSON does not have, such as an infinity
// that is
// no number there, is said in their place.
func NewStatistics(method string, facts any) *SufficientStatistics {
	raw, err := json.Marshal(facts)
	if err != nil {
		return &SufficientStatistics{Reason: fmt.Sprintf("its counts cannot be written: %v", err)}
	}
	return &SufficientStatistics{Method: method, Values: raw}
}

// Note adds warnings about what was observed during the run. A basis that is nil has no use for them.
func (b *SufficientStatistics) Note(unseeded bool, warnings ...string) {
	if b == nil || b.Reason != "" {
		return
	}
	b.Noted = append(b.Noted, warnings...)
	b.Unseeded = b.Unseeded || unseeded
}

// Read fills facts, a pointer, from the basis. A field that
// facts do not have is an error: it would be judged as if it were not there.
func (b SufficientStatistics) Read(facts any) error {
	if len(b.Values) == 0 {
		return errors.New("the report has no counts of it")
	}
	d := json.NewDecoder(bytes.NewReader(b.Values))
	d.DisallowUnknownFields()
	if err := d.Decode(facts); err != nil {
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
