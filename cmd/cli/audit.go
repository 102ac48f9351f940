package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/process"
)

// auditFlags holds the flags of `dpverify audit`.
type auditFlags struct {
	run  runFlags
	out  outputFlags
	side sideFlags

	exec, a, b         string
	samplesA, samplesB string
	account            claimsfile.AccountFile
	canaries           claimsfile.CanaryFlags
	training           claimsfile.TrainingLogFlags
	guarantee          claimsfile.GuaranteeFlags
	samples            int64
	limits             processFlags
	precision          string
	anytime, seeded    bool
	cost               costFlag
	mass               float64
	dry                dryRunFlags
	evidence           evidenceFlags

	stated claimsfile.EvidenceFile // of the claims file
	reads  []claimsfile.NamedFile  // files that the claims name; the audit writes the evidence file
}

func (a *app) auditCommand() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit [CLAIMS.yaml]",
		Short: "Audit a mechanism, a training run or recorded outputs",
		Long:  "Audit a mechanism in any language, a training run or recorded outputs against a privacy claim.",
		Example: `  dpverify audit claims.yaml
  dpverify audit --exec 'python3 noisy_count.py' --a '[1, 0, 1]' --b '[1, 0, 0]' --epsilon 1
  dpverify audit --samples-a with.csv --samples-b without.csv --epsilon 0.5 --delta 1e-6
  dpverify audit --canaries scores.csv --epsilon 8 --delta 1e-5 --alpha 0.05`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.audit(c, args, f) },
	}
	argumentsAreFiles(c)
	f.add(c)
	return c
}

func (f *auditFlags) add(c *cobra.Command) {
	f.addClaims(c)
	f.cost.add(c)
	f.run.add(c)
	f.run.journal.add(c)
	fileFlag{to: &f.run.journal.prepared, use: claimsfile.ReadsFile}.add(c, "prepared", "",
		"with --shard, `FILE` of shard 1 if the seed is not used")
	f.out.addJudged(c, "html", "junit", "sarif")
	f.side.add(c)
	f.side.addBaseline(c)
	f.dry.add(c)
	f.evidence.add(c)
}

// addClaims adds the flags that describe the mechanism, the claim and the sampling.
func (f *auditFlags) addClaims(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.exec, "exec", "", "`COMMAND` that runs the mechanism, quoted as for a shell")
	flags.StringVar(&f.a, "a", "", "input of the command, as `JSON`")
	flags.StringVar(&f.b, "b", "", "neighboring input, as `JSON`")
	fileFlag{to: &f.samplesA, use: claimsfile.ReadsFile}.add(c, "samples-a", "", "`FILE` of outputs recorded at one "+
		"input")
	fileFlag{to: &f.samplesB, use: claimsfile.ReadsFile}.add(c, "samples-b", "",
		"`FILE` of outputs recorded at a neighboring input")
	fileFlag{to: &f.account.Path, use: claimsfile.ReadsFile}.add(c, "account", "",
		"`FILE` of events: the subject, or the claimed guarantee")
	fileFlag{to: &f.canaries.Path, use: claimsfile.ReadsFile}.add(c, "canaries", "",
		"`FILE` of canary scores from one training run")
	f.canaries.Add(c)
	fileFlag{to: &f.training.Path, use: claimsfile.ReadsFile}.add(c, "training-log", "",
		"`FILE` with the steps of one training run")
	fileFlag{to: &f.training.Neighbor, use: claimsfile.ReadsFile}.add(c, "neighbor-log", "",
		"with --training-log: log `FILE` of a run on neighboring data")
	f.training.Add(c)
	addTrainingSampling(c, &f.account.Sampling)
	flags.StringVar(&f.account.Adjacency, "adjacency", "", "`NEIGHBORS`: "+strings.Join(adjacencies, ", ")+
		" (default: file)")
	complete(c, "adjacency", cobra.FixedCompletions(adjacencies, cobra.ShellCompDirectiveNoFileComp))
	f.guarantee.Add(c)
	fileFlag{to: &f.guarantee.Curve, use: claimsfile.ReadsFile}.add(c, "curve", "",
		"CSV `FILE` of a claimed privacy curve")
	flags.Int64Var(&f.samples, "samples", claimsfile.DefaultSamples,
		"`NUMBER` of samples of each input")
	flags.Float64Var(&f.mass, "mass", 0,
		"probability `MASS` of the rarest event covered (default 0.01)")
	flags.BoolVar(&f.anytime, "anytime", false, "test sequentially and stop when the claim is refuted")
	flags.BoolVar(&f.seeded, "seeded", true, "command takes its randomness from the seed")
	flags.StringVar(&f.precision, "precision", claimsfile.PrecisionWarn,
		"floating-point leaks: `LEVEL` off, warn or fail")
	f.limits.add(c)
	complete(c, "precision", cobra.FixedCompletions(claimsfile.Precisions, cobra.ShellCompDirectiveNoFileComp))
}

// processFlags holds the limits on the time and memory of a process. They do not affect verdicts.
type processFlags struct {
	reply  time.Duration
	memory string
}

var processNames = []string{"reply-timeout", "process-memory"}

const defaultMemory = "4GiB" // process.DefaultMemory

func (f *processFlags) add(c *cobra.Command) {
	c.Flags().DurationVar(&f.reply, processNames[0], process.DefaultReplyTimeout,
		"maximum `TIME` for one reply of a process")
	c.Flags().StringVar(&f.memory, processNames[1], defaultMemory,
		"maximum `MEMORY` of a process, on Linux")
}

// audit collects the claims and judges them.
func (a *app) audit(c *cobra.Command, args []string, f auditFlags) error {
	if err := f.out.check(); err != nil {
		return err
	}
	if err := f.run.timed(f.out); err != nil {
		return err
	}
	if err := f.dry.check(c.Flags().Changed(wallName), f.out); err != nil {
		return usage(err)
	}
	j, err := f.job(c.Flags(), args)
	if err != nil {
		return usage(err)
	}
	defer closeAll(j.subjects)
	if err := a.alsoReads(j.reads); err != nil {
		return err
	}
	if j.options, err = f.run.options(a); err != nil {
		return err
	}
	if f.dry.on {
		return a.dryRun(c.Context(), j, f)
	}
	j.out, j.side, j.strict, j.times, j.journal = f.out, f.side, f.run.strict, f.run.times, f.run.journal
	if j.journal != (journalFlags{}) && j.broken != nil {
		return usage(j.broken)
	}
	if j.journal.shard != "" && f.exec != "" {
		return usage(errors.New("--shard needs the claim in a file, CLAIMS.yaml: merge reads the command from that file, " +
			"never from a shard"))
	}
	if err := f.cost.check(a, j.work()); err != nil {
		return err
	}
	if err := f.remember(a, &j); err != nil {
		return err
	}
	if j.journal != (journalFlags{}) {
		if j.options.Checkpoint, err = j.journal.open(a, j.head(sourcesVersion(a.version)), f.out, f.side); err != nil {
			return err
		}
	}
	return a.judgeAudit(c.Context(), j)
}

// remember lets the audit add to an evidence file, if there is one.
func (f *auditFlags) remember(a *app, j *auditJob) (err error) {
	if j.evidence, err = f.evidence.open(a, f.stated, j.journal, j.options.Alpha); j.evidence == nil {
		return err
	}
	claims, err := j.evidence.claims(j.subjects)
	if err == nil {
		j.ledger, err = verify.NewLedger(claims...)
	}
	if err != nil {
		return usage(errors.Join(err, j.evidence.file.Close()))
	}
	j.options.RunID = j.evidence.seedID()
	return nil
}

// job returns the audit that the flags and arguments describe.
func (f *auditFlags) job(flags *pflag.FlagSet, args []string) (j auditJob, err error) {
	j.words = f.words(flags, args)
	if j.subjects, err = f.subjects(flags, args); err != nil {
		return j, err
	}
	j.reads = f.reads
	for i := range j.subjects {
		if err := f.override(flags, &j.subjects[i]); err != nil {
			return j, err
		}
		if err := j.subjects[i].Check(); err != nil {
			return j, err
		}
		j.broken = errors.Join(j.broken, j.subjects[i].Broken)
	}
	var claims []verify.Claim
	for i := range j.subjects { // by index: a subject keeps the processes of its claims
		claims = append(claims, j.subjects[i].Claims()...)
	}
	j.ledger, err = verify.NewLedger(claims...)
	return j, err
}

// subjects returns the subjects of the audit: those of a claims file, or one command, one pair of recordings, one file
// of canary scores, one training log or one account.
func (f *auditFlags) subjects(flags *pflag.FlagSet, args []string) ([]claimsfile.Subject, error) {
	ways := 0
	for _, given := range []bool{len(args) > 0, flags.Changed("exec"),
		flags.Changed("canaries"), flags.Changed("samples-a") || flags.Changed("samples-b") ||
			f.account.Path != "" && f.exec == "" && f.canaries.Path == "" && f.training.Path == "",
		flags.Changed("training-log")} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, errors.New("want exactly one subject to audit: CLAIMS.yaml, --exec with --a and --b, " +
			"--samples-a with --samples-b, --canaries, --training-log, or --account")
	case len(args) > 0:
		return f.fromFile(flags, args[0])
	case f.training.Path != "":
		return f.fromTrainingLog(flags)
	case f.training.Unread(flags) != nil:
		return nil, f.training.Unread(flags)
	case flags.Changed(samplingName) && f.account.Path == "":
		return nil, errors.New("--sampling applies to --training-log or to the events of --account: give one of these files")
	case flags.Changed("adjacency") && f.account.Path == "":
		return nil, errors.New("--adjacency defines neighboring data sets for the file of --account: give --account FILE")
	case f.canaries.Path != "":
		return f.fromCanaries(flags)
	case f.canaries.Unread(flags, true) != nil:
		return nil, f.canaries.Unread(flags, true)
	case flags.Changed("exec"):
		return f.fromCommand(flags)
	case f.samplesA == "" && f.samplesB == "":
		s, err := f.guarantee.Described(f.account, flags, false)
		return []claimsfile.Subject{s}, err
	}
	return f.fromRecordings(flags)
}

// fromFile reads a claims file. It rejects flags that describe a claim.
func (f *auditFlags) fromFile(flags *pflag.FlagSet, path string) ([]claimsfile.Subject, error) {
	if err := cmp.Or(f.canaries.Unread(flags, false), f.training.Unread(flags)); err != nil {
		return nil, err
	}
	names := []string{"a", "b", "account", samplingName, "adjacency", "seeded"}
	for _, name := range append(names, claimsfile.GuaranteeNames...) {
		if flags.Changed(name) {
			return nil, fmt.Errorf("--%s does not apply: %s states the claims", name, path)
		}
	}
	data, err := claimsfile.ReadClaims(path)
	if err != nil {
		return nil, claimsfile.ExplainNotClaims(path, nil, err)
	}
	stated, subjects, err := claimsfile.ParseClaims(path, data)
	if err != nil {
		err = claimsfile.ExplainNotClaims(path, data, err)
	}
	f.stated = stated.Evidence
	f.read("a file named in "+path+",", slices.DeleteFunc(claimsfile.FilesNamed(path, data), f.continues))
	if f.stated.Path != "" && !f.continues(f.evidence.file) {
		f.reads = append(f.reads, claimsfile.NamedFile{Flag: "the evidence file", Path: f.stated.Path,
			Use: claimsfile.WritesFile})
	}
	if err == nil && stated.Seed != nil && !flags.Changed("seed") {
		f.run.seed.text = strconv.FormatUint(*stated.Seed, 10)
	}
	return subjects, err
}

// continues reports whether a path is the evidence file of the claims file.
func (f *auditFlags) continues(path string) bool {
	return path != "" && f.stated.Path != "" && claimsfile.SameFile(path, f.stated.Path)
}

// read adds files that the claims name to f.reads.
func (f *auditFlags) read(where string, files []string) {
	for _, file := range files {
		f.reads = append(f.reads, claimsfile.NamedFile{Flag: where, Path: file, Use: claimsfile.ReadsFile})
	}
}

func (f *auditFlags) fromCommand(flags *pflag.FlagSet) ([]claimsfile.Subject, error) {
	command, err := claimsfile.SplitWords(f.exec)
	if err != nil {
		return nil, fmt.Errorf("--exec: %w", err)
	}
	f.read("a file named in --exec, --a or --b,", claimsfile.FilesOfCommand(f.exec, f.a, f.b))
	if !flags.Changed("a") || !flags.Changed("b") {
		return nil, errors.New("no pair of inputs to audit: give --a JSON and --b JSON")
	}
	p, err := claimsfile.ParsePair(f.a, f.b)
	if err != nil {
		return nil, err
	}
	s, err := f.guarantee.Claimed(f.account, flags)
	s.Name, s.Source, s.At, s.Command = "command", "command line", claimsfile.CommandPlace(command), command
	s.Pairs, s.Seedless = []claimsfile.InputPair{p}, !f.seeded
	return []claimsfile.Subject{s}, errors.Join(err, s.SetEvent(&f.canaries, flags))
}

func (f *auditFlags) fromCanaries(flags *pflag.FlagSet) ([]claimsfile.Subject, error) {
	if err := inapplicable(flags, "canaries", "a", "b", "samples", "mass", "precision", "anytime"); err != nil {
		return nil, err
	}
	s, err := f.canaries.Canaries(&f.guarantee, f.account, flags)
	return []claimsfile.Subject{s}, err
}

func (f *auditFlags) fromTrainingLog(flags *pflag.FlagSet) ([]claimsfile.Subject, error) {
	if err := inapplicable(flags, "training logs", "a", "b", "samples", "mass", "precision", "anytime", "event",
		"inclusion"); err != nil {
		return nil, err
	}
	s, err := f.training.TrainingLog(f.account.Sampling, &f.guarantee, f.account, flags)
	return []claimsfile.Subject{s}, err
}

// inapplicable rejects the flags of processes, and the others, for a subject without a process.
func inapplicable(flags *pflag.FlagSet, subject string, others ...string) error {
	for _, name := range append(append(others, "seeded", "prepared"), processNames...) {
		if flags.Changed(name) {
			return fmt.Errorf("--%s does not apply to %s", name, subject)
		}
	}
	return nil
}

func (f *auditFlags) fromRecordings(flags *pflag.FlagSet) ([]claimsfile.Subject, error) {
	if err := inapplicable(flags, "recorded outputs", "a", "b", "samples"); err != nil {
		return nil, err
	}
	if f.samplesA == "" || f.samplesB == "" {
		return nil, errors.New("recorded outputs need two files: give --samples-a FILE and --samples-b FILE")
	}
	if f.samplesA == f.samplesB || claimsfile.SameFile(f.samplesA, f.samplesB) {
		return nil, fmt.Errorf("--samples-a %s and --samples-b %s are the same file: want the outputs at two "+
			"neighboring inputs",
			f.samplesA, f.samplesB)
	}
	s, err := f.guarantee.Claimed(f.account, flags)
	if err != nil {
		return nil, err
	}
	s.Name, s.Source, s.At = "recorded", "recorded outputs", reports.Place{File: claimsfile.FromRoot(f.samplesA)}
	if s.Recorded, err = claimsfile.RecordedPair(f.samplesA, f.samplesB); err != nil {
		return nil, err
	}
	return []claimsfile.Subject{s}, s.SetEvent(&f.canaries, flags)
}

// override replaces the settings of a subject by the flags that were given.
func (f *auditFlags) override(flags *pflag.FlagSet, s *claimsfile.Subject) error {
	if flags.Changed("samples") || s.Samples == 0 {
		s.Samples = f.samples
		s.FitSearch()
	}
	if flags.Changed("reply-timeout") || s.Reply == 0 {
		s.Reply = f.limits.reply
	}
	if flags.Changed("precision") || s.Precision == "" {
		s.Precision = f.precision
	}
	s.Anytime = s.Anytime || f.anytime
	if flags.Changed("mass") {
		if err := claimsfile.CheckMass(f.mass); err != nil {
			return fmt.Errorf("--mass: %w", err)
		}
		s.Mass = f.mass
	}
	if s.Recorded != nil {
		s.Recorded.Mass = s.Mass
	}
	if flags.Changed("process-memory") || s.Memory == 0 {
		bytes, err := claimsfile.ParseMemory(f.limits.memory)
		if err != nil {
			return fmt.Errorf("--process-memory: %w", err)
		}
		s.Memory = bytes
	}
	return nil
}

// words returns the command that repeats the audit: the given flags that affect verdicts, sorted by name, without the
// flags that package reports adds.
func (f *auditFlags) words(flags *pflag.FlagSet, args []string) []string {
	words := append([]string{"audit"}, args...)
	flags.Visit(func(flag *pflag.Flag) {
		switch {
		case slices.Contains([]string{"seed", "alpha", "budget", "workers", "output", "format", "timeout", "reply-timeout",
			"process-memory", "strict", "times", "yes", "events", "summary", "annotations", "baseline", "write-baseline",
			"shard", "checkpoint", "prepared", dryRunName, wallName}, flag.Name):
		case flag.Value.Type() == "bool":
			words = append(words, "--"+flag.Name+"="+flag.Value.String())
		default:
			words = append(words, "--"+flag.Name, flag.Value.String())
		}
	})
	return words
}

// closeAll ends the processes that are left after an interrupted run.
func closeAll(subjects []claimsfile.Subject) {
	for _, s := range subjects {
		for _, p := range s.Processes {
			_ = p.Close() // never fails
		}
	}
}

// judgeAudit runs the claims and writes the report, or the sufficient statistics of a shard.
func (a *app) judgeAudit(ctx context.Context, j auditJob) error {
	o := j.options
	side, err := j.side.open(a, j.out)
	if err != nil {
		return errors.Join(err, closeJournal(o))
	}
	side.isWarning = func(id string) bool { return claimsfile.IsWarning(j.subjects, id) }
	run, err := a.watched(ctx, side, "auditing", j.ledger, j.ledger.Claims(), o, j.words)
	err = errors.Join(err, j.evidence.end(a, run))
	claimsfile.ReportFailureOnce(j.subjects, run.Results)
	switch {
	case err != nil:
		return err
	case j.journal.shard != "":
		err := a.sampled(side, j.journal, j.out.path, run)
		return cmp.Or(j.unfit(run), err)
	}
	return side.publish(j.ledger, j.document(a, run), j.out, j.outcome)
}
