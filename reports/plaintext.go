package reports

import (
	"fmt"

	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// headline says in one sentence what came out: what a log or a list of alerts has
// room for.
func headline(r verify.Result) string {
	if !figures.Wrong(r.Verdict) && !figures.Stands(r.Verdict) && r.Verdict != verify.Vacuous {
		return article.Capital(r.Verdict) + ": " + markdown.Stopped(reason(r))
	}
	return article.Words(verdictSentence(r)...).Line()
}

// Reason is why a claim has its verdict, in the words of its evidence: what a
// baseline records.
func Reason(r verify.Result) string {
	if !(r.Measured.Set || r.Lower.Set || r.Upper.Set) {
		return markdown.OneLine(reason(r))
	}
	c := comparison(r.Evidence)
	s := fmt.Sprintf("the claim says %s; %s %s", c.claimed, lower(c.verb), c.found)
	if r.Witness != "" {
		s += " at " + markdown.OneLine(r.Witness)
	}
	return s
}

// details are the lines below a headline.
func (d Document) details(r verify.Result) []string {
	lines := []string{markdown.Sentence(r.Claim.Statement), markdown.OneLine("Source: " + r.Claim.Source)}
	if look := secondLook(r.Evidence); look != nil {
		lines = append(lines, look.Line())
	}
	for _, line := range whyLines(r.Evidence) {
		lines = append(lines, line.Line())
	}
	if r.Method != "" {
		lines = append(lines, "Method: "+markdown.Stopped(r.Method))
	}
	for _, w := range r.Warnings {
		lines = append(lines, markdown.Sentence(w))
	}
	if r.Claim.Corrected != "" {
		lines = append(lines, "Corrected: "+r.Claim.Corrected)
	}
	return append(lines, "Repeat: "+markdown.OneLine(d.repeat(r.Claim.ID)))
}
