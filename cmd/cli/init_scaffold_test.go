package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// settingIn returns a setting with the given directory.
func settingIn(dir string) scaffoldSetting {
	return scaffoldSetting{dir: dir, program: "dpverify", version: "devel", python: interpreterName}
}

func writtenPaths(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			relative, _ := filepath.Rel(dir, path)
			paths = append(paths, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// If any file of a kind exists, init names it and writes nothing.
func TestNothingIsOverwritten(t *testing.T) {
	for _, k := range scaffoldKinds {
		for _, f := range k.files(settingIn(t.TempDir())) {
			if k.name == "go" && f.path == "go.mod" || k.around && f.path == claimsName {
				continue // an existing claims file is used
			}
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(f.path))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			put(t, path, "mine")
			before := writtenPaths(t, dir)
			var out bytes.Buffer
			err := writeKind(k, settingIn(dir), &out, &out)
			if err == nil || !strings.Contains(err.Error(), path) || out.Len() > 0 {
				t.Errorf("%s beside %s: %v, and said %q", k.name, f.path, err, &out)
			}
			if after := writtenPaths(t, dir); !slices.Equal(before, after) {
				t.Errorf("%s beside %s: left %q, and there was %q", k.name, f.path, after, before)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
				t.Errorf("%s: %s holds %q (%v)", k.name, f.path, text, err)
			}
		}
	}
}

// If a file cannot be written, init removes the files and directories that it created.
func TestFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".github"), "")
	k := scaffoldKinds[slices.Index(scaffoldNames(), "github")]
	if err := writeKind(k, settingIn(dir), new(bytes.Buffer), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), ".github") {
		t.Errorf("a file in the place of a directory: %v", err)
	}
	if left := writtenPaths(t, dir); !slices.Equal(left, []string{".github"}) {
		t.Errorf("%q are left", left)
	}
	deep := filepath.Join(dir, "a", "b")
	all := []scaffoldFile{{"c/x", nil}, {"c/x/y", nil}} // the second cannot be written
	if err := createFiles(deep, all); err == nil {
		t.Error("a file below a file was written")
	}
	if left := writtenPaths(t, dir); !slices.Equal(left, []string{".github"}) {
		t.Errorf("%q are left", left)
	}
}

// A workflow audits an existing claims file.
func TestClaimsThatAreThereAreUsed(t *testing.T) {
	for _, k := range scaffoldKinds {
		if !k.around {
			continue
		}
		dir := t.TempDir()
		put(t, filepath.Join(dir, claimsName), "mine")
		var out bytes.Buffer
		if err := writeKind(k, settingIn(dir), &out, &out); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, claimsName))
		if err != nil || string(text) != "mine" || slices.Contains(writtenPaths(t, dir), mechanismName) {
			t.Errorf("%s: %s holds %q (%v) beside %q", k.name, claimsName, text, err, writtenPaths(t, dir))
		}
	}
}

func TestUnknownKindsAreNamed(t *testing.T) {
	for _, args := range [][]string{nil, {"frob"}, {"python", "r"}, {""}} {
		code, _, stderr := attempt(t, append([]string{"init"}, args...)...)
		if code != codeUsage {
			t.Errorf("%q is a kind", args)
		}
		for _, name := range scaffoldNames() {
			if !strings.Contains(stderr, name) {
				t.Errorf("%q: no %s in %v", args, name, stderr)
			}
		}
	}
}

// A shell can read the printed commands.
func TestQuoted(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("Windows has no shell that reads what is quoted here")
	}
	for word, want := range map[string]string{
		"claims.yaml": "claims.yaml", "../a/b": "../a/b", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$x": "'$x'", "a\\b": `'a\b'`, "größe": "größe",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
	}
}

// The module of a Go mechanism finds dpverify in the clone or by its tag.
func TestGoModule(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if got := clonePath(); got != root {
		t.Errorf("the clone is in %s, want %s", got, root)
	}
	module := func(dir, version string) (text, next string) {
		s := settingIn(dir)
		s.version = version
		for _, f := range goFiles(s) {
			if f.path == "go.mod" {
				text = string(f.text)
			}
		}
		if err := createFiles(dir, goFiles(s)); err != nil {
			t.Fatal(err)
		}
		return text, strings.Join(goNext(s), "; ")
	}
	dir := t.TempDir()
	text, next := module(dir, "devel")
	if want := fmt.Sprintf("replace github.com/dpverify/dpverify => %q\n", filepath.ToSlash(root)); !strings.HasSuffix(text, want) {
		t.Errorf("from a clone:\n%s\nwant %s", text, want)
	}
	if want := "cd " + shellWord(dir) + "; go mod tidy; go test ./noisycount"; next != want {
		t.Errorf("from a clone: next %s, want %s", next, want)
	}
	for _, pseudo := range []string{"v0.0.0-20260101000000-abcdefabcdef", "v0.1.1-0.20260101000000-abcdefabcdef+dirty", "v0.0.0"} {
		if text, _ := module(t.TempDir(), pseudo); !strings.Contains(text, "replace") {
			t.Errorf("%s is taken for a tag:\n%s", pseudo, text)
		}
	}
	for _, tag := range []string{"v0.1.0", "v1.12.3", "v0.2.0-rc.1", "v0.0.1"} {
		if text, _ := module(t.TempDir(), tag); strings.Contains(text, "replace") || !strings.Contains(text, "require github.com/dpverify/dpverify "+tag+"\n") {
			t.Errorf("of %s:\n%s", tag, text)
		}
	}
	mine := t.TempDir()
	put(t, filepath.Join(mine, "go.mod"), "module example.com/mine\n")
	text, next = module(filepath.Join(mine, "below"), "devel")
	if want := "go mod edit -require=github.com/dpverify/dpverify@v0.0.0 -replace="; text != "" || !strings.Contains(next, want) {
		t.Errorf("within a module: go.mod %q, next %s", text, next)
	}
}

// A local path in go.mod does not exist in CI: init warns.
func TestLocalReplacementIsAWarning(t *testing.T) {
	for _, c := range []struct {
		version  string
		existing map[string]string
		want     bool
	}{
		{"devel", nil, true},
		{"devel", map[string]string{"go.mod": "module example.com/mine\n"}, true},
		{"devel", map[string]string{"go.mod": "module " + modulePath + "\n"}, false},
		{"v1.2.3", nil, false},
	} {
		dir := t.TempDir()
		for name, text := range c.existing {
			put(t, filepath.Join(dir, name), text)
		}
		s := settingIn(dir)
		s.version = c.version
		var stderr bytes.Buffer
		if err := writeKind(scaffoldKinds[slices.Index(scaffoldNames(), "go")], s, new(bytes.Buffer), &stderr); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(stderr.String(), "replaces dpverify by the local path "+filepath.ToSlash(clonePath())); got != c.want {
			t.Errorf("%s with %v: warned %t, want %t: %s", c.version, c.existing, got, c.want, &stderr)
		}
	}
}
