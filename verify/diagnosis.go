package verify

import (
	"fmt"
	"strings"
)

// Diagnosis explains why a privacy claim was refuted.
type Diagnosis struct {
	Event    string  `json:"event"`      // for example "the third number is at least 4.2"
	Rate     float64 `json:"rate"`       // share of the counted outputs in the event under the likelier input
	Other    float64 `json:"other_rate"` // share under the other input
	RawEvent string  `json:"-"`          // event before [EventInWords] inserted the names of values
	Likelier string  `json:"likelier"`   // "A" or "B"; "" for several pairs in both orders
	// Outputs holds the most frequent distinct outputs in the event, as JSON, from the samples that chose
	// it.
	Outputs     []string     `json:"outputs,omitempty"`
	Pair        string       `json:"pair"`     // one pair or several
	Smallest    bool         `json:"smallest"` // the pair was shrunk as far as a violation was certified
	Growth      *LossGrowth  `json:"growth,omitempty"`
	LikelyCause *LikelyCause `json:"likeness,omitempty"` // nil if the evidence does not suffice
}

// LossGrowth is the privacy loss by distance of the two inputs. All lower limits hold simultaneously, except with
// probability Alpha, which is separate from the audit's alpha.
type LossGrowth struct {
	Quantity string        `json:"quantity"` // bounded quantity
	Alpha    float64       `json:"alpha"`
	Points   []GrowthPoint `json:"points"` // ascending by distance
}

// GrowthPoint is the largest lower limit of the pairs at a distance, which is the sum of the absolute differences
// of all their numbers.
type GrowthPoint struct {
	Distance float64 `json:"distance"`
	Lower    float64 `json:"lower"`
	Pairs    int     `json:"pairs"`
}

// Fault is a known kind of fault.
type Fault string

// The faults that a diagnosis can report.
const (
	FaultInsufficientNoise Fault = "insufficient-noise" // too little noise for the shift of the outputs
	FaultLowBits           Fault = "low-bits"
	FaultImpossibleOutput  Fault = "impossible-output" // one input never produces it
	FaultNoNoise           Fault = "no-noise"
)

// LikelyCause is the fault that best explains the outputs.
type LikelyCause struct {
	Fault    Fault   `json:"fault"`
	Words    string  `json:"words"`    // description of the fault
	Evidence string  `json:"evidence"` // figures that support it
	Level    float64 `json:"level"`    // error probability of the statement in Evidence
}

// Lines returns the explanation, one sentence per line.
func (w *Diagnosis) Lines() (lines []string) {
	lines = append(lines, w.event())
	if growth := w.GrowthInWords(); growth != "" {
		lines = append(lines, growth)
	}
	if l := w.LikelyCause; l != nil {
		lines = append(lines, fmt.Sprintf("looks like %s: %s; no verdict rests on that", l.Words, l.Evidence))
	}
	return lines
}

// String returns the explanation in one line, or "" for nil.
func (w *Diagnosis) String() string {
	if w == nil {
		return ""
	}
	return strings.Join(w.Lines(), "; ")
}

// GrowthInWords returns the lower limits at each distance of the inputs; "" if there is one distance only.
func (w *Diagnosis) GrowthInWords() string {
	if w.Growth == nil {
		return ""
	}
	var parts []string
	for _, p := range w.Growth.Points {
		parts = append(parts, fmt.Sprintf("%.4g at distance %g", p.Lower, p.Distance))
	}
	return fmt.Sprintf("%s is at least %s", w.Growth.Quantity, strings.Join(parts, ", "))
}

// Frequencies returns the shares of the outputs in the event: "88.2 % of the outputs under B and 11.8 % under A".
func (w *Diagnosis) Frequencies() string {
	first, second := "one input", "the other"
	if w.Likelier != "" {
		first, second = w.Likelier, map[string]string{"A": "B", "B": "A"}[w.Likelier]
	}
	return fmt.Sprintf("%s of the outputs under %s and %s under %s", percentOfOutputs(w.Rate), first,
		percentOfOutputs(w.Other), second)
}

func (w *Diagnosis) event() string {
	text := w.Event + ", in " + w.Frequencies()
	if len(w.Outputs) > 0 {
		text += "; for example " + strings.Join(w.Outputs, " or ")
	}
	if w.Smallest {
		text += "; on the smallest pair that was found, " + w.Pair
	}
	return text
}

// percentOfOutputs formats a share. It returns "none" or "all" only for exactly 0 or 1.
func percentOfOutputs(share float64) string {
	switch {
	case share == 0:
		return "none"
	case share == 1:
		return "all"
	case share > 0.9995:
		return "more than 99.9 %"
	}
	return fmt.Sprintf("%.3g %%", 100*share)
}

// Edited returns a copy whose texts are passed through edit.
func (w *Diagnosis) Edited(edit func(string) string) *Diagnosis {
	out := *w
	out.Event = edit(w.Event)
	if w.LikelyCause != nil {
		l := *w.LikelyCause
		l.Evidence = edit(l.Evidence)
		out.LikelyCause = &l
	}
	return &out
}

// Keep copies what an audit of several pairs found and an audit of some of them did not. Either may be nil.
func (w *Diagnosis) Keep(before *Diagnosis) {
	if w == nil || before == nil {
		return
	}
	if w.Growth == nil {
		w.Growth = before.Growth
	}
	if w.LikelyCause == nil {
		w.LikelyCause = before.LikelyCause
	}
}
