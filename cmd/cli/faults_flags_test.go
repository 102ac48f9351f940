package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// hiddenText changes the color and the text direction of a terminal; shownText matches its escaped form.
const (
	hiddenText = "\x1b[31m\u202e\u200b"
	shownText  = `\\x1b\[31m\\u202e\\u200b`
)

// flagFaults returns numbers that a flag must not accept, and flags that do not exist, for every command.
func flagFaults(t *testing.T) (list []fault) {
	commands, turn := make(map[string][]string), 0
	eachFlag(t, func(c *cobra.Command, flag *pflag.Flag) {
		words := strings.Fields(c.CommandPath())[1:]
		if flag.Name == "help" && c.Runnable() {
			commands[c.CommandPath()] = words
		}
		kind := flag.Value.Type()
		if !c.Runnable() || slices.Contains([]string{"bool", "file", "string", "stringSlice"}, kind) {
			return
		}
		for range 3 { // the texts rotate: every flag and every text occurs, but not every combination
			text := append(slices.Clone(misreadNumbers), "1"+hiddenText, "12,,3", "1..2", "--")[turn%(len(misreadNumbers)+4)]
			turn++
			if kind == "duration" && text != "" {
				text += "s"
			}
			list = append(list, fault{kind: "number in a flag", place: fmt.Sprintf("%s --%s=%q", strings.Join(words, " "), flag.Name, text),
				args: append(slices.Clone(words), "--"+flag.Name+"="+text), code: codeUsage,
				says: `(?s)^dpverify: --` + flag.Name + `\b.*(want|write|give|beyond the range)`})
		}
	})
	for path, words := range commands {
		list = append(list, fault{kind: "unknown flag", place: path, args: append(slices.Clone(words), "--no"+hiddenText+"pe"),
			code: codeUsage, says: `unknown flag: --no` + shownText + `pe`})
	}
	slices.SortFunc(list, func(a, b fault) int { return strings.Compare(a.kind+a.place, b.kind+b.place) })
	return list
}

// wordFaults returns unknown words in flags and arguments.
func wordFaults() (list []fault) {
	const recorded = "audit --samples-a good.jsonl --samples-b other.jsonl --epsilon 1 "
	sets := map[string][]string{
		"--format": {"list", "report", "verify", recorded, "audit claims.yaml --dry-run", "merge part.jsonl rest.jsonl", "diff report.json report.json",
			"recompute report.json", "account gaussian --sigma 1 --delta 1e-5", "account compose events.yaml --delta 1e-5",
			"experiment prestige/fig-4", "experiment power", "experiment calibration", "experiment sequential",
			"experiment gross", "experiment canary --train training.yaml"},
		"--color": {"list", "report", "verify", recorded, "audit claims.yaml --dry-run", "merge part.jsonl rest.jsonl", "account gaussian --sigma 1 --delta 1e-5"},
		"--budget": {"report", "verify", recorded, "audit claims.yaml --dry-run", "experiment prestige/fig-4", "experiment power",
			"experiment calibration", "experiment sequential", "experiment gross", "experiment canary --train training.yaml"},
		"--seed": {"report", "verify", recorded, "audit claims.yaml --dry-run", "experiment power", "experiment calibration",
			"experiment sequential", "experiment gross", "experiment prestige/fig-4"},
		"--origin": {"list"}, "--paper": {"report"}, "--only": {"experiment power"}, "--kind": {"experiment calibration"},
		"--precision": {recorded}, "--process-memory": {"audit claims.yaml"}, "--shard": {"audit claims.yaml -o part", "verify -o part"},
		"--adjacency": {"account gaussian --sigma 1 --delta 1e-5"}, "--method": {"account gaussian --sigma 1 --delta 1e-5"},
		"--curve":       {"account gaussian --sigma 1"},
		"--solve":       {"account calibrate gaussian --sigma 1 --delta 1e-5 --epsilon 1"},
		"--sampling":    {"account statement.txt", "audit --training-log run.jsonl"},
		"--data-format": {"experiment prestige/fig-4 --train good.csv"}, "--header": {"experiment prestige/fig-4 --train good.csv"},
		"--separator": {"experiment prestige/fig-4 --train good.csv"},
		"--event":     {"audit --canaries canaries.csv --epsilon 1"},
	}
	for flag, lines := range sets {
		for _, line := range lines {
			for text, says := range map[string]string{
				"nope": flag[2:] + `|` + flag[2:4] + `|nope is no`, "": `^dpverify: ` + flag + ` is empty: give`, "a" + hiddenText: shownText} {
				list = append(list, fault{kind: "word in a flag", place: fmt.Sprintf("%s %s=%q", line, flag, text),
					args: append(strings.Fields(line), flag+"="+text), code: codeUsage, says: says, kept: "part"})
			}
		}
	}
	for _, line := range []string{"", "account", "experiment", "help", "list", "verify", "report", "schema", "completion", "explain", "init",
		"version"} {
		for _, text := range []string{"nope", "a" + hiddenText} {
			f := fault{kind: "unknown word", place: fmt.Sprintf("%s %q", line, text), args: append(strings.Fields(line), text),
				code: codeUsage, says: `nope|` + shownText + `|arguments, but`}
			list = append(list, f)
		}
	}
	for _, line := range []string{"experiment prestige/fig-4 --epsilon 1,1.0", "experiment prestige/fig-4 --total-epsilon 1 --total-epsilon 1e0",
		"experiment power --samples 1000,1000", "experiment power --only rr_1,rr_1", "experiment calibration --kind audit,audit",
		"account gaussian --sigma 1 --curve tradeoff --fpr 0.1,0.10"} {
		list = append(list, fault{kind: "repeated value", place: line, args: strings.Fields(line), code: codeUsage, says: "is given twice: give each"})
	}
	slices.SortFunc(list, func(a, b fault) int { return strings.Compare(a.kind+a.place, b.kind+b.place) })
	return list
}

// argumentFaults returns inputs that are not valid JSON, or that JSON readers interpret differently.
func argumentFaults() (list []fault) {
	for flag, other := range map[string]string{"--a": "--b", "--b": "--a"} {
		for text, says := range map[string]string{
			`{"x":1,"x":2}`: `"x" twice`, `[{"x":{"y":1,"y":1}}]`: `"y" twice`, `010`: ``, `0x10`: ``, `1_000`: ``, `1e400`: `1e400`,
			`[1e400]`: `1e400`, `1e-400`: ``, `NaN`: ``, `[1,`: ``, `{"x"}`: ``, `1 2`: ``, `"` + hiddenText + `"x`: ``, hiddenText: ``,
			strings.Repeat("[", 20_000): ``, `+1`: ``, `.5`: ``, `"a`: ``, `'a'`: ``, `[1]]`: ``, `{"a":01}`: ``,
		} {
			list = append(list, fault{kind: "JSON argument", place: fmt.Sprintf("%s %.40q", flag, text),
				args: []string{"audit", "--exec", "false", "--epsilon", "1", other, "3", flag, text, "-o", "out"}, code: codeUsage,
				says: `^dpverify: ` + flag + `.*` + says, kept: "out"})
		}
	}
	slices.SortFunc(list, func(a, b fault) int { return strings.Compare(a.place, b.place) })
	return list
}
