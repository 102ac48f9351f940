package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// start is one kind of “dpverify init KIND” with its expected result.
type start struct {
	kind  string
	needs string   // the program that runs the mechanism
	flags []string // additional flags of the printed command, in the short form
	// A fault: a text of a file, and the text that halves the noise.
	file, sound, faulty string
	long                bool // only in the long form
}

var starts = []start{
	{kind: "python", needs: "python3", flags: []string{"--samples", "20000"},
		file: "mechanism.py", sound: "expovariate(EPSILON)", faulty: "expovariate(2 * EPSILON)"},
	{kind: "javascript", needs: "node",
		file: "mechanism.cjs", sound: "/ epsilon", faulty: "/ (2 * epsilon)", long: true},
	{kind: "r", needs: "Rscript",
		file: "mechanism.R", sound: "rexp(1, epsilon)", faulty: "rexp(1, 2 * epsilon)", long: true},
	{kind: "csv", file: "claims.yaml", sound: "epsilon: 1.0", faulty: "epsilon: 0.5", long: true},
	{kind: "github", needs: "python3", long: true},
	{kind: "gitlab", needs: "python3", long: true},
	{kind: "kubernetes", needs: "python3", long: true},
	{kind: "pre-commit", needs: "python3", long: true},
	{kind: "go", needs: "go", file: "noisycount/noisycount.go", sound: "/ epsilon", faulty: "/ (2 * epsilon)", long: true},
}

// The files of init pass with the printed commands, in an empty directory with a space in its name, and are refuted
// with half of the noise.
func TestInit(t *testing.T) {
	for _, s := range starts {
		t.Run(s.kind, func(t *testing.T) {
			if s.long && !testutil.Asked() {
				t.Skipf("takes seconds: set %s", testutil.Variable)
			}
			if _, err := exec.LookPath(s.needs); s.needs != "" && err != nil {
				t.Skipf("%s is not here", s.needs)
			}
			dir := filepath.Join(t.TempDir(), "my audit")
			out, code := shell(t, "dpverify init "+s.kind+" --dir '"+dir+"'")
			if code != 0 {
				t.Fatalf("init exits with %d: %s", code, out)
			}
			commands := printed(t, out)
			if testutil.Asked() && s.kind != "go" {
				s.flags = []string{"--strict"}
			}
			if s.kind != "go" { // later commands of the other kinds need a service
				commands = strings.Join(append([]string{strings.Split(commands, "\n")[0]}, s.flags...), " ")
			}
			if out, code := shell(t, commands); code != 0 {
				t.Fatalf("%s\nexits with %d:\n%s", commands, code, out)
			}
			if s.faulty == "" {
				return
			}
			breakFile(t, filepath.Join(dir, filepath.FromSlash(s.file)), s.sound, s.faulty)
			if out, code := shell(t, commands); code != 1 || !strings.Contains(out, "refuted") {
				t.Errorf("with half of the noise\n%s\nexits with %d:\n%s", commands, code, out)
			}
		})
	}
}

// printed returns the commands that init prints, for a shell.
func printed(t *testing.T, out string) string {
	t.Helper()
	next := regexp.MustCompile(`(?m)^(?:next|then): (.+)$`).FindAllStringSubmatch(out, -1)
	if len(next) == 0 {
		t.Fatalf("init does not say what comes next:\n%s", out)
	}
	var commands []string
	for _, n := range next {
		commands = append(commands, n[1])
	}
	return strings.Join(commands, "\n")
}

// shell runs commands until one fails, without a network.
func shell(t *testing.T, commands string, env ...string) (output string, code int) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	c := exec.Command(sh, "-e", "-c", commands)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOFLAGS=", "GITHUB_ACTIONS=", "GITHUB_STEP_SUMMARY=")
	c.Env = append(c.Env, env...)
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

func breakFile(t *testing.T, path, sound, faulty string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), sound) {
		t.Fatalf("%s has no %q (%v)", path, sound, err)
	}
	put(t, path, strings.ReplaceAll(string(text), sound, faulty))
}

// The Slurm scripts produce the report of one run, with a scheduler that runs its jobs immediately.
func TestInitSlurm(t *testing.T) {
	if !testutil.Asked() {
		t.Skipf("takes seconds: set %s", testutil.Variable)
	}
	needPython(t)
	dir := t.TempDir()
	scheduler := `#!/bin/sh
for last; do :; done
case "$1" in
--parsable)
  tasks=$(sed -n 's/^#SBATCH --array=1-//p' "$last")
  for task in $(seq "$tasks"); do SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=$tasks "./$last" >&2 || exit; done
  echo "7;cluster" ;;
*) case "$*" in *--dependency=afterok:7\ *) sh -c "$last" ;; *) exit 9 ;; esac ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(scheduler), 0o777); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "my audit")
	out, code := shell(t, "dpverify init slurm --dir '"+work+"'\nsh '"+work+"/submit.sh'\ncat '"+work+"/report.md'",
		"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if code != 0 || !strings.Contains(out, "✓ consistent") {
		t.Errorf("exits with %d:\n%s", code, out)
	}
}

// TestInitIsStrict checks that a file for CI fails on an undecided claim, as its first command does. A cluster job only
// samples; its report names the undecided claims.
func TestInitIsStrict(t *testing.T) {
	for _, k := range scaffoldKinds {
		if !k.around {
			continue
		}
		want := k.name == "github" || k.name == "gitlab" || k.name == "pre-commit"
		got := strings.HasSuffix(k.next(scaffoldSetting{dir: t.TempDir(), program: "dpverify"})[0], " --strict")
		if got != want {
			t.Errorf("the first command of %s: strict %t, want %t", k.name, got, want)
		}
		strict := false
		for _, f := range k.files(scaffoldSetting{dir: t.TempDir(), python: interpreterName}) {
			strict = strict || bytes.Contains(f.text, []byte("audit claims.yaml --strict")) || bytes.Contains(f.text, []byte("fail-on: undecided"))
		}
		if strict != want {
			t.Errorf("the files of %s: strict %t, want %t", k.name, strict, want)
		}
	}
}

// A pod of the Kubernetes job finds the number of its shard.
func TestInitKubernetes(t *testing.T) {
	dir := t.TempDir()
	out, code := shell(t, "dpverify init kubernetes --dir '"+dir+"'")
	if code != 0 {
		t.Fatal(out)
	}
	text := read(t, dir, "kubernetes.yaml")
	_, command, ok := strings.Cut(text, ">-\n")
	command, _, found := strings.Cut(command, "resources:")
	if !ok || !found {
		t.Fatalf("no command in\n%s", text)
	}
	shards := regexp.MustCompile(`completions: (\d+) [^~]*DPVERIFY_SHARDS\n +value: "(\d+)"`).FindStringSubmatch(text)
	if shards == nil || shards[1] != shards[2] {
		t.Fatalf("completions and parts %q in\n%s", shards, text)
	}
	command = strings.Join(strings.Fields(strings.ReplaceAll(command, "exec dpverify", "echo dpverify")), " ")
	out, code = shell(t, command, "JOB_COMPLETION_INDEX=0", "DPVERIFY_SHARDS="+shards[2])
	if want := "dpverify audit claims.yaml --workers 1 --shard auto -o /parts/part-0.jsonl\n"; code != 0 || out != want {
		t.Errorf("the first pod runs %q, want %q", out, want)
	}
	needPython(t)
	work := t.TempDir() // the audit treats it as the first of 8
	command = strings.NewReplacer("echo dpverify", "cd '"+dir+"' && dpverify", "/parts/", work+"/").Replace(command)
	out, code = shell(t, command, "JOB_COMPLETION_INDEX=0", "DPVERIFY_SHARDS="+shards[2])
	if code != 0 || !strings.Contains(out, "--shard 1/"+shards[1]+", from JOB_COMPLETION_INDEX") {
		t.Errorf("the first pod exits with %d: %s", code, out)
	}
}

// TestFormerIDsAreAnswered finds renamed and merged claims by their former ids.
func TestFormerIDsAreAnswered(t *testing.T) {
	ledger, err := ours().Ledger()
	if err != nil {
		t.Fatal(err)
	}
	for former, id := range map[string]string{
		"prestige/settings/threshold":            "prestige/settings/updates",
		"prestige/remark-3":                      "prestige/alg-1/p-curriculum",
		"prestige/remark-3/corrected":            "prestige/alg-1/p-curriculum",
		"pairwise/lemma-4/tight":                 "pairwise/lemma-4",
		"pairwise/lemma-4/attained":              "pairwise/footnote-2",
		"pairwise/alg-3/noise/tight":             "pairwise/alg-3/noise",
		"pairwise/experiments/setting":           "pairwise/settings/steps",
		"pairwise/experiments/setting/convex":    "pairwise/settings/steps/convex",
		"pairwise/experiments/setting/corrected": "pairwise/settings/steps",
		"pairwise/experiments/metric/figure-6":   "pairwise/settings/release",
		"pairwise/experiments/setting/epsilon":   "pairwise/thm-1",
		"nonconvex/lemma-2/full-batch":           "nonconvex/thm-1",
		"nonconvex/experiments/comparison/noise": "nonconvex/remark-1/comparison/moments",
	} {
		if c, ok := ledger.Find(former); !ok || c.ID != id {
			t.Errorf("the claim set finds %q by the former id %s, want %s", c.ID, former, id)
		}
	}
}
