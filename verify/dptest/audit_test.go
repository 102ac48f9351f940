package dptest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// fake is a testing.TB that records the messages and the outcome of an audit.
type fake struct {
	testing.TB
	name                  string
	errors, fatals, notes []string
	deadline              time.Time
}

func (f *fake) Helper()                      {}
func (f *fake) Name() string                 { return f.name }
func (f *fake) Deadline() (time.Time, bool)  { return f.deadline, !f.deadline.IsZero() }
func (f *fake) Log(args ...any)              { f.notes = append(f.notes, fmt.Sprint(args...)) }
func (f *fake) Logf(s string, args ...any)   { f.Log(fmt.Sprintf(s, args...)) }
func (f *fake) Error(args ...any)            { f.errors = append(f.errors, fmt.Sprint(args...)) }
func (f *fake) Fatalf(s string, args ...any) { f.fatals = append(f.fatals, fmt.Sprintf(s, args...)) }

// outcome returns fatal, fail or pass.
func (f *fake) outcome() string {
	switch {
	case len(f.fatals) > 0:
		return "fatal"
	case len(f.errors) > 0:
		return "fail"
	}
	return "pass"
}

func (f *fake) text() string {
	return strings.Join(append(append(f.fatals, f.errors...), f.notes...), "\n")
}

// seedCount returns the number of seeds of a repeated test: 200 in a long run, else 1. The outcome at a seed
// differs from the expected one with probability at most 1e-9, so one seed already shows a fault of the audit. Each
// case of a table uses its own seed, to find outcomes that depend on the seed.
func seedCount() uint64 {
	return testutil.Size[uint64](1, 200)
}

func laplace(r *rand.Rand, scale float64) float64 {
	return math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5)
}

var (
	pure      = privacy.ApproximateDP(1, 0)
	addRemove = inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1}}
	// oneRecord contains only pairs of one record and none. It is small because an audit searches from each
	// pair.
	oneRecord = inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1}, MaxRecords: 1}
)

func noisySum(scale float64) func(*rand.Rand, []float64) float64 {
	return func(r *rand.Rand, x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += min(v, 1)
		}
		return sum + laplace(r, scale)
	}
}

// noisyPair releases a sum and a number of records, each with Laplace noise of the scale.
func noisyPair(scale float64) func(*rand.Rand, []float64) []float64 {
	return func(r *rand.Rand, x []float64) []float64 {
		return []float64{noisySum(scale)(r, x), float64(len(x)) + laplace(r, scale)}
	}
}

func lie(p float64) func(*rand.Rand, bool) string {
	return func(r *rand.Rand, answer bool) string { return fmt.Sprint(answer != (r.Float64() < p)) }
}

// TestAuditHasTeeth checks that correct mechanisms pass and faulty ones fail at every seed. A false failure has
// probability 1e-9 in each run. The faulty mechanisms violate ε by half or more, and the audit misses them at these
// sample sizes with no larger probability.
func TestAuditHasTeeth(t *testing.T) {
	record := rapid.Float64Range(0, 1)
	few := Samples(6000)
	small := addRemove // TestFailureMessage searches all of addRemove
	small.MaxRecords = 3
	for i, c := range []struct {
		reason string
		audit  func(t testing.TB, seed uint64)
		want   string
	}{
		{"scalar, correct", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(1), pure, Pair([]float64{1}, []float64{}), few, Seed(seed))
		}, "pass"},
		{"scalar, half the noise", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(0.5), pure, Pair([]float64{1}, []float64{}), few, Seed(seed))
		}, "fail"},
		{"vector, correct", func(t testing.TB, seed uint64) {
			Audit(t, noisyPair(2), pure, Pair([]float64{1}, []float64{}), few, Seed(seed))
		}, "pass"},
		{"vector, noise for one coordinate", func(t testing.TB, seed uint64) {
			Audit(t, noisyPair(1), pure, Pair([]float64{1}, []float64{}), few, Seed(seed))
		}, "fail"},
		{"discrete, correct", func(t testing.TB, seed uint64) {
			Audit(t, lie(0.3), pure, Pair(true, false), few, Seed(seed))
		}, "pass"},
		{"discrete, too few lies", func(t testing.TB, seed uint64) {
			Audit(t, lie(0.15), pure, Pair(true, false), few, Seed(seed))
		}, "fail"},
		{"generated pairs, correct", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(1), pure, Generated(small), few, Seed(seed))
		}, "pass"},
		{"generated pairs, half the noise", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(0.5), pure, Generated(small), few, Seed(seed))
		}, "fail"},
		{"drawn datasets, correct", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(1), pure, RandomPairs(5, DatasetPairs(addRemove, record)), few, Seed(seed))
		}, "pass"},
		{"drawn datasets, a tenth of the noise", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(0.1), pure, RandomPairs(5, DatasetPairs(addRemove, record)), few, Seed(seed))
		}, "fail"},
		{"half the noise, stopped early", func(t testing.TB, seed uint64) {
			Audit(t, noisySum(0.5), pure, Pair([]float64{1}, []float64{}), Seed(seed), Anytime())
		}, "fail"},
		{"a mechanism that can return an error, Gaussian privacy", func(t testing.TB, seed uint64) {
			AuditMechanism(t, ReleaseFunc[float64, float64](func(r *rand.Rand, x float64) (float64, error) {
				return x + 0.4*r.NormFloat64(), nil
			}), privacy.GaussianDP(1), Pair(0., 1.), few, Seed(seed))
		}, "fail"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			for run := range seedCount() {
				f, seed := &fake{name: "TestIt"}, uint64(i)+run+1
				if c.audit(f, seed); f.outcome() != c.want {
					t.Fatalf("seed %d: %s, want %s:\n%s", seed, f.outcome(), c.want, f.text())
				}
			}
		})
	}
}

func TestFailureMessage(t *testing.T) {
	f := &fake{name: "TestSum/half_(the)_noise"}
	Audit(f, noisySum(0.5), pure, Generated(addRemove), Seed(7), Samples(4000))
	for _, want := range []string{
		"claim:          1-DP, so privacy loss ε ≤ 1\n",
		"certified:      privacy loss ε ≥ 1.",
		"probability at most 1e-09\n",
		"event:          ",
		"more likely under ",
		"smallest pair:  A = []float64{1}\n                  B = []float64{}\n",
		"to reproduce:   DPTEST_SEED=7 go test -run '^TestSum$/^half_\\(the\\)_noise$' github.com/dpverify/dpverify/verify/dptest",
	} {
		if !strings.Contains(f.text(), want) {
			t.Errorf("no %q in:\n%s", want, f.text())
		}
	}
}

// TestSeedOfTheEnvironment checks that DPTEST_SEED overrides Seed and reproduces the failure message exactly.
func TestSeedOfTheEnvironment(t *testing.T) {
	audit := func(options ...Option) string {
		f := &fake{name: "TestIt"}
		Audit(f, noisySum(0.5), pure, Generated(oneRecord), append(options, Samples(4000))...)
		return f.text()
	}
	seven, one := audit(Seed(7)), audit()
	if seven == one {
		t.Error("the seed does not change the message")
	}
	t.Setenv(seedVariable, "7")
	if got := audit(); got != seven {
		t.Errorf("with %s=7:\n%s\nwith Seed(7):\n%s", seedVariable, got, seven)
	}
	t.Setenv(seedVariable, "seven")
	if got := audit(); !strings.Contains(got, `seed "seven"`) {
		t.Errorf("invalid seed: %s", got)
	}
}

// TestDrawnInputs checks that the drawn inputs depend only on the seed of the audit.
func TestDrawnInputs(t *testing.T) {
	draw := func(seed uint64) string {
		f := &fake{name: "TestIt"}
		in := RandomPairs(5, DatasetPairs(addRemove, rapid.Float64Range(0, 1)))
		in.draw = append(in.draw, in.draw[0]) // the second generator must draw other pairs
		Audit(f, noisySum(0.4), pure, in, Seed(seed), Samples(1000))
		return f.text()
	}
	first := draw(1)
	if draw(1) != first {
		t.Error("equal seeds draw different pairs")
	}
	if draw(2) == first {
		t.Error("different seeds draw equal pairs")
	}
}

func TestBrokenMechanisms(t *testing.T) {
	type mechanism = func(*rand.Rand, float64) float64
	given := Pair(0., 1.)
	var changed sync.Once
	for _, c := range []struct {
		reason string
		audit  func(t testing.TB)
		want   string
	}{
		{"panics", func(t testing.TB) {
			var none []float64
			Audit(t, func(*rand.Rand, float64) float64 { return none[3] }, pure, given)
		}, "panic: runtime error: index out of range [3] with length 0 at "},
		{"panics at one call", func(t testing.TB) {
			var calls atomic.Int64
			Audit(t, func(r *rand.Rand, x float64) float64 {
				if calls.Add(1) == 150_000 {
					panic("tired")
				}
				return x + laplace(r, 1)
			}, pure, given)
		}, "panic: tired at "},
		{"returns an error", func(t testing.TB) {
			AuditMechanism(t, ReleaseFunc[float64, float64](func(*rand.Rand, float64) (float64, error) { return 0, errors.New("no budget left") }), pure, given)
		}, "no budget left"},
		{"hangs", func(t testing.TB) {
			Audit(t, func(*rand.Rand, float64) float64 { time.Sleep(time.Hour); return 0 }, pure, given, Timeout(100*time.Millisecond))
		}, "no result within 100ms"},
		{"hangs, and the test has a deadline", func(t testing.TB) {
			t.(*fake).deadline = time.Now().Add(200 * time.Millisecond)
			Audit(t, func(*rand.Rand, float64) float64 { time.Sleep(time.Hour); return 0 }, pure, given)
		}, "the mechanism hangs or is slow"},
		{"returns a channel", func(t testing.TB) {
			Audit(t, func(*rand.Rand, float64) chan int { return nil }, pure, given)
		}, "outputs of type chan int"},
		{"returns only NaN", func(t testing.TB) {
			Audit(t, func(*rand.Rand, float64) float64 { return math.NaN() }, pure, given)
		}, "NaN"},
		{"changes its input", func(t testing.TB) {
			AuditMechanism(t, ReleaseFunc[[]float64, float64](func(r *rand.Rand, x []float64) (float64, error) {
				if len(x) == 3 {
					changed.Do(func() { x[0] = 1 })
				}
				return laplace(r, 1), nil
			}), pure, Pair([]float64{0, 0, 0}, []float64{}), Samples(1000))
		}, "changes its input"},
		{"no mechanism", func(t testing.TB) { Audit(t, mechanism(nil), pure, given) }, "no mechanism"},
		{"equal inputs", func(t testing.TB) { Audit(t, mechanism(nil), pure, Pair(1., 1.)) }, "equal inputs"},
		{"no pairs", func(t testing.TB) { Audit(t, lie(0.3), pure, Pairs[bool]()) }, "no pairs"},
		{"negative ε", func(t testing.TB) { Audit(t, lie(0.3), privacy.ApproximateDP(-1, 0), Pair(true, false)) }, "ε = -1"},
		{"no claim", func(t testing.TB) { Audit(t, lie(0.3), privacy.Guarantee{}, Pair(true, false)) }, "no guarantee"},
		{"alpha is NaN", func(t testing.TB) { Audit(t, lie(0.3), pure, Pair(true, false), Alpha(math.NaN())) }, "alpha NaN"},
		{"timeout is 0", func(t testing.TB) { Audit(t, lie(0.3), pure, Pair(true, false), Timeout(0)) }, "timeout 0s"},
		{"too few samples", func(t testing.TB) { Audit(t, lie(0.3), pure, Pair(true, false), Samples(5)) }, "5 samples"},
		{"effect below 1", func(t testing.TB) { Audit(t, lie(0.3), pure, Pair(true, false), Effect(0.5)) }, "effect 0.5"},
		{"invalid space with drawn records", func(t testing.TB) {
			Audit(t, noisySum(1), pure, RandomDatasets(3, inputs.Datasets[float64]{}, rapid.Float64()))
		}, "no adjacency"},
		{"a generator that cannot draw", func(t testing.TB) {
			Audit(t, noisySum(1), pure, RandomDatasets(3, addRemove, rapid.Float64().Filter(func(float64) bool { return false })))
		}, "drawing inputs"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := &fake{name: "TestIt"}
			if c.audit(f); f.outcome() != "fatal" || !strings.Contains(f.text(), c.want) || !strings.Contains(f.text(), "claim ") {
				t.Errorf("%s, want fatal with %q:\n%s", f.outcome(), c.want, f.text())
			}
			if strings.Contains(f.text(), "goroutine ") {
				t.Errorf("the message contains a stack trace:\n%s", f.text())
			}
		})
	}
}

// TestPowerNotReached checks that an inconclusive test passes with a log message, and fails if it is strict.
func TestPowerNotReached(t *testing.T) {
	for _, c := range []struct {
		reason  string
		options []Option
		want    string
	}{
		{"too few samples", []Option{Samples(500)}, "pass"},
		{"too few samples, strict", []Option{Samples(500), Strict()}, "fail"},
		{"enough samples, strict", []Option{Strict()}, "pass"},
		{"effect below the power, strict", []Option{Strict(), Effect(1.01), Samples(20_000)}, "fail"},
	} {
		f := &fake{name: "TestIt"}
		Audit(f, noisySum(1), pure, Pair([]float64{1}, []float64{}), c.options...)
		logged := strings.Contains(f.text(), "is inconclusive on 1 pair: ")
		const detected = " was not refuted on 1 pair: certified privacy loss ε ≥ | a violation to ε ≥ 1.25 at an event of " +
			"probability 0.| or to ε ≥ 2 at events of probability ≥ 0.0|, would have been detected (99 %) on any one of the pairs"
		for _, part := range strings.Split(detected, "|") {
			if !logged && !strings.Contains(f.text(), part) {
				t.Errorf("%s: %s, want %q", c.reason, f.text(), part)
			}
		}
		if f.outcome() != c.want || logged != (c.reason != "enough samples, strict") {
			t.Errorf("%s: %s, want %s: %s", c.reason, f.outcome(), c.want, f.text())
		}
	}
	f := &fake{name: "TestIt"}
	Audit(f, func(*rand.Rand, float64) float64 { return 3 }, pure, Pair(0., 1.), Strict())
	if f.outcome() != "pass" {
		t.Errorf("constant outputs: %s: %s", f.outcome(), f.text())
	}
}

// TestMorePower checks that the message names the options to set and does not ask for samples in vain.
func TestMorePower(t *testing.T) {
	f := &fake{name: "TestIt"}
	Audit(f, noisySum(1), privacy.ApproximateDP(4, 0), Pair([]float64{1}, []float64{}), EventProbability(0.01), Samples(2000), Strict())
	if text := f.text(); !strings.Contains(text, "set dptest.EventProbability to 0.") || strings.Contains(text, "dptest.Samples") {
		t.Error(text)
	}
	for needed, want := range map[string]string{
		"about 90 samples of each input; this run had 80":                                               "; raise dptest.Samples (now 80), use pairs that differ more, or raise dptest.EventProbability",
		"about 90 samples of each input after the search; this run had 80: set samples to 200, because": ": set dptest.Samples to 200, because",
		"another pair or event: at this one 10¹² samples would not detect a small violation":            "would not detect a small violation",
	} {
		if got := morePower(needed, 80); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want the end %q", got, want)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for _, c := range []struct{ reason, function, want string }{
		{"a test", "example.com/a/b.TestX", "example.com/a/b"},
		{"a closure", "example.com/a/b.TestX.func1", "example.com/a/b"},
		{"an external test package", "example.com/a/b_test.TestX", "example.com/a/b"},
		{"a dot in the last element", "gopkg.in/yaml%2ev3.TestX", "gopkg.in/yaml.v3"},
		{"no slash", "scratch.TestX", "scratch"},
	} {
		if got := packageOf(c.function); got != c.want {
			t.Errorf("%s: package of %s is %q, want %q", c.reason, c.function, got, c.want)
		}
	}
}
