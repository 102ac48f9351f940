package command

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/command/internal/rechecked"
)

func (a *app) recheckCommand() *cobra.Command {
	var out outputFlags
	var strict bool
	c := &cobra.Command{
		Use:   "recheck REPORT",
		Short: "Judge a report again from the counts that it stores",
		Long: `Recheck computes every verdict, interval and power of a report that --format json
wrote again, from the counts that it stores: with no mechanism and no sampling. It
names the claims of which something does not follow, with the place, and those that
cannot be judged again, with the reason. That the counts are those of the mechanism
it does not show: that takes another run.

It exits with 1 if something stored does not follow.`,
		Example: `  dpverify report --budget quick --format json -o report.json
  dpverify recheck report.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.recheck(args[0], out, strict) },
	}
	argumentsAreFiles(c)
	out.add(c)
	c.Flags().BoolVar(&strict, "strict", false, "exit with 4 if a claim cannot be judged again")
	return c
}

func (a *app) recheck(path string, out outputFlags, strict bool) error {
	if err := out.check(); err != nil {
		return err
	}
	d, err := readReport(path)
	if err != nil {
		return usage(err)
	}
	ledger, err := a.open()
	if err != nil {
		return err
	}
	result := rechecked.Of(path, d, a.version, ledger)
	form := rechecked.Markdown
	if out.json() {
		form = rechecked.JSON
	}
	if err := a.write(out, func(w io.Writer) error { return form(w, result) }); err != nil {
		return err
	}
	if err := result.Err(); err != nil {
		return withCode(codeRefuted, err)
	}
	if strict {
		return withCode(codeInconclusive, result.Open())
	}
	return nil
}
