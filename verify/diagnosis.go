package verify

import (
	"fmt"
	"strings"
)

// Diagnosis a privacy claim was refuted.
type Diagnosis struct {
	Event    string  `json:"event"`      // "the third number is at least 4.2"
	Rate     float64 `json:"rate"`       // share of the counted outputs in the event, under the likelier input
	Other    float64 `json:"other_rate"` // and under the other
	RawEvent string  `json:"-"`          // the event before [EventInWords] had the names of values
	Likelier string  `json:"likelier"`   // "A" or "B"; "" of several pairs in both orders
	// Outputs in the event, as JSON, from the samples that chose it: the commonest, each once.
	Outputs     []string     `json:"outputs,omitempty"`
	Pair        string       `json:"pair"`     // or the pairs
	Smallest    bool         `json:"smallest"` // the pair was shrunk as far as a violation was certified
	Growth      *LossGrowth  `json:"growth,omitempty"`
	LikelyCause *LikelyCause `json:"likeness,omitempty"` // nil where the evidence does not suffice
}

// LossGrowth is how the loss grows with the distance of two inputs. All lower limits hold together but with
// probability Alpha, which is its own.
type LossGrowth struct {
	Quantity string        `json:"quantity"` // that is bounded
	Alpha    float64       `json:"alpha"`
	Points   []GrowthPoint `json:"points"` // ascending
}

// GrowthPoint is the largest lower limit of the pairs at a distance: the sum of the differences of all their numbers.
type GrowthPoint struct {
	Distance float64 `json:"distance"`
	Lower    float64 `json:"lower"`
	Pairs    int     `json:"pairs"`
}

// Fault is a known one.
type Fault string

// The faults that a violation can look like.
const (
	FaultInsufficientNoise Fault = "insufficient-noise" // for what the outputs move by
	FaultLowBits           Fault = "low-bits"
	FaultImpossibleOutput  Fault = "impossible-output" // one input never gives it: a threshold is missing
	FaultNoNoise           Fault = "no-noise"
)

// LikelyCause is the fault that the outputs look like.
type LikelyCause struct {
	Fault    Fault   `json:"fault"`
	Words    string  `json:"words"`    // what it looks like
	Evidence string  `json:"evidence"` // the figures it rests on
	Level    float64 `json:"level"`    // error probability of the statement in Evidence
}

// Lines are the explanation in words, a sentence each.
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

// String is the explanation in one line; "" of none.
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

// percentOfOutputs of a share, which is 0 or 100 only where it is.
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

// Edited is the explanation with its texts as edit makes them.
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

// Keep takes what an audit of several pairs has shown, and one of some of them does not. Either may be nil.
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
