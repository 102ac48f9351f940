package format

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/verify"
)

// TidyRun is a run whose evidence has its exponents as the figures have them, and no last bits of a machine.
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

// lastBitsShown are figures with more places than mean anything: 0.6144000000000001.
var lastBitsShown = regexp.MustCompile(`[0-9]+\.[0-9]{15,}`)

func tidyText(s string) string {
	return lastBitsShown.ReplaceAllStringFunc(ShortExponents(s), func(figure string) string {
		return TrimZeros(strconv.FormatFloat(settledDigits(ParseFigure(figure)), 'f', mostDigits, 64))
	})
}

// Thin takes elements of a long list at even distances, with its first and its last.
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
