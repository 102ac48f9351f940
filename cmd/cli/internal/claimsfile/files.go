package claimsfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FileUse is the way in which a command uses a file.
type FileUse int

const (
	ReadsFile      FileUse = iota // an input
	SearchesFolder                // a directory of inputs
	ReplacesFile                  // an output that replaces an existing file atomically; see [WriteFile]
	WritesFile                    // an output that is written in place, as checkpoints and logs are
	AddsToFile                    // an output to which the command appends
	FillsFolder                   // a directory of outputs, created if missing; see [WriteFiles]
)

// output reports whether the file is written.
func (u FileUse) output() bool { return u >= ReplacesFile }

// NamedFile is a file with the flag and the path by which the user named it.
type NamedFile struct {
	Flag string // "--plot", or "the argument"
	Path string
	Use  FileUse
	Info fs.FileInfo // of a file that is already open, as standard output is; otherwise nil
}

func (f NamedFile) String() string { return strings.TrimSpace(f.Flag + " " + f.Path) }

// CheckFiles returns an error if an output is the same file as another named file, under any path, or if an output
// cannot be written. It leaves the file system unchanged.
func CheckFiles(files []NamedFile) error {
	known := make([]fileIdentity, len(files))
	for i, f := range files {
		known[i] = fileIdentity{info: f.Info}
		if f.Info == nil {
			known[i] = identifyFile(f.Path)
		}
	}
	for i, f := range files {
		for k, other := range files {
			if !f.Use.output() || k == i || other.Use.output() && k < i || f.Use == AddsToFile && other.Use == AddsToFile {
				continue
			}
			if known[i].same(known[k]) {
				return fmt.Errorf("%v and %v are the same file, and one would overwrite the other: give two different files",
					f, other)
			}
		}
	}
	for i, f := range files {
		if f.Use.output() && f.Info == nil {
			if err := f.try(known[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// IsRegular reports whether a path is a regular file or does not exist.
func IsRegular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// SameFile reports whether two paths name the same file.
func SameFile(a, b string) bool { return identifyFile(a).same(identifyFile(b)) }

// fileIdentity identifies the file that a path names after following links.
type fileIdentity struct {
	path string      // after following links
	info fs.FileInfo // nil if the file does not exist
	dir  fs.FileInfo // of its directory; nil if that does not exist
}

func identifyFile(path string) fileIdentity {
	id := fileIdentity{path: linkTarget(path)}
	// An error counts as a missing file here; try reports it.
	id.info, _ = os.Stat(path)
	id.dir, _ = os.Stat(trimmedDir(id.path))
	return id
}

// dirOf returns the directory of a file. Unlike [filepath.Dir] it does not clean the path, because removing ".." is
// wrong after a link.
func dirOf(path string) string {
	dir, _ := filepath.Split(path)
	if dir == "" {
		return "."
	}
	return dir
}

// linkTarget follows links of the last path element, also to files that do not exist yet.
func linkTarget(path string) string {
	for range 40 { // the limit of Linux
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = dirOf(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return path
}

// same reports whether two paths name the same regular file. It is false for devices and pipes, where nothing is
// overwritten.
func (a fileIdentity) same(b fileIdentity) bool {
	switch {
	case a.info != nil && b.info != nil:
		return a.info.Mode().IsRegular() && os.SameFile(a.info, b.info)
	case a.info != nil || b.info != nil:
		return false
	case a.path == b.path:
		return true
	case a.dir == nil || b.dir == nil || !os.SameFile(a.dir, b.dir):
		return false
	}
	one, other := filepath.Base(a.path), filepath.Base(b.path)
	return one == other || strings.EqualFold(one, other) && foldsCase(dirOf(a.path))
}

// foldsCase reports whether file names in a directory are case-insensitive.
func foldsCase(dir string) bool {
	probe, err := createTemporary(dir, 0o600)
	if err != nil {
		return false
	}
	made, err := probe.Stat()
	upper, lost := os.Stat(filepath.Join(dir, strings.ToUpper(filepath.Base(probe.Name()))))
	_ = errors.Join(probe.Close(), os.Remove(probe.Name())) // the directory is writable
	return err == nil && lost == nil && os.SameFile(made, upper)
}

// try returns an error if the output cannot be written.
func (f NamedFile) try(id fileIdentity) error {
	if f.Path == "-" {
		return fmt.Errorf("%v: - is standard output, which has the result: give a file, or ./- for a file of that name", f)
	}
	if f.Use == FillsFolder {
		return f.tryFolder()
	}
	info, err := os.Stat(f.Path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%v: is a directory", f)
	case err == nil && !info.Mode().IsRegular():
		return nil // opening a pipe can wait for its reader
	case id.dir == nil && errors.Is(err, fs.ErrNotExist) || id.dir != nil && !id.dir.IsDir():
		return fmt.Errorf("%v: there is no directory %s", f, trimmedDir(id.path))
	case NamesFolder(f.Path):
		return fmt.Errorf("%v: the path ends with a separator, so it names a directory: want a file", f)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%v: %w", f, systemCause(err))
	}
	if err == nil {
		file, err := os.OpenFile(f.Path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%v: cannot be written: %w", f, systemCause(err))
		}
		if err := file.Close(); err != nil || f.Use != ReplacesFile {
			return err
		}
	}
	return f.tryDirectory(dirOf(id.path))
}

// tryDirectory returns an error if no file can be created in a directory.
func (f NamedFile) tryDirectory(dir string) error {
	probe, err := createTemporary(dir, 0o600)
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return fmt.Errorf("%v: cannot create a file in the directory %s: %w", f, unslashed(dir), systemCause(err))
	}
	return nil
}

// tryFolder returns an error if the directory can neither be written to nor created.
func (f NamedFile) tryFolder() error {
	dir := unslashed(f.Path)
	switch id := identifyFile(dir); {
	case id.info != nil && !id.info.IsDir():
		return fmt.Errorf("%v: not a directory", f)
	case id.info == nil:
		if id.dir == nil || !id.dir.IsDir() {
			return fmt.Errorf("%v: there is no directory %s", f, trimmedDir(id.path))
		}
		dir = dirOf(id.path)
	}
	return f.tryDirectory(dir)
}

// ExpandSearched replaces each searched directory by the files of these names in it.
func ExpandSearched(files []NamedFile, names []string) []NamedFile {
	var out []NamedFile
	for _, f := range files {
		if f.Use != SearchesFolder {
			out = append(out, f)
			continue
		}
		for _, name := range names {
			out = append(out, NamedFile{Flag: f.Flag, Path: filepath.Join(f.Path, name), Use: ReadsFile})
		}
	}
	return out
}

// FilesWithin also returns the files of these names in existing output directories.
func FilesWithin(files []NamedFile, names []string) []NamedFile {
	for _, f := range files {
		if info, err := os.Stat(f.Path); f.Use != FillsFolder || err != nil || !info.IsDir() {
			continue
		}
		for _, name := range names {
			files = append(files, NamedFile{Flag: f.Flag, Path: filepath.Join(f.Path, name), Use: ReplacesFile})
		}
	}
	return files
}

// NamesFolder reports whether a path ends with a separator and so must be a directory.
func NamesFolder(path string) bool { return path != "" && os.IsPathSeparator(path[len(path)-1]) }

// unslashed removes separators from the end of a path, except from the root.
func unslashed(path string) string {
	for len(path) > 1 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// trimmedDir returns the directory of a file without separators at its end.
func trimmedDir(path string) string { return unslashed(dirOf(path)) }

// systemCause returns the cause of a system error without its path, which may be a temporary file.
func systemCause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}
