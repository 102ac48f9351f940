package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// faultFiles makes a directory with valid files of every format and with invalid files, changes to it and returns it.
func faultFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	noisy := strings.Repeat("1.5\n0.25\n-2\n7\n0.5\n", 60)
	shards := shardFiles(t)
	for name, text := range map[string]string{
		"good.jsonl": noisy, "other.jsonl": "0.5\n" + noisy, "good.csv": "a,b,label\n1,2,0\n3,4,1\n5,6,1\n", "outputs.csv": "noise\n" + noisy,
		"claims.yaml": "claims:\n  - name: x\n    recorded: {a: good.jsonl, b: other.jsonl}\n    guarantee: {epsilon: 1}\n",
		"part.jsonl":  shards[0], "rest.jsonl": shards[1],
		"events.yaml": "- {mechanism: gaussian, sigma: 2, count: 3}\n", "statement.txt": read(t, "..", "..", "testdata", "account", "statement.txt"),
		"training.yaml": "algorithm: curricula-softmax\ndata: good.csv\nsampling-rate: 0.25\nnoise-multiplier: 3\nsteps: 8\nclip: 1\n" +
			"learning-rate: 0.5\nguarantee: {delta: 1e-5}\nattack: white-box\nfault: no-clip\ncanaries: 200\nruns: 80\n",
		"canaries.csv": "score,included\n" + strings.Repeat("1,1\n0,0\n0.5,1\n0.2,0\n", 60), "curve.csv": "epsilon,delta\n0,0.1\n1,0.01\n",
		"good.libsvm": "+1 1:2 3:4\n-1 2:5\n", "a file": "", "run.jsonl": oneStep,
		"m.sh": "printf '\\033[31m\\342\\200\\256\\342\\200\\213\\n::error::x\\n' >&2\nexit 3\n",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
	for name, args := range map[string][]string{
		"report.json":   {"audit", "claims.yaml", "--format", "json"},
		"baseline.json": {"verify", "prestige/remark-1", "--budget", "quick"},
	} {
		flags := map[string]string{"report.json": "-o", "baseline.json": "--write-baseline"}
		if code, _, stderr := attempt(t, append(args, flags[name], name)...); code != codeFine {
			t.Fatalf("%s cannot be made: %d, %s", name, code, stderr)
		}
	}
	for _, reader := range fileReaders {
		unreadable(t, reader.ext)
	}
	for file, text := range lineFiles() {
		put(t, file, text)
	}
	return dir
}

// unreadable makes files with a name extension that every reader must reject.
func unreadable(t *testing.T, ext string) {
	t.Helper()
	for name, text := range map[string]string{
		"empty": "", "utf16": "\xff\xfe1\x00\n\x00", "hidden": hiddenText + "\n", "deep": strings.Repeat("[", 20_000), "bytes": "\x00\x01\xfe\xff",
		"longline": strings.Repeat("1", 17<<20), "twice": `{"x": 1, "x": 2}` + "\n", "html": "<html><body>404</body></html>\n",
	} {
		put(t, name+ext, text)
	}
	_, err := os.Lstat("endless" + ext)
	if err == nil {
		return
	}
	if err := os.Symlink("/dev/zero", "endless"+ext); err != nil {
		t.Skip(err)
	}
	put(t, "large"+ext, "")
	if err := os.Truncate("large"+ext, 20<<30); err != nil { // a sparse file
		t.Skip(err)
	}
	if err := os.Mkdir("directory"+ext, 0o700); err != nil {
		t.Fatal(err)
	}
}

// logReader reads a training log of one step.
const logReader = "audit --training-log %s --sampling fixed --batch 1 --clipping-norm 1 --noise-multiplier 1 --divisor 1 --steps 1 -o out"

// fileReaders lists command lines that read the file %s.
var fileReaders = []struct{ name, line, ext string }{
	{"claims file", "audit %s -o out", ".yaml"},
	{"claims file of a dry run", "audit %s --dry-run -o out", ".yaml"},
	{"claims file of a report", "recompute report.json %s -o out", ".yaml"},
	{"first recording", "audit --samples-a %s --samples-b other.jsonl --epsilon 1 -o out", ".jsonl"},
	{"second recording", "audit --samples-a good.jsonl --samples-b %s --epsilon 1 -o out", ".jsonl"},
	{"table of outputs", "audit --samples-a outputs.csv --samples-b %s --epsilon 1 -o out", ".csv"},
	{"canary scores", "audit --canaries %s --epsilon 1 -o out", ".csv"},
	{"account of canaries", "audit --canaries canaries.csv --account %s --delta 1e-5 -o out", ".yaml"},
	{"training log", logReader, ".jsonl"},
	{"claimed curve", "audit --samples-a good.jsonl --samples-b other.jsonl --curve %s -o out", ".csv"},
	{"events", "account compose %s --delta 1e-5 -o out", ".yaml"},
	{"history", "account %s --delta 1e-5 -o out", ".json"},
	{"events beside", "account compose events.yaml --beside %s --delta 1e-5 -o out", ".yaml"},
	{"calibrated events", "account calibrate %s --solve noise-multiplier --delta 1e-5 --epsilon 1 -o out", ".yaml"},
	{"old report", "diff %s report.json -o out", ".json"},
	{"new report", "diff report.json %s -o out", ".json"},
	{"report", "recompute %s -o out", ".json"},
	{"baseline", "verify prestige/remark-1 --baseline %s -o out", ".json"},
	{"former baseline", "verify prestige/remark-1 --write-baseline %s -o out", ".json"},
	{"part", "merge part.jsonl %s -o out", ".jsonl"},
	{"prepared search", "audit claims.yaml --shard 1/2 --prepared %s -o out", ".jsonl"},
	{"training", "experiment canary --train %s -o out", ".yaml"},
	{"training data", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".csv"},
	{"sparse training data", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".libsvm"},
	{"compressed data", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".csv.gz"},
	{"test data", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train good.csv --test %s -o out", ".csv"},
}

// lineOf returns the words of a command line with %s replaced by a file.
func lineOf(line, file string) (args []string) {
	for _, word := range strings.Fields(line) {
		args = append(args, strings.ReplaceAll(word, "%s", file))
	}
	return args
}

// fileFaults returns the files of unreadable, for every reader.
func fileFaults() (list []fault) {
	for _, reader := range fileReaders {
		for _, name := range []string{"missing", "missing" + hiddenText, "directory", "large", "endless", "empty", "utf16", "hidden", "deep", "bytes",
			"longline", "twice", "html"} {
			switch reader.name + " " + name {
			case "former baseline missing", "former baseline missing" + hiddenText, "former baseline endless":
				continue // the command creates a missing file, and does not read a device
			case "part endless", "new report endless", "prepared search endless":
				continue // takes seconds
			}
			says := strings.Replace(regexp.QuoteMeta(name), regexp.QuoteMeta(hiddenText), shownText, 1)
			list = append(list, fault{kind: "file that cannot be read", place: reader.name + "/" + name, args: lineOf(reader.line, name+reader.ext),
				code: codeUsage, says: says, kept: "out"})
		}
	}
	return list
}

// badNumbers lists numbers that no data file may contain.
var badNumbers = []string{"010", "0x10", "1_000", "1e400", "1e-400", "0x1p4", "1..2", "१"}

// brokenLine is a file with a wrong value in its third or fourth line.
type brokenLine struct{ name, line, ext, text string }

// brokenLines lists valid texts with ? in place of a number, and the command lines that read them.
var brokenLines = []brokenLine{
	{"recorded number", "audit --samples-a %s --samples-b other.jsonl --epsilon 1 -o out", ".jsonl", "1\n2\n?\n" + strings.Repeat("3\n", 300)},
	{"recorded list", "audit --samples-a good.jsonl --samples-b %s --epsilon 1 -o out", ".jsonl", "1\n2\n[1, ?]\n" + strings.Repeat("3\n", 300)},
	{"recorded table", "audit --samples-a %s --samples-b outputs.csv --epsilon 1 -o out", ".csv", "noise\n2\n?\n" + strings.Repeat("3\n", 300)},
	{"canary score", "audit --canaries %s --epsilon 1 -o out", ".csv", "score,included\n1,1\n?,0\n" + strings.Repeat("1,1\n", 300)},
	{"canary inclusion", "audit --canaries %s --epsilon 1 -o out", ".csv", "score,included\n1,1\n1,?\n" + strings.Repeat("1,1\n", 300)},
	{"noise of a step", logReader, ".jsonl", "\n" + strings.Replace(oneStep, "0.25", "?", 1)},
	{"record of a step", logReader, ".jsonl", "\n" + strings.Replace(oneStep, "[0]", "[?]", 1)},
	{"sampling rate of a log", "audit %s -o out", ".yaml", "claims:\n- name: x\n  training: {rate: ?, log: x.jsonl, sampling: poisson, clipping-norm: 1, noise-multiplier: 1, divisor: 1, steps: 1}\n"},
	{"claimed curve", "audit --samples-a good.jsonl --samples-b other.jsonl --curve %s -o out", ".csv", "epsilon,delta\n0,0.1\n?,0.01\n"},
	{"δ of a claimed curve", "audit --samples-a good.jsonl --samples-b other.jsonl --curve %s -o out", ".csv", "epsilon,delta\n0,0.1\n1,?\n"},
	{"claimed ε", "audit %s -o out", ".yaml", "claims:\n- name: x\n  guarantee: {epsilon: ?}\n  exec: [cat]\n  pairs: [{a: 1, b: 2}]\n"},
	{"number of samples", "audit %s -o out", ".yaml", "claims:\n- name: x\n  samples: ?\n  guarantee: {epsilon: 1}\n  exec: [cat]\n  pairs: [{a: 1, b: 2}]\n"},
	{"input of a pair", "audit %s -o out", ".yaml", "claims:\n- name: x\n  pairs: [{a: ?, b: 2}]\n  exec: [cat]\n  guarantee: {epsilon: 1}\n"},
	{"planned ε", "audit %s --dry-run -o out", ".yaml", "claims:\n- name: x\n  guarantee: {epsilon: ?}\n  exec: [cat]\n  pairs: [{a: 1, b: 2}]\n"},
	{"event", "account compose %s --delta 1e-5 -o out", ".yaml", "- {mechanism: gaussian, sigma: 2}\n- mechanism: gaussian\n  sigma: ?\n"},
	{"count of an event", "account compose %s --delta 1e-5 -o out", ".yaml", "- {mechanism: gaussian, sigma: 2}\n- sigma: 1\n  count: ?\n  mechanism: gaussian\n"},
	{"rate of a training", "experiment canary --train %s -o out", ".yaml", "algorithm: curricula-softmax\ndata: good.csv\nsampling-rate: ?\nnoise-multiplier: 3\nsteps: 8\nclip: 1\nlearning-rate: 0.5\nguarantee: {delta: 1e-5}\n"},
	{"steps of a training", "experiment canary --train %s -o out", ".yaml", "algorithm: curricula-softmax\ndata: good.csv\nsteps: ?\nsampling-rate: 0.25\nnoise-multiplier: 3\nclip: 1\nlearning-rate: 0.5\nguarantee: {delta: 1e-5}\n"},
	{"feature", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".csv", "a,b,label\n1,2,0\n?,4,1\n5,6,1\n"},
	{"feature of a test", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train good.csv --test %s -o out", ".csv", "a,b,label\n1,2,0\n?,4,1\n5,6,1\n"},
	{"sparse feature", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".libsvm", "+1 1:2 3:4\n-1 2:5\n+1 1:?\n"},
	{"sparse index", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".libsvm", "+1 1:2 3:4\n-1 2:5\n+1 ?:1\n"},
	{"compressed feature", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".csv.gz", "a,b,label\n1,2,0\n?,4,1\n5,6,1\n"},
	{"compressed sparse feature", "experiment prestige/fig-4 --epsilon 1 --repeats 2 --epochs 1 --train %s -o out", ".libsvm.gz", "+1 1:2 3:4\n-1 2:5\n+1 1:?\n"},
}

// moreBroken lists other wrong texts in place of a number.
var moreBroken = []string{hiddenText, "\"a" + hiddenText, "{\"x\": 1, \"x\": 2}", "\xe2\x80"}

func (b brokenLine) file(i int) string {
	return fmt.Sprintf("%s-%d%s", strings.ReplaceAll(b.name, " ", "-"), i, b.ext)
}

// lineFiles returns the texts of the files that lineFaults reads.
func lineFiles() map[string]string {
	files := make(map[string]string)
	for _, b := range brokenLines {
		for i, number := range slices.Concat(badNumbers, moreBroken) {
			text := strings.Replace(b.text, "?", number, 1)
			if strings.HasSuffix(b.ext, ".gz") {
				var packed bytes.Buffer
				w := gzip.NewWriter(&packed)
				_, _ = w.Write([]byte(text))
				_ = w.Close()
				text = packed.String()
			}
			files[b.file(i)] = text
		}
	}
	return files
}

// lineFaults returns files with a wrong number. The message must contain the file and the line.
func lineFaults() (list []fault) {
	for _, b := range brokenLines {
		for i, number := range slices.Concat(badNumbers, moreBroken) {
			if b.name == "input of a pair" && slices.Contains([]string{"0x1p4", "1..2", "१"}, number) {
				continue // YAML reads these as strings
			}
			list = append(list, fault{kind: "line of a file", place: fmt.Sprintf("%s %q", b.name, number), args: lineOf(b.line, b.file(i)),
				code: codeUsage, says: regexp.QuoteMeta(b.file(i)) + `:\d+`, kept: "out"})
		}
	}
	return list
}
