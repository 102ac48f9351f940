package dptest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// evidenceCases holds tests with small samples. If faulty is set, the mechanism has a fault that a single run cannot
// certify at the default alpha.
var evidenceCases = []struct {
	name string
	runs int // more runs than refuted the fault when they were counted at the default seed
	test func(t testing.TB, faulty bool, options ...Option)
}{
	{"audit", 9, func(t testing.TB, faulty bool, options ...Option) {
		Audit(t, noisySum(map[bool]float64{false: 1, true: 0.8}[faulty]), pure, Pair([]float64{1}, []float64{}),
			append(options, Samples(1000), LowBits(LowBitsOff))...)
	}},
	{"audit of a struct", 9, func(t testing.TB, faulty bool, options ...Option) {
		scale := map[bool]float64{false: 1, true: 0.8}[faulty]
		Audit(t, func(r *rand.Rand, x []float64) struct{ Sum float64 } {
			return struct{ Sum float64 }{noisySum(scale)(r, x)}
		},
			pure, Pair([]float64{1}, []float64{}), append(options, Samples(1000), LowBits(LowBitsOff))...)
	}},
	{"mean", 12, func(t testing.TB, faulty bool, options ...Option) {
		shift := map[bool]float64{false: 0, true: 0.06}[faulty]
		Unbiased(t, func(r *rand.Rand, p float64) float64 { return bernoulli(r, p+shift) }, 0.5, []float64{0.5},
			append(options, Samples(1000), Range(0, 1))...)
	}},
	{"distribution", 12, func(t testing.TB, faulty bool, options ...Option) {
		Distribution(t, noisySum(map[bool]float64{false: 1, true: 0.8}[faulty]), one, distribution.Laplace(1, 1),
			append(options, Samples(1000))...)
	}},
	{"distribution over inputs", 12, func(t testing.TB, faulty bool, options ...Option) {
		scale := map[bool]float64{false: 1, true: 0.8}[faulty]
		DistributionOver(t, func(r *rand.Rand, x int) float64 { return float64(x) + laplace(r, scale) },
			func(x int) distribution.Distribution { return distribution.Laplace(float64(x), 1) },
			inputs.Space{Values: inputs.Int(0, 10)}, append(options, Samples(2000), Search(3))...)
	}},
	{"rate", 30, func(t testing.TB, faulty bool, options ...Option) {
		Rate(t, falling(map[bool]float64{false: -0.5, true: -0.4}[faulty]), -0.5, doubling,
			append(options, Samples(500), Range(0, 1))...)
	}},
	{"runs", 12, func(t testing.TB, faulty bool, options ...Option) {
		shift := map[bool]float64{false: 0, true: 2}[faulty]
		MultiRun(t, func(r *rand.Rand, with bool) float64 {
			if with {
				return shift + r.NormFloat64()
			}
			return r.NormFloat64()
		}, "score >= 1", pure, append(options, Samples(60))...)
	}},
}

// evidenceFile returns the path of a file that the next test may begin.
func evidenceFile(t *testing.T) string {
	t.Setenv(newVariable, "1")
	return filepath.Join(t.TempDir(), "evidence.jsonl")
}

// TestEvidenceAddsUp checks that a fault is refuted after some runs, that the first run alone does not refute it, and
// that the evidence is kept apart by version. The sound mechanism is the control: over all of its runs
// it is refuted with probability at most 1e-9.
func TestEvidenceAddsUp(t *testing.T) {
	for _, c := range evidenceCases {
		t.Run(c.name, func(t *testing.T) {
			for _, faulty := range []bool{true, false} {
				path, runs, refuted := evidenceFile(t), testutil.Size(12, 30), 0
				if faulty {
					runs = c.runs
				}
				for run := 1; run <= runs; run++ {
					f := &fake{name: "TestIt"}
					c.test(f, faulty, Evidence(path), EvidenceStart(1))
					t.Setenv(newVariable, "")
					if f.outcome() == "fatal" || !strings.Contains(f.text(), fmt.Sprintf("run %d of start 1 in %s", run, path)) ||
						!strings.Contains(f.text(), amountOfEvidence) {
						t.Fatalf("faulty %t, run %d: %s, want the amount of evidence: %s", faulty, run, f.outcome(), f.text())
					}
					if refuted == 0 && f.outcome() == "fail" {
						refuted = run
					}
					if (f.outcome() == "fail") != (refuted > 0) {
						t.Fatalf("run %d: %s after the refutation of run %d: %s", run, f.outcome(), refuted, f.text())
					}
				}
				if faulty != (refuted > 1) || refuted == 1 {
					t.Errorf("faulty %t: refuted by run %d (0 for none) of %d", faulty, refuted, runs)
				}
				if f := (&fake{name: "TestIt"}); faulty {
					if c.test(f, false, Evidence(path), EvidenceVersion("fixed"), EvidenceStart(1)); f.outcome() != "pass" {
						t.Errorf("fixed version: %s: %s", f.outcome(), f.text())
					}
				}
			}
		})
	}
}

// TestEvidenceSamplesAreFresh checks that each run draws other samples, also in another start, and that a repeated id
// adds nothing.
func TestEvidenceSamplesAreFresh(t *testing.T) {
	path, seen := evidenceFile(t), map[float64]string{}
	run := func(id string, start int) *fake {
		t.Setenv(runVariable, id)
		f, largest, mu := &fake{name: "TestIt"}, 0.0, sync.Mutex{}
		Unbiased(f, func(r *rand.Rand, _ int) float64 {
			x := r.Float64()
			mu.Lock()
			defer mu.Unlock()
			largest = max(largest, x)
			return x
		}, 0, []float64{0.5}, Range(0, 1), Samples(200), Evidence(path), EvidenceStart(start))
		t.Setenv(newVariable, "")
		if f.outcome() == "pass" {
			if other := seen[largest]; other != "" {
				t.Errorf("run %s of start %d has the samples of run %s", id, start, other)
			}
			seen[largest] = id
		}
		return f
	}
	for _, id := range []string{"a", "b", "17"} {
		if f := run(id, 1); f.outcome() != "pass" {
			t.Fatalf("run %s: %s", id, f.text())
		}
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if f := run("b", 1); f.outcome() != "fatal" || !strings.Contains(f.text(), "set another "+runVariable) {
		t.Errorf("repeated id: %s: %s", f.outcome(), f.text())
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("a repeated id changed the file (%v)", err)
	}
	t.Setenv(newVariable, "1")
	if f := run("b", 2); f.outcome() != "pass" {
		t.Errorf("the same id in another start: %s", f.text())
	}
}

// TestEvidenceVersionsDependOnTheClaim checks that evidence against one claim does not count against a claim with the
// same name: other probabilities, another grid or a curve with the same ends.
func TestEvidenceVersionsDependOnTheClaim(t *testing.T) {
	curve := func(middle float64) privacy.Guarantee {
		return privacy.CurveDP(confidence.Line{Epsilon: 0, Delta: 0.5}, confidence.Line{Epsilon: 1, Delta: middle},
			confidence.Line{Epsilon: 2, Delta: 0.1})
	}
	values := func(p float64) distribution.Distribution {
		return distribution.Values(map[float64]float64{0: 1 - p, 1: p})
	}
	words := func(p float64) distribution.Distribution {
		return distribution.Categories(map[string]float64{"no": 1 - p, "yes": p})
	}
	coin := func(r *rand.Rand, _ int) float64 { return bernoulli(r, 0.5) }
	for name, test := range map[string]func(t testing.TB, other float64, options ...Option){
		"values": func(t testing.TB, other float64, options ...Option) {
			Distribution(t, coin, 0, values(0.5+other), options...)
		},
		"strings": func(t testing.TB, other float64, options ...Option) {
			Distribution(t, func(r *rand.Rand, _ int) string { return []string{"no", "yes"}[r.IntN(2)] }, 0,
				words(0.5+other), options...)
		},
		"grid": func(t testing.TB, other float64, options ...Option) {
			Rate(t, falling(-0.5), -0.5, []float64{16 + other, 32, 64, 128, 256}, append(options, Range(0, 1))...)
		},
		"curve": func(t testing.TB, other float64, options ...Option) {
			Audit(t, noisySum(3), curve(0.3+other), Pair([]float64{1}, []float64{}),
				append(options, LowBits(LowBitsOff))...)
		},
	} {
		path := evidenceFile(t)
		for i, other := range []float64{0, 0.001} {
			f := &fake{name: "TestIt"}
			test(f, other, append([]Option{Evidence(path)}, Samples(1000))...)
			if i == 0 {
				t.Setenv(newVariable, "")
			}
			if f.outcome() == "fatal" {
				t.Errorf("%s: %s", name, f.text())
			}
		}
		m, err := eprocess.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		var versions []string
		for _, r := range m.Runs {
			for _, id := range slices.Sorted(maps.Keys(r.Claims)) {
				versions = append(versions, r.Claims[id].Version)
			}
		}
		if len(versions) != 2 || versions[0] == versions[1] {
			t.Errorf("%s: versions %v, want two", name, versions)
		}
	}
}

// TestEvidenceRejects checks the messages for files and options that do not fit. None of them changes an existing file
// or names a flag of the command.
func TestEvidenceRejects(t *testing.T) {
	audit := func(pairs Inputs[[]float64], options ...Option) func(f *fake, path string) {
		return func(f *fake, path string) {
			Audit(f, noisySum(1), pure, pairs, append(options, Samples(400), Evidence(path))...)
		}
	}
	pair := Pair([]float64{1}, []float64{})
	changing := func(r *rand.Rand, x []float64) float64 { x[0] = 3; return r.Float64() }
	for _, c := range []struct {
		reason, name string
		fresh        bool
		run          func(f *fake, path string)
		want         string
	}{
		{"missing", "TestIt", false, func(f *fake, path string) { audit(pair)(f, path+"2") }, "does not exist: restore it. If it is " +
			"lost, or if this is the first run, set the environment variable DPTEST_EVIDENCE_NEW=1. After a loss, also raise the start by 1 " +
			"(dptest.EvidenceStart)"},
		{"begun again", "TestIt", true, audit(pair), "unset DPTEST_EVIDENCE_NEW, and give each test its own file"},
		{"missing start", "TestIt", false, audit(pair, EvidenceStart(2)), "set the environment variable DPTEST_EVIDENCE_NEW=1 to begin it"},
		{"another alpha", "TestIt", false, audit(pair, Alpha(0.01)), "set dptest.Alpha to 1e-09"},
		{"another test", "TestOther", false, audit(pair), `the test "github.com/dpverify/dpverify/verify/dptest TestIt", and this is`},
		{"another name", "TestIt", false, audit(pair, Name("count")), `TestIt: count": want a file for each test`},
		{"locked", "TestIt", false, func(f *fake, path string) {
			held, err := eprocess.Open(path, eprocess.Options{Alpha: DefaultAlpha})
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			audit(pair)(f, path)
		}, "is in use by another run"},
		{"no file", "TestIt", false, func(f *fake, _ string) { audit(pair)(f, "") }, "no evidence file"},
		{"not evidence", "TestIt", false, func(f *fake, _ string) { audit(pair)(f, "evidence.go") }, "give another file"},
		{"version without a file", "TestIt", false, func(f *fake, _ string) {
			Audit(f, noisySum(1), pure, pair, EvidenceVersion("v2"))
		}, "need a file: set dptest.Evidence"},
		{"start", "TestIt", false, audit(pair, EvidenceStart(0)), "want a number from 1"},
		{"space", "TestIt", false, audit(Generated(oneRecord)), "needs given pairs"},
		{"anytime", "TestIt", false, audit(pair, Anytime()), "leave dptest.Anytime out"},
		{"low bits", "TestIt", false, audit(pair, LowBits(LowBitsFail)), "use dptest.Precision in another test"},
		{"no pairs", "TestIt", false, audit(Pairs[[]float64]()), "no pairs of inputs"},
		{"no meaning", "TestIt", false, func(f *fake, path string) {
			Precision(f, noisySum(1), pure, pair, Evidence(path))
		}, "the option dptest.Evidence has no meaning for this test"},
		{"no statistics", "TestIt", false, func(f *fake, path string) {
			Check(f, verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
				return verify.Decided(verify.Evidence{Verdict: verify.Refuted}), nil
			}), Evidence(path))
		}, "the check returned no statistics"},
		{"no check", "TestIt", false, func(f *fake, path string) { Check(f, nil, Evidence(path)) }, "no check"},
		{"changed input", "TestIt", false, func(f *fake, path string) {
			Audit(f, changing, pure, Pair([]float64{1}, []float64{2}), Samples(400), Evidence(path))
		}, "the mechanism changes its input"},
		{"changed input of a mean", "TestIt", false, func(f *fake, path string) {
			Unbiased(f, changing, []float64{1}, []float64{0.5}, Samples(400), Range(0, 1), Evidence(path))
		}, "the mechanism changes its input"},
		{"only NaN", "TestIt", false, func(f *fake, path string) {
			Audit(f, func(*rand.Rand, []float64) float64 { return math.NaN() }, pure, pair, Samples(400), Evidence(path))
		}, "returned only NaN"},
		{"panic", "TestIt", false, func(f *fake, path string) {
			Audit(f, func(*rand.Rand, []float64) float64 { panic("broken") }, pure, pair, Samples(400), Evidence(path))
		}, "broken"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			path, f := evidenceFile(t), &fake{name: "TestIt"}
			if audit(pair)(f, path); f.outcome() != "pass" {
				t.Fatal(f.text())
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !c.fresh {
				t.Setenv(newVariable, "")
			}
			f = &fake{name: c.name}
			if c.run(f, path); f.outcome() != "fatal" || !strings.Contains(f.text(), c.want) || strings.Contains(f.text(), "--") {
				t.Errorf("%s, want %q: %s", f.outcome(), c.want, f.text())
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the file has changed (%v)", err)
			}
			if _, err := os.Stat(path + "2"); err == nil {
				t.Error("the missing file was begun")
			}
		})
	}
}
