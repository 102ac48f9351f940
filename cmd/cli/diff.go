package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/reports"
)

func (a *app) diffCommand() *cobra.Command {
	var out outputFlags
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two reports: claims, verdicts and figures",
		Long: `Compare two reports written by --format json: added and removed claims, changed
verdicts, and figures whose intervals at the same point do not overlap. Seeds and
versions of dpverify may differ. Budget and alpha must agree, and both runs must be
finished.

The exit code is 1 if a claim is refuted or contradictory and was not in the old report,
and 3 if a claim can no longer be judged.`,
		Example: `  dpverify report --budget quick --format json -o new.json
  dpverify diff old.json new.json
  dpverify diff old.json new.json --format json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return a.diff(args[0], args[1], out) },
	}
	argumentsAreFiles(c)
	out.add(c)
	return c
}

func (a *app) diff(before, after string, out outputFlags) error {
	if err := out.check(); err != nil {
		return err
	}
	old, err := readFile(before, "a report", reports.ReadJSON)
	if err != nil {
		return usage(err)
	}
	fresh, err := readFile(after, "a report", reports.ReadJSON)
	if err != nil {
		return usage(err)
	}
	comparison, err := reports.Compare(old, fresh)
	if err != nil {
		return usage(fmt.Errorf("%s and %s cannot be compared: %w", before, after, err))
	}
	if out.json() {
		err = a.write(out, func(w io.Writer) error { return reports.DiffJSON(w, comparison) })
	} else {
		err = a.writeSheet(out, comparison.Sheet())
	}
	if err != nil {
		return err
	}
	if failed := comparison.InClass(reports.Failed); len(failed) > 0 {
		return internal(fmt.Errorf("%d claims can no longer be judged, the first is %s", len(failed), failed[0].ID))
	}
	if worse := comparison.Worse(); len(worse) > 0 {
		return withCode(codeRefuted, fmt.Errorf("%d claims are refuted and were not in the old report: %s", len(worse),
			strings.Join(worse, ", ")))
	}
	return nil
}

// readFile reads a file of limited size, such as a report. Errors begin with its path.
func readFile[T any](path, what string, read func(io.Reader) (T, error)) (v T, err error) {
	data, err := bounded.ReadFile(path, mostReport, what)
	if err != nil {
		return v, err
	}
	if v, err = read(bytes.NewReader(data)); err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
