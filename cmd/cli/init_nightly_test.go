package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// nightly holds the parts of the nightly workflow that the tests use.
type nightly struct {
	Concurrency struct {
		Group  string
		Cancel bool `yaml:"cancel-in-progress"`
	}
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []struct {
			ID, Uses, Run, If string
			With              map[string]any
		}
	}
}

func readNightly(t *testing.T) (w nightly) {
	t.Helper()
	if err := yaml.Unmarshal(embeddedFile("github/dpverify-nightly.yml"), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// The nightly workflow audits with a unique run id and with flags that exist. Nights do not overlap, a night that refutes
// a claim is kept, and only the job without a mechanism may write.
func TestNightlyWorkflow(t *testing.T) {
	w := readNightly(t)
	if w.Concurrency.Group == "" || w.Concurrency.Cancel {
		t.Errorf("concurrency %+v: want a group whose runs wait", w.Concurrency)
	}
	if w.Permissions["contents"] != "read" || len(w.Jobs["audit"].Permissions) > 0 {
		t.Errorf("the job that runs the mechanism may write: %v %v", w.Permissions, w.Jobs["audit"].Permissions)
	}
	audit, _, err := (&app{ledger: stubLedger}).root().Find([]string{"audit"})
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	kept := ""
	for _, s := range w.Jobs["audit"].Steps {
		if args, ok := s.With["args"].(string); ok {
			words = strings.Split(strings.TrimSpace(args), "\n")
		}
		if s.ID == "kept" {
			kept = s.If
		}
	}
	if !strings.HasPrefix(kept, "always() ") {
		t.Errorf("the file is kept if %q, want always", kept)
	}
	for _, want := range []string{"--evidence", "--evidence-start", "--run-id", "${{ github.run_id }}-${{ github.run_attempt }}",
		"${{ inputs.new == true && '--evidence-new' || '' }}"} {
		if !slices.Contains(words, want) {
			t.Errorf("the audit lacks %s: %q", want, words)
		}
		if name, isFlag := strings.CutPrefix(want, "--"); isFlag && audit.Flags().Lookup(name) == nil {
			t.Errorf("there is no flag --%s", name)
		}
	}
}

// The nightly workflow adds each night to the branch. It rejects a file that lacks runs of the branch.
func TestNightlyKeepsTheFile(t *testing.T) {
	for _, tool := range []string{"git", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	script := ""
	for _, s := range readNightly(t).Jobs["keep"].Steps {
		script += s.Run
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	origin := filepath.Join(dir, "origin.git")
	git("init", "-q", "-b", "main", "--bare", origin)
	git("init", "-q", "-b", "main", "first")
	put(t, filepath.Join(dir, "first", "claims.yaml"), "claims: []\n")
	git("-C", "first", "add", ".")
	git("-C", "first", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "claims")
	git("-C", "first", "push", "-q", origin, "main")
	for _, c := range []struct {
		reason, file, want string
	}{
		{"first night", "head\nrun 1\n", "head\nrun 1\n"},
		{"second night", "head\nrun 1\nrun 2\n", "head\nrun 1\nrun 2\n"},
		{"the same file", "head\nrun 1\nrun 2\n", "head\nrun 1\nrun 2\n"},
		{"an older file", "head\nrun 1\n", ""},
		{"another branch of runs", "head\nrun 1\nrun b\nrun c\n", ""},
		{"a new file", "head\nrun x\n", ""},
		{"a torn last line", "head\nrun 1\nrun 2\nru", "head\nrun 1\nrun 2\nru"},
		{"the night after it", "head\nrun 1\nrun 2\nrun 3\n", "head\nrun 1\nrun 2\nrun 3\n"},
	} {
		temp := t.TempDir()
		clone := filepath.Join(temp, "clone")
		git("clone", "-q", "--depth", "1", "file://"+origin, clone)
		if err := os.Mkdir(filepath.Join(temp, "evidence"), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(temp, "evidence", "evidence.jsonl"), c.file)
		before, _ := exec.Command("git", "-C", origin, "show", "dpverify-evidence:evidence.jsonl").Output() // none at first
		run := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		run.Dir, run.Env = clone, append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_RUN_ID=7")
		out, err := run.CombinedOutput()
		if (err == nil) != (c.want != "") || err != nil && !strings.Contains(string(out), "Merge them: dpverify evidence") {
			t.Errorf("%s: %v\n%s", c.reason, err, out)
		}
		want := c.want
		if want == "" {
			want = string(before)
		}
		if got := git("-C", origin, "show", "dpverify-evidence:evidence.jsonl"); got != want {
			t.Errorf("%s: the branch has %q, want %q", c.reason, got, want)
		}
		if files := git("-C", origin, "ls-tree", "--name-only", "dpverify-evidence"); files != "evidence.jsonl\n" {
			t.Errorf("%s: the branch has the files %q", c.reason, files)
		}
	}
}
