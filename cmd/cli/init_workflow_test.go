package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// initIn creates files, runs a kind of init, and returns its written files with their texts, and its output.
func initIn(t *testing.T, kind, dir string, existing map[string]string) (texts map[string]string, out string, err error) {
	t.Helper()
	for name, text := range existing {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		put(t, name, text)
	}
	before := writtenPaths(t, dir)
	var b bytes.Buffer
	err = writeKind(scaffoldKinds[slices.Index(scaffoldNames(), kind)], settingIn(dir), &b, &b)
	texts = make(map[string]string)
	for _, name := range writtenPaths(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err == nil && !slices.Contains(before, name) {
			texts[name] = string(text)
		}
	}
	return texts, b.String(), err
}

// A workflow audits the user's claims file up to two levels below DIR, else the tests of a Go module.
func TestWorkflowAuditsTheUsersClaims(t *testing.T) {
	const goMod = "module example.com/mine\n\nrequire github.com/dpverify/dpverify v0.0.0\n"
	for _, c := range []struct {
		kind     string
		existing map[string]string
		want     []string // in the only written file; a nightly workflow audits the same claims
		said     string
	}{
		{"github", map[string]string{"audit/claims.yaml": ""}, []string{"claims: audit/claims.yaml\n"}, "audits the existing DIR/audit/claims.yaml\nnext: dpverify audit DIR/audit/claims.yaml --strict\n"},
		{"github", map[string]string{"a/b/claims.yaml": "", "go.mod": goMod}, []string{"claims: a/b/claims.yaml\n"}, "audits the existing DIR/a/b/claims.yaml\n"},
		{"github", map[string]string{"a: b/claims.yaml": ""}, []string{`claims: "a: b/claims.yaml"` + "\n"}, "audits the existing"},
		{"github", map[string]string{"a/claims.yaml": "", "b/claims.yaml": ""}, []string{"claims: a/claims.yaml\n"}, "only a/claims.yaml is audited: repeat the step for b/claims.yaml\n"},
		{"gitlab", map[string]string{"my audit/claims.yaml": ""}, []string{"dpverify audit 'my audit/claims.yaml' --strict"}, "audits the existing"},
		{"pre-commit", map[string]string{"audit/claims.yaml": ""}, []string{"dpverify audit audit/claims.yaml --strict", "files: '^audit/' #", "[audit/claims.yaml, --strict]"}, "audits the existing"},
		{"github", map[string]string{"go.mod": goMod}, []string{"run: go test ./..."}, "runs the tests of the module DIR\nnext: cd DIR\nthen: go test ./...\n"},
		{"gitlab", map[string]string{"go.mod": goMod, "testdata/claims.yaml": ""}, []string{"- go test ./..."}, "runs the tests"},
		{"pre-commit", map[string]string{"go.mod": goMod}, []string{"entry: go test ./..."}, "runs the tests"},
		{"github", map[string]string{"go.mod": "module example.com/mine\n"}, []string{"go test"}, "go.mod does not require dpverify, so no test audits a claim"},
	} {
		dir := t.TempDir()
		texts, out, err := initIn(t, c.kind, dir, c.existing)
		const nightly = ".github/workflows/dpverify-nightly.yml"
		night, nights := texts[nightly]
		delete(texts, nightly)
		if audits := strings.HasPrefix(c.want[0], "claims: "); err != nil || len(texts) != 1 || nights != audits ||
			audits && !strings.Contains(night, c.want[0]) {
			t.Errorf("%s with %v: %v, wrote %q and nightly %q", c.kind, c.existing, err, texts, night)
		}
		for _, text := range texts {
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s with %v: no %q in\n%s", c.kind, c.existing, want, text)
				}
			}
			if len(c.existing) == 1 && c.existing["go.mod"] == "" && strings.Contains(text, " claims.yaml") {
				t.Errorf("%s with %v audits the root:\n%s", c.kind, c.existing, text)
			}
		}
		if out := strings.ReplaceAll(out, dir, "DIR"); !strings.Contains(filepath.ToSlash(out), c.said) {
			t.Errorf("%s with %v: no %q in\n%s", c.kind, c.existing, c.said, out)
		}
	}
	for _, kind := range []string{"github", "slurm"} {
		if _, out, err := initIn(t, kind, t.TempDir(), nil); err != nil || !strings.Contains(out, "audits the example") {
			t.Errorf("%s without claims: %v, said %q", kind, err, out)
		}
	}
	dir := t.TempDir()
	texts, _, err := initIn(t, "slurm", dir, map[string]string{"audit/claims.yaml": ""})
	if err == nil || len(texts) > 0 || !strings.Contains(err.Error(), "give --dir "+shellWord(filepath.Join(dir, "audit"))) {
		t.Errorf("slurm above the claims: %v, wrote %q", err, texts)
	}
}

// A workflow below the root of a repository is not read: init warns.
func TestWorkflowOutsideTheRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(dir, "audit")
	if _, out, err := initIn(t, "github", below, map[string]string{"claims.yaml": ""}); err != nil || !strings.Contains(out, "give --dir "+shellWord(dir)+"\n") {
		t.Errorf("below the root: %v, said %q", err, out)
	}
	for _, c := range []struct{ kind, where string }{{"gitlab", dir}, {"csv", below}} { // the second adds claims below the first
		kind, where := c.kind, c.where
		if _, out, err := initIn(t, kind, where, map[string]string{"audit/claims.yaml": ""}); kind == "gitlab" && err != nil || strings.Contains(out, "warning") {
			t.Errorf("%s in %s: %v, said %q", kind, where, err, out)
		}
	}
}
