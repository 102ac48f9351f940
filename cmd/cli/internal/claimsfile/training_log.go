package claimsfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/observed"
	"github.com/dpverify/dpverify/verify/premises"
)

// trainingLogFields is the form of a training log with the claimed training.
type trainingLogFields struct {
	Log             string   `yaml:"log" want:"a training log, as in run.jsonl"`
	Neighbor        *string  `yaml:"neighbor" want:"the log of a run with one record more or less, as in other.jsonl"`
	Sampling        string   `yaml:"sampling" want:"poisson, without-replacement, shuffled or fixed"`
	Rate            *float64 `yaml:"rate"`
	Batch           *int64   `yaml:"batch"`
	ClippingNorm    *float64 `yaml:"clipping-norm"`
	NoiseMultiplier *float64 `yaml:"noise-multiplier"`
	Divisor         *float64 `yaml:"divisor"`
	Steps           *int64   `yaml:"steps"`
	Tolerance       *float64 `yaml:"tolerance"`
}

const usualTolerance = 1e-6

// loggedTraining is the log of one run with the claimed training.
type loggedTraining struct {
	digest [sha256.Size]byte // of the file, or of the digests of both files
	observed.Logged
	list []premises.Premise
}

// keyError is an error at a key of a training log's claim. With an example, the key is missing.
type keyError struct {
	key     string
	err     error
	example string
}

// at returns the error after the name of the key, which is a flag or part of a claim.
func (e *keyError) at(name string) error {
	if e.example != "" {
		return fmt.Errorf("%s is missing: give it, for example %s", name, e.example)
	}
	return fmt.Errorf("%s: %w", name, e.err)
}

// missing returns an error at the first missing key.
func (f trainingLogFields) missing() *keyError {
	size, sized, example := "rate", f.Rate != nil, "0.01"
	if f.Sampling != string(premises.Poisson) {
		size, sized, example = "batch", f.Batch != nil, "64"
	}
	for _, k := range []struct {
		key     string
		given   bool
		example string
	}{
		{"log", f.Log != "", "run.jsonl"},
		{"neighbor", f.Neighbor == nil || *f.Neighbor != "", "other.jsonl"},
		{"sampling", f.Sampling != "", string(premises.Poisson)},
		{size, sized, example}, {"clipping-norm", f.ClippingNorm != nil, "1"},
		{"noise-multiplier", f.NoiseMultiplier != nil, "1.1"},
		{"divisor", f.Divisor != nil, "64, or 1 if the sum is not divided"}, {"steps", f.Steps != nil, "1000"},
	} {
		if !k.given {
			return &keyError{key: k.key, example: k.example}
		}
	}
	return nil
}

// claimed returns the claimed training.
func (f trainingLogFields) claimed() (t premises.Training, wrong *keyError) {
	var known []string
	for _, s := range premises.Samplings {
		known = append(known, string(s))
	}
	t.Sampling = premises.Sampling(f.Sampling)
	poisson := t.Sampling == premises.Poisson
	if at := (*premises.ParameterError)(nil); f.Sampling != "" && errors.As(t.Check(),
		&at) && at.Parameter == "sampling" {
		return t, &keyError{key: "sampling", err: fmt.Errorf("%w%s", at, DidYouMean(f.Sampling, known))}
	}
	switch {
	case poisson && f.Batch != nil:
		return t, &keyError{key: "batch", err: errors.New("sampling poisson has a rate, not a batch size: want rate")}
	case f.Sampling != "" && !poisson && f.Rate != nil:
		return t, &keyError{key: "rate", err: fmt.Errorf("sampling %s has a batch size, not a rate: want batch",
			f.Sampling)}
	}
	if wrong := f.missing(); wrong != nil {
		return t, wrong
	}
	t.ClippingNorm, t.NoiseMultiplier, t.Divisor = *f.ClippingNorm, *f.NoiseMultiplier, *f.Divisor
	t.Steps, t.Tolerance = wholeNumber(*f.Steps), usualTolerance
	if f.Tolerance != nil {
		t.Tolerance = *f.Tolerance
	}
	if poisson {
		t.Rate = *f.Rate
	} else {
		t.Batch = wholeNumber(*f.Batch)
	}
	if at := (*premises.ParameterError)(nil); errors.As(t.Check(), &at) {
		return t, &keyError{key: at.Parameter, err: at}
	}
	return t, nil
}

// wholeNumber returns n, or the nearest number in the range of int.
func wholeNumber(n int64) int { return int(max(math.MinInt, min(n, math.MaxInt))) }

// read reads the logs and the claimed training. The paths replace f.Log and f.Neighbor.
func (f trainingLogFields) read(path, neighbor string) (l *loggedTraining, wrong *keyError) {
	l = new(loggedTraining)
	if l.Claimed, wrong = f.claimed(); wrong != nil {
		return nil, wrong
	}
	var err error
	if l.Log, l.digest, err = readLog(path); err != nil {
		return nil, &keyError{key: "log", err: err}
	}
	key := "log"
	if f.Neighbor != nil {
		key = "neighbor"
		var digest [sha256.Size]byte
		if l.Neighbor, digest, err = readLog(neighbor); err != nil {
			return nil, &keyError{key: key, err: err}
		}
		l.digest = sha256.Sum256(append(l.digest[:], digest[:]...))
	}
	if l.list, err = premises.Premises(l.Log, l.Neighbor, l.Claimed); err != nil {
		return nil, &keyError{key: key, err: err}
	}
	return l, nil
}

// readLog reads a log and the digest of its file.
func readLog(path string) (l *premises.Log, digest [sha256.Size]byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, digest, err
	}
	defer file.Close()
	h := sha256.New()
	l, err = premises.ReadLog(path, io.TeeReader(file, h))
	return l, [sha256.Size]byte(h.Sum(nil)), err
}

// readTraining reads the training log of a claim, if it has any; at is the path of the claim.
func (p configParser) readTraining(at string, c claimFields, s *Subject) error {
	if c.Training == nil {
		return nil
	}
	at += ".training"
	neighbor := ""
	if c.Training.Neighbor != nil {
		neighbor = p.resolve(*c.Training.Neighbor)
	}
	l, wrong := c.Training.read(p.resolve(c.Training.Log), neighbor)
	if wrong == nil {
		wrong = s.Account.disagrees(l.Claimed, l.Log.Records)
	}
	if wrong != nil {
		return p.errorf(at+"."+wrong.key, "claim %q: %w", c.Name, wrong.at(wrong.key))
	}
	s.training = l
	return nil
}

// kindsOfPremises holds the kinds of premises; the kind of the others is [verify.Identity].
var kindsOfPremises = map[string]verify.Kind{"membership": verify.Law, "noise": verify.Law, "norms": verify.Sensitivity}

// premiseClaims returns the claims about the training log, if there is one: one for each premise.
func (s *Subject) premiseClaims() (parts []Part) {
	if s.training == nil {
		return nil
	}
	for _, premise := range s.training.list {
		p := s.part(Recorded, "/"+premise.Name, premise.Statement, premise.Check)
		if p.Claim.Kind = kindsOfPremises[premise.Name]; p.Claim.Kind == "" {
			p.Claim.Kind = verify.Identity
		}
		parts = append(parts, p)
	}
	return parts
}

// TrainingLogFlags holds the flags of a training log and the claimed training.
type TrainingLogFlags struct {
	Path, Neighbor string

	rate, clippingNorm, noiseMultiplier, divisor, tolerance float64
	batch, steps                                            int64
}

// trainingLogNames lists the flags that apply only to a training log.
var trainingLogNames = []string{"neighbor-log", "rate", "batch", "clipping-norm", "noise-multiplier", "divisor",
	"steps", "tolerance"}

// Add adds the flags except for the file and the sampling.
func (f *TrainingLogFlags) Add(c *cobra.Command) {
	flags := c.Flags()
	flags.Float64Var(&f.rate, "rate", 0, "with --training-log: `RATE` of Poisson sampling")
	flags.Int64Var(&f.batch, "batch", 0, "with --training-log: `RECORDS` in a batch")
	flags.Float64Var(&f.clippingNorm, "clipping-norm", 0, "with --training-log: maximum `NORM` of a contribution")
	flags.Float64Var(&f.noiseMultiplier, "noise-multiplier", 0, "with --training-log: ratio `σ`, noise / clipping norm")
	flags.Float64Var(&f.divisor, "divisor", 0, "with --training-log: `NUMBER` that divides the noisy sum")
	flags.Int64Var(&f.steps, "steps", 0, "with --training-log: `NUMBER` of steps")
	flags.Float64Var(&f.tolerance, "tolerance", usualTolerance, "with --training-log: relative rounding `ERROR`")
}

// Unread returns an error if a flag was given without the log that it applies to.
func (f *TrainingLogFlags) Unread(flags *pflag.FlagSet) error {
	for _, name := range trainingLogNames {
		if flags.Changed(name) {
			return fmt.Errorf("--%s applies to the file of --training-log: give that file, or leave the flag out", name)
		}
	}
	return nil
}

// fields returns the given flags.
func (f *TrainingLogFlags) fields(sampling string, flags *pflag.FlagSet) trainingLogFields {
	number := func(name string, x *float64) *float64 {
		if flags.Changed(name) {
			return x
		}
		return nil
	}
	whole := func(name string, n *int64) *int64 {
		if flags.Changed(name) {
			return n
		}
		return nil
	}
	var neighbor *string
	if flags.Changed("neighbor-log") {
		neighbor = &f.Neighbor
	}
	return trainingLogFields{Log: f.Path, Neighbor: neighbor, Sampling: sampling, Rate: number("rate", &f.rate),
		Batch:           whole("batch", &f.batch),
		ClippingNorm:    number("clipping-norm", &f.clippingNorm),
		NoiseMultiplier: number("noise-multiplier", &f.noiseMultiplier), Divisor: number("divisor", &f.divisor),
		Steps: whole("steps", &f.steps), Tolerance: number("tolerance", &f.tolerance)}
}

// TrainingLog returns the claim of the flags about a training log, and about the account if its path is given.
func (f *TrainingLogFlags) TrainingLog(sampling string, g *GuaranteeFlags, account AccountFile,
	flags *pflag.FlagSet) (s Subject, err error) {
	if account.Path != "" {
		account.Sampling = "" // the sampling is the log's
		s, err = g.Described(account, flags, false)
	} else {
		for _, name := range append([]string{"adjacency"}, GuaranteeNames...) {
			if flags.Changed(name) {
				err = fmt.Errorf("--%s applies to an account, not to a training log: give --account FILE", name)
				break
			}
		}
	}
	if err != nil {
		return s, err
	}
	s.Name, s.Source, s.At = "training", "training log", reports.Place{File: FromRoot(f.Path)}
	var wrong *keyError
	if s.training, wrong = f.fields(sampling, flags).read(f.Path, f.Neighbor); wrong == nil {
		wrong = s.Account.disagrees(s.training.Claimed, s.training.Log.Records)
	}
	switch {
	case wrong == nil:
		return s, nil
	case wrong.key == "log" || wrong.key == "neighbor":
		return s, wrong.err
	}
	return s, wrong.at("--" + wrong.key)
}
