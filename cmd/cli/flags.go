package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/premises"
)

type seedFlag struct{ text string }

func (f *seedFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.text, "seed", "1", "random seed, a whole `NUMBER`; 0 draws one")
	complete(c, "seed", cobra.NoFileCompletions)
}

// value returns the seed. If the flag is 0, it draws a seed and prints it, so that the run can be repeated.
func (f *seedFlag) value(a *app) (uint64, error) {
	seed, err := empirical.ParseSeed(f.text)
	if err != nil {
		return 0, usage(fmt.Errorf("--seed: %w", err))
	}
	if given, err := decimal.Uint(f.text); err == nil && given == 0 {
		a.say("drew --seed %d", seed)
	}
	return seed, nil
}

type budgetFlag struct{ text string }

func (f *budgetFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.text, "budget", string(verify.Standard), "`BUDGET`: quick, standard or thorough")
	var names []string
	for _, b := range empirical.Budgets {
		names = append(names, string(b))
	}
	complete(c, "budget", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

func (f *budgetFlag) value() (verify.Budget, error) {
	b, err := empirical.ParseBudget(f.text)
	return b, usage(err)
}

type workersFlag struct{ n int }

func (f *workersFlag) add(c *cobra.Command) {
	c.Flags().IntVar(&f.n, "workers", runtime.GOMAXPROCS(0), "number `N` of processors")
	c.Flags().Lookup("workers").DefValue = "all" // the same text on every machine
	complete(c, "workers", cobra.NoFileCompletions)
}

const samplingName = "sampling"

// addSampling adds --sampling, for events files that do not contain the sampling.
func addSampling(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, samplingName, "", "TF Privacy: `WORD` "+strings.Join(event.Samplings, ", "))
	complete(c, samplingName, cobra.FixedCompletions(event.Samplings, cobra.ShellCompDirectiveNoFileComp))
}

// addTrainingSampling adds --sampling of a training log or a TF Privacy file.
func addTrainingSampling(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, samplingName, "", "`WORD`: sampling of --training-log or a TF Privacy file")
	var words []string
	for _, s := range premises.Samplings {
		words = append(words, string(s))
	}
	complete(c, samplingName, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// runFlags holds the flags of commands that judge claims.
type runFlags struct {
	seed    seedFlag
	budget  budgetFlag
	workers workersFlag
	data    dataFlag
	journal journalFlags
	alpha   float64
	timeout time.Duration
	strict  bool
	times   bool
}

type dataFlag struct{ dir string }

// dataVariable is the environment variable with the default of --data.
const dataVariable = "DPVERIFY_DATA"

func (f *dataFlag) add(c *cobra.Command) {
	fileFlag{to: &f.dir, use: claimsfile.SearchesFolder, variable: dataVariable}.add(c, "data", "",
		"`DIR` of the public data sets (default $"+dataVariable+")")
}

// value returns the directory of the data sets, or "" for none.
func (f *dataFlag) value() (string, error) {
	dir, from := f.dir, "--data"
	if dir == "" {
		dir, from = os.Getenv(dataVariable), dataVariable
	}
	if dir == "" {
		return "", nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return "", usage(fmt.Errorf("%s %s: %w", from, dir, err))
	}
	return dir, nil
}

func (f *runFlags) add(c *cobra.Command) {
	f.plan(c)
	c.Flags().BoolVar(&f.times, "times", false, "add the seconds of each claim to the JSON")
	c.Flags().BoolVar(&f.strict, "strict", false, "exit with 4 if a claim is inconclusive or not run")
	c.Flags().DurationVar(&f.timeout, "timeout", 0, "maximum `TIME` for one claim, for example 90s; 0 is no limit")
	complete(c, "timeout", cobra.NoFileCompletions)
	f.workers.add(c)
	f.data.add(c)
}

// plan adds the flags that affect verdicts: seed, budget and alpha.
func (f *runFlags) plan(c *cobra.Command) {
	f.seed.add(c)
	f.budget.add(c)
	c.Flags().Float64Var(&f.alpha, "alpha", verify.DefaultAlpha, "error `PROBABILITY`, split over all claims")
	complete(c, "alpha", cobra.NoFileCompletions)
	f.workers.n = runtime.GOMAXPROCS(0)
}

// timed returns an error if --times is given for a format without times.
func (f *runFlags) timed(out outputFlags) error {
	if f.times && !out.json() {
		return usage(errors.New("--times needs --format json: other formats have no times"))
	}
	return nil
}

func (f *runFlags) options(a *app) (verify.Options, error) {
	budget, err := f.budget.value()
	if err != nil {
		return verify.Options{}, err
	}
	data, err := f.data.value()
	if err != nil {
		return verify.Options{}, err
	}
	o := verify.Options{Program: a.name, Alpha: f.alpha, Budget: budget, Data: data, Workers: f.workers.n,
		Timeout: f.timeout}
	if err := o.Validate(); err != nil {
		return o, usage(err)
	}
	o.Seed, err = f.seed.value(a)
	return o, err
}

// outputFlags holds the flags for the file, format and colors of a result.
type outputFlags struct {
	format, path string
	formats      []string    // formats of the command
	color        string      // value of --color; "" if the command has no terminal format
	given        func() bool // reports whether --format was given
	folders      bool        // the path can be a directory for Markdown with pictures
}

// add adds --format, with the formats of all commands and further ones, and -o.
func (f *outputFlags) add(c *cobra.Command, further ...string) {
	f.formats = append([]string{"markdown", "json"}, further...)
	c.Flags().StringVar(&f.format, "format", f.formats[0], "`FORM`: "+f.choice())
	f.addPath(c)
	complete(c, "format", cobra.FixedCompletions(f.formats, cobra.ShellCompDirectiveNoFileComp))
}

const outputName = "output"

// addPath adds -o, for a result with only one format.
func (f *outputFlags) addPath(c *cobra.Command) {
	fileFlag{to: &f.path, use: claimsfile.ReplacesFile, result: true, folders: &f.folders}.add(c, outputName, "o",
		"write to `FILE`, not to standard output")
}

// choice lists the formats, as in "markdown, json or html".
func (f *outputFlags) choice() string {
	last := len(f.formats) - 1
	return strings.Join(f.formats[:last], ", ") + " or " + f.formats[last]
}

// check checks the flags before the work begins.
func (f *outputFlags) check() error {
	if !slices.Contains(f.formats, f.format) {
		return usage(fmt.Errorf("format %q: want %s", f.format, f.choice()))
	}
	if f.folder() && f.format != "markdown" {
		return usage(fmt.Errorf("-o %s: a directory is for Markdown with pictures; for %s give a file", f.path,
			f.format))
	}
	if f.color != "" && !slices.Contains(colorModes, f.color) {
		return usage(fmt.Errorf("color %q: want auto, always or never", f.color))
	}
	return nil
}

// folder reports whether the result goes to a directory.
func (f *outputFlags) folder() bool { return f.folders && claimsfile.NamesFolder(f.path) }

func (f *outputFlags) json() bool { return f.format == "json" }

// addJudged adds the formats of judged claims, and lets -o be a directory for Markdown with pictures.
func (f *outputFlags) addJudged(c *cobra.Command, further ...string) {
	f.addShown(c, further...)
	f.folders = true
	c.Flags().Lookup(outputName).Usage = "write to `FILE`, or Markdown with pictures to DIR/"
}

// addShown adds the formats and the format for terminals, which is the default on a terminal.
func (f *outputFlags) addShown(c *cobra.Command, further ...string) {
	f.add(c, further...)
	f.formats = append(f.formats, "terminal")
	flag := c.Flags().Lookup("format")
	flag.Usage, flag.DefValue = "`FORM`: "+f.choice(), "terminal on a terminal, else markdown"
	f.given = func() bool { return c.Flags().Changed("format") }
	c.Flags().StringVar(&f.color, "color", "auto", "`WHEN` to use colors: auto, always or never")
	complete(c, "color", cobra.FixedCompletions(colorModes, cobra.ShellCompDirectiveNoFileComp))
}

// screen returns the properties of standard output; shown reports whether the result has the format for terminals.
func (f *outputFlags) screen(a *app) (s reports.Screen, shown bool) {
	s, terminal, err := screenOf(a.stdout, f.color)
	shown = f.format == "terminal" || terminal && f.path == "" && f.given != nil && !f.given()
	if shown && err != nil {
		a.say("%v", err)
	}
	return s, shown
}

// document returns a function that writes judged claims in the chosen format.
func (f *outputFlags) document(a *app, d reports.Document) func(io.Writer) error {
	if on, shown := f.screen(a); shown {
		return func(w io.Writer) error { return reports.Terminal(w, d, on) }
	}
	form := writerOf(f.format)
	return func(w io.Writer) error { return form(w, d) }
}

// complete registers a completion for a flag that has just been added.
func complete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the flag does not exist or already has a completion: a mistake in this package
	}
}
