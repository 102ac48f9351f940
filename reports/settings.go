package reports

import (
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
// algorithms and bounds: each line a figure with its claim, which leads to its command.
func (g group) settings() article.Section {
	s := article.Section{Anchor: g.anchor("settings"), Level: 3, Title: article.Words("At the paper's own settings")}
	results := g.ofSettings()
	if len(results) == 0 {
		return s
	}
	s.Say("The parameters of the paper's experiments, put into its own algorithms and bounds.")
	list := make(article.Listing, 0, len(results))
	for _, r := range results {
		list = append(list, article.Item{Head: article.Words(r.Verdict.Symbol()+" ", article.ClaimLink(r.Claim.ID),
			": "+markdown.Sentence(r.Claim.Statement)+" ", inNumbers(r))})
	}
	s.Add(list)
	return s
}
