package figures

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Tidied is a run whose evidence has its exponents as the figures have them.
func Tidied(run verify.Run) verify.Run {
	run.Results = slices.Clone(run.Results)
	for i := range run.Results {
		e := &run.Results[i].Evidence
		for _, s := range []*string{&e.Quantity, &e.Method, &e.Power, &e.Witness, &e.Attempt, &e.Needed, &e.Counterexample.At,
			&e.Counterexample.Choice} {
			*s = ShortExponents(*s)
		}
		if e.Why != nil {
			e.Why = e.Why.Edited(ShortExponents)
		}
		e.Cells, e.Series, e.Warnings = slices.Clone(e.Cells), slices.Clone(e.Series), slices.Clone(e.Warnings)
		for k := range e.Cells {
			e.Cells[k].At = ShortExponents(e.Cells[k].At)
		}
		for k := range e.Warnings {
			e.Warnings[k] = ShortExponents(e.Warnings[k])
		}
		for k := range e.Series {
			s := &e.Series[k]
			s.Name, s.Points = ShortExponents(s.Name), slices.Clone(s.Points)
			for j := range s.Points {
				s.Points[j].At = ShortExponents(s.Points[j].At)
			}
		}
	}
	return run
}
