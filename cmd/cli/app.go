package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// Program is a claim set with the command that verifies it. A module with its own claims gets report, verify, list,
// explain and the other commands for them by
//
//	func main() {
//		os.Exit(cli.Main(cli.Program{Name: "own", Ledger: ledger.Ledger}))
//	}
type Program struct {
	Name   string // name of the command in help and reports; default "dpverify"
	Ledger func() (*verify.Ledger, error)
	// Papers gives titles to the papers of the claims; the id of a paper is the first part of a claim's id. The
	// command has the experiments of these papers.
	Papers []reports.Paper
	// Remarks returns the reviewer notes on findings; nil if there are none.
	Remarks func() ([]verify.ReviewerNote, error)
}

// Main runs the command with the arguments, standard streams and signals of the process, and returns the exit code.
// After a signal it does not wait for files and pipes.
func Main(p Program) int {
	ctx, a := interruptContext(), p.app(os.Stdout, os.Stderr)
	if err := checkOpenFiles(); err != nil {
		a.say("%v", err)
		return codeUsage
	}
	a.phase = &phase{}
	ended := make(chan int, 1)
	go func() { ended <- a.run(ctx, os.Args[1:]) }()
	if code, ok := a.phase.Await(ctx, ended); ok {
		return code
	}
	reported := make(chan struct{})
	go func() {
		if a.phase.Working() {
			a.say("interrupted, and the work did not end in time: missing results were not written")
		} else {
			a.say("interrupted while waiting for a file or a pipe")
		}
		close(reported)
	}()
	select {
	case <-reported:
	case <-time.After(100 * time.Millisecond): // nobody reads standard error
	}
	return codeInterrupted
}

// app returns the command with its root and subcommands.
func (p Program) app(stdout, stderr io.Writer) *app {
	return &app{name: p.Name, ledger: p.Ledger, papers: p.Papers, remarks: p.Remarks,
		version: programVersion(),
		every:   10 * time.Second,
		stdout:  stdout, stderr: stderr}
}

// app is the command with its inputs from the process: claims, version and streams.
type app struct {
	name           string // name of the command; "" is dpverify
	ledger         func() (*verify.Ledger, error)
	papers         []reports.Paper
	remarks        func() ([]verify.ReviewerNote, error)
	version        string
	every          time.Duration // between lines of progress if standard error is not a terminal
	stdout, stderr io.Writer

	files []claimsfile.NamedFile // files of the called command
	phase *phase                 // phase of the process; nil in tests
}

// meter begins the work of a command and returns a meter that shows its progress.
func (a *app) meter(label string) *progressMeter {
	a.phase.Work()
	return newProgressMeter(a.stderr, a.every, label)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	shown := &watched{Writer: a.stdout}
	root.SetOut(shown)
	root.SetErr(a.stderr)
	addCompletion(root) // after SetOut, since the command keeps the writer
	called, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = unwritten(shown.err)
	}
	return a.exit(called, err)
}

// watched is a writer that keeps its first error: cobra drops the errors of help, the version and completions.
type watched struct {
	io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   a.command(),
		Short: "Measure whether differential-privacy claims are true",
		Long: `Measure whether a differential-privacy claim is true, and by how much.

Results go to standard output, everything else to standard error.

Exit codes: 0 success; 1 a claim is refuted and not in the baseline; 2 wrong usage or data; 3 a check
failed; 4 inconclusive or not run, under --strict; 130 interrupted. If
several apply: 130, 2, 3, 1, 4.`,
		Example: `  dpverify audit claims.yaml
  dpverify report
  dpverify verify prestige/lemma-2
  dpverify explain prestige/lemma-2`,
		Version:       a.version,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: a.checkFiles,
	}
	root.AddCommand(a.reportCommand(), a.verifyCommand(), a.listCommand(), a.explainCommand(),
		versionCommand(a.version), a.accountCommand(), a.auditCommand(), a.diffCommand(), a.schemaCommand(),
		a.mergeCommand(), a.evidenceCommand(),
		a.recheckCommand(), a.planCommand())
	ours := len(experimentsOfPapers(a.papers)) > 0
	if ours {
		root.Example = "  dpverify init python\n" + root.Example
		root.AddCommand(a.experimentCommand(), initCommand(a.version), manCommand(a.version))
	}
	makeStrict(root)
	root.SetHelpCommand(helpCommand(root))
	a.addHelp(root)
	if !ours {
		// The commands that need the ledger report its error.
		if ledger, err := a.ledger(); err == nil && len(ledger.Claims()) > 0 {
			adaptHelp(root, a.command(), ledger.Claims()[0])
		}
	}
	return root
}

// addCompletion adds cobra's completion command and makes it runnable. Otherwise cobra prints help for an unknown
// shell instead of an error.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// command returns the name of the command.
func (a *app) command() string { return cmp.Or(a.name, "dpverify") }

// helpCommand returns the command help. Unlike cobra's it prints topics of the manual, and returns an error for an
// unknown topic.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Describe a command or print a topic of the manual",
		Long:  `Describe a command, or print a topic of the manual. '` + root.Name() + ` --help' lists the topics.`,
		Example: `  dpverify help verify
  dpverify help exit-codes`,
		ValidArgs: topics(),
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err == nil && len(rest) == 0 {
				about.InitDefaultHelpFlag()
				return about.Help()
			}
			if text, ok := topic(strings.Join(args, "-")); ok {
				_, err := c.OutOrStdout().Write(text)
				return unwritten(err)
			}
			return usage(fmt.Errorf("no command or topic %q%s\nSee '%s --help' for the list", strings.Join(args, " "),
				similarTopics(root, args), root.Name()))
		},
	}
}

// similarTopics returns a suggestion of topics or commands with similar names, or "".
func similarTopics(root *cobra.Command, args []string) string {
	names := topics()
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return cmp.Or(claimsfile.DidYouMean(strings.Join(args, "-"), names), similarCommands(root, args[len(args)-1]))
}

// The exit codes.
const (
	codeFine         = 0
	codeRefuted      = 1
	codeUsage        = 2
	codeFailed       = 3
	codeInconclusive = 4
	codeInterrupted  = 130
)

// exitError is an error with an exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

// usage marks an error that the user can correct, such as a wrong flag, pattern or file.
func usage(err error) error { return withCode(codeUsage, err) }

// unwritten makes a failed write of an output a usage error, since the user can correct it. An error that has an exit
// code keeps it.
func unwritten(err error) error {
	if known := (*exitError)(nil); errors.As(err, &known) {
		return err
	}
	return usage(err)
}

// internal marks an error that the user cannot correct.
func internal(err error) error { return withCode(codeFailed, err) }

// say writes a message to standard error. File names, claims and mechanisms may put hidden characters or workflow
// commands into it, so it escapes them.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, "%s: %s\n", a.command(), visible.Text(fmt.Sprintf(format, args...)))
}

// exit prints an error and returns its exit code. An error without an exit code comes from cobra and is about the
// command line.
func (a *app) exit(called *cobra.Command, err error) int {
	if err == nil {
		return codeFine
	}
	var known *exitError
	if errors.As(err, &known) {
		a.say("%s", userMessage(err))
		return known.code
	}
	a.say("%s\nSee '%s --help'.", commandLineMistake(called, err), called.CommandPath())
	return codeUsage
}

// outcome returns the error of a finished run with the exit code of highest precedence, or nil. Refuted claims are an
// error only if refutedIsError is set, and undecided claims only if strict is set. Results that are exempt do not
// change the exit code.
func outcome(run verify.Run, exempt func(verify.Result) bool, refutedIsError, strict bool) error {
	if run.Interrupted {
		return withCode(codeInterrupted,
			fmt.Errorf("interrupted: %d of %d claims were finished", len(run.Results), run.Selected))
	}
	if err := named(run, exempt, "failed", verify.Error); err != nil {
		return internal(err)
	}
	if err := named(run, exempt, "refuted", verify.Refuted, verify.Contradictory); err != nil && refutedIsError {
		return withCode(codeRefuted, err)
	}
	if err := named(run, exempt, "not decided", verify.Inconclusive, verify.NotRun); err != nil && strict {
		return withCode(codeInconclusive, err)
	}
	return nil
}

// named returns an error that lists the claims with one of the verdicts that are not exempt, or nil if there are none.
// Its totals include exempt claims, as the report's do. It counts the papers' claims and ours separately.
func named(run verify.Run, exempt func(verify.Result) bool, what string, verdicts ...verify.Verdict) error {
	var ids []string
	var papers, ours struct{ named, all int }
	for _, r := range run.Results {
		count := &papers
		if r.Claim.Origin.Ours() {
			count = &ours
		}
		count.all++
		if slices.Contains(verdicts, r.Verdict) && !exempt(r) {
			count.named++
			ids = append(ids, r.Claim.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	counts := fmt.Sprintf("%d of %d claims", papers.named, papers.all)
	if ours.all > 0 {
		counts = fmt.Sprintf("%d of the papers' %d claims and %d of our %d", papers.named, papers.all, ours.named, ours.all)
	}
	return fmt.Errorf("%s %s: %s", counts, what, strings.Join(ids, ", "))
}
