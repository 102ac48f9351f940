package reports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// settingsPart is what follows the paper in the ids of claims about the settings of its own
// experiments.
const settingsPart = "/settings/"

func (g group) ofSettings() []verify.Result {
	return slices.DeleteFunc(slices.Clone(g.results),
		func(r verify.Result) bool { return !strings.HasPrefix(r.Claim.ID, g.ID+settingsPart) })
}

// settings is what follows where the parameters of the paper's experiments are put into its own
// algorithms and bounds: those first on which a finding rests.
func (g group) settings(found []finding) article.Section {
	s := article.Section{Anchor: g.anchor("settings"), Level: 3, Title: article.Words("At the paper's own settings")}
	results := g.ofSettings()
	if len(results) == 0 {
		return s
	}
	named := func(r verify.Result) int {
		if i := slices.IndexFunc(found, func(f finding) bool { return f.Shown == r.Claim.ID }); i >= 0 {
			return i
		}
		return len(found)
	}
	slices.SortStableFunc(results, func(a, b verify.Result) int { return cmp.Compare(named(a), named(b)) })
	s.Say("The parameters of the paper's experiments, put into its own algorithms and bounds.")
	list := make(article.Listing, 0, mostSettings)
	for _, r := range results[:min(len(results), mostSettings)] {
		list = append(list, article.Item{Head: article.Words(r.Verdict.Symbol()+" "+markdown.Sentence(r.Claim.Statement)+" ",
			inNumbers(r), " ", article.ClaimLink(r.Claim.ID))})
	}
	s.Add(list)
	if more := len(results) - mostSettings; more > 0 {
		s.Say(plural(more, "more line")+" of this kind: ", article.Mono("dpverify verify "+g.ID+"/settings"), ".")
	}
	return s
}
