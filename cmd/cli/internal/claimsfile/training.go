package claimsfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dpsgd"
)

// trainingFields is the form of a training file.
type trainingFields struct {
	Algorithm       string       `yaml:"algorithm" want:"curricula-softmax, curricula-cnn, laplacesgd or localsgd"`
	Data            string       `yaml:"data" want:"a CSV or LIBSVM file, or mnist"`
	Records         *int64       `yaml:"records"`
	SamplingRate    *float64     `yaml:"sampling-rate"`
	NoiseMultiplier *float64     `yaml:"noise-multiplier"`
	Steps           *int64       `yaml:"steps"`
	Clip            *float64     `yaml:"clip"`
	LearningRate    *float64     `yaml:"learning-rate"`
	EpsilonPerPass  *float64     `yaml:"epsilon-per-pass"`
	Epochs          *int64       `yaml:"epochs"`
	Batch           *int64       `yaml:"batch"`
	Guarantee       epsilonDelta `yaml:"guarantee"`
	Attack          string       `yaml:"attack" want:"white-box or black-box"`
	Fault           any          `yaml:"fault"`
	Canaries        *int64       `yaml:"canaries"`
	CanaryLength    *float64     `yaml:"canary-length"`
	Runs            *int64       `yaml:"runs"`
	Alpha           *float64     `yaml:"alpha"`
}

type epsilonDelta struct {
	Epsilon *float64 `yaml:"epsilon"`
	Delta   *float64 `yaml:"delta"`
}

// TrainingFile is the description of a training. Its errors name file, line and column.
type TrainingFile struct {
	configParser
	fields trainingFields

	Attacks  []dpsgd.Attack
	Faults   []dpsgd.Fault // the named faults, or all
	Named    bool          // whether the file names faults
	Canaries int           // maximum number in one run
	Runs     int           // maximum number of trainings in a multi-run audit
	Alpha    float64
}

// Defaults of keys that are left out.
const (
	usualCanaries = 1600
	usualRuns     = 1000
	usualAlpha    = 0.05
	usualLength   = 10
)

// ReadTraining reads a training file.
func ReadTraining(path string) (*TrainingFile, error) {
	data, err := ReadClaims(path)
	if err != nil {
		return nil, err
	}
	f := &TrainingFile{Canaries: usualCanaries, Runs: usualRuns, Alpha: usualAlpha}
	if f.configParser, err = parseConfig(path, data, &f.fields); err != nil {
		return nil, err
	}
	if err := f.keys(); err != nil {
		return nil, err
	}
	return f, f.choices()
}

// errorf returns an error at a key, or about the whole file if the key is missing.
func (f *TrainingFile) errorf(key, format string, args ...any) error {
	if at := "$." + key; f.node(at) != nil {
		return f.configParser.errorf(at, format, args...)
	}
	return fmt.Errorf("%s: %w", f.path, fmt.Errorf(format, args...))
}

// algorithmKeys holds the required keys of each algorithm, except for those that all have.
var algorithmKeys = map[string][]string{
	softmaxAlgorithm:    {"sampling-rate", "noise-multiplier", "steps", "clip", "learning-rate"},
	cnnAlgorithm:        {"sampling-rate", "noise-multiplier", "steps", "clip", "learning-rate"},
	laplaceSGDAlgorithm: {"epsilon-per-pass", "epochs", "batch", "learning-rate"},
	localSGDAlgorithm:   {"epsilon-per-pass", "epochs"},
}

// Names of the algorithms.
const (
	softmaxAlgorithm    = "curricula-softmax"
	cnnAlgorithm        = "curricula-cnn"
	laplaceSGDAlgorithm = "laplacesgd"
	localSGDAlgorithm   = "localsgd"
)

// keys rejects an unknown algorithm, keys that the algorithm does not have, and missing keys.
func (f *TrainingFile) keys() error {
	c := f.fields
	needs, known := algorithmKeys[c.Algorithm]
	if !known {
		names := slices.Sorted(maps.Keys(algorithmKeys))
		return f.errorf("algorithm", "algorithm %q: want one of %s%s", c.Algorithm, strings.Join(names, ", "),
			DidYouMean(c.Algorithm, names))
	}
	for _, key := range []string{"sampling-rate", "noise-multiplier", "steps", "clip", "learning-rate", "epsilon-per-pass",
		"epochs", "batch"} {
		switch needed, present := slices.Contains(needs, key), len(given(c, key)) > 0; {
		case present && !needed:
			return f.errorf(key, "%s has no %s: it has %s", c.Algorithm, key, strings.Join(needs, ", "))
		case needed && !present:
			return f.errorf(key, "%s needs %s: it has %s", c.Algorithm, key, strings.Join(needs, ", "))
		}
	}
	switch {
	case c.Data == "":
		return f.errorf("data", "no data: want a CSV or LIBSVM file relative to this one, or mnist")
	case c.Guarantee.Delta == nil:
		return f.errorf("guarantee", "no guarantee: want the δ of the account, as in {delta: 1e-5}, and "+
			"epsilon if the claim differs from the account's ε")
	}
	return nil
}

// choices reads attack, canaries, runs, alpha and fault.
func (f *TrainingFile) choices() error {
	c := f.fields
	f.Attacks = []dpsgd.Attack{dpsgd.WhiteBox, dpsgd.BlackBox}
	private := c.Algorithm == softmaxAlgorithm || c.Algorithm == cnnAlgorithm
	switch attack := dpsgd.Attack(c.Attack); {
	case c.Attack == "" && !private:
		f.Attacks = f.Attacks[:1]
	case c.Attack == "":
	case !slices.Contains(f.Attacks, attack):
		return f.errorf("attack", "attack %q: want %s or %s", c.Attack, dpsgd.WhiteBox, dpsgd.BlackBox)
	case attack == dpsgd.BlackBox && !private:
		return f.errorf("attack", "%s has only a %s attack", c.Algorithm, dpsgd.WhiteBox)
	default:
		f.Attacks = []dpsgd.Attack{attack}
	}
	for _, n := range []struct {
		key  string
		from *int64
		to   *int
		max  int64
	}{{"canaries", c.Canaries, &f.Canaries, 100_000}, {"runs", c.Runs, &f.Runs, 200_000}} {
		if n.from == nil {
			continue
		}
		if *n.from < 2 || *n.from > n.max {
			return f.errorf(n.key, "%s %d: want 2 to %d", n.key, *n.from, n.max)
		}
		*n.to = int(*n.from)
	}
	if c.Alpha != nil {
		f.Alpha = *c.Alpha
	}
	if !(f.Alpha > 0 && f.Alpha < 1) {
		return f.errorf("alpha", "alpha %v: want an error probability above 0 and below 1", f.Alpha)
	}
	return f.faults()
}

// faults reads the fault or the list of faults.
func (f *TrainingFile) faults() error {
	var words []string
	switch v := f.fields.Fault.(type) {
	case nil:
		f.Faults = dpsgd.Faults()
		return nil
	case string:
		words = []string{v}
	case []any:
		for _, w := range v {
			words = append(words, fmt.Sprint(w))
		}
	default:
		words = []string{fmt.Sprint(v)}
	}
	var known []string
	for _, k := range dpsgd.Faults() {
		known = append(known, string(k))
	}
	f.Named = true
	for _, w := range words {
		if !slices.Contains(known, w) {
			return f.errorf("fault", "fault %q: want %s, or a list of them%s", w, strings.Join(known, ", "),
				DidYouMean(w, known))
		}
		if slices.Contains(f.Faults, dpsgd.Fault(w)) {
			return f.errorf("fault", "fault %q is listed twice", w)
		}
		f.Faults = append(f.Faults, dpsgd.Fault(w))
	}
	return nil
}
