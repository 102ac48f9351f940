package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numberField is a field of a report with a number.
var numberField = regexp.MustCompile(`"(\w+)": (-?[0-9][-+.0-9e]*)`)

// statistics lists the numbers of the sufficient statistics. Each method parses its own.
var statistics = []string{"effect", "epsilon", "mass", "most_rows", "p", "pair", "pairs", "q", "scores", "searches", "total"}

// reportFaults returns reports with a wrong text in place of a number, for the first field of each name and for every
// command that reads reports.
func reportFaults(t *testing.T) (list []fault) {
	t.Helper()
	good, known := read(t, "report.json"), make(map[string]bool)
	add := func(name, text, says string) {
		file := fmt.Sprintf("report-%d.json", len(known))
		known[name+text] = true
		put(t, file, text)
		for _, line := range []string{"recompute %s -o out", "diff report.json %s -o out", "diff %s report.json -o out"} {
			list = append(list, fault{kind: "report", place: name + " " + line, args: lineOf(line, file), code: codeUsage,
				says: regexp.QuoteMeta(file) + says, kept: "out"})
		}
	}
	for _, at := range numberField.FindAllStringSubmatchIndex(good, -1) {
		name := good[at[2]:at[3]]
		if known[name] {
			continue
		}
		known[name] = true
		if slices.Contains(statistics, name) {
			add(name+" of the statistics", good[:at[4]]+"010"+good[at[5]:], "")
			for _, text := range []string{"1e400", "[1]"} { // an error of recompute: diff does not read them
				file := fmt.Sprintf("statistics-%s-%d.json", name, len(text))
				put(t, file, good[:at[4]]+text+good[at[5]:])
				list = append(list, fault{kind: "report", place: name + "=" + text + " recompute", args: []string{"recompute", file}, code: codeRefuted,
					says: "do not follow from the report's statistics", shows: "(?s)."})
			}
			continue
		}
		texts := []string{"010", "1_0", "1e400", `"1"`, "[1]", "{}", `{"a":1,"a":2}`, "NaN"}
		if name == "alpha" {
			texts = append(texts, "5", "0", "-1", "1", "1e-400", "true", `"`+hiddenText+`"`)
		}
		for _, text := range texts {
			add(fmt.Sprintf("%s=%q", name, text), good[:at[4]]+text+good[at[5]:], "")
		}
		add("twice "+name, good[:at[0]]+good[at[0]:at[1]]+", "+good[at[0]:], ".*"+name)
	}
	for _, share := range []int{1, 10, 50, 90, 99} {
		add(fmt.Sprintf("%d %% of it", share), good[:len(good)*share/100], "")
	}
	add("an unknown schema", strings.Replace(good, `/v1"`, `/v`+`9"`, 1), "")
	return list
}

// outputFaults returns results that cannot be written, to a file or to standard output.
func outputFaults() (list []fault) {
	const recorded = "audit --samples-a good.jsonl --samples-b other.jsonl --epsilon 1"
	files := []string{"list -o", "list --format json -o", "schema report -o", "account gaussian --sigma 1 --delta 1e-5 -o",
		"account gaussian --sigma 1 --curve tradeoff --plot", "account compose events.yaml --delta 1e-5 -o", "account statement.txt -o",
		"verify prestige/remark-1 -o", "verify prestige/remark-1 --events", "verify prestige/remark-1 --summary",
		"verify prestige/remark-1 --write-baseline", "verify prestige/remark-1 --budget quick --checkpoint", recorded + " -o",
		recorded + " --format html -o", recorded + " --events", recorded + " --summary", recorded + " --write-baseline",
		"audit claims.yaml -o", "diff report.json report.json -o", "recompute report.json -o",
		"merge part.jsonl rest.jsonl -o", "merge part.jsonl rest.jsonl --events", "experiment canary --train training.yaml -o"}
	for _, line := range files {
		for place, says := range map[string]string{"/dev/full": `no space left|ends in \.svg|can be read again`, "missing/out": `there is no directory|no such file`,
			"a file/out": `not a directory|no directory`, "directory.json": `is a directory`, "missing" + hiddenText + "/out": shownText,
			"/proc/out": `/proc/out`} {
			if strings.HasPrefix(line, "experiment") && place == "/dev/full" {
				continue // it trains for seconds first
			}
			list = append(list, fault{kind: "output", place: fmt.Sprintf("%s %q", line, place), args: append(strings.Fields(line), place),
				code: codeUsage, says: says, shows: resultOf(line)})
		}
	}
	for line, input := range map[string]string{recorded + " -o": "good.jsonl", "diff report.json report.json -o": "report.json",
		"recompute report.json -o": "report.json", "account compose events.yaml --delta 1e-5 -o": "events.yaml",
		"merge part.jsonl rest.jsonl -o": "rest.jsonl", "audit claims.yaml -o": "claims.yaml",
		"audit claims.yaml --events": "good.jsonl", "audit claims.yaml --summary": "claims.yaml"} {
		list = append(list, fault{kind: "output over an input", place: line + " " + input, args: append(strings.Fields(line), input),
			code: codeUsage, says: `are the same file`, kept: input})
	}
	for _, line := range []string{"", "--version", "version", "help", "help exit-codes", "audit --help", "completion bash", "list", "list --format json",
		"explain prestige/remark-1", "schema report", "account gaussian --sigma 1 --delta 1e-5", "account statement.txt",
		"account gaussian --sigma 1 --curve tradeoff", "verify prestige/remark-1", "verify prestige/remark-1 --format sarif",
		recorded, recorded + " --format json", "audit claims.yaml --dry-run", "diff report.json report.json", "recompute report.json",
		"merge part.jsonl rest.jsonl"} {
		for _, out := range []string{"/dev/full", closedPipe} {
			list = append(list, fault{kind: "standard output", place: line + " > " + out, args: strings.Fields(line), stdout: out, code: codeUsage,
				says: `no space left|broken pipe`})
		}
	}
	slices.SortFunc(list, func(a, b fault) int { return strings.Compare(a.kind+a.place, b.kind+b.place) })
	return list
}

// resultOf matches the report that goes to standard output if another output fails.
func resultOf(line string) string {
	for _, flag := range []string{" -o", "--plot"} {
		if strings.HasSuffix(line, flag) {
			return ""
		}
	}
	return "(?s).*"
}

// textFaults returns hidden characters in the texts of mechanisms and files, for every format of a result.
func textFaults(t *testing.T) (list []fault) {
	const c = "claims:\n- name: x\n  samples: 100\n  precision: off\n  guarantee: {epsilon: 1}\n"
	in := `"\u001b[31m\u202e\u200b"`
	files := map[string]string{
		"stderr.yaml":    c + "  exec: [sh, m.sh]\n  pairs: [{a: 1, b: 0}]\n",
		"reply.yaml":     c + "  exec: [cat, hidden.yaml]\n  pairs: [{a: 1, b: 0}]\n",
		"command.yaml":   c + "  exec: [" + in + "]\n  pairs: [{a: 1, b: 0}]\n",
		"input.yaml":     c + "  exec: [sh, m.sh]\n  pairs: [{a: " + in + ", b: 0}]\n",
		"recording.yaml": strings.Replace(c, "  samples: 100\n  precision: off\n", "", 1) + "  recorded: {a: hidden-a.jsonl, b: hidden-b.jsonl}\n",
		"column.yaml":    strings.Replace(c, "  samples: 100\n  precision: off\n", "", 1) + "  recorded: {a: hidden-a.csv, b: hidden-b.csv}\n",
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i, name := range []string{"a", "b"} {
		share := []int{9, 1}[i]
		var lines, rows strings.Builder
		rows.WriteString("x" + hiddenText + ",y\n")
		for range 500 {
			if r.IntN(10) < share {
				lines.WriteString(in + "\n")
			} else {
				lines.WriteString("\"b\"\n")
			}
			fmt.Fprintf(&rows, "%d,%d\n", r.IntN(10)/max(1, share/2), r.IntN(2))
		}
		files["hidden-"+name+".jsonl"], files["hidden-"+name+".csv"] = lines.String(), rows.String()
	}
	for name, text := range files {
		put(t, name, text)
	}
	for place, code := range map[string]int{"stderr": codeFailed, "reply": codeFailed, "command": codeFailed, "input": codeFailed,
		"recording": codeRefuted, "column": codeRefuted} {
		for _, form := range []string{"markdown", "json", "html", "junit", "sarif", "terminal"} {
			for _, more := range []string{"", "--annotations", "--events - -o " + place + ".out"} {
				if form != "json" && strings.HasPrefix(more, "--events") {
					continue
				}
				list = append(list, fault{kind: "hidden character", place: strings.Join([]string{place, form, more}, " "), code: code, shows: "(?s).",
					says: `(?m)^dpverify: `, args: append([]string{"audit", place + ".yaml", "--alpha", "0.05", "--format", form}, strings.Fields(more)...)})
			}
		}
	}
	slices.SortFunc(list, func(a, b fault) int { return strings.Compare(a.place, b.place) })
	return list
}

// arrangements put copies of a recording into an order.
var arrangements = map[string]func(x []string, copies int) []string{
	"one after another": func(x []string, copies int) []string { return slices.Repeat(x, copies) },
	"each line repeated": func(x []string, copies int) (out []string) {
		for _, line := range x {
			out = append(out, slices.Repeat([]string{line}, copies)...)
		}
		return out
	},
	"blocks of seven repeated": func(x []string, copies int) (out []string) {
		for block := range slices.Chunk(x, 7) {
			out = append(out, slices.Repeat(block, copies)...)
		}
		return out
	},
	"interleaved at another place": func(x []string, copies int) (out []string) {
		for i := range x {
			for k := range copies {
				out = append(out, x[(i+k*len(x)/copies)%len(x)])
			}
		}
		return out
	},
}

// copyFaults returns copies of one recording. The mechanism is private at the claimed ε: no arrangement may refute it.
func copyFaults(t *testing.T) (list []fault) {
	geometric := func(r *rand.Rand) int { return int(math.Floor(r.ExpFloat64())) }
	for kind, draw := range map[string]func(*rand.Rand, int) string{
		"whole numbers": func(r *rand.Rand, x int) string { return strconv.Itoa(x + geometric(r) - geometric(r)) },
		"decimals": func(r *rand.Rand, x int) string {
			return strconv.FormatFloat(float64(x)+math.Copysign(r.ExpFloat64(), r.Float64()-0.5), 'f', 3, 64)
		},
	} {
		for arrangement, arrange := range arrangements {
			for _, copies := range []int{2, 10, 30, 100} {
				r, args := rand.New(rand.NewPCG(7, uint64(copies))), []string{"audit", "--epsilon", "1", "--precision", "off", "--strict"}
				for x, flag := range []string{"--samples-a", "--samples-b"} {
					var lines []string
					for range 1000 {
						lines = append(lines, draw(r, x))
					}
					name := strings.ReplaceAll(fmt.Sprintf("%s-%s-%d-%d.jsonl", kind, arrangement, copies, x), " ", "-")
					put(t, name, strings.Join(arrange(lines, copies), "\n")+"\n")
					args = append(args, flag, name)
				}
				list = append(list, fault{kind: "copies of a recording", place: fmt.Sprintf("%s, %s, %d", kind, arrangement, copies),
					args: args, code: codeInconclusive, says: `not decided`, shows: `(?s)not independent|copies|copy`})
			}
		}
	}
	slices.SortFunc(list, func(a, b fault) int { return strings.Compare(a.place, b.place) })
	return list
}

// environmentFaults returns environment variables with invalid values.
func environmentFaults() (list []fault) {
	add := func(variable, line string, says string) {
		list = append(list, fault{kind: "environment", place: fmt.Sprintf("%q %s", variable, line), args: strings.Fields(line), env: []string{variable},
			code: codeUsage, says: says, shows: `(?s).*`})
	}
	for value, says := range map[string]string{"missing": "missing", "a file": "not a directory", "missing" + hiddenText: shownText} {
		add("DPVERIFY_DATA="+value, "verify prestige/remark-1", `DPVERIFY_DATA .*`+says)
	}
	for _, place := range []string{"/dev/full", "missing/out", "a file/out", "directory.json", "missing" + hiddenText + "/out"} {
		add("GITHUB_STEP_SUMMARY="+place, "verify prestige/remark-1", `no space left|GITHUB_STEP_SUMMARY`)
	}
	for _, value := range []string{"0/2", "3/2", "01/2", "1/0x2", "1_0/20", "a" + hiddenText, "1", "/", "1/2/3", "+1/2"} {
		add("DPVERIFY_SHARD="+value, "verify "+shardedClaim+" --shard auto -o part", `DPVERIFY_SHARD`)
		if value == "1" {
			continue // a valid index
		}
		add("AWS_BATCH_JOB_ARRAY_INDEX="+value, "verify "+shardedClaim+" --shard auto/2 -o part", `AWS_BATCH_JOB_ARRAY_INDEX`)
	}
	for _, value := range []string{"wide", "010", "0x10", "-3", "1e2", "80" + hiddenText} {
		list = append(list, fault{kind: "environment", place: fmt.Sprintf("COLUMNS=%q", value), args: []string{"list", "--format", "terminal"},
			env: []string{"COLUMNS=" + value}, code: codeFine, says: `^dpverify: COLUMNS=.* is ignored: want`, shows: "(?s)."})
	}
	return list
}
