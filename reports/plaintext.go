package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// headline summarizes a result in one sentence, for logs and lists of alerts.
func headline(r verify.Result) string { return headlineAs(r, r.Verdict) }

// headlineAs returns the headline with the given word for the verdict.
func headlineAs(r verify.Result, word verify.Verdict) string {
	if !format.IsWrong(r.Verdict) && !format.IsSupported(r.Verdict) && r.Verdict != verify.Vacuous {
		return capital(r.Verdict) + ": " + format.Stopped(reason(r))
	}
	return words(verdictSentence(r, word)...).Line()
}

// Reason returns the reason for a claim's verdict, in the words of its evidence. Baselines record it.
func Reason(r verify.Result) string {
	if !(r.Measured.Set || r.Lower.Set || r.Upper.Set) {
		return format.OneLine(reason(r))
	}
	c := comparison(r.Evidence)
	s := fmt.Sprintf("the claim says %s; %s %s", c.claimed, lower(c.verb), c.found)
	if r.WorstCase != "" {
		s += " at " + format.OneLine(r.WorstCase)
	}
	return s
}

// details returns the lines below a headline.
func (d Document) details(r verify.Result) []string {
	lines := []string{format.Sentence(r.Claim.Statement), format.OneLine("Source: " + r.Claim.Source)}
	if o := r.Claim.Origin; o != "" {
		lines = append(lines, "Origin: "+format.Stopped(o.Words()))
	}
	if look := secondLook(r.Evidence); look != nil {
		lines = append(lines, look.Line())
	}
	for _, line := range whyLines(r.Evidence) {
		lines = append(lines, line.Line())
	}
	if r.Method != "" {
		lines = append(lines, "Method: "+format.Stopped(r.Method))
	}
	for _, w := range r.Warnings {
		lines = append(lines, format.Sentence(w))
	}
	if r.Claim.Corrected != "" {
		lines = append(lines, "Corrected: "+r.Claim.Corrected)
	}
	return append(lines, "Repeat: "+format.OneLine(d.repeat(r.Claim.ID)))
}

// shown is text in a format that a program reads and displays to a person. It is encoded with visible escapes for
// hidden characters, and no line is a workflow command.
type shown string

func (s shown) MarshalText() ([]byte, error) {
	return []byte(visible.Text(string(s))), nil
}

// unlinked is shown text for SARIF, in which [text](address) is a link (SARIF 2.1.0, 3.11.6). A backslash prevents
// such text in a claim from becoming a link.
type unlinked string

func (s unlinked) MarshalText() ([]byte, error) {
	return shown(strings.ReplaceAll(string(s), "](", `]\(`)).MarshalText()
}
