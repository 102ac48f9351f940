package verify

import "fmt"

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

// largeDetected reports whether a gross violation would have been detected from the wanted probability up.
func (s Sizes) largeDetected() bool {
	return s.LargeProbability.Set && s.LargeProbability.X <= s.WantedProbability*(1+1e-9)
}

// Words returns the sizes as a sentence.
func (s Sizes) Words(what string) string {
	size := fmt.Sprintf("parameter %.3g", s.Small)
	switch {
	case s.Small == 0:
		size = fmt.Sprintf("a total variation of %.3g", s.SmallDelta)
	case s.SmallDelta > 0:
		size += fmt.Sprintf(" at δ = %.3g", s.SmallDelta)
	}
	near := fmt.Sprintf("a near one (%s at mass %.2g)", size, s.SmallProbability)
	size = "one nat more than is claimed"
	if s.LargeDelta > 0 {
		size += fmt.Sprintf(", and δ = %.3g", s.LargeDelta)
	}
	from := "at no mass"
	if s.LargeProbability.Set {
		from = fmt.Sprintf("from mass %.2g up", s.LargeProbability.X)
	}
	if !s.largeDetected() {
		from += fmt.Sprintf(", where %.2g is asked for", s.WantedProbability)
	}
	gross := fmt.Sprintf("a gross one (%s) %s", size, from)
	switch {
	case s.Enough():
		return fmt.Sprintf("on any one %s a violation would have been seen with probability at least %v: %s, and %s",
			what, s.Probability, near, gross)
	case s.SmallDetected:
		near += " is sure to be seen"
	default:
		near += " might be missed"
	}
	return fmt.Sprintf("too few samples: of violations on any one %s %s; %s", what, near, gross)
}
