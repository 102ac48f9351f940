package claimsfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CheckFiles rejects a file or a directory without write permission.
func TestWhatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may write to anything")
	}
	dir := t.TempDir()
	closed, guarded := filepath.Join(dir, "closed"), filepath.Join(dir, "guarded")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(guarded, []byte("kept"), 0o444); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(closed, "new"), "--out " + filepath.Join(closed, "new") + ": cannot create a file in the directory"},
		{guarded, "--out " + guarded + ": cannot be written"},
	} {
		for _, use := range []FileUse{ReplacesFile, WritesFile, AddsToFile} {
			err := CheckFiles([]NamedFile{{Flag: "--out", Path: c.path, Use: use}})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), ".tmp") {
				t.Errorf("%s: error %v, want %q", c.path, err, c.want)
			}
		}
	}
}

// CheckFiles leaves existing files unchanged and creates none.
func TestTryingChangesNothing(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, use := range []FileUse{ReplacesFile, WritesFile, AddsToFile} {
		for _, path := range []string{there, filepath.Join(dir, "new"), filepath.Join(dir, strings.Repeat("x", 250)), os.DevNull} {
			if err := CheckFiles([]NamedFile{{Flag: "--out", Path: path, Use: use}}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "kept" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	long := filepath.Join(dir, strings.Repeat("x", 250))
	if err := WriteFile(long, []byte("new")); err != nil {
		t.Errorf("CheckFiles accepted a file that cannot be written: %v", err)
	}
}

// Paths are resolved as the system does it: ".." after a link refers to the link's target.
func TestPathsAreNotCleaned(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("far/away", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("far/away", "link"); err != nil {
		t.Skip("there are no links here")
	}
	if err := os.WriteFile("input", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"nowhere/../new", "new/", "nowhere/../input", "input/../new", "input/"} {
		if err := CheckFiles([]NamedFile{{Flag: "--out", Path: path, Use: ReplacesFile}}); err == nil {
			t.Errorf("CheckFiles accepts %s; writing it gives %v", path, WriteFile(path, nil))
		}
	}
	if CheckFiles([]NamedFile{{"--a", "link/../input", ReplacesFile, nil}, {"--b", "input", ReadsFile, nil}}) != nil {
		t.Error("far/input and input are treated as one file")
	}
	if err := CheckFiles([]NamedFile{{"--a", "link/../new", ReplacesFile, nil}, {"--b", "far/new", WritesFile, nil}}); err == nil {
		t.Error("link/../new and far/new are treated as two files")
	}
	if err := WriteFile("link/../new", []byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("far/new"); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 3 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// Inputs, appended files and devices may be named twice; other outputs may not.
func TestWhatMayBeOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		a, b FileUse
		path string
		fine bool
	}{
		{ReadsFile, ReadsFile, path, true}, {AddsToFile, AddsToFile, path, true}, {ReplacesFile, ReplacesFile, os.DevNull, true},
		{ReadsFile, AddsToFile, path, false}, {ReplacesFile, AddsToFile, path, false}, {WritesFile, WritesFile, path, false}, {SearchesFolder, ReplacesFile, path, false},
	} {
		err := CheckFiles([]NamedFile{{Flag: "--a", Path: c.path, Use: c.a}, {Flag: "--b", Path: filepath.Dir(c.path) + "/./" + filepath.Base(c.path), Use: c.b}})
		if (err == nil) != c.fine {
			t.Errorf("uses %d and %d of %s: error %v", c.a, c.b, c.path, err)
		}
		if !c.fine && err != nil && (!strings.Contains(err.Error(), "--a "+path) || !strings.Contains(err.Error(), "--b ")) {
			t.Errorf("the message is %q", err)
		}
	}
}
