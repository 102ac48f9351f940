package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/dpverify/dpverify/internal/testutil"
)

// runTool runs a program with an input and returns its output. It skips the test if the program is not installed.
func runTool(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	var errors strings.Builder
	c := exec.Command(found, args...)
	c.Stdin, c.Stderr, c.Dir = strings.NewReader(input), &errors, "_files"
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1") // keeps the embedded directory clean
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, &errors)
	}
	return string(out)
}

// Every file parses with its own tool.
func TestFilesParse(t *testing.T) {
	seen := map[string]int{}
	err := fs.WalkDir(scaffoldFiles, "_files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scaffoldFiles, name)
		if err != nil {
			return err
		}
		if !strings.Contains(string(text), "CHANGE") && !slices.Contains([]string{"submit.sh", "noisycount.go"}, path.Base(name)) {
			t.Errorf("%s does not say what to change", name)
		}
		kind := path.Ext(name)
		seen[kind]++
		t.Run(name, func(t *testing.T) {
			local := strings.TrimPrefix(name, "_files/")
			switch kind {
			case ".yaml", ".yml":
				for part := range strings.SplitSeq(string(text), "\n---\n") {
					var content any
					if err := yaml.Unmarshal([]byte(part), &content); err != nil || content == nil {
						t.Errorf("%v", err)
					}
				}
			case ".py": // in the oldest supported version
				runTool(t, "", "python3", "-S", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 6))", local)
			case ".cjs":
				runTool(t, "", "node", "--check", local)
			case ".R": // TestAdaptersWriteValues parses it; R starts slowly
			case ".sh":
				runTool(t, "", "sh", "-n", local)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{".yaml", ".yml", ".py", ".cjs", ".R", ".sh", ".go", ""} {
		if kind != "" && seen[kind] == 0 {
			t.Errorf("no file %s", kind)
		}
	}
}

// adapters holds the commands that answer requests.
var adapters = map[string][]string{
	"python":     {"python3", mechanismName},
	"javascript": {"node", "mechanism.cjs"},
	"r":          {"Rscript", "mechanism.R"},
}

// Replies depend only on the seed, and on all of its bits if the generator accepts them.
func TestAdaptersAnswer(t *testing.T) {
	requests := strings.Join([]string{
		`{"input": [1, 0, 1], "n": 40, "seed": 9007199254740991}`, `{"input": [1, 0, 1], "n": 40, "seed": 1}`,
		`{"input": [1, 0, 1], "n": 40, "seed": 9007199254740991}`, `{"input": [1, 0, 1], "n": 40, "seed": 4294967297}`,
		`{"input": [], "n": 2}`}, "\n") + "\n"
	for name, command := range adapters {
		t.Run(name, func(t *testing.T) {
			if name == "r" && !testutil.Asked() {
				t.Skipf("R takes long to start: set %s", testutil.Variable)
			}
			var replies [][]float64
			for line := range strings.Lines(runTool(t, requests, command[0], command[1:]...)) {
				var reply struct{ Outputs []float64 }
				if err := json.Unmarshal([]byte(line), &reply); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				replies = append(replies, reply.Outputs)
			}
			if len(replies) != 5 || len(replies[0]) != 40 || len(replies[4]) != 2 {
				t.Fatalf("replies %v", replies)
			}
			if !slices.Equal(replies[0], replies[2]) {
				t.Error("one seed has two replies")
			}
			if slices.Equal(replies[0], replies[1]) || slices.Equal(replies[1], replies[3]) {
				t.Error("two seeds have one reply")
			}
		})
	}
}

// Adapters write values of every type as JSON, and non-finite numbers as words. A value without a JSON form is an
// error.
func TestAdaptersWriteValues(t *testing.T) {
	for name, c := range map[string]struct{ command, arguments, want string }{
		"python": {"python3", `-S|-c|import json, mechanism as m
v = [1, 2.5, True, None, "é", float("nan"), float("inf"), -float("inf"), (1, 2), {3: [4]}, {2, 1}, 2**70]
print(json.dumps([m.plain(x) for x in v]))
try: m.plain(object())
except TypeError as e: print(e)`,
			`[1, 2.5, true, null, "\u00e9", "nan", "inf", "-inf", [1, 2], {"3": [4]}, [1, 2], 1180591620717411303424]` +
				"\nmechanism returned a object without a JSON form: return numbers, strings or lists\n"},
		"javascript": {"node", `-e|const { plain } = require("./mechanism.cjs");
console.log(JSON.stringify([1, 2.5, true, null, "é", NaN, Infinity, -Infinity, new Float32Array([1, 2]), new Map([["a", [4]]]), new Set([1]), 7n].map(plain)));
for (const x of [undefined, 2n ** 70n, () => 1]) try { plain(x) } catch (e) { console.log(e.message) }`,
			`[1,2.5,true,null,"é","nan","inf","-inf",[1,2],{"a":[4]},[1],7]` + strings.Repeat("\nmechanism returned a %s without a JSON form: return numbers, strings or arrays", 3) + "\n"},
		"r": {"Rscript", `-e|source("mechanism.R")
cat(written(list(1, 2.5, TRUE, NULL, NA, "q\"\\\n\t", NaN, Inf, -Inf, c(1, 2), list(a = 1, b = "z"), 5L, character(0), factor("u"))), "\n", sep = "")
x <- read_json('{"a": [1, -2.5e-3], "b": ["x\\n\\"y\\\\", true], "c": [], "d": [[1, 2], [3]], "e": [true, false]}')
cat(written(x), "\n", sep = "")`,
			`[1,2.5,true,null,null,"q\"\\\n\t","nan","inf","-inf",[1,2],{"a":1,"b":"z"},5,[],"u"]` +
				"\n" + `{"a":[1,-0.0025000000000000001],"b":["x\n\"y\\",true],"c":[],"d":[[1,2],3],"e":[true,false]}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			want := c.want
			for _, kind := range []string{"undefined", "bigint", "function"} {
				want = strings.Replace(want, "%s", kind, 1)
			}
			if got := runTool(t, "", c.command, strings.Split(c.arguments, "|")...); got != want {
				t.Errorf("wrote\n%swant\n%s", got, want)
			}
		})
	}
}

// A mechanism without a return is an error. Its outputs would all be equal, and so private.
func TestAdaptersRejectMissingReturns(t *testing.T) {
	for name, c := range map[string]struct{ command, before, broken, want string }{
		mechanismName:   {"python3", "    return sum(data)", "    sum(data)", "mechanism returned None: is a return missing?"},
		"mechanism.cjs": {"node", "  return data.reduce", "  data.reduce", "mechanism returned a undefined"},
		"mechanism.R":   {"Rscript", "mechanism <- function(data) {", "mechanism <- function(data) {\n  return()", "mechanism returned NULL: is its value missing?"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.command); err != nil || name == "mechanism.R" && !testutil.Asked() {
				t.Skipf("%s is not installed, or takes long to start: set %s", c.command, testutil.Variable)
			}
			path := filepath.Join(t.TempDir(), name)
			put(t, path, string(embeddedFile(name)))
			breakFile(t, path, c.before, c.broken)
			run := exec.Command(c.command, path)
			run.Stdin = strings.NewReader(`{"input": [1, 0, 1], "n": 2, "seed": 1}` + "\n")
			out, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "outputs\":") {
				t.Errorf("without a return: %v, printed\n%s\nwant %q", err, out, c.want)
			}
		})
	}
}

// The example in the comment of the Python mechanism calls a library in another directory.
func TestLibraryExample(t *testing.T) {
	dir := t.TempDir()
	text := string(embeddedFile(mechanismName))
	_, example, _ := strings.Cut(text, "with a parameter rng:\n\n")
	example, _, _ = strings.Cut(example, "\n\n")
	begin, end := strings.Index(text, "    return sum(data)"), strings.Index(text, "\n\n\n# The rest answers")
	for name, text := range map[string]string{
		"src/mylibrary.py":       "def release(data, rng): return sum(data) + rng.randrange(2)\n",
		"audit/" + mechanismName: text[:begin] + strings.ReplaceAll(example, "        ", "    ") + text[end:],
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		put(t, name, text)
	}
	requests := strings.Repeat(`{"input": [1, 0, 1], "n": 30, "seed": 5}`+"\n", 2)
	out, code := shell(t, "cd '"+dir+"/audit'\necho '"+requests+"' | head -n 2 | python3 "+mechanismName)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 2 || lines[0] != lines[1] || !strings.Contains(lines[0], "2, ") || !strings.Contains(lines[0], "3, ") {
		t.Errorf("the library exits with %d and answers one seed with\n%s", code, out)
	}
}

// The comments of recorded claims state how many outputs decide: 100,000, or 20,000 with mass: 0.05.
func TestRecordedSizesDecide(t *testing.T) {
	for _, c := range []struct {
		rows int
		mass string
		code int
	}{{100_000, "", 0}, {20_000, "    mass: 0.05\n", 0}, {20_000, "", codeInconclusive}} {
		dir := t.TempDir()
		for _, f := range recordedFiles(scaffoldSetting{}) {
			text := string(f.text) + c.mass
			if f.path != claimsName {
				text = strings.Join(strings.SplitAfter(string(f.text), "\n")[:c.rows+1], "")
			}
			put(t, filepath.Join(dir, f.path), text)
		}
		if code, _, stderr := attempt(t, "audit", filepath.Join(dir, claimsName), "--strict"); code != c.code {
			t.Errorf("%d outputs with %q: code %d, want %d: %s", c.rows, c.mass, code, c.code, stderr)
		}
	}
	for _, name := range []string{"github/dpverify.yml", "gitlab/.gitlab-ci.yml", "csv/" + claimsName} {
		if text := string(embeddedFile(name)); !strings.Contains(text, "100,000") || !strings.Contains(text, "mass: 0.05") {
			t.Errorf("%s does not say how many recorded outputs decide", name)
		}
	}
}

// Numpy is seeded with all 64 bits and its values are converted, if it is installed.
func TestNumpy(t *testing.T) {
	const script = `import json, numpy, mechanism as m
v = [numpy.float64(2.5), numpy.int32(3), numpy.bool_(True), numpy.float32("nan"), numpy.array([[1.0, numpy.inf]]), numpy.str_("a"), [numpy.int64(1)]]
print(json.dumps([m.plain(x) for x in v]))
def draw(seed):
    m.seed_all(seed)
    return numpy.random.laplace()
seeds = [0, 1, 2**32 - 1, 2**32, 2**32 + 1, 2**53 - 1, 2**64 - 1]
print(len({draw(s) for s in seeds}) == len(seeds), draw(2**53 - 1) == draw(2**53 - 1))`
	const want = `[2.5, 3, true, "nan", [[1.0, "inf"]], "a", [1]]` + "\nTrue True\n"
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(python); err != nil || exec.Command(path, "-c", "import numpy").Run() != nil {
			continue
		}
		if got := runTool(t, "", python, "-c", script); got != want {
			t.Errorf("wrote\n%swant\n%s", got, want)
		}
		return
	}
	t.Skip("no Python here has numpy")
}

// The Go mechanism and its test compile against the packages of this module.
func TestGoFilesCompile(t *testing.T) {
	dir := filepath.Join("_files", "go", goPackage)
	c := exec.Command("go", "vet", "./"+filepath.ToSlash(dir)+"/"+goPackage+".go", "./"+filepath.ToSlash(dir)+"/"+goPackage+"_test.go")
	c.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
