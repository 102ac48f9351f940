package dptest

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// exiting is a mechanism whose batch form ends its goroutine.
type exiting struct{}

func (exiting) Release(r *rand.Rand, x int) (float64, error)    { return float64(x) + laplace(r, 1), nil }
func (exiting) ReleaseN(*rand.Rand, int, []float64) (err error) { runtime.Goexit(); return nil }

// exitingSpace ends the goroutine that asks for a neighbor.
type exitingSpace struct{ inputs.PairSpace[int] }

func (exitingSpace) Mutate(*rand.Rand, inputs.Pair[int]) (p inputs.Pair[int], ok bool) {
	runtime.Goexit()
	return p, ok
}

// TestExitsAreErrors checks that code under test that ends its goroutine is reported at once. No test here has a
// deadline.
func TestExitsAreErrors(t *testing.T) {
	exitOneIn := func(n int) func(r *rand.Rand, x int) float64 {
		return func(r *rand.Rand, x int) float64 {
			if r.IntN(n) == 0 {
				runtime.Goexit()
			}
			return float64(x) + laplace(r, 1)
		}
	}
	const never = math.MaxInt32
	generator := rapid.Custom(func(*rapid.T) inputs.Pair[int] { runtime.Goexit(); return inputs.Pair[int]{} })
	over := inputs.Space{Values: inputs.Int(0, 10), Neighbors: inputs.Change(inputs.L1, 1)}
	space := exitingSpace{inputs.MustPairSpace[int](over)}
	moves := func(int) []float64 { runtime.Goexit(); return nil }
	for name, run := range map[string]func(*fake){
		"audit":       func(f *fake) { Audit(f, exitOneIn(1), pure, Pair(0, 1), Samples(2000)) },
		"audit, late": func(f *fake) { Audit(f, exitOneIn(1000), pure, Pair(0, 1), Samples(4000)) },
		"sequential":  func(f *fake) { Audit(f, exitOneIn(1000), pure, Pair(0, 1), Samples(4000), Anytime()) },
		"batch":       func(f *fake) { AuditMechanism(f, exiting{}, pure, Pair(0, 1), Samples(2000)) },
		"search": func(f *fake) {
			Audit(f, exitOneIn(300), pure, Generated(inputs.MustPairSpace[int](over)), Search(3), Samples(2000))
		},
		"neighbors":             func(f *fake) { Audit(f, exitOneIn(never), pure, Generated(space), Search(20), Samples(8000)) },
		"precision":             func(f *fake) { Precision(f, exitOneIn(100), pure, Pair(0, 1), Samples(2000)) },
		"mean":                  func(f *fake) { Unbiased(f, exitOneIn(1), 0, []float64{0}, Range(0, 1), Samples(500)) },
		"distribution":          func(f *fake) { Distribution(f, exitOneIn(1), 0, distribution.Laplace(0, 1), Samples(500)) },
		"sensitivity":           func(f *fake) { Sensitivity(f, moves, sensitivity.L1, 1, Pair(0, 1)) },
		"sensitivity, neighbor": func(f *fake) { Sensitivity(f, func(int) []float64 { return nil }, sensitivity.L1, 1, Generated(space)) },
		"generator":             func(f *fake) { Audit(f, exitOneIn(never), pure, RandomPairs(3, generator), Samples(2000)) },
		"truth":                 func(f *fake) { UnbiasedOver(f, exitOneIn(never), moves, over, Range(0, 1), Samples(2000), Search(2)) },
		"stated distribution": func(f *fake) {
			DistributionOver(f, exitOneIn(never), func(int) distribution.Distribution { runtime.Goexit(); return distribution.Laplace(0, 1) }, over, Samples(2000), Search(2))
		},
		"rate": func(f *fake) {
			Rate(f, func(*rand.Rand, float64) float64 { runtime.Goexit(); return 0 }, -0.5, []float64{1, 2, 3, 4, 5}, Range(0, 1),
				Samples(100))
		},
		"replay": func(f *fake) {
			Replay(f, func(*primitive.Noise, int) (float64, error) { runtime.Goexit(); return 0, nil }, pure, Pair(0, 1))
		},
		"runs": func(f *fake) {
			MultiRun(f, func(*rand.Rand, bool) float64 { runtime.Goexit(); return 0 }, "", pure, Samples(20))
		},
		"canaries": func(f *fake) {
			Canaries(f, 20, func(*rand.Rand, []bool) []float64 { runtime.Goexit(); return nil }, pure)
		},
	} {
		f, done := &fake{name: "TestIt"}, make(chan struct{})
		go func() {
			defer close(done)
			run(f)
		}()
		if <-done; f.outcome() != "fatal" || !strings.Contains(f.text(), "ended its goroutine") {
			t.Errorf("%s: %s: %s", name, f.outcome(), f.text())
		}
	}
}

// exitChild is the environment variable that marks the child process in which TestExitOfTheTest runs the failing
// tests.
const exitChild = "DPTEST_EXIT_CHILD"

// TestExitOfTheTest checks that a test fails if its mechanism calls FailNow or SkipNow of that test. It neither
// passes nor is skipped.
func TestExitOfTheTest(t *testing.T) {
	if os.Getenv(exitChild) != "" {
		for name, exit := range map[string]func(t *testing.T){
			"fatal": func(t *testing.T) { t.Fatal("the mechanism fails") },
			"skip":  func(t *testing.T) { t.SkipNow() },
		} {
			t.Run(name, func(t *testing.T) {
				Audit(t, func(*rand.Rand, int) float64 { exit(t); return 0 }, pure, Pair(0, 1), Samples(2000))
			})
		}
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestExitOfTheTest$", "-test.v", "-test.timeout=0")
	command.Env = append(os.Environ(), exitChild+"=1")
	out, err := command.CombinedOutput()
	for _, want := range []string{"--- FAIL: TestExitOfTheTest/fatal", "--- FAIL: TestExitOfTheTest/skip"} {
		if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "ended its goroutine") != 2 {
			t.Fatalf("%v, want %q and the reason:\n%s", err, want, out)
		}
	}
}
