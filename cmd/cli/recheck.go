package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

func (a *app) recheckCommand() *cobra.Command {
	var out outputFlags
	var strict bool
	c := &cobra.Command{
		Use:     "recompute REPORT [CLAIMS.yaml]",
		Aliases: []string{"recheck"}, // its name in earlier versions
		Short:   "Recompute a report from the statistics that it stores",
		Long: `Recompute every derived field of a report that --format json wrote: verdicts, intervals,
powers and sentences. It uses the sufficient statistics in the report, runs no mechanism
and samples nothing. It lists each field that differs, each field that it could not
compute, and each field that a report cannot check. With the claims file of an audit it
also compares the claims. It cannot show that the statistics come from the mechanism:
that takes another run.

It exits with 1 if a field differs.`,
		Example: `  dpverify report --budget quick --format json -o report.json
  dpverify recompute report.json
  dpverify recompute audit.json claims.yaml --strict`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error { return a.recheck(c.Context(), args, out, strict) },
	}
	argumentsAreFiles(c)
	out.add(c)
	c.Flags().BoolVar(&strict, "strict", false, "exit with 4 if a field cannot be recomputed")
	return c
}

func (a *app) recheck(ctx context.Context, args []string, out outputFlags, strict bool) error {
	if err := out.check(); err != nil {
		return err
	}
	raw, err := readLimited(args[0])
	if err != nil {
		return usage(err)
	}
	d, err := reports.ReadJSON(bytes.NewReader(raw))
	if err != nil {
		return usage(fmt.Errorf("%s: %w", args[0], err))
	}
	known, err := a.knownClaims(args[1:], d.Command)
	if err != nil {
		return err
	}
	result, err := recheckReport(ctx, recheckInput{Name: args[0], Raw: raw, Document: d, Version: a.version,
		Claims: known})
	if err != nil {
		return usage(fmt.Errorf("%s: %w", args[0], err))
	}
	if err := a.write(out, func(w io.Writer) error {
		if out.json() {
			return reports.WriteJSON(w, result)
		}
		return recheckMarkdown(w, result)
	}); err != nil {
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

// knownClaims returns the claims of a claims file, or the program's own.
func (a *app) knownClaims(files []string, repeats string) (knownClaims, error) {
	if len(files) > 0 {
		return claimsOf(files[0], repeats)
	}
	ledger, err := a.open()
	if err != nil {
		return knownClaims{}, err
	}
	known := knownClaims{Ledger: ledger, Papers: a.papers,
		Computed: func(string) bool { return true }}
	if a.remarks != nil {
		if known.Remarks, err = a.remarks(); err != nil {
			return known, internal(err)
		}
	}
	return known, nil
}

// claimsOf returns the claims of a file. Only checks of accounts can run. The flags of the report's command decide
// which claims there are.
func claimsOf(path, repeats string) (known knownClaims, err error) {
	var f auditFlags
	c := &cobra.Command{}
	f.add(c)
	makeFlagsStrict(c.Flags())
	words, err := claimsfile.SplitWords(repeats)
	if err == nil && len(words) > 2 {
		err = c.Flags().Parse(words[2:])
	}
	if err != nil {
		return known, usage(fmt.Errorf("the report's command %q: %w", repeats, err))
	}
	j, err := f.job(c.Flags(), []string{path})
	if err = errors.Join(err, j.broken); err != nil {
		return known, usage(err)
	}
	accounts := make(map[string]bool)
	for i := range j.subjects {
		for _, id := range j.subjects[i].Accounts() {
			accounts[id] = true
		}
	}
	return knownClaims{Name: path, Ledger: j.ledger, Papers: auditPapers, All: true,
		Guarantees: claimsfile.Guarantees(j.subjects), Computed: func(id string) bool { return accounts[id] },
		Notes: func(stored []string, run verify.Run) []string {
			counted := f.evidence.start > 0 || f.stated.Start > 0
			return append([]string{claimsfile.Coverage(j.subjects, run)}, evidenceNotes(stored, counted)...)
		}}, nil
}

// auditPapers replaces the papers in a report on an audit.
var auditPapers = []reports.Paper{{ID: "audit", Title: "Audited claims"}}

// mostReport is the maximum size of a report in bytes.
const mostReport = 1 << 28

// readLimited reads a file that may be a report. A file without a size, such as a pipe, may have no end. If the file
// does not begin like a JSON object, readLimited returns an error before it reads the rest.
func readLimited(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return nil, err
	}
	if text := strings.TrimSpace(string(head)); !strings.HasPrefix(text, "{") {
		return nil, fmt.Errorf("%s: not a report of dpverify: want a JSON object", path)
	}
	rest, err := bounded.ReadOpen(path, file, mostReport, "a report")
	return append(head, rest...), err
}
