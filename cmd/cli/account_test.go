package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/internal/testutil"
)

func TestInterruptedAccountExitsWith130(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"account", "gaussian", "--sigma", "1", "--delta", "1e-5"},
		{"account", "calibrate", "gaussian", "--delta", "1e-5", "--epsilon", "1"},
	} {
		var stdout, stderr bytes.Buffer
		a := &app{ledger: stubLedger, every: 1e9, stdout: &stdout, stderr: &stderr}
		if code := a.run(ctx, args); code != codeInterrupted || stdout.Len() > 0 {
			t.Errorf("%v exits with %d, want %d: %s", args, code, codeInterrupted, &stderr)
		}
	}
}

// The upper end of the calibrated noise of four events provably meets the target, and the lower end provably
// misses it.
func TestCalibratedNoiseKeepsTheTarget(t *testing.T) {
	account := func(t *testing.T, args ...string) (lower, upper float64) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		a := &app{ledger: stubLedger, every: 1e9, stdout: &stdout, stderr: &stderr}
		if code := a.run(context.Background(), append([]string{"account"}, args...)); code != codeFine {
			t.Fatalf("%v exits with %d: %s", args, code, &stderr)
		}
		var r struct {
			Results []struct {
				Method       string
				Lower, Upper float64
			}
		}
		if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || len(r.Results) != 1 || r.Results[0].Method != "best" {
			t.Fatalf("%v: %v: %s", args, err, &stdout)
		}
		return r.Results[0].Lower, r.Results[0].Upper
	}
	calibrated := 0
	for _, spec := range eventSpecs {
		if spec.Name != "gaussian" && spec.Name != "laplace" && spec.Name != "sgm" && spec.Name != "without-replacement" {
			continue
		}
		calibrated++
		t.Run(spec.Name, func(t *testing.T) {
			common := []string{"--count", "10", "--sensitivity", "2", "--delta", "1e-5", "--adjacency", "replace-one", "--format", "json"}
			if spec.Name == "sgm" {
				common = append(common, "--sampling-rate", "0.1")
			}
			if spec.Name == "without-replacement" {
				common = append(common, "--records", "1000", "--batch", "20")
			}
			low, high := account(t, append([]string{"calibrate", spec.Name, "--epsilon", "1.5"}, common...)...)
			at := func(noise float64) (float64, float64) {
				text, err := json.Marshal(noise)
				if err != nil {
					t.Fatal(err)
				}
				return account(t, append([]string{spec.Name, "--" + spec.Noise, string(text), "--method", "best"}, common...)...)
			}
			if _, epsilon := at(high); !(epsilon <= 1.5) {
				t.Errorf("with the upper end %v, ε ≤ %v is proven, want 1.5", high, epsilon)
			}
			if epsilon, _ := at(low); !(low > 0 && epsilon > 1.5) {
				t.Errorf("with the lower end %v, ε ≥ %v is proven, want more than 1.5", low, epsilon)
			}
		})
	}
	if calibrated < 4 {
		t.Errorf("%d events were calibrated, want 4", calibrated)
	}
}

// Every example in the help of account that reads no file and runs no command succeeds.
func TestAccountExamples(t *testing.T) {
	root := ours().app(nil, nil).root()
	account, _, err := root.Find([]string{"account"})
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	visitCommands(account, func(c *cobra.Command) {
		for example := range strings.SplitSeq(c.Example, "\n") {
			if strings.Contains(example, ".yaml") || strings.Contains(example, ".csv") || strings.Contains(example, "--exec") {
				continue
			}
			if strings.Contains(example, " with-replacement ") && !testutil.Included() {
				continue // takes 8 seconds
			}
			tried++
			var stdout, stderr bytes.Buffer
			a := &app{ledger: stubLedger, every: 1e9, stdout: &stdout, stderr: &stderr}
			if code := a.run(context.Background(), strings.Fields(example)[1:]); code != codeFine {
				t.Errorf("%s: exit code %d: %s", strings.TrimSpace(example), code, &stderr)
			}
		}
	})
	if want := 2 * (len(eventSpecs) - 3); tried < want { // two events need files, one is slow
		t.Errorf("%d examples were run, want at least %d", tried, want)
	}
}
