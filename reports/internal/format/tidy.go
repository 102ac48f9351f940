package format

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/verify"
)

// TidyRun returns a copy of a run whose texts have short exponents and no digits that differ between machines.
func TidyRun(run verify.Run) verify.Run {
	run.Results = slices.Clone(run.Results)
	for i := range run.Results {
		e := &run.Results[i].Evidence
		for _, s := range []*string{&e.Quantity, &e.Method, &e.Power, &e.WorstCase, &e.Attempt, &e.Needed,
			&e.Counterexample.Label,
			&e.Counterexample.Choice} {
			*s = tidyText(*s)
		}
		if e.Diagnosis != nil {
			e.Diagnosis = e.Diagnosis.Edited(ShortExponents)
		}
		e.Cells, e.Curves, e.Warnings = slices.Clone(e.Cells), slices.Clone(e.Curves), slices.Clone(e.Warnings)
		for k := range e.Cells {
			e.Cells[k].Label = tidyText(e.Cells[k].Label)
		}
		for k := range e.Warnings {
			e.Warnings[k] = tidyText(e.Warnings[k])
		}
		for k := range e.Curves {
			s := &e.Curves[k]
			s.Name, s.Points = tidyText(s.Name), slices.Clone(s.Points)
			for j := range s.Points {
				s.Points[j].Label = tidyText(s.Points[j].Label)
			}
		}
	}
	return run
}

// lastBitsShown matches figures with 15 or more decimal places, such as 0.6144000000000001.
var lastBitsShown = regexp.MustCompile(`[0-9]+\.[0-9]{15,}`)

func tidyText(s string) string {
	return lastBitsShown.ReplaceAllStringFunc(ShortExponents(s), func(figure string) string {
		return TrimZeros(strconv.FormatFloat(settledDigits(ParseFigure(figure)), 'f', maxDigits, 64))
	})
}

// Thin returns at most the given number of elements at equal distances, including the first and the last.
func Thin[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	some := make([]T, most)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(most-1)]
	}
	return some
}
