package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/empirical/study/papers"
	"github.com/dpverify/dpverify/empirical/study/studydata"
	"github.com/dpverify/dpverify/reports"
)

// standardName of the command.
const standardName = "dpverify"

// command is the name of the command.
func (a *app) command() string {
	if a.name == "" {
		return standardName
	}
	return a.name
}

// experiments are those of the papers that the claims are of.
func (a *app) experiments() []studydata.About {
	return slices.DeleteFunc(papers.Abouts(), func(e studydata.About) bool {
		id, _, _ := strings.Cut(e.Name, "/")
		return !slices.ContainsFunc(a.papers, func(p reports.Paper) bool { return p.ID == id })
	})
}

// adapt makes the help of another ledger its own: the name of the command, and claims that
// are there in the examples.
func (a *app) adapt(c *cobra.Command) {
	if len(a.experiments()) > 0 || a.ledger == nil {
		return
	}
	ledger, err := a.ledger()
	if err != nil || len(ledger.Claims()) == 0 {
		return // the command that needs it says so
	}
	claim := ledger.Claims()[0]
	rename := strings.NewReplacer("dpverify ", a.command()+" ", "prestige/prop-1 prestige/prop-2", claim.ID,
		"prestige/lemma-2", claim.ID, "'*/lemma-*'", claim.Paper+"/*", "prestige", claim.Paper)
	a.rename(c, rename)
}

func (a *app) rename(c *cobra.Command, r *strings.Replacer) {
	for _, text := range []*string{&c.Example, &c.Long} {
		*text = r.Replace(*text)
	}
	for _, sub := range c.Commands() {
		a.rename(sub, r)
	}
}
