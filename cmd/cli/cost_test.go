package cli

import (
	"strings"
	"testing"
)

// A run that would take more than a day is rejected, with an estimate, before it starts.
func TestLongRunsAreRejected(t *testing.T) {
	config := func(samples string) string {
		return written(t, "claims.yaml", "claims:\n  - {name: a, exec: [/nowhere/mechanism], pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}, samples: "+samples+"}\n")
	}
	command := "audit --exec /nowhere/mechanism --a 0 --b 1 --epsilon 1 --samples "
	for _, c := range []struct{ line, want string }{
		{"audit " + config("1e15"), "years; ask for fewer, or give --yes"}, {command + "1000000000000000", "years; ask"},
		{"audit " + config("1e12") + " --workers 1", "days; ask"}, {command + "9000000000000000000 --yes", "more than can be counted"},
		{command + "2000000000000000000 --budget thorough --yes", "more than can be counted"},
		{"audit " + config("1e15") + " --shard 1/2 -o " + t.TempDir() + "/part", "years; ask"},
		{"experiment power --samples 1000000000000000", "years; ask"}, {"experiment power --runs 100000000", "ask"},
		{"experiment calibration --runs 1000000000", "ask"}, {"experiment gross --runs 1000000000", "ask"},
		{"experiment prestige/fig-4 --repeats 1000000000", "ask"},
		{"experiment prestige/fig-4 --epochs 1000000000000", "ask"},
	} {
		code, stdout, stderr := attempt(t, strings.Fields(c.line)...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d and %q: %s", c.line, code, codeUsage, c.want, stderr)
		}
	}
	// With --yes, or with fewer samples, the run starts and fails because the mechanism does not exist.
	for _, line := range []string{"audit " + config("1e15") + " --yes", "audit " + config("1e6"), command + "1000000000"} {
		if code, _, stderr := attempt(t, strings.Fields(line)...); code != codeFailed {
			t.Errorf("%s: exit code %d, want %d: %s", line, code, codeFailed, stderr)
		}
	}
}
