package dptest

import (
	"fmt"
	"os"
	"time"

	"github.com/dpverify/dpverify/empirical"
)

// Option changes one setting of an audit.
type Option interface{ apply(*settings) }

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

type settings struct {
	samples int64
	seed    uint64
	alpha   float64
	effect  float64
	mass    float64
	timeout time.Duration
	strict  bool
	anytime bool
}

// Defaults of the options.
const (
	DefaultSamples = 100_000
	DefaultSeed    = 1
	DefaultAlpha   = 1e-9
	DefaultTimeout = 5 * time.Minute
)

// Samples of each input of each audited pair, at least 200; [DefaultSamples] unless told.
func Samples(n int64) Option { return option(func(s *settings) { s.samples = n }) }

// Seed of all randomness: [DefaultSeed] unless told; 0 draws one, which a failure prints.
func Seed(n uint64) Option { return option(func(s *settings) { s.seed = n }) }

// Alpha is the probability that a true claim is refuted, in (0, 1); [DefaultAlpha] unless told.
func Alpha(alpha float64) Option { return option(func(s *settings) { s.alpha = alpha }) }

// Effect is the factor above the claim, over 1, that the test must be able to see for a pass
// not to be logged as inconclusive; 1.25 unless told.
func Effect(factor float64) Option { return option(func(s *settings) { s.effect = factor }) }

// Mass is that of the rarest events on which the test must be able to see a gross violation,
// one nat of privacy loss more than is claimed, for a pass not to be logged as inconclusive: in
// (0, 1); 0.01 unless told, or told 0, and where δ > 0 that of the rarest event that can have one.
func Mass(mass float64) Option { return option(func(s *settings) { s.mass = mass }) }

// Timeout for the whole call: [DefaultTimeout] unless told, and never beyond the deadline of the test.
func Timeout(d time.Duration) Option { return option(func(s *settings) { s.timeout = d }) }

// Strict makes a test fail that could not have seen a violation.
func Strict() Option { return option(func(s *settings) { s.strict = true }) }

// Anytime stops as soon as a claim is refuted: for slow mechanisms.
func Anytime() Option { return option(func(s *settings) { s.anytime = true }) }

// seedVariable overrides the seed of every audit of a run.
const seedVariable = "DPTEST_SEED"

func settingsOf(options []Option) (settings, error) {
	s := settings{samples: DefaultSamples, seed: DefaultSeed, alpha: DefaultAlpha, timeout: DefaultTimeout}
	for _, o := range options {
		o.apply(&s)
	}
	text := os.Getenv(seedVariable)
	if text == "" {
		text = fmt.Sprint(s.seed)
	}
	var err error
	if s.seed, err = empirical.ParseSeed(text); err != nil {
		return s, err
	}
	if !(s.alpha > 0 && s.alpha < 1) {
		return s, fmt.Errorf("alpha %v: want an error probability in (0, 1)", s.alpha)
	}
	if s.timeout <= 0 {
		return s, fmt.Errorf("timeout %v: want a positive duration", s.timeout)
	}
	return s, nil
}
