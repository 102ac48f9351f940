package dptest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

var (
	one  = []float64{1}
	half = privacy.ApproximateDP(0.5, 0)
)

// falling returns a replicate with mean x^exponent, uniform on [0, 2x^exponent].
func falling(exponent float64) func(*rand.Rand, float64) float64 {
	return func(r *rand.Rand, x float64) float64 { return math.Pow(x, exponent) * 2 * r.Float64() }
}

var doubling = []float64{100, 200, 400, 800, 1600}

func total(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

type answer struct {
	Yes   bool
	Count *int
	Parts []float32
}

// answers returns a struct with a count, which is nil if the noisy sum is negative.
func answers(r *rand.Rand, x []float64) *answer {
	n := int(math.Floor(noisySum(1)(r, x)))
	if n < 0 {
		return &answer{}
	}
	return &answer{Yes: n > 0, Count: &n, Parts: []float32{float32(n)}}
}

// groups returns two uniform numbers by name.
func groups(r *rand.Rand, _ []float64) map[string]float64 {
	return map[string]float64{"b": 2 * r.Float64(), "a": r.Float64()}
}

// histogram counts values below 0.5 and values of at least 0.5.
func histogram(x []float64) map[string]int {
	h := map[string]int{"small": 0, "large": 0}
	for _, v := range x {
		if v < 0.5 {
			h["small"]++
		} else {
			h["large"]++
		}
	}
	return h
}

// TestStatementsHaveTeeth checks that each test passes for true statements and fails for false ones, at every seed.
// A false failure has probability 1e-9 in each run, and the faults are several times larger than the detectable
// ones.
func TestStatementsHaveTeeth(t *testing.T) {
	space := inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1}, MaxRecords: 4}
	few := Samples(20_000)
	for _, c := range []struct {
		reason string
		run    func(t testing.TB, seed Option)
		want   string
		says   string
	}{
		{"mean, bounded variance", func(t testing.TB, s Option) { Unbiased(t, noisySum(1), one, one, Variance(2), Strict(), s) }, "pass", "consistent"},
		{"mean of 0, bounded range", func(t testing.TB, s Option) {
			Unbiased(t, func(r *rand.Rand, _ int) int { return r.IntN(3) - 1 }, 0, []float64{0}, Range(-1, 1), few, s)
		}, "pass", ""},
		{"wrong mean", func(t testing.TB, s Option) {
			Unbiased(t, noisySum(1), one, []float64{1.3}, Variance(2), few, s)
		}, "fail", "E[Z] = 1.3"},
		{"wrong mean of one coordinate", func(t testing.TB, s Option) {
			Unbiased(t, noisyPair(1), one, []float64{1, 1.3}, Variance(2), few, s)
		}, "fail", "coordinate 1 of the output"},
		{"mean without range or variance", func(t testing.TB, s Option) { Unbiased(t, noisySum(1), one, []float64{7}, few, s) }, "pass", "a range of the values"},
		{"mean without range or variance, strict", func(t testing.TB, s Option) { Unbiased(t, noisySum(1), one, one, few, Strict(), s) }, "fail", "the test is strict"},
		{"distribution", func(t testing.TB, s Option) {
			Distribution(t, noisySum(1), one, distribution.Laplace(1, 1), Strict(), s)
		}, "pass", "a Kolmogorov distance of 0.016 would have been detected"},
		{"wrong distribution", func(t testing.TB, s Option) { Distribution(t, noisySum(1), one, distribution.Laplace(1, 1.2), few, s) }, "fail", "Laplace(1, 1.2)"},
		{"distribution of booleans", func(t testing.TB, s Option) {
			Distribution(t, func(r *rand.Rand, p float64) bool { return r.Float64() < p }, 0.3, distribution.Bernoulli(0.3), few, s)
		}, "pass", ""},
		{"distribution of strings", func(t testing.TB, s Option) {
			Distribution(t, lie(0.3), true, distribution.Categories(map[string]float64{"true": 0.7, "false": 0.3}), few, s)
		}, "pass", ""},
		{"wrong distribution of strings", func(t testing.TB, s Option) {
			Distribution(t, lie(0.3), true, distribution.Categories(map[string]float64{"true": 0.6, "false": 0.4}), few, s)
		}, "fail", `output = "false": fraction `},
		{"moments", func(t testing.TB, s Option) {
			Distribution(t, bernoulli, 0.5, distribution.Moments(0.5, 0.25, 0, 1), few, s)
		}, "pass", ""},
		{"wrong moments", func(t testing.TB, s Option) {
			Distribution(t, bernoulli, 0.5, distribution.Moments(0.5, 0.2, 0, 1), few, s)
		}, "fail", "mean 0.5 and variance 0.2"},
		{"rate", func(t testing.TB, s Option) { Rate(t, falling(-0.5), -0.5, doubling, Range(0, 1), Samples(40_000), s) }, "pass", "consistent"},
		{"wrong rate", func(t testing.TB, s Option) {
			Rate(t, falling(-0.5), -1, doubling, Range(0, 1), s)
		}, "fail", "at:             x=100 and x=1600"},
		{"sensitivity", func(t testing.TB, s Option) { Sensitivity(t, total, sensitivity.L1, 1, Generated(space), s) }, "pass", "the largest difference found"},
		{"wrong sensitivity, drawn pairs", func(t testing.TB, s Option) {
			Sensitivity(t, total, sensitivity.L1, 0.9, RandomPairs(20, DatasetPairs(space, rapid.Float64Range(0, 1))), s)
		}, "fail", "which differ by"},
		{"wrong sensitivity, drawn and shrunk pairs", func(t testing.TB, s Option) {
			Sensitivity(t, total, sensitivity.L1, 0.9, RandomDatasets(20, space, rapid.Float64Range(0, 1)), s)
		}, "fail", "A = []float64{1}\n                  B = []float64{}\n                  which differ by 1\n"},
		{"sensitivity of a struct", func(t testing.TB, s Option) {
			Sensitivity(t, func(x []float64) struct{ N, S float64 } { return struct{ N, S float64 }{float64(len(x)), total(x)} },
				sensitivity.LInf, 1, Generated(space), s)
		}, "pass", ""},
		{"mean of a map", func(t testing.TB, s Option) {
			Unbiased(t, groups, one, []float64{0.5, 1}, Range(0, 2), few, s)
		}, "pass", ""},
		{"mean of a map, exchanged values", func(t testing.TB, s Option) {
			Unbiased(t, groups, one, []float64{1, 0.5}, Range(0, 2), few, s)
		}, "fail", "coordinate"},
		{"sensitivity of a histogram", func(t testing.TB, s Option) {
			Sensitivity(t, histogram, sensitivity.L1, 1, Generated(space), s)
		}, "pass", ""},
		{"wrong sensitivity of a histogram", func(t testing.TB, s Option) {
			Sensitivity(t, histogram, sensitivity.L1, 0.9, Generated(space), s)
		}, "fail", "which differ by 1\n"},
		{"integers far from 0", func(t testing.TB, s Option) {
			Sensitivity(t, func(x []float64) int64 { return 1<<40 + 3*int64(len(x)) }, sensitivity.L1, 2, Generated(space), s)
		}, "fail", "which differ by 3\n"},
		{"variance bound too small: inconclusive", func(t testing.TB, s Option) {
			Unbiased(t, noisySum(10), one, []float64{2}, Variance(2), few, s)
		}, "pass", "more than twice the bound"},
		{"low-order bits leak", func(t testing.TB, s Option) { Precision(t, noisySum(1), pure, Pair(one, []float64{}), few, s) }, "fail", "lowest set bit"},
		{"rounded outputs", func(t testing.TB, s Option) {
			Precision(t, func(r *rand.Rand, x []float64) float64 { return math.Round(noisySum(1)(r, x)*256) / 256 }, pure, Pair(one, []float64{}), few, s)
		}, "pass", ""},
		{"audit with low-order bits, fail", func(t testing.TB, s Option) {
			Audit(t, noisySum(1), pure, Pair(one, []float64{}), few, LowBits(LowBitsFail), s)
		}, "fail", "refuted by the low-order bits"},
		{"audit with low-order bits, warn", func(t testing.TB, s Option) { Audit(t, noisySum(1), pure, Pair(one, []float64{}), few, s) }, "pass", "warning: the low-order bits"},
		{"audit of structs, nil and lists", func(t testing.TB, s Option) { Audit(t, answers, pure, Pair(one, []float64{}), few, s) }, "pass", ""},
		{"audit of structs, nil and lists, ε too small", func(t testing.TB, s Option) {
			Audit(t, answers, half, Pair(one, []float64{}), few, Name("the answer"), s)
		}, "fail", "of the answer"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			for seed := range testutil.Size[uint64](1, 20) {
				f := &fake{name: "TestIt"}
				if c.run(f, Seed(seed+1)); f.outcome() != c.want || !strings.Contains(f.text(), c.says) {
					t.Fatalf("seed %d: %s, want %s and %q:\n%s", seed+1, f.outcome(), c.want, c.says, f.text())
				}
				if text := f.text(); f.outcome() != "pass" && !strings.Contains(text, "go test -run '^TestIt$' github.com/dpverify/dpverify/verify/dptest") {
					t.Errorf("no command in\n%s", text)
				}
			}
		})
	}
}

// TestFieldsAreNamed checks that the message names the faulty field of a struct.
func TestFieldsAreNamed(t *testing.T) {
	f := &fake{name: "TestIt"}
	Audit(f, func(r *rand.Rand, x []float64) struct {
		Label string
		Sum   float64
	} {
		return struct {
			Label string
			Sum   float64
		}{"sum", noisySum(0.2)(r, x)}
	}, pure, Pair(one, []float64{}), Samples(10_000))
	if f.outcome() != "fail" || !strings.Contains(f.text(), "output.Sum") {
		t.Errorf("%s:\n%s", f.outcome(), f.text())
	}
}

// TestShapesBetray checks that an audit detects outputs that differ only in type, shape or nil values.
func TestShapesBetray(t *testing.T) {
	for _, c := range []struct {
		reason string
		audit  func(t testing.TB)
	}{
		{"nil instead of a number", func(t testing.TB) {
			Audit(t, func(r *rand.Rand, x []float64) *float64 {
				if len(x) == 0 {
					return nil
				}
				y := noisySum(1)(r, x)
				return &y
			}, pure, Pair(one, []float64{}), Samples(600))
		}},
		{"an additional map key", func(t testing.TB) {
			Audit(t, func(r *rand.Rand, x []string) map[string]float64 {
				out := map[string]float64{}
				for _, name := range x {
					out[name] += 1 + laplace(r, 1)
				}
				return out
			}, pure, Pair([]string{"Ada", "Bob"}, []string{"Ada"}), Samples(600))
		}},
		{"a longer list within a struct", func(t testing.TB) {
			Audit(t, func(r *rand.Rand, x []float64) answer { return answer{Parts: make([]float32, len(x))} }, pure, Pair(one, []float64{}), Samples(600))
		}},
		{"an unexported field", func(t testing.TB) {
			Audit(t, func(r *rand.Rand, x []float64) struct{ n int } { return struct{ n int }{len(x)} }, pure, Pair(one, []float64{}), Samples(600))
		}},
		{"a time", func(t testing.TB) {
			Audit(t, func(r *rand.Rand, x int64) time.Time { return time.Unix(0, x) }, pure, Pair[int64](0, 1), Samples(600))
		}},
	} {
		f := &fake{name: "TestIt"}
		if c.audit(f); f.outcome() != "fail" {
			t.Errorf("%s: %s:\n%s", c.reason, f.outcome(), f.text())
		}
	}
}

func bernoulli(r *rand.Rand, p float64) float64 {
	if r.Float64() < p {
		return 1
	}
	return 0
}

// TestStatementsThatCannotBeTested checks that a statement that cannot be tested ends the test with a message that
// states the cause.
func TestStatementsThatCannotBeTested(t *testing.T) {
	var none []float64
	space := inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1}}
	var calls, runs atomic.Int64
	for _, c := range []struct {
		reason string
		run    func(t testing.TB)
		want   string
	}{
		{"stated mean of a different length", func(t testing.TB) { Unbiased(t, noisyPair(1), one, one) }, "an output has 2 numbers and the stated mean 1"},
		{"outputs of different lengths", func(t testing.TB) {
			Unbiased(t, func(r *rand.Rand, _ int) []float64 { return make([]float64, 1+r.IntN(2)) }, 0, one)
		}, "want equal lengths"},
		{"dependent outputs: autoregressive state", func(t testing.TB) {
			var mu sync.Mutex
			state := 0.0
			Unbiased(t, func(r *rand.Rand, _ int) float64 {
				mu.Lock()
				defer mu.Unlock()
				state = 0.95*state + r.NormFloat64()
				return state
			}, 0, []float64{0}, Variance(11), Samples(20_000))
		}, "outputs are not independent: a state is carried"},
		{"dependent outputs: drift", func(t testing.TB) {
			Audit(t, func(r *rand.Rand, _ bool) float64 { return laplace(r, 1) + 1e-3*float64(runs.Add(1)) }, pure,
				Pair(true, false), Samples(20_000))
		}, "outputs are not independent: "},
		{"outputs with different keys", func(t testing.TB) {
			Unbiased(t, func(r *rand.Rand, _ int) map[string]float64 {
				return map[string]float64{[]string{"a", "b"}[r.IntN(2)]: 0.5}
			}, 0, []float64{0.5}, Range(0, 1))
		}, "another shape than the first one"},
		{"no stated mean", func(t testing.TB) { Unbiased(t, noisySum(1), one, nil) }, "0 coordinates"},
		{"stated mean NaN", func(t testing.TB) { Unbiased(t, noisySum(1), one, []float64{math.NaN()}) }, "NaN"},
		{"no mechanism", func(t testing.TB) { Unbiased[int, float64](t, nil, 0, one) }, "no mechanism"},
		{"nil output", func(t testing.TB) {
			Unbiased(t, func(*rand.Rand, int) *int { return nil }, 0, one)
		}, "holds nil"},
		{"output outside the range", func(t testing.TB) { Unbiased(t, noisySum(1), one, one, Range(0, 2)) }, "outside its range [0, 2]"},
		{"invalid range", func(t testing.TB) { Unbiased(t, noisySum(1), one, one, Range(2, 0)) }, "range [2, 0]"},
		{"invalid variance", func(t testing.TB) { Unbiased(t, noisySum(1), one, one, Variance(math.NaN())) }, "variance NaN"},
		{"a noise scale that is NaN", func(t testing.TB) { Unbiased(t, noisySum(math.NaN()), one, one, Variance(2)) }, "coordinate 0 of a value is NaN"},
		{"a mechanism that panics", func(t testing.TB) {
			Distribution(t, func(*rand.Rand, int) float64 { return none[3] }, 0, distribution.Normal(0, 1))
		}, "panic: runtime error: index out of range [3] with length 0 at "},
		{"a mechanism that returns an error", func(t testing.TB) {
			Distribution(t, Must(func(*rand.Rand, int) (float64, error) { return 0, errors.New("no budget left") }), 0, distribution.Normal(0, 1))
		}, "tested: no budget left\n"},
		{"a mechanism that returns an error, in an audit", func(t testing.TB) {
			Audit(t, Must(func(*rand.Rand, bool) (float64, error) { return 0, errors.New("no budget left") }), pure, Pair(true, false))
		}, "tested: no budget left\n"},
		{"no distribution", func(t testing.TB) { Distribution(t, noisySum(1), one, distribution.Distribution{}) }, "no law"},
		{"distribution with scale NaN", func(t testing.TB) { Distribution(t, noisySum(1), one, distribution.Laplace(0, math.NaN())) }, "scale NaN"},
		{"distribution of one number for a vector", func(t testing.TB) { Distribution(t, noisyPair(1), one, distribution.Laplace(0, 1)) }, "a distribution of single numbers"},
		{"output of function type", func(t testing.TB) {
			Distribution(t, func(*rand.Rand, int) func() { return nil }, 0, distribution.Normal(0, 1))
		}, "outputs of type func()"},
		{"a mechanism that changes its input", func(t testing.TB) {
			Distribution(t, func(r *rand.Rand, x []float64) float64 { x[0]++; return laplace(r, 1) }, []float64{1}, distribution.Laplace(0, 1), Samples(1000))
		}, "changes its input"},
		{"a map that changes its input", func(t testing.TB) {
			Sensitivity(t, func(x []float64) float64 { clear(x); return 1 }, sensitivity.L1, 1, Generated(space))
		}, "changes its input"},
		{"a map that is not deterministic", func(t testing.TB) {
			Sensitivity(t, func([]float64) float64 { return float64(calls.Add(1)) }, sensitivity.L1, 1, Generated(space))
		}, "not a function of its input"},
		{"a map with outputs of different lengths", func(t testing.TB) {
			Sensitivity(t, func(x []float64) []float64 { return x }, sensitivity.L1, 1, Generated(space))
		}, "want vectors of one length"},
		{"a map to NaN", func(t testing.TB) {
			Sensitivity(t, func(x []float64) float64 { return total(x) / float64(len(x)) }, sensitivity.L1, 1, Generated(space))
		}, "output 0 of the map is NaN"},
		{"a map that panics", func(t testing.TB) {
			Sensitivity(t, func(x []float64) float64 { return x[2] }, sensitivity.L1, 1, Generated(space))
		}, "index out of range [2]"},
		{"no map", func(t testing.TB) { Sensitivity[[]float64, float64](t, nil, sensitivity.L1, 1, Generated(space)) }, "no map"},
		{"no pairs", func(t testing.TB) { Sensitivity(t, total, sensitivity.L1, 1, Pairs[[]float64]()) }, "no pairs"},
		{"a space without neighbors", func(t testing.TB) {
			Sensitivity(t, total, sensitivity.L1, 1, Generated(inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: one}))
		}, "one value"},
		{"no norm", func(t testing.TB) { Sensitivity(t, total, 0, 1, Generated(space)) }, "unknown norm 0"},
		{"no function", func(t testing.TB) { Rate(t, nil, -1, doubling) }, "no function to run"},
		{"no grid", func(t testing.TB) { Rate(t, falling(-1), -1, nil) }, "the grid has no points"},
		{"a run that returns NaN", func(t testing.TB) {
			Rate(t, func(*rand.Rand, float64) float64 { return math.NaN() }, -1, doubling)
		}, "a run returned NaN"},
		{"no check", func(t testing.TB) { Check(t, nil) }, "no check"},
		{"a check that fails", func(t testing.TB) {
			Check(t, verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { return nil, errors.New("no such file") }))
		}, "no such file"},
		{"a check that hangs", func(t testing.TB) {
			Check(t, verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { time.Sleep(time.Hour); return nil, nil }), Timeout(50*time.Millisecond))
		}, "no result within 50ms"},
		{"a claim without a control", func(t testing.TB) { Claim(t, verify.Claim{ID: "own/true", Check: decided(verify.Holds)}) }, "no control"},
		{"an option that does not apply", func(t testing.TB) { Sensitivity(t, total, sensitivity.L1, 1, Generated(space), Strict()) }, "the option dptest.Strict has no meaning"},
		{"an option for means in an audit", func(t testing.TB) { Audit(t, lie(0.3), pure, Pair(true, false), Range(0, 1)) }, "the option dptest.Range has no meaning"},
		{"invalid mode", func(t testing.TB) { Audit(t, lie(0.3), pure, Pair(true, false), LowBits("maybe")) }, `low bits "maybe"`},
		{"invalid resolution", func(t testing.TB) { Distribution(t, noisySum(1), one, distribution.Laplace(0, 1), Resolution(-1)) }, "resolution -1"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			f := &fake{name: "TestIt"}
			if c.run(f); f.outcome() != "fatal" || !strings.Contains(f.text(), c.want) || strings.Contains(f.text(), "goroutine ") {
				t.Errorf("%s, want fatal with %q:\n%s", f.outcome(), c.want, f.text())
			}
		})
	}
}

// decided returns a check with the given verdict.
func decided(v verify.Verdict) verify.Check {
	return verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		return verify.Decided{Verdict: v, Exact: true, Method: "by hand", Power: "none", Needed: "more", Warnings: []string{"odd"}}, nil
	})
}

// TestVerdictsOfChecks checks the outcome of a test for every verdict, and for a claim with its control.
func TestVerdictsOfChecks(t *testing.T) {
	for _, c := range []struct {
		verdict        verify.Verdict
		lenient, stern string
	}{
		{verify.Holds, "pass", "pass"}, {verify.Consistent, "pass", "pass"}, {verify.Refuted, "fail", "fail"},
		{verify.Contradictory, "fail", "fail"}, {verify.Inconclusive, "pass", "fail"}, {verify.Vacuous, "pass", "fail"},
		{verify.Untestable, "pass", "fail"},
	} {
		lenient, stern := &fake{name: "TestIt"}, &fake{name: "TestIt"}
		Check(lenient, decided(c.verdict))
		Check(stern, decided(c.verdict), Strict(), Name("mine"))
		if lenient.outcome() != c.lenient || stern.outcome() != c.stern || !strings.Contains(stern.text(), "mine") || !strings.Contains(stern.text(), "odd") {
			t.Errorf("%s: %s, and %s if strict:\n%s", c.verdict, lenient.outcome(), stern.outcome(), stern.text())
		}
	}
	for _, c := range []struct {
		claim, control verify.Verdict
		want           string
	}{{verify.Holds, verify.Refuted, "pass"}, {verify.Refuted, verify.Refuted, "fail"}, {verify.Holds, verify.Holds, "fail"}} {
		f := &fake{name: "TestIt"}
		Claim(f, verify.Claim{ID: "own/true", Check: decided(c.claim), Control: verify.Control{Check: decided(c.control), Want: []verify.Verdict{verify.Refuted}, Fault: "two"}})
		if f.outcome() != c.want || !strings.Contains(f.text(), "own/true") {
			t.Errorf("%s with a control that is %s: %s:\n%s", c.claim, c.control, f.outcome(), f.text())
		}
	}
}
