package recording

import (
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/basis"
)

// Basis is the method of [Recompute].
const Basis = "recorded"

// facts are what is known of the recording beyond the facts of the check of its samples.
type facts struct {
	Dependence string      `json:"dependence,omitempty"` // what shows that the outputs depend on one another
	Sorted     bool        `json:"sorted,omitempty"`     // they are sorted, which gets the warning only
	Of         basis.Basis `json:"of"`
}

// around adds to the evidence of the check of the samples what is known of the recording.
func (f facts) around(e verify.Evidence) verify.Evidence {
	e.Method = "recorded samples, in an order drawn at random: " + e.Method
	if f.Dependence != "" {
		e.Warnings = append(e.Warnings, f.Dependence)
	}
	if f.Dependence != "" && !f.Sorted {
		e.Verdict, e.Attempt, e.Counterexample = verify.Inconclusive, "", verify.Counterexample{}
		e.Needed = "independent releases, each recorded once: see the warning"
	}
	if e.Basis != nil && e.Basis.Why == "" {
		f.Of = *e.Basis
		e.Basis = basis.Of(Basis, f)
	}
	return e
}

// Recompute returns the evidence of [Check] from its facts. Of recomputes that of the check of the samples.
func Recompute(b basis.Basis, s verify.Settings, of func(basis.Basis, verify.Settings) (verify.Evidence, error)) (
	verify.Evidence, error) {
	var f facts
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	s.Budget = verify.Standard // as of Check.Prepare
	e, err := of(f.Of, s)
	if err != nil {
		return e, err
	}
	return f.around(e), nil
}
