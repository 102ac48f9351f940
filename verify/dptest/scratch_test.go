package dptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

const scratchPath = "example.com/scratch"

const scratchModule = `module ` + scratchPath + `

go 1.26.0

require (
	github.com/dpverify/dpverify v0.0.0
	pgregory.net/rapid v1.3.0
)

replace github.com/dpverify/dpverify => `

const scratchTest = `package scratch

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/verify/dptest"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"pgregory.net/rapid"
)

func sum(scale float64) func(*rand.Rand, []float64) float64 {
	return func(r *rand.Rand, x []float64) float64 {
		total := math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5)
		for _, v := range x {
			total += v
		}
		return total
	}
}

var pairs = dptest.RandomDatasets(5, inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1}, MaxRecords: 3}, rapid.Float64Range(0, 1))

func TestCorrect(t *testing.T) {
	dptest.Audit(t, sum(1), privacy.ApproximateDP(1, 0), pairs, dptest.Samples(4_000))
}

func TestFaulty(t *testing.T) {
	dptest.Audit(t, sum(0.5), privacy.ApproximateDP(1, 0), pairs, dptest.Samples(4_000))
}
`

// TestScratchModule checks that a module outside the repository can use the package. Its test of a correct
// mechanism passes and its test of a faulty one fails, at every seed.
func TestScratchModule(t *testing.T) {
	if !testutil.Asked() {
		t.Skip("builds a second user module in addition to TestModuleOfAUser: run with " + testutil.Variable + "=1")
	}
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("where is this file?")
	}
	root := filepath.Join(filepath.Dir(here), "..", "..")
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": scratchModule + strconv.Quote(root) + "\n", "go.sum": string(sums), "scratch_test.go": scratchTest,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(seed uint64, name string, args ...string) (string, error) {
		c := exec.Command(name, args...)
		c.Dir = dir
		// All modules are in the module cache, since this test was built.
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", seedVariable+"="+strconv.FormatUint(seed, 10))
		out, err := c.CombinedOutput()
		return string(out), err
	}
	// Run the command from the message and keep the test binary for the other runs. Without vet and debug
	// information the module compiles only once and faster.
	if out, err := run(3, "go", "test", "-vet=off", "-ldflags=-w", "-o", "scratch.test", "-run", "^TestFaulty$", scratchPath); err == nil || !strings.Contains(out, "A = []float64{1}") {
		t.Fatalf("%v:\n%s", err, out)
	}
	binary := filepath.Join(dir, "scratch.test")
	for seed := uint64(1); seed <= seedCount(); seed++ {
		if out, err := run(seed, binary, "-test.run", "^TestCorrect$"); err != nil {
			t.Fatalf("seed %d, correct: %v\n%s", seed, err, out)
		}
		out, err := run(seed, binary, "-test.run", "^TestFaulty$")
		command := "DPTEST_SEED=" + strconv.FormatUint(seed, 10) + " go test -run '^TestFaulty$' " + scratchPath + "\n"
		if err == nil || !strings.Contains(out, "privacy claim refuted") || !strings.Contains(out, command) {
			t.Fatalf("seed %d, faulty: %v, want a refutation with %q:\n%s", seed, err, command, out)
		}
	}
}
