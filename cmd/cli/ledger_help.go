package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// experimentsOfPapers returns the experiments of the papers.
func experimentsOfPapers(known []reports.Paper) []result.About {
	return slices.DeleteFunc(papers.Abouts(), func(e result.About) bool {
		id, _, _ := strings.Cut(e.Name, "/")
		return !slices.ContainsFunc(known, func(p reports.Paper) bool { return p.ID == id })
	})
}

// adaptHelp replaces the program name and the example claims in the help of a command and its subcommands. A program
// with its own ledger thus shows its own name and one of its claims.
func adaptHelp(c *cobra.Command, name string, claim verify.Claim) {
	replaceInHelp(c, strings.NewReplacer("dpverify ", name+" ", "prestige/prop-1 prestige/prop-2", claim.ID,
		"prestige/lemma-2", claim.ID, "'*/lemma-*'", claim.Paper+"/*", "prestige", claim.Paper))
}

func replaceInHelp(c *cobra.Command, r *strings.Replacer) {
	c.Example, c.Long = r.Replace(c.Example), r.Replace(c.Long)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = r.Replace(f.Usage) })
	for _, sub := range c.Commands() {
		replaceInHelp(sub, r)
	}
}
