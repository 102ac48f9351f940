// Package another makes the command that of another ledger than the one of this module.
package another

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

// Experiments are those of the papers that the claims are of.
func Experiments(of []reports.Paper) []result.About {
	return slices.DeleteFunc(papers.Abouts(), func(e result.About) bool {
		id, _, _ := strings.Cut(e.Name, "/")
		return !slices.ContainsFunc(of, func(p reports.Paper) bool { return p.ID == id })
	})
}

// Help gives the help of a command, and of those below it, the name of the program, and a
// claim that is there in the place of those of the examples.
func Help(c *cobra.Command, name string, claim verify.Claim) {
	help(c, strings.NewReplacer("dpverify ", name+" ", "prestige/prop-1 prestige/prop-2", claim.ID,
		"prestige/lemma-2", claim.ID, "'*/lemma-*'", claim.Paper+"/*", "prestige", claim.Paper))
}

func help(c *cobra.Command, r *strings.Replacer) {
	c.Example, c.Long = r.Replace(c.Example), r.Replace(c.Long)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = r.Replace(f.Usage) })
	for _, sub := range c.Commands() {
		help(sub, r)
	}
}
