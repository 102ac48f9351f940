package claimsfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// FileUse is what a command does with a file.
type FileUse int

const (
	ReadsFile      FileUse = iota // an input
	SearchesFolder                // a directory of inputs
	ReplacesFile                  // an output that takes the place of what was there, whole; see [WriteFile]
	WritesFile                    // an output that is written in place: a checkpoint, a log
	AddsToFile                    // an output to whose end something is added
	FillsFolder                   // a directory of outputs, which is made where it is missing; see [WriteFiles]
)

// output tells what is written.
func (u FileUse) output() bool { return u >= ReplacesFile }

// NamedFile is a file as the user named it.
type NamedFile struct {
	Flag string // where it is named: "--plot", or "the argument"
	Path string
	Use  FileUse
	Info fs.FileInfo // where it is open already, as standard output is; else nil
}

func (f NamedFile) String() string { return strings.TrimSpace(f.Flag + " " + f.Path) }

// CheckFiles compares every output with every other file, by what they are and not by how they
// are spelled, and then tries the outputs. It changes nothing and leaves nothing behind.
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
				return fmt.Errorf("%v and %v are the same file, and one would overwrite the other: give each a file of its own",
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

// SameFile tells whether two names are of one file.
func SameFile(a, b string) bool { return identifyFile(a).same(identifyFile(b)) }

// fileIdentity is what a name stands for, once links are followed.
type fileIdentity struct {
	path string      // of its target
	info fs.FileInfo // nil where there is no such file
	dir  fs.FileInfo // of the directory that is to hold it; nil where that is missing
}

func identifyFile(path string) fileIdentity {
	id := fileIdentity{path: linkTarget(path)}
	// What cannot be looked at is not there, for this purpose: try will say why.
	id.info, _ = os.Stat(path)
	id.dir, _ = os.Stat(trimmedDir(id.path))
	return id
}

// dirOf is the directory of a file, as it is written: what stands before a "..", or a link,
// is not cut away, since the system does not either.
func dirOf(path string) string {
	dir, _ := filepath.Split(path)
	if dir == "" {
		return "."
	}
	return dir
}

// linkTarget follows links of the last name in a path, also to files that do not exist yet.
func linkTarget(path string) string {
	for range 40 { // as many as systems follow
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

// same is false for devices and pipes: what goes there overwrites nothing.
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

// foldsCase tells whether names in a directory are the same in either case.
func foldsCase(dir string) bool {
	probe, err := createTemporary(dir, 0o600)
	if err != nil {
		return false
	}
	made, err := probe.Stat()
	upper, lost := os.Stat(filepath.Join(dir, strings.ToUpper(filepath.Base(probe.Name()))))
	_ = errors.Join(probe.Close(), os.Remove(probe.Name())) // the directory was written to a moment ago
	return err == nil && lost == nil && os.SameFile(made, upper)
}

// try tells why an output could not be written, if so.
func (f NamedFile) try(id fileIdentity) error {
	if f.Path == "-" {
		return fmt.Errorf("%v: - is standard output, which the result goes to; give a file, ./- for one of that name", f)
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
		return fmt.Errorf("%v: is the name of a directory", f)
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
		return fmt.Errorf("%v: nothing can be written to the directory %s: %w", f, unslashed(dir), systemCause(err))
	}
	return nil
}

// tryFolder tells why nothing could be written to a directory, or why it could not be made.
func (f NamedFile) tryFolder() error {
	dir := unslashed(f.Path)
	switch id := identifyFile(dir); {
	case id.info != nil && !id.info.IsDir():
		return fmt.Errorf("%v: is no directory", f)
	case id.info == nil:
		if id.dir == nil || !id.dir.IsDir() {
			return fmt.Errorf("%v: there is no directory %s", f, trimmedDir(id.path))
		}
		dir = dirOf(id.path)
	}
	return f.tryDirectory(dir)
}

// ExpandSearched puts the files of some names, which are looked for, in the place of a directory.
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

// FilesWithin adds to the files those of so many names that directories of results hold already, or may.
func FilesWithin(files []NamedFile, names []string) []NamedFile {
	for _, f := range files {
		if info, err := os.Stat(f.Path); f.Use != FillsFolder || err != nil || !info.IsDir() {
			continue // what is not there holds nothing
		}
		for _, name := range names {
			files = append(files, NamedFile{Flag: f.Flag, Path: filepath.Join(f.Path, name), Use: ReplacesFile})
		}
	}
	return files
}

// NamesFolder tells whether a name asks for a directory: it ends as one does. A directory that is named without
// that may be a slip.
func NamesFolder(path string) bool { return path != "" && os.IsPathSeparator(path[len(path)-1]) }

// unslashed is a name without separators at its end, unless they are all of it.
func unslashed(path string) string {
	for len(path) > 1 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// trimmedDir is the directory of a file without separators at its end, unless they are all of it.
func trimmedDir(path string) string { return unslashed(dirOf(path)) }

// systemCause is an error of the system without the name of the file, which may be one that the
// user has not heard of.
func systemCause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}
