package verify

// Verdict is the result of a check.
type Verdict string

const (
	Holds         Verdict = "holds"         // proved by rigorous computation over the stated domain
	Consistent    Verdict = "consistent"    // sampled and not refuted, with the stated power
	Refuted       Verdict = "refuted"       // a counterexample, exact or certified
	Vacuous       Verdict = "vacuous"       // true but empty
	Contradictory Verdict = "contradictory" // two statements of the paper cannot both be true
	Inconclusive  Verdict = "inconclusive"  // the required power was not reached
	Untestable    Verdict = "untestable"    // the statement has no observable consequence
	NotRun        Verdict = "not-run"       // the required data is missing
	Error         Verdict = "error"         // the check or the mechanism failed
)

var (
	// Verdicts lists all verdicts in the order of report summaries.
	Verdicts = []Verdict{Refuted, Contradictory, Vacuous, Inconclusive, Holds, Consistent, Untestable, NotRun, Error}
	// Kinds lists all kinds of claims.
	Kinds = []Kind{Privacy, Unbiasedness, Sensitivity, Rate, Identity, Consistency, Experiment, Law}
	// Origins lists all origins.
	Origins = []Origin{Stated, Implied, Program, Reading, Correction, Observation}
)

// UnmarshalText reads a verdict. It accepts "inconsistent", which versions up to 0.1 wrote for contradictory.
func (v *Verdict) UnmarshalText(text []byte) error {
	if *v = Verdict(text); *v == "inconsistent" {
		*v = Contradictory
	}
	return nil
}

// Meaning returns the meaning of a verdict as one clause.
func (v Verdict) Meaning() string {
	switch v {
	case Holds:
		return "shown by exact or interval-bounded computation over the stated domain"
	case Consistent:
		return "sampled and not refuted, with the power to see the stated violation"
	case Refuted:
		return "a counterexample was found, exactly or at the stated confidence"
	case Vacuous:
		return "true but empty: nothing follows from it"
	case Contradictory:
		return "two statements of the paper cannot both hold"
	case Inconclusive:
		return "the evidence does not suffice either way"
	case Untestable:
		return "no observable follows from the statement"
	case NotRun:
		return "needs data that is not here"
	case Error:
		return "the check or the mechanism failed"
	}
	return "unknown verdict"
}

// Symbol returns one character that a report shows next to the verdict's name.
func (v Verdict) Symbol() string {
	switch v {
	case Holds, Consistent:
		return "✓"
	case Refuted, Contradictory, Error:
		return "✗"
	case Vacuous:
		return "∅"
	}
	return "?"
}

// Worse combines the verdicts of two cells. The claim must hold for all cells.
func (v Verdict) Worse(other Verdict) Verdict {
	rank := func(v Verdict) int {
		switch v {
		case Refuted:
			return 3
		case Inconclusive:
			return 2
		case Consistent:
			return 1
		}
		return 0
	}
	if rank(other) > rank(v) {
		return other
	}
	return v
}

// Kind is the kind of statement of a claim.
type Kind string

const (
	Privacy      Kind = "privacy"
	Unbiasedness Kind = "unbiasedness"
	Sensitivity  Kind = "sensitivity"
	Rate         Kind = "rate"
	Identity     Kind = "identity"
	Consistency  Kind = "consistency"
	Experiment   Kind = "experiment"
	Law          Kind = "law"
)
