package figures

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/verify"
)

// Tidied is a run whose evidence has its exponents as the figures have them, and no last bits of a machine.
func Tidied(run verify.Run) verify.Run {
	run.Results = slices.Clone(run.Results)
	for i := range run.Results {
		e := &run.Results[i].Evidence
		for _, s := range []*string{&e.Quantity, &e.Method, &e.Power, &e.Witness, &e.Attempt, &e.Needed, &e.Counterexample.At,
			&e.Counterexample.Choice} {
			*s = tidy(*s)
		}
		if e.Why != nil {
			e.Why = e.Why.Edited(ShortExponents)
		}
		e.Cells, e.Series, e.Warnings = slices.Clone(e.Cells), slices.Clone(e.Series), slices.Clone(e.Warnings)
		for k := range e.Cells {
			e.Cells[k].At = tidy(e.Cells[k].At)
		}
		for k := range e.Warnings {
			e.Warnings[k] = tidy(e.Warnings[k])
		}
		for k := range e.Series {
			s := &e.Series[k]
			s.Name, s.Points = tidy(s.Name), slices.Clone(s.Points)
			for j := range s.Points {
				s.Points[j].At = tidy(s.Points[j].At)
			}
		}
	}
	return run
}

// lastBitsShown are figures with more places than mean anything: 0.6144000000000001.
var lastBitsShown = regexp.MustCompile(`[0-9]+\.[0-9]{15,}`)

func tidy(s string) string {
	return lastBitsShown.ReplaceAllStringFunc(ShortExponents(s), func(figure string) string {
		return TrimZeros(strconv.FormatFloat(settled(Value(figure)), 'f', mostDigits, 64))
	})
}
