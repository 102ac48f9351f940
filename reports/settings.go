package reports

import (
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// settingsPart follows the paper's id in the ids of claims about the settings of its own experiments.
const settingsPart = "/settings/"

func (g group) settingsResults() []verify.Result {
	return slices.DeleteFunc(slices.Clone(g.results),
		func(r verify.Result) bool { return !strings.HasPrefix(r.Claim.ID, g.ID+settingsPart) })
}

// settings returns the section of observations at the parameters of the paper's experiments, without the observations
// that a finding already shows.
func (g group) settings(l *lookup, found []finding) section {
	s := section{Anchor: g.anchor("settings"), Level: 3, Title: words("At the paper's own settings")}
	results := slices.DeleteFunc(g.settingsResults(), func(r verify.Result) bool {
		return !format.IsSupported(r.Verdict) || slices.ContainsFunc(found,
			func(f finding) bool {
				return f.card && f.SettingsClaim == r.Claim.ID || f.worst.Claim.ID == r.Claim.ID
			})
	})
	if len(results) == 0 {
		return s
	}
	s.Say("Our observations, from the paper's algorithms and bounds at the parameters of its experiments:")
	var list listing
	for _, r := range results[:min(len(results), maxSettings)] {
		list = append(list, item{Head: words(format.Sentence(r.Claim.Statement)+figuresInParentheses(r)+" ",
			l.link(r.Claim.ID),
			" ", verdictSpan(r.Verdict))})
	}
	s.Add(list)
	if more := len(results) - maxSettings; more > 0 {
		s.Say(plural(more, "more line")+" of this kind: ", mono("dpverify verify "+g.ID+"/settings"), ".")
	}
	return s
}
