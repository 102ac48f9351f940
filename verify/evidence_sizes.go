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
func (s Sizes) Enough() bool {
	return s.SmallDetected && s.LargeProbability.Set && s.LargeProbability.X <= s.WantedProbability*(1+1e-9)
}

// nearSize and grossSize return the sizes as text.
func (s Sizes) nearSize() string {
	switch {
	case s.Small == 0:
		return fmt.Sprintf("a total variation of %.3g", s.SmallDelta)
	case s.SmallDelta > 0:
		return fmt.Sprintf("parameter %.3g at δ = %.3g", s.Small, s.SmallDelta)
	}
	return fmt.Sprintf("parameter %.3g", s.Small)
}

func (s Sizes) grossSize() string {
	if s.LargeDelta > 0 {
		return fmt.Sprintf("one nat more than is claimed, and δ = %.3g", s.LargeDelta)
	}
	return "one nat more than is claimed"
}

// Words returns the sizes as a sentence.
func (s Sizes) Words(what string) string {
	near := fmt.Sprintf("a near one (%s at mass %.2g)", s.nearSize(), s.SmallProbability)
	if s.Enough() {
		return fmt.Sprintf("on any one %s a violation would have been seen with probability at least %v: %s, and a gross "+
			"one (%s) from mass %.2g up",
			what, s.Probability, near, s.grossSize(), s.LargeProbability.X)
	}
	if s.SmallDetected {
		near += " is sure to be seen"
	} else {
		near += " might be missed"
	}
	gross := fmt.Sprintf("a gross one (%s) from mass %.2g up, where %.2g is asked for", s.grossSize(),
		s.LargeProbability.X,
		s.WantedProbability)
	switch {
	case !s.LargeProbability.Set:
		gross = fmt.Sprintf("a gross one (%s) at no mass, where %.2g is asked for", s.grossSize(), s.WantedProbability)
	case s.LargeProbability.X <= s.WantedProbability*(1+1e-9):
		gross = fmt.Sprintf("a gross one (%s) from mass %.2g up", s.grossSize(), s.LargeProbability.X)
	}
	return fmt.Sprintf("too few samples: of violations on any one %s %s; %s", what, near, gross)
}
