package verify

import (
	"fmt"
	"strings"
)

// Sizes holds the violations that a run should detect and would have detected with probability at least
// Probability, on any one of its pairs and in its families of events. A small violation has the parameter Small
// (and SmallDelta) at an event of probability SmallProbability. A large violation has a privacy loss Large nats
// above the claim (and LargeDelta); it would have been detected at event probabilities from LargeProbability on.
// The zero value means none.
type Sizes struct {
	Small             float64 `json:"near"`
	SmallDelta        float64 `json:"near_delta"`
	SmallProbability  float64 `json:"near_mass"`
	SmallDetected     bool    `json:"near_seen"` // the small violation would have been detected
	Large             float64 `json:"gross"`
	LargeDelta        float64 `json:"gross_delta"`
	LargeProbability  Number  `json:"gross_mass"` // absent if no large violation would have been detected
	WantedProbability float64 `json:"wanted_mass"`
	Probability       float64 `json:"probability"`
}

// Enough reports whether a run that refuted nothing is consistent.
func (s Sizes) Enough() bool { return s.SmallDetected && s.largeDetected() }

// largeDetected reports whether a large violation would have been detected from the wanted event probability on.
func (s Sizes) largeDetected() bool {
	return s.LargeProbability.Set && s.LargeProbability.X <= s.WantedProbability*(1+1e-9)
}

// Words returns the sizes as a sentence. The scope states the pairs and events to which they apply, for example "on
// any one of the pairs, at one of the given events".
func (s Sizes) Words(scope string) string {
	size := fmt.Sprintf("parameter %.3g", s.Small)
	switch {
	case s.Small == 0:
		size = fmt.Sprintf("a total variation of %.3g", s.SmallDelta)
	case s.SmallDelta > 0:
		size += fmt.Sprintf(" at δ = %.3g", s.SmallDelta)
	}
	small := fmt.Sprintf("a small violation (%s at event probability %.2g)", size, s.SmallProbability)
	size = fmt.Sprintf("loss %g nat above the claim", s.Large)
	if s.LargeDelta > 0 {
		size += fmt.Sprintf(", δ = %.3g", s.LargeDelta)
	}
	large := fmt.Sprintf("a large violation (%s)", size)
	from := "at no event probability"
	if s.LargeProbability.Set {
		from = fmt.Sprintf("at event probabilities from %.2g on", s.LargeProbability.X)
	}
	if s.Enough() {
		return fmt.Sprintf("%s, a violation would have been detected with probability at least %v: %s, and %s %s",
			scope, s.Probability, small, large, from)
	}
	small += " would have been detected"
	if !s.SmallDetected {
		small = strings.Replace(small, "would", "might not", 1)
	}
	large += " would have been detected " + from
	if !s.largeDetected() {
		large += fmt.Sprintf("; %.2g is required", s.WantedProbability)
	}
	return fmt.Sprintf("too few samples: %s, %s; %s", scope, small, large)
}
