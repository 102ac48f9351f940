//go:build unix

package process

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Newly started processes answer only the first long reply at two inputs, since each output may be one training run.
func TestStartsAreComparedOnce(t *testing.T) {
	var seen repliesSeen
	for _, c := range []struct {
		input   string
		outputs int
		want    bool
	}{
		{"0", 1, false}, {"0", StartOutputs - 1, false}, {"0", StartOutputs, true}, {"0", 256, false},
		{"1", 256, true}, {"2", 256, false},
	} {
		seen.first(json.RawMessage(c.input), false)
		if got := seen.compare(json.RawMessage(c.input), c.outputs); got != c.want {
			t.Errorf("a reply of %d outputs at %s is compared: %v, want %v", c.outputs, c.input, got, c.want)
		}
	}
}

// A process that draws its noise when it starts is an error, with and without a seed.
func TestNoiseKeptByAStart(t *testing.T) {
	for _, seedless := range []bool{false, true} {
		p := helperProcess(t, "keeps a noise")
		p.Seedless = seedless
		s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
		_, err := verify.Judge(t.Context(), helperAudit(p), s, empirical.NewPool(2), nil)
		if err == nil || !strings.Contains(err.Error(), "outputs of two distributions") {
			t.Errorf("Seedless %v: %v", seedless, err)
		}
	}
}

// A process that was started for comparison answers further requests if its reply was equal, and ends otherwise.
func TestComparedProcessesAreKept(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]int{"good": 2, "draws its own": 1} {
		p := helperProcess(t, mode)
		if err := p.ReleaseN(empirical.NewSeed(1).Rand(), json.RawMessage("0"), make([]any, StartOutputs)); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
		if len(p.idle) != want || len(p.all) != want {
			t.Errorf("%s: %d processes are idle and %d run, want %d", mode, len(p.idle), len(p.all), want)
		}
	}
}
