package reports

import (
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// whyLines say why a privacy claim is refuted, as far as the audit tells: the event in words, how the loss grows, and
// what it looks like.
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

// secondLook says what is behind a verdict besides the worst point: the strongest
// attempt to break a claim that stands, the simplest case against one that does not,
// the size that would decide an open one. Reports of older versions have none.
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
		return words(strong(simplest), " this very case, "+format.Stopped(x.Choice))
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
