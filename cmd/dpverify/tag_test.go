package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// scratch makes a repository that .ci/tag can tag, with stubs of slow commands. It returns a function that runs commands
// in it.
func scratch(t *testing.T) (dir string, run func(name string, args ...string) (string, error)) {
	t.Helper()
	for _, name := range []string{"bash", "git", "awk", "sort"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	dir = t.TempDir()
	bin := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, ".ci", "tag"):   source(t, ".ci/tag"),
		filepath.Join(dir, ".ci", "run"):   "#!/bin/sh\necho checked\n[ ! -e broken ]\n",
		filepath.Join(dir, "go.mod"):       "module example.com/m\n",
		filepath.Join(dir, "CHANGELOG.md"): "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-01\n\n### Added\n\n- All.\n",
		filepath.Join(dir, ".gitignore"):   "broken\n",
		filepath.Join(bin, "go"):           "#!/bin/sh\necho \"go $*\"\n",
	} {
		write(t, path, text)
	}
	run = func(name string, args ...string) (string, error) {
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := c.CombinedOutput()
		return string(out), err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "all"}} {
		if out, err := run("git", args...); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir, run
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}

func TestTag(t *testing.T) {
	_, run := scratch(t)
	out, err := run("bash", ".ci/tag", "v0.2.0")
	if err != nil || !strings.Contains(out, "checked\n") || !strings.Contains(out, "go run .ci/release.go -version v0.2.0") || !strings.Contains(out, "git push origin v0.2.0") {
		t.Errorf("%v\n%s", err, out)
	}
	if kind, err := run("git", "cat-file", "-t", "v0.2.0"); err != nil || kind != "tag\n" {
		t.Errorf("the tag is a %s (%v)", kind, err)
	}
	if out, err := run("bash", ".ci/tag", "v0.2.0"); err == nil || !strings.Contains(out, "already has a tag") {
		t.Errorf("the second time: %v\n%s", err, out)
	}
}

// For each problem .ci/tag prints a message and creates no tag.
func TestTagErrors(t *testing.T) {
	for _, c := range []struct {
		reason, version, says string
		change                map[string]string // content by file
		uncommitted           bool
		git                   []string
	}{
		{reason: "no version", version: "", says: "want a version"},
		{reason: "a version without v", version: "0.2.0", says: "want a version"},
		{reason: "a leading zero", version: "v0.02.0", says: "want a version"},
		{reason: "a file that is not committed", version: "v0.2.0", says: "uncommitted changes", change: map[string]string{"x": ""}, uncommitted: true},
		{reason: "another branch", version: "v0.2.0", says: `want the branch main, got "side"`, git: []string{"checkout", "-qb", "side"}},
		{reason: "an older version", version: "v0.2.0", says: "older than v0.10.0", git: []string{"tag", "v0.10.0"}},
		{reason: "a candidate after its release", version: "v0.2.0-rc.1", says: "older than v0.2.0", git: []string{"tag", "v0.2.0"}},
		{reason: "a version without a changelog section", version: "v0.3.0", says: "no section [0.3.0]"},
		{reason: "an entry under Unreleased", version: "v0.2.0", says: "under [Unreleased]",
			change: map[string]string{"CHANGELOG.md": "## [Unreleased]\n\n- One.\n\n## [0.2.0]\n\n- All.\n"}},
		{reason: "a replaced module", version: "v0.2.0", says: "replaces", change: map[string]string{"go.mod": "module m\n\nreplace a => ../a\n"}},
		{reason: "a failing check", version: "v0.2.0", says: "checked", change: map[string]string{"broken": ""}},
		{reason: "a check that changes files", version: "v0.2.0", says: "have changed files", change: map[string]string{".ci/run": "#!/bin/sh\ntouch new\n"}},
	} {
		dir, run := scratch(t)
		for name, text := range c.change {
			write(t, filepath.Join(dir, name), text)
		}
		if !c.uncommitted {
			if out, err := run("sh", "-c", "git add -A && { git diff --cached --quiet || git commit -qm change; }"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		if c.git != nil {
			if out, err := run("git", c.git...); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		before, _ := run("git", "tag")
		out, err := run("bash", ".ci/tag", c.version)
		if after, _ := run("git", "tag"); err == nil || !strings.Contains(out, c.says) || after != before {
			t.Errorf("%s: %v, tags %q\n%s", c.reason, err, after, out)
		}
	}
}
