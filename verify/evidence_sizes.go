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

// DetectedViolations returns the violations that would have been detected, for example "a violation to ε ≥ 1.25 at an
// event of probability 0.48, or to ε ≥ 2 at events of probability ≥ 0.01, would have been detected (99 %)". It is empty
// if the sizes are too small or the quantity is not a privacy loss ε.
func (e Evidence) DetectedViolations() string {
	s := e.Sizes
	if !s.Enough() || !strings.HasPrefix(e.Quantity, "privacy loss ε") {
		return ""
	}
	return fmt.Sprintf("a violation to %s at an event of probability %.2g, or to %s at events of probability ≥ %.2g, "+
		"would have been detected (%g %%)", enlarged(s.Small, s.SmallDelta), s.SmallProbability,
		enlarged(e.Claimed.X+s.Large, s.LargeDelta), s.LargeProbability.X, 100*s.Probability)
}

// enlarged returns "ε ≥ 1.25 at δ = 0.1", or only the δ if ε is 0.
func enlarged(epsilon, delta float64) string {
	switch {
	case epsilon == 0:
		return fmt.Sprintf("δ ≥ %.3g", delta)
	case delta > 0:
		return fmt.Sprintf("ε ≥ %.3g at δ = %.3g", epsilon, delta)
	}
	return fmt.Sprintf("ε ≥ %.3g", epsilon)
}
