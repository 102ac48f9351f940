package reports

import (
	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// whyLines say why a privacy claim is refuted, as far as the audit tells: the event in words, how the loss grows, and
// what it looks like.
func whyLines(e verify.Evidence) (lines []article.Inline) {
	if e.Why == nil {
		return nil
	}
	for i, line := range e.Why.Lines() {
		if i == 0 {
			lines = append(lines, article.Words(article.Strong("Why:"), " "+markdown.Stopped(line)))
			continue
		}
		lines = append(lines, article.Words(markdown.Sentence(line)))
	}
	return lines
}

// secondLook says what is behind a verdict besides the worst point: the strongest
// attempt to break a claim that stands, the simplest case against one that does not,
// the size that would decide an open one. Reports of older versions have none.
func secondLook(e verify.Evidence) article.Inline {
	x, simplest := e.Counterexample, "Smallest counterexample:"
	if e.Verdict == verify.Vacuous {
		simplest = "Simplest case in which it is empty:"
	}
	switch {
	case e.Attempt != "":
		return article.Words(article.Strong("Strongest attempt to break it:"), " "+markdown.Stopped(e.Attempt))
	case e.Needed != "":
		return article.Words(article.Strong("Size it would take:"), " "+markdown.Stopped(e.Needed))
	case x.At == "":
		return nil
	case x.At == e.Witness:
		return article.Words(article.Strong(simplest), " this very case, "+markdown.Stopped(x.Choice))
	}
	parts := article.Words(article.Strong(simplest), " ", article.Mono(x.At))
	if x.Measured.Set {
		at := e
		at.WorstOf(x.Cell)
		at.Cells, at.Exact = []verify.Cell{x.Cell}, e.Exact || x.Samples == 0
		c := comparison(at)
		f := figures.Compared(x.Claimed, x.Measured, x.Lower, x.Upper, verify.Number{},
			figures.SameAs(e.Verdict)).InWords(e.Sense)
		parts = article.Words(parts, ": claimed "+f.Claimed+", "+lower(c.verb)+" "+c.found)
	}
	return article.Words(parts, "; "+markdown.Stopped(x.Choice))
}
