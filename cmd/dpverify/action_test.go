package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const root = "../.."

// step is a step of a job or of an action.
type step struct {
	ID, Name, Uses, Run, Shell string
	With, Env                  map[string]string
}

func parse(t *testing.T, path string, to any) (text string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(b, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(b)
}

// action is the content of .github/actions/dpverify/action.yml.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []step
	}
}

const actionDir = ".github/actions/dpverify"

// The action's scripts read all inputs and write all outputs.
func TestAction(t *testing.T) {
	var a action
	text := parse(t, actionDir+"/action.yml", &a)
	if a.Runs.Using != "composite" || a.Name == "" || a.Description == "" {
		t.Errorf("the action %q is %s", a.Name, a.Runs.Using)
	}
	scripts := ""
	for _, s := range a.Runs.Steps {
		if (s.Run == "") == (s.Uses == "") || s.Run != "" && s.Shell != "bash" {
			t.Errorf("step %q: want one of run, with a shell, and uses", s.Name)
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("step %q: an input in a script is read as commands", s.Name)
		}
		if name, ok := strings.CutPrefix(s.Run, `bash "$GITHUB_ACTION_PATH/`); ok {
			b, err := os.ReadFile(filepath.Join(root, actionDir, strings.TrimSuffix(name, `"`)))
			if err != nil {
				t.Fatal(err)
			}
			scripts += string(b)
			for variable := range s.Env {
				if !strings.Contains(string(b), variable) {
					t.Errorf("%s does not read %s", name, variable)
				}
			}
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) {
			t.Errorf("the input %s is not described, or not used", name)
		}
	}
	for _, used := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if _, ok := a.Inputs[used[1]]; !ok {
			t.Errorf("there is no input %s", used[1])
		}
	}
	for name, out := range a.Outputs {
		if out.Description == "" || out.Value != "${{ steps.audit.outputs."+name+" }}" || !strings.Contains(scripts, `echo "`+name+"=") {
			t.Errorf("the output %s is %s, which no script writes, or is not described", name, out.Value)
		}
	}
}

// script runs the action's audit.sh with a stub of dpverify that writes the given events and exits with the given code.
func script(t *testing.T, events string, code string, inputs map[string]string) (outputs map[string]string, asked, said string, exit int) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := t.TempDir()
	stub := `#!/bin/sh
for word; do printf '%s\n' "$word" >>"$RUNNER_TEMP/asked"; done
while [ $# -gt 0 ]; do [ "$1" != --events ] || printf '%s\n' "$EVENTS" >"$2"; shift; done
exit "$CODE"
`
	if err := os.WriteFile(filepath.Join(dir, "dpverify"), []byte(stub), 0o777); err != nil {
		t.Fatal(err)
	}
	var a action
	parse(t, actionDir+"/action.yml", &a)
	at, err := filepath.Abs(filepath.Join(root, actionDir, "audit.sh"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(bash, at)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "RUNNER_TEMP="+dir, "GITHUB_OUTPUT="+filepath.Join(dir, "output"),
		"EVENTS="+events, "CODE="+code)
	for _, name := range slices.Sorted(maps.Keys(a.Inputs)) {
		value, ok := inputs[name]
		if !ok {
			value = a.Inputs[name].Default
		}
		c.Env = append(c.Env, "INPUT_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value)
	}
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	outputs = map[string]string{}
	read := func(name string) string {
		b, _ := os.ReadFile(filepath.Join(dir, name)) // the file may be missing
		return string(b)
	}
	for line := range strings.Lines(read("output")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	return outputs, read("asked"), string(out), c.ProcessState.ExitCode()
}

func TestActionScript(t *testing.T) {
	const counted = `{"event":"start","schema":"dpverify/events/v1","finished":0,"of":6,"seconds":0}
{"event":"done","finished":6,"of":6,"verdicts":{"consistent":1,"error":1,"inconclusive":1,"contradictory":1,"refuted":2},"seconds":1.5}`
	outputs, asked, _, exit := script(t, counted, "1", map[string]string{"claims": "my claims.yaml", "args": "--timeout\n10m\r\n\n--baseline\nmy baseline.json\n"})
	want := map[string]string{"report": "dpverify-report.md", "exit-code": "1", "claims": "6", "holds": "0", "consistent": "1", "refuted": "3", "inconclusive": "1", "failed": "1"}
	for name, value := range want {
		if outputs[name] != value {
			t.Errorf("%s is %q, want %q", name, outputs[name], value)
		}
	}
	var a action
	parse(t, actionDir+"/action.yml", &a)
	if got, want := slices.Sorted(maps.Keys(outputs)), slices.Sorted(maps.Keys(a.Outputs)); !slices.Equal(got, want) {
		t.Errorf("outputs %q, want %q", got, want)
	}
	if exit != 1 {
		t.Errorf("a refuted claim: exit code %d", exit)
	}
	if asked := strings.Join(strings.Split(asked, "\n"), "|"); !strings.HasPrefix(asked, "audit|my claims.yaml|--budget|standard|--seed|1|--format|markdown|-o|dpverify-report.md|--events|") ||
		!strings.HasSuffix(asked, "|--timeout|10m|--baseline|my baseline.json|") || strings.Contains(asked, "--strict") {
		t.Errorf("the arguments are %s", asked)
	}
	for _, c := range []struct {
		failOn, code string
		want         int
		strict       bool
		reason       string
	}{
		{"refuted", "0", 0, false, "no refuted claim"},
		{"undecided", "4", 4, true, "an undecided claim fails if requested"},
		{"never", "1", 0, false, "a refuted claim only sets the outputs"},
		{"never", "2", 2, false, "an unreadable file fails"},
		{"never", "3", 3, false, "a failing mechanism fails"},
		{"refuted", "130", 130, false, "an interrupted run fails"},
		{"sometimes", "0", 2, false, "an unknown value"},
	} {
		_, asked, said, exit := script(t, "", c.code, map[string]string{"fail-on": c.failOn})
		if exit != c.want || strings.Contains(asked, "--strict") != c.strict || strings.Contains(said, "::error::") != (c.failOn == "sometimes") {
			t.Errorf("%s: exit code %d, want %d; arguments %q; messages %q", c.reason, exit, c.want, asked, said)
		}
	}
	hostile := "$(touch pwned); `touch pwned`"
	if _, asked, _, _ := script(t, "", "0", map[string]string{"claims": hostile, "args": hostile}); strings.Count(asked, hostile) != 2 {
		t.Errorf("an input was changed: %q", asked)
	}
}

// The project's workflows state their permissions and timeouts, and refer only to existing actions, inputs and outputs.
func TestWorkflows(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d workflows (%v)", len(paths), err)
	}
	var a action
	parse(t, actionDir+"/action.yml", &a)
	names := []string{"cmd/cli/_files/github/dpverify.yml"} // written by init
	for _, path := range paths {
		names = append(names, ".github/workflows/"+filepath.Base(path))
	}
	for _, name := range names {
		var w struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				RunsOn  string `yaml:"runs-on"`
				Timeout int    `yaml:"timeout-minutes"`
				Steps   []step
			}
		}
		text := parse(t, name, &w)
		if !maps.Equal(w.Permissions, map[string]string{"contents": "read"}) {
			t.Errorf("%s: the permissions are %v, want only to read contents", name, w.Permissions)
		}
		for job, j := range w.Jobs {
			if j.RunsOn == "" || len(j.Steps) == 0 || j.Timeout == 0 && job != "upload" {
				t.Errorf("%s, %s: runs on %q, for %d minutes, %d steps", name, job, j.RunsOn, j.Timeout, len(j.Steps))
			}
			for _, s := range j.Steps {
				if local, ok := strings.CutPrefix(s.Uses, "./"); ok {
					if _, err := os.Stat(filepath.Join(root, local, "action.yml")); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
				if strings.Contains(s.Uses, actionDir) {
					for input := range s.With {
						if _, ok := a.Inputs[input]; !ok || s.ID != "audit" {
							t.Errorf("%s, %s: step %q gives the action an unknown input %s, or its id is not audit", name, job, s.ID, input)
						}
					}
				}
				if strings.Contains(s.Run, "${{ github") || strings.Contains(s.Run, "${{ inputs") {
					t.Errorf("%s, %s: %q runs text from others as commands", name, job, s.Run)
				}
			}
		}
		for _, used := range regexp.MustCompile(`steps\.audit\.outputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
			if _, ok := a.Outputs[used[1]]; !ok {
				t.Errorf("%s: the action has no output %s", name, used[1])
			}
		}
		if strings.Contains(text, "@latest") {
			t.Errorf("%s installs @latest, which may not exist", name)
		}
	}
}

func TestPreCommitHook(t *testing.T) {
	var hooks []struct {
		ID, Name, Entry, Language, Files string
		Args                             []string
		PassFilenames                    *bool `yaml:"pass_filenames"`
	}
	parse(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].ID != "dpverify" || hooks[0].Language != "golang" || hooks[0].Entry != "dpverify audit" ||
		hooks[0].PassFilenames == nil || *hooks[0].PassFilenames || !regexp.MustCompile(hooks[0].Files).MatchString(hooks[0].Args[0]) {
		t.Errorf("the hook is %+v", hooks)
	}
}
