//go:build unix

package process

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Newly started processes answer only the first long reply at two inputs: each output may be a training.
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

// The noise of a process that is drawn when it starts is kept in all its outputs, whatever the seed of the request.
func TestNoiseKeptByAStart(t *testing.T) {
	for _, seedless := range []bool{false, true} {
		p := helperProcess(t, "keeps a noise")
		p.Seedless = seedless
		s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
		_, err := verify.Judge(t.Context(), helperAudit(p), s, empirical.NewPool(2), nil)
		if err == nil || !strings.Contains(err.Error(), "outputs of two distributions") {
			t.Errorf("without a seed %v: %v", seedless, err)
		}
	}
}
