package reports

import (
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// whyLines explain a refuted privacy claim: the distinguishing event, the growth of the loss with the distance of the
// inputs, and the likely cause.
func whyLines(e verify.Evidence) (lines []inline) {
	if e.Diagnosis == nil {
		return nil
	}
	for i, line := range e.Diagnosis.Lines() {
		if i == 0 {
			lines = append(lines, words(strong("Why:"), " "+format.Stopped(line)))
			continue
		}
		lines = append(lines, words(format.Sentence(line)))
	}
	return lines
}

// secondLook adds to the worst point: the strongest attempt to break a claim that holds, the simplest counterexample
// to a false one, or the sample size that would decide an open one. Reports of older versions have none of these.
func secondLook(e verify.Evidence) inline {
	x, simplest := e.Counterexample, "Smallest counterexample:"
	if e.Verdict == verify.Vacuous {
		simplest = "Simplest case in which it is empty:"
	}
	switch {
	case e.Attempt != "":
		return words(strong("Strongest attempt to break it:"), " "+format.Stopped(e.Attempt))
	case e.Needed != "":
		return words(strong("Size it would take:"), " "+format.Stopped(e.Needed))
	case x.Label == "":
		return nil
	case x.Label == e.WorstCase:
		return words(strong(simplest), " the worst case itself, "+format.Stopped(x.Choice))
	}
	parts := words(strong(simplest), " ", mono(x.Label))
	if x.Measured.Set {
		at := e
		at.CopyWorst(x.Cell)
		at.Cells, at.Exact = []verify.Cell{x.Cell}, e.Exact || x.Samples == 0
		c := comparison(at)
		f := format.Compared(x.Claimed, x.Measured, x.Lower, x.Upper, verify.Number{},
			format.SameAs(e.Verdict)).InWords(e.Sense)
		parts = words(parts, ": claimed "+f.Claimed+", "+lower(c.verb)+" "+c.found)
	}
	return words(parts, "; "+format.Stopped(x.Choice))
}
