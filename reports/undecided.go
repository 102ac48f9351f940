package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// undecided lists the claims without an answer, grouped by their reasons.
func (g group) undecided(l *lookup) section {
	s := section{Anchor: g.anchor("undecided"), Level: 3, Title: words("Not decided")}
	var list listing
	for _, v := range []verify.Verdict{verify.Error, verify.Inconclusive, verify.NotRun, verify.Untestable} {
		var reasons []string
		claims := make(map[string][]string)
		for _, r := range g.results {
			if r.Verdict != v {
				continue
			}
			why := reason(r)
			if claims[why] == nil {
				reasons = append(reasons, why)
			}
			claims[why] = append(claims[why], r.Claim.ID)
		}
		for _, why := range reasons {
			list = append(list, item{Head: words(verdictSpan(v), ", ", g.named(l, claims[why]),
				": "+format.Sentence(why))})
		}
	}
	if len(list) > 0 {
		s.Add(list)
	}
	return s
}

// named returns a link to a single claim, or the number of claims and their items.
func (g group) named(l *lookup, ids []string) inline {
	if len(ids) == 1 {
		return words(l.link(ids[0]))
	}
	var items []string
	for _, id := range ids {
		if item := g.itemOf(id); !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return words(plural(len(ids), "claim")+" of ", mono(strings.Join(items, ", ")))
}

// reason returns the first reason why a claim has no answer, or has its verdict.
func reason(r verify.Result) string {
	warning := ""
	if len(r.Warnings) > 0 {
		warning = r.Warnings[0]
	}
	switch {
	case r.Verdict == verify.Inconclusive:
		return cmp.Or(r.Power, warning, r.Verdict.Meaning())
	case r.Verdict == verify.NotRun && warning == "" && r.Data != "":
		return "Data: " + r.Data
	}
	return cmp.Or(warning, r.Method, r.Verdict.Meaning())
}
