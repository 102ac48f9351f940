package dptest

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dpverify/dpverify/empirical"
)

// Option changes one setting of a test. A test refuses those that have no meaning for it.
type Option interface{ apply(*settings) }

// option is one with its name.
type option struct {
	name string
	set  func(s *settings)
}

func (o option) apply(s *settings) {
	o.set(s)
	s.given = append(s.given, o.name)
}

type settings struct {
	given      []string // names of the options
	name       string
	samples    int64
	seed       uint64
	alpha      float64
	effect     float64
	mass       float64
	resolution float64
	lo, hi     float64 // of values; infinite unless told
	variance   float64 // +Inf unless told
	lowBits    LowBitsMode
	timeout    time.Duration
	strict     bool
	anytime    bool
	search     int
	places     []string // names of the values of outputs
}

// Defaults of the options.
const (
	DefaultSamples = 100_000
	DefaultSeed    = 1
	DefaultAlpha   = 1e-9
	DefaultTimeout = 5 * time.Minute
)

// Samples of each input, and of each audited pair at least 200; [DefaultSamples] unless told. Of
// [Sensitivity] it is the number of pairs, 2000 unless told, and of [Rate] that of runs at each point,
// 10000 unless told.
func Samples(n int64) Option { return option{"Samples", func(s *settings) { s.samples = n }} }

// Seed of all randomness: [DefaultSeed] unless told; 0 draws one, which a failure prints.
func Seed(n uint64) Option { return option{"Seed", func(s *settings) { s.seed = n }} }

// Alpha is the probability that a true claim is refuted, in (0, 1); [DefaultAlpha] unless told.
func Alpha(alpha float64) Option { return option{"Alpha", func(s *settings) { s.alpha = alpha }} }

// Name of what is tested, for messages: "the noisy sum".
func Name(name string) Option { return option{"Name", func(s *settings) { s.name = name }} }

// Effect is the factor above the claim, over 1, that an audit must be able to see for a pass
// not to be logged as inconclusive; 1.25 unless told.
func Effect(factor float64) Option { return option{"Effect", func(s *settings) { s.effect = factor }} }

// EventProbability is that of the rarest events on which an audit must be able to see a gross violation,
// one nat of privacy loss more than is claimed, for a pass not to be logged as inconclusive: in
// (0, 1); 0.01 unless told, or told 0, and where δ > 0 that of the rarest event that can have one.
func EventProbability(mass float64) Option {
	return option{"Mass", func(s *settings) { s.mass = mass }}
}

// Resolution is the deviation that a test must be able to see for a pass not to be logged as
// inconclusive: of [Distribution] a Kolmogorov distance, 0.02 unless told; of [Unbiased] that of a mean,
// relative to half the range or to the root of the bound on the variance, 0.1 unless told; of [Rate] that
// of the exponent, 0.1 unless told.
func Resolution(x float64) Option {
	return option{"Resolution", func(s *settings) { s.resolution = x }}
}

// Range says that every number that is returned lies within [lo, hi], which is what limits for a
// mean rest on; a value outside ends the test. An end may be infinite.
func Range(lo, hi float64) Option {
	return option{"Range", func(s *settings) { s.lo, s.hi = lo, hi }}
}

// Variance says that the variance of every number that is returned is at most v > 0: limits
// for the mean of unbounded noise rest on it.
func Variance(v float64) Option { return option{"Variance", func(s *settings) { s.variance = v }} }

// LowBitsMode is what a finding about the low-order bits means for an [Audit].
type LowBitsMode string

// The modes, by the names that the command has for them.
const (
	LowBitsOff  LowBitsMode = "off"  // they are not looked at
	LowBitsWarn LowBitsMode = "warn" // a finding is logged
	LowBitsFail LowBitsMode = "fail" // a finding fails the test; half of alpha is for it
)

// LowBits says what [Audit] does about the low-order bits of the numbers in the outputs, where
// nothing else was found: [LowBitsWarn] unless told. [Precision] tests them by themselves.
func LowBits(mode LowBitsMode) Option {
	return option{"LowBits", func(s *settings) { s.lowBits = mode }}
}

// Timeout for the whole call: [DefaultTimeout] unless told, and never beyond the deadline of the test.
func Timeout(d time.Duration) Option { return option{"Timeout", func(s *settings) { s.timeout = d }} }

// Strict makes a test fail that could not have seen a violation.
func Strict() Option { return option{"Strict", func(s *settings) { s.strict = true }} }

// Anytime stops an audit as soon as a claim is refuted: for slow mechanisms.
func Anytime() Option { return option{"Anytime", func(s *settings) { s.anytime = true }} }

// Search is the number of pairs of inputs that an [Audit] over a [Generated] space tries, or of inputs
// that [UnbiasedOver] and [DistributionOver] try, at least 1; their samples are among those of [Samples], of which
// there must be
// 180 for each. Unless told, an audit tries the edges of the space and a few pairs like the best on more
// samples than that, and [UnbiasedOver] and [DistributionOver] try 200 inputs.
func Search(n int) Option { return option{"Search", func(s *settings) { s.search = n }} }

// seedVariable overrides the seed of every audit of a run.
const seedVariable = "DPTEST_SEED"

// common are the options that every test takes, but for those that say otherwise.
var common = []string{"Name", "Samples", "Seed", "Alpha", "Timeout", "Strict"}

// settingsOf reads the options of a test, which takes those named.
func settingsOf(options []Option, takes ...string) (settings, error) {
	s := settings{seed: DefaultSeed, alpha: DefaultAlpha, timeout: DefaultTimeout,
		lo: math.Inf(-1), hi: math.Inf(1), variance: math.Inf(1), lowBits: LowBitsWarn}
	for _, o := range options {
		o.apply(&s)
	}
	for _, name := range s.given {
		if !slices.Contains(takes, name) {
			return s, fmt.Errorf("the option dptest.%s has no meaning for this test, which takes %s", name,
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

// check names the setting that is out of its domain.
func (s settings) check() error {
	told := func(name string) bool { return slices.Contains(s.given, name) }
	switch {
	case !(s.alpha > 0 && s.alpha < 1):
		return fmt.Errorf("alpha %v: want an error probability in (0, 1)", s.alpha)
	case s.timeout <= 0:
		return fmt.Errorf("timeout %v: want a positive duration", s.timeout)
	case told("Search") && s.search < 1:
		return fmt.Errorf("a search over %d inputs: want at least 1", s.search)
	case told("Samples") && s.samples < 1:
		return fmt.Errorf("%d samples: want at least 1", s.samples)
	case told("Resolution") && !(s.resolution > 0 && s.resolution <= math.MaxFloat64):
		return fmt.Errorf("resolution %v: want one above 0", s.resolution)
	case !(s.lo < s.hi) || s.lo == math.Inf(1) || s.hi == math.Inf(-1):
		return fmt.Errorf("range [%v, %v]: want a lower end below the upper one", s.lo, s.hi)
	case !(s.variance > 0):
		return fmt.Errorf("variance %v: want a bound above 0", s.variance)
	case !slices.Contains([]LowBitsMode{LowBitsOff, LowBitsWarn, LowBitsFail}, s.lowBits):
		return fmt.Errorf("low bits %q: want off, warn or fail", s.lowBits)
	}
	return nil
}

// size is the number of samples, or what it is unless told.
func (s settings) size(unlessTold int64) int64 {
	if slices.Contains(s.given, "Samples") {
		return s.samples
	}
	return unlessTold
}
