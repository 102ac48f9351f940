package cli

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// inside matches internal terms that users do not know.
var inside = regexp.MustCompile(`strconv|option [A-Z]|in the group|cannot unmarshal|Go (struct|value)|(^|\s)(study|dataset|accountant|json|yaml|time|event): |invalid syntax|arg\(s\)|flag\(s\)|0x[0-9a-f]{6}|%!`)

// Mistakes are reported in the user's terms, with suggestions.
func TestMistakesAreToldInUserWords(t *testing.T) {
	csv := written(t, "data.csv", "1,2,1\n3,?,-1\n")
	for _, c := range []struct{ line, want string }{
		{"verify lemma-2", `did you mean "prestige/lemma-2"`}, {"verify prop-1/sampled", `did you mean "prestige/prop-1/sampled"\?`},
		{"explain lemma-2", `"prestige/lemma-2"`}, {"verify --budgt quick", `unknown flag: --budgt; did you mean --budget\?`},
		{"schema nope", `there are account, `}, {"schema repot", `did you mean report\?`}, {"schema", `0 arguments, but the command is "dpverify schema NAME"`},
		{"compose x", `did you mean 'dpverify account compose'\?`}, {"gaussian", `did you mean 'dpverify account calibrate gaussian' or 'dpverify account gaussian'\?`},
		{"verfy", `did you mean verify\?`}, {"power", `'dpverify experiment power'`}, {"account gausian", `did you mean gaussian\?`},
		{"account gaussian --sigma 1", `give --delta or --epsilon or --curve`}, {"account gaussian --delta 1e-5", `--sigma must be given`},
		{"account gaussian --sigma 1 --delta 1e-5 --epsilon 1", `--delta and --epsilon exclude each other`},
		{"account calibrate gaussian --delta 1e-5", `--epsilon must be given, or --advantage, --tpr or --reconstruction`},
		{"account calibrate gaussian --advantage 0.1", `--delta must be given: the δ of the ε that`},
		{"account calibrate gaussian --advantage 0 --delta 1e-5", `--advantage 0: want a number above 0 and below 1`},
		{"account calibrate gaussian --advantage 1 --delta 1e-5", `--advantage 1: want a number above 0 and below 1`},
		{"account calibrate gaussian --advantage NaN --delta 1e-5", `--advantage`},
		{"account calibrate gaussian --advantage 0.1 --delta 0.1", `--delta 0.1: no ε at δ = 0.1 keeps the .*: want a δ below 0.1`},
		{"account calibrate gaussian --tpr 0.05 --delta 1e-5", `--tpr needs --fpr, above 0 and below --tpr`},
		{"account calibrate gaussian --fpr 0.05 --delta 1e-5 --epsilon 1", `--fpr needs --tpr`},
		{"account calibrate gaussian --prior 0.5 --delta 1e-5 --advantage 0.1", `--prior needs --reconstruction`},
		{"account calibrate gaussian --tpr 0.01 --fpr 0.05 --delta 1e-5", `--tpr 0.01: want a number above --fpr 0.05, which needs no release, and below 1`},
		{"account calibrate gaussian --tpr 0.05 --fpr 0 --delta 1e-5", `--fpr 0: want a number above 0 and below 1`},
		{"account calibrate gaussian --reconstruction 0.1 --prior 0.1 --delta 1e-5", `--reconstruction 0.1: want a number above --prior 0.1`},
		{"account calibrate gaussian --epsilon 1 --advantage 0.1 --delta 1e-5", `exclude each other`},
		{"account gaussian --sigma x --delta 1", `--sigma: "x" is not a number: want a decimal number`},
		{"account gaussian --sigma 1 --delta 1e-400", `--delta: "1e-400" is beyond the range of a double`},
		{"audit --account e.yaml --epsilon 100 --delta 1e-400", `--delta: "1e-400" is beyond`},
		{"account schedule --noise-multipliers a --sampling-rate 1 --delta 1", `--noise-multipliers: "a" is not a number`},
		{"verify --workers x", `--workers: "x" is not a whole number: want digits`}, {"verify --workers 99999999999999999999", `too large`},
		{"verify --timeout 5", `--timeout: "5": want a time in decimal numbers with their units, as in 90s`}, {"verify --strict=maybe", `want true or false`}, {"verify --seed", `--seed needs a value, NUMBER`},
		{"audit --samples 1e5 x", `"1e5" is not a whole number: want digits`}, {"verify -q", `unknown shorthand flag`}, {"explain a b", `2 arguments`},
		{"experiment fig-4", `did you mean curricula/fig-4 or .*prestige/fig-4`}, {"experiment prestige/fig-3", `did you mean prestige/fig-4`},
		{"experiment prestige/fig-4 --train " + csv, `missing value "\?": fill it in`},
		{"experiment prestige/fig-4 --train " + written(t, "data.txt", "1"), `data.txt: the ending does not tell the format`},
		{"diff " + written(t, "a.json", `{"schema":"dpverify/report/v1","seed":1}`) + " b.json", `a.json: not a report of dpverify: seed: number`},
		{"diff " + written(t, "l.json", `[]`) + " b.json", `l.json: not a report`}, {"diff " + written(t, "text", "words") + " b.json", `it is not valid JSON from byte`},
		{"verify --baseline " + written(t, "c.json", `{"schema":"dpverify/baseline/v1","claims":[1]}`), `c.json: not a baseline of dpverify: claims`},
		{"verify --baseline " + written(t, "d.json", `{"seed":1}`), `unknown key "seed"`}, {"merge " + csv, `no journal`},
		{"account compose " + written(t, "e.yaml", "- {mechanism: gaussian, sigma: x}\n") + " --delta 1", `e.yaml:1:\d+: event 1: sigma is x`},
		{"account compose " + written(t, "f.yaml", "- {mechanism: gaussian, sigma: 1, count: -1}\n") + " --delta 1", `f.yaml:1:\d+: event 1: `},
	} {
		t.Run(c.line, func(t *testing.T) {
			code, stdout, stderr := attempt(t, strings.Fields(c.line)...)
			if code != codeUsage || stdout != "" || !regexp.MustCompile(c.want).MatchString(stderr) {
				t.Errorf("exit code %d, want %d and %s:\n%s", code, codeUsage, c.want, stderr)
			}
			if found := inside.FindString(stderr); found != "" {
				t.Errorf("%q is no word of the user's:\n%s", found, stderr)
			}
		})
	}
}

// The value of every flag has a descriptive name.
func TestFlagsSayWhatTheyTake(t *testing.T) {
	fine := regexp.MustCompile(`^([A-Z]+|[εδρμσab]|ε₀|q|i/n)$`)
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(flag); flag.Value.Type() != "bool" && !fine.MatchString(name) {
				t.Errorf("%s --%s %s: want a name for the value", c.CommandPath(), flag.Name, name)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	a := &app{ledger: stubLedger, stdout: io.Discard, stderr: io.Discard}
	visit(a.root())
}
