package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/reports"
)

func (a *app) schemaCommand() *cobra.Command {
	const command, schema = "recompute", "recheck" // the schema has the command's earlier name
	var out outputFlags
	names := reports.SchemaNames()
	names[slices.Index(names, schema)] = command
	slices.Sort(names)
	c := &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a file that dpverify reads or writes",
		Long: `Schema prints a JSON Schema, draft 2020-12: for the output of --format json (report,
account, diff, plan, recompute, and power and calibration of experiment), for a line of
--events, for a baseline, for the claims file that audit reads (audit), for the output of
account trial (accountant-trial), or for the corpus of releases with certified brackets
(accountant-corpus).`,
		Example: `  dpverify schema report
  dpverify schema audit -o audit.schema.json`,
		ValidArgs: names,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == schema {
				return nil
			}
			return cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if name == command {
				name = schema
			}
			text, err := reports.SchemaText(name)
			if err != nil {
				return usage(err)
			}
			return a.write(out, func(w io.Writer) error { _, err := w.Write(text); return err })
		},
	}
	out.addPath(c)
	return c
}
