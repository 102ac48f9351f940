package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/reports"
)

func (a *app) schemaCommand() *cobra.Command {
	var out outputFlags
	c := &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a file that dpverify reads or writes",
		Long: `Schema prints a JSON Schema, draft 2020-12: of what --format json writes (report,
account, diff, plan, recheck, and power and calibration of experiment), of the progress
of --events (a line), of a baseline, or of the file that audit reads (audit).`,
		Example: `  dpverify schema report
  dpverify schema audit -o audit.schema.json`,
		ValidArgs: reports.SchemaNames(),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := reports.SchemaText(args[0])
			if err != nil {
				return usage(err)
			}
			return a.write(out, func(w io.Writer) error { _, err := w.Write(text); return err })
		},
	}
	out.addPath(c)
	return c
}
