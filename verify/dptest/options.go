package dptest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dpverify/dpverify/empirical"
)

// Option changes one setting of a test. A test rejects options that do not apply to it.
type Option interface{ apply(*settings) }

// option is an Option with its name.
type option struct {
	name string
	set  func(s *settings)
}

func (o option) apply(s *settings) {
	o.set(s)
	s.given = append(s.given, o.name)
}

type settings struct {
	given      []string // names of the given options
	name       string
	samples    int64
	seed       uint64
	alpha      float64
	effect     float64
	mass       float64
	resolution float64
	lo, hi     float64 // bounds of the values, infinite by default
	variance   float64 // bound on the variance, +Inf by default
	lowBits    LowBitsMode
	timeout    time.Duration
	strict     bool
	anytime    bool
	search     int
	places     []string // names of the values in an output
	evidence   evidenceSettings
}

// Default values of the options.
const (
	DefaultSamples = 100_000
	DefaultSeed    = 1
	DefaultAlpha   = 1e-9
	DefaultTimeout = 5 * time.Minute
)

// Samples sets the number of samples per input, by default [DefaultSamples]. Each audited pair gets at least 200.
// For [Sensitivity] it is the number of pairs, default 2000. For [Replay] it is the number of pairs, default 300.
// For [Rate] it is the number of runs per grid point, default 10000. For [MultiRun] it is the number of runs with
// and without the record, default [DefaultRuns] each.
func Samples(n int64) Option { return option{"Samples", func(s *settings) { s.samples = n }} }

// Seed sets the seed of all randomness, default [DefaultSeed]. With n = 0 the test draws a seed and prints it in a
// failure.
func Seed(n uint64) Option { return option{"Seed", func(s *settings) { s.seed = n }} }

// Alpha sets the probability that a true claim is refuted, in (0, 1), default [DefaultAlpha].
func Alpha(alpha float64) Option { return option{"Alpha", func(s *settings) { s.alpha = alpha }} }

// Name sets the name of the tested quantity in messages, for example "the noisy sum".
func Name(name string) Option { return option{"Name", func(s *settings) { s.name = name }} }

// Effect sets the size of a small violation, as a factor > 1 of the claimed value, default 1.25. If an audit lacks
// the power to detect it, the result is inconclusive.
func Effect(factor float64) Option { return option{"Effect", func(s *settings) { s.effect = factor }} }

// EventProbability sets the smallest event probability at which an audit must detect a large violation, ε + 1, in
// (0, 1). If the audit lacks that power, the result is inconclusive. The default, also for 0, is 0.01; for δ > 0 it
// is the smallest probability at which such a violation is possible.
func EventProbability(mass float64) Option {
	return option{"EventProbability", func(s *settings) { s.mass = mass }}
}

// Resolution sets the smallest deviation that a test must detect. If the test lacks that power, its result is
// inconclusive. The unit depends on the test:
//   - [Distribution]: Kolmogorov distance, default 0.02.
//   - [Unbiased]: error of the mean, divided by half the range or by the square root of the variance bound,
//     default 0.1.
//   - [Rate]: error of the exponent, default 0.1.
func Resolution(x float64) Option {
	return option{"Resolution", func(s *settings) { s.resolution = x }}
}

// Range states that every returned number is in [lo, hi]. Confidence limits for a mean use this range. A value
// outside it ends the test. Either end may be infinite.
func Range(lo, hi float64) Option {
	return option{"Range", func(s *settings) { s.lo, s.hi = lo, hi }}
}

// Variance states that the variance of every returned number is at most v > 0. Confidence limits for the mean of
// unbounded noise use this bound.
func Variance(v float64) Option { return option{"Variance", func(s *settings) { s.variance = v }} }

// LowBitsMode selects the effect of a finding about the low-order bits on an [Audit].
type LowBitsMode string

// The modes have the names of the command's flag values.
const (
	LowBitsOff  LowBitsMode = "off"  // do not test the low-order bits
	LowBitsWarn LowBitsMode = "warn" // log a finding
	LowBitsFail LowBitsMode = "fail" // fail the test on a finding, which gets half of alpha
)

// LowBits selects what [Audit] does about the low-order bits of the numbers in the outputs if it finds no other
// violation. The default is [LowBitsWarn]. [Precision] tests only the low-order bits.
func LowBits(mode LowBitsMode) Option {
	return option{"LowBits", func(s *settings) { s.lowBits = mode }}
}

// Timeout limits the duration of the whole call, default [DefaultTimeout]. The limit is never later than the
// deadline of the test.
func Timeout(d time.Duration) Option { return option{"Timeout", func(s *settings) { s.timeout = d }} }

// Strict makes a test fail if it is inconclusive.
func Strict() Option { return option{"Strict", func(s *settings) { s.strict = true }} }

// Anytime uses a sequential test that stops as soon as it refutes the claim. It saves time for slow mechanisms.
func Anytime() Option { return option{"Anytime", func(s *settings) { s.anytime = true }} }

// Search sets the number n ≥ 1 of candidates that a search over a space tries: pairs of inputs in an [Audit] of a
// [Generated] space, inputs in [UnbiasedOver] and [DistributionOver]. The search uses part of the [Samples], which
// must be at least 180 per candidate. By default, an audit tries the edge pairs of the space and a few pairs
// similar to the best of them on more samples; [UnbiasedOver] and [DistributionOver] try 200 inputs.
func Search(n int) Option { return option{"Search", func(s *settings) { s.search = n }} }

// seedVariable is the environment variable that overrides the seed of every test.
const seedVariable = "DPTEST_SEED"

// common lists the options that most tests accept.
var common = []string{"Name", "Samples", "Seed", "Alpha", "Timeout", "Strict"}

// settingsOf applies the options. It returns an error for an option that is not in the list takes or has an invalid
// value.
func settingsOf(options []Option, takes ...string) (settings, error) {
	s := settings{seed: DefaultSeed, alpha: DefaultAlpha, timeout: DefaultTimeout,
		lo: math.Inf(-1), hi: math.Inf(1), variance: math.Inf(1), lowBits: LowBitsWarn}
	for _, o := range options {
		o.apply(&s)
	}
	for _, name := range s.given {
		if !slices.Contains(takes, name) {
			return s, fmt.Errorf("the option dptest.%s has no meaning for this test, which accepts %s", name,
				strings.Join(takes, ", "))
		}
	}
	text := os.Getenv(seedVariable)
	if text == "" {
		text = fmt.Sprint(s.seed)
	}
	var err error
	if s.seed, err = empirical.ParseSeed(text); err != nil {
		return s, err
	}
	return s, s.check()
}

// check returns an error if a setting is outside its domain.
func (s settings) check() error {
	given := func(name string) bool { return slices.Contains(s.given, name) }
	switch {
	case !(s.alpha > 0 && s.alpha < 1):
		return fmt.Errorf("alpha %v: want an error probability in (0, 1)", s.alpha)
	case s.timeout <= 0:
		return fmt.Errorf("timeout %v: want a positive duration", s.timeout)
	case given("Search") && s.search < 1:
		return fmt.Errorf("search over %d inputs: want at least 1", s.search)
	case given("Samples") && s.samples < 1:
		return fmt.Errorf("%d samples: want at least 1", s.samples)
	case given("Resolution") && !(s.resolution > 0 && s.resolution <= math.MaxFloat64):
		return fmt.Errorf("resolution %v: want a positive number", s.resolution)
	case !(s.lo < s.hi) || s.lo == math.Inf(1) || s.hi == math.Inf(-1):
		return fmt.Errorf("range [%v, %v]: want lo < hi", s.lo, s.hi)
	case !(s.variance > 0):
		return fmt.Errorf("variance %v: want a positive bound", s.variance)
	case given("Evidence") && s.evidence.file == "":
		return errors.New("no evidence file: want a path, as in dptest.Evidence(\"testdata/noisy_count.jsonl\")")
	case !given("Evidence") && (given("EvidenceVersion") || given("EvidenceStart")):
		return errors.New("dptest.EvidenceVersion and dptest.EvidenceStart need a file: set dptest.Evidence")
	case given("EvidenceStart") && s.evidence.start < 1:
		return fmt.Errorf("start %d of the evidence: want a number from 1", s.evidence.start)
	case !slices.Contains([]LowBitsMode{LowBitsOff, LowBitsWarn, LowBitsFail}, s.lowBits):
		return fmt.Errorf("low bits %q: want off, warn or fail", s.lowBits)
	}
	return nil
}

// size returns the number of samples, or the given default if the option Samples was not used.
func (s settings) size(byDefault int64) int64 {
	if slices.Contains(s.given, "Samples") {
		return s.samples
	}
	return byDefault
}
