package verify

import "fmt"

// Sizes are the violations that a run was to see, and would have seen with a probability
// of at least Probability, on any one of the pairs that it looked at and in the families
// of events that it searched. A near violation is of the parameter Near (and of NearDelta)
// at an event of mass NearMass. A gross one is of Gross nats more than the claim allows (and
// of GrossDelta); it would have been seen from the mass GrossMass up. The zero value is
// none.
type Sizes struct {
	Near, NearDelta, NearMass float64
	NearSeen                  bool // the near violation would have been seen
	Gross, GrossDelta         float64
	GrossMass                 Number // absent where no gross violation would have been seen
	WantedMass                float64
	Probability               float64
}

// Enough tells whether a run that refuted nothing may be called consistent.
func (s Sizes) Enough() bool {
	return s.NearSeen && s.GrossMass.Set && s.GrossMass.X <= s.WantedMass*(1+1e-9)
}

// nearSize and grossSize are the sizes in words.
func (s Sizes) nearSize() string {
	switch {
	case s.Near == 0:
		return fmt.Sprintf("a total variation of %.3g", s.NearDelta)
	case s.NearDelta > 0:
		return fmt.Sprintf("parameter %.3g at δ = %.3g", s.Near, s.NearDelta)
	}
	return fmt.Sprintf("parameter %.3g", s.Near)
}

func (s Sizes) grossSize() string {
	if s.GrossDelta > 0 {
		return fmt.Sprintf("one nat more than is claimed, and δ = %.3g", s.GrossDelta)
	}
	return "one nat more than is claimed"
}

// Words are the sentence of the sizes.
func (s Sizes) Words(what string) string {
	near := fmt.Sprintf("a near one (%s at mass %.2g)", s.nearSize(), s.NearMass)
	if s.Enough() {
		return fmt.Sprintf("on any one %s a violation would have been seen with probability at least %v: %s, and a gross "+
			"one (%s) from mass %.2g up",
			what, s.Probability, near, s.grossSize(), s.GrossMass.X)
	}
	if s.NearSeen {
		near += " is sure to be seen"
	} else {
		near += " might be missed"
	}
	gross := fmt.Sprintf("a gross one (%s) from mass %.2g up, where %.2g is asked for", s.grossSize(), s.GrossMass.X,
		s.WantedMass)
	switch {
	case !s.GrossMass.Set:
		gross = fmt.Sprintf("a gross one (%s) at no mass, where %.2g is asked for", s.grossSize(), s.WantedMass)
	case s.GrossMass.X <= s.WantedMass*(1+1e-9):
		gross = fmt.Sprintf("a gross one (%s) from mass %.2g up", s.grossSize(), s.GrossMass.X)
	}
	return fmt.Sprintf("too few samples: of violations on any one %s %s; %s", what, near, gross)
}
