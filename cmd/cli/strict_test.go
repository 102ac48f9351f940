package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// misreadNumbers holds texts that some parsers read as another number, or that no double represents.
var misreadNumbers = []string{"010", "0x10", "1_000", "+1", " 1", "1 ", "0x1p4", "1e400", "1e-400", "inf", "nan", ""}

// textFlags lists the flags that contain words, or numbers that the command parses itself, with an example.
var textFlags = map[string]string{"seed": "%s", "shard": "%s/2", "process-memory": "%sGiB", "event": "score >= %s",
	"a": "%s", "b": "%s", "exec": "", "sampling": "", "adjacency": "", "precision": "", "format": "", "color": "", "budget": "", "paper": "", "origin": "",
	"solve": "", "curve": "", "dir": "", "data-format": "", "header": "", "separator": "", "positive": "", "negative": "", "method": "",
	"only": "", "kind": "", "run-id": ""}

// eachFlag calls f with every flag of every command.
func eachFlag(t *testing.T, f func(c *cobra.Command, flag *pflag.Flag)) {
	t.Helper()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(flag *pflag.Flag) { f(c, flag) })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&app{ledger: stubLedger, stdout: io.Discard, stderr: io.Discard}).root())
}

// No numeric flag accepts a number that is not in JSON's form.
func TestFlagsReadNumbersAlike(t *testing.T) {
	numbers := 0
	eachFlag(t, func(c *cobra.Command, flag *pflag.Flag) {
		switch kind := flag.Value.Type(); kind {
		case "bool", "file":
			return
		case "string", "stringSlice":
			if _, known := textFlags[flag.Name]; !known {
				t.Errorf("%s --%s: a new flag of words: does it hold a number? Add it to textFlags", c.CommandPath(), flag.Name)
			}
			return
		default:
			numbers++
			for _, text := range misreadNumbers {
				for _, form := range []string{text, "1," + text} {
					if kind == "duration" && text != "" {
						form = text + "s"
					}
					if err := flag.Value.Set(form); err == nil {
						t.Errorf("%s --%s %q is read as %s", c.CommandPath(), flag.Name, form, flag.Value)
					}
				}
			}
		}
	})
	if numbers < 50 {
		t.Errorf("%d flags of numbers: are all commands visited?", numbers)
	}
}

// Flags with numbers inside words parse them as the other flags do.
func TestWordFlagsReadNumbersAlike(t *testing.T) {
	scores := written(t, "scores.csv", "score,included\n"+strings.Repeat("1,1\n0,0\n0.5,1\n0.2,0\n", 60))
	claims := written(t, "c.yaml", "claims: [{name: c, exec: [\"false\"], pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}}]\n")
	for flag, args := range map[string][]string{
		"seed": {"audit", claims}, "shard": {"audit", claims, "-o", written(t, "part", "")}, "process-memory": {"audit", claims},
		"event": {"audit", "--canaries", scores, "--epsilon", "1"}, "a": {"audit", "--exec", "false", "--b", "2", "--epsilon", "1"},
		"b": {"audit", "--exec", "false", "--a", "2", "--epsilon", "1"},
	} {
		for _, text := range misreadNumbers {
			if (flag == "a" || flag == "b" || flag == "event") && strings.TrimSpace(text) != text {
				continue // space around JSON and the words of an event is allowed
			}
			value := strings.Replace(textFlags[flag], "%s", text, 1)
			code, stdout, stderr := attempt(t, append(args, "--"+flag+"="+value)...)
			if code != codeUsage || stdout != "" || !strings.Contains(stderr, flag[:1]) || strings.Contains(stderr, "cannot be started") {
				t.Errorf("--%s=%q: exit code %d, want %d:\n%s%s", flag, value, code, codeUsage, stdout, stderr)
			}
		}
	}
}

// An empty value, as from an unset variable, is an error; only --summary accepts one, for no summary.
func TestNoFlagIsEmpty(t *testing.T) {
	eachFlag(t, func(c *cobra.Command, flag *pflag.Flag) {
		if err := flag.Value.Set(""); err == nil && flag.Name != "summary" {
			t.Errorf("%s --%s accepts an empty value", c.CommandPath(), flag.Name)
		}
	})
	for line, want := range map[string]string{
		"audit c.yaml --shard= -o part": "--shard is empty: give i/n", "report --color=": "--color is empty: give WHEN",
		"experiment power --only=": "--only is empty: give LIST", "account gaussian --sigma= --delta 1e-5": "--sigma is empty: give σ",
	} {
		code, stdout, stderr := attempt(t, strings.Fields(line)...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s%s", line, code, codeUsage, want, stdout, stderr)
		}
	}
}

// A repeated entry in a list is an error, unless equal entries make sense.
func TestListsHaveNoRepeats(t *testing.T) {
	for _, line := range []string{"experiment prestige/fig-4 --epsilon 1,1.0", "experiment prestige/fig-4 --total-epsilon 1 --total-epsilon 1",
		"experiment power --samples 1000,1000", "experiment power --only rr_1,rr_1", "experiment calibration --kind audit,audit",
		"account gaussian --sigma 1 --curve tradeoff --fpr 0.1,0.1"} {
		code, _, stderr := attempt(t, strings.Fields(line)...)
		if code != codeUsage || !strings.Contains(stderr, "is given twice") {
			t.Errorf("%s: exit code %d, want %d:\n%s", line, code, codeUsage, stderr)
		}
	}
	code, _, stderr := attempt(t, strings.Fields("account schedule --noise-multipliers 5,5 --sampling-rate 0.1 --delta 1e-5")...)
	if code != codeFine {
		t.Errorf("equal noise multipliers: exit code %d:\n%s", code, stderr)
	}
}

// fullWriter simulates a full disk.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// An output that cannot be written is a usage error, for results, help and completions.
func TestUnwrittenOutput(t *testing.T) {
	for _, line := range []string{"account gaussian --sigma 1 --delta 1e-5", "--version", "help", "help exit-codes", "audit --help", "list",
		"completion bash", "schema report"} {
		a := &app{ledger: stubLedger, stdout: fullWriter{}, stderr: io.Discard}
		if code := a.run(t.Context(), strings.Fields(line)); code != codeUsage {
			t.Errorf("%s: exit code %d, want %d", line, code, codeUsage)
		}
	}
	if code, _, stderr := attempt(t, "completion", "nope"); code != codeUsage || !strings.Contains(stderr, `unknown command "nope"`) {
		t.Errorf("completion nope: exit code %d, want %d: %s", code, codeUsage, stderr)
	}
}
