package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Use is what a command does with a file.
type Use int

const (
	Reads    Use = iota // an input
	Searches            // a directory of inputs
	Replaces            // an output that takes the place of what was there, whole; see [WriteFile]
	Writes              // an output that is written in place: a checkpoint, a log
	Adds                // an output to whose end something is added
	Fills               // a directory of outputs, which is made where it is missing; see [WriteFiles]
)

// output tells what is written.
func (u Use) output() bool { return u >= Replaces }

// File is a file as the user named it.
type File struct {
	Flag string // where it is named: "--plot", or "the argument"
	Path string
	Use  Use
	Info fs.FileInfo // where it is open already, as standard output is; else nil
}

func (f File) String() string { return strings.TrimSpace(f.Flag + " " + f.Path) }

// Check compares every output with every other file, by what they are and not by how they
// are spelled, and then tries the outputs. It changes nothing and leaves nothing behind.
func Check(files []File) error {
	known := make([]identity, len(files))
	for i, f := range files {
		known[i] = identity{info: f.Info}
		if f.Info == nil {
			known[i] = identify(f.Path)
		}
	}
	for i, f := range files {
		for k, other := range files {
			if !f.Use.output() || k == i || other.Use.output() && k < i || f.Use == Adds && other.Use == Adds {
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

// Regular reports whether a path is a regular file or does not exist.
func Regular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// Same tells whether two names are of one file.
func Same(a, b string) bool { return identify(a).same(identify(b)) }

// identity is what a name stands for, once links are followed.
type identity struct {
	path string      // of its target
	info fs.FileInfo // nil where there is no such file
	dir  fs.FileInfo // of the directory that is to hold it; nil where that is missing
}

func identify(path string) identity {
	id := identity{path: target(path)}
	// What cannot be looked at is not there, for this purpose: try will say why.
	id.info, _ = os.Stat(path)
	id.dir, _ = os.Stat(trimmed(id.path))
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

// target follows links, also to what is not there yet.
func target(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
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
func (a identity) same(b identity) bool {
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
	probe, err := create(dir, 0o600)
	if err != nil {
		return false
	}
	made, err := probe.Stat()
	upper, lost := os.Stat(filepath.Join(dir, strings.ToUpper(filepath.Base(probe.Name()))))
	_ = errors.Join(probe.Close(), os.Remove(probe.Name())) // the directory was written to a moment ago
	return err == nil && lost == nil && os.SameFile(made, upper)
}

// try tells why an output could not be written, if so.
func (f File) try(id identity) error {
	if f.Path == "-" {
		return fmt.Errorf("%v: - is standard output, which the result goes to; give a file, ./- for one of that name", f)
	}
	if f.Use == Fills {
		return f.tryFolder()
	}
	info, err := os.Stat(f.Path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%v: is a directory", f)
	case err == nil && !info.Mode().IsRegular():
		return nil // opening a pipe can wait for its reader
	case id.dir == nil && errors.Is(err, fs.ErrNotExist) || id.dir != nil && !id.dir.IsDir():
		return fmt.Errorf("%v: there is no directory %s", f, trimmed(id.path))
	case os.IsPathSeparator(f.Path[len(f.Path)-1]):
		return fmt.Errorf("%v: is the name of a directory", f)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%v: %w", f, cause(err))
	}
	if err == nil {
		file, err := os.OpenFile(f.Path, os.O_WRONLY, 0)
		if err != nil {
			return fmt.Errorf("%v: cannot be written: %w", f, cause(err))
		}
		if err := file.Close(); err != nil || f.Use != Replaces {
			return err
		}
	}
	probe, err := create(dirOf(id.path), 0o600)
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return fmt.Errorf("%v: nothing can be written to the directory %s: %w", f, trimmed(id.path), cause(err))
	}
	return nil
}

// tryFolder tells why nothing could be written to a directory, or why it could not be made.
func (f File) tryFolder() error {
	dir := unslashed(f.Path)
	switch id := identify(dir); {
	case id.info != nil && !id.info.IsDir():
		return fmt.Errorf("%v: is no directory", f)
	case id.info == nil:
		if id.dir == nil || !id.dir.IsDir() {
			return fmt.Errorf("%v: there is no directory %s", f, trimmed(id.path))
		}
		dir = dirOf(id.path)
	}
	probe, err := create(dir, 0o600)
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		return fmt.Errorf("%v: nothing can be written to the directory %s: %w", f, dir, cause(err))
	}
	return nil
}

// Searched puts the files of some names, which are looked for, in the place of a directory.
func Searched(files []File, names []string) []File {
	var out []File
	for _, f := range files {
		if f.Use != Searches {
			out = append(out, f)
			continue
		}
		for _, name := range names {
			out = append(out, File{Flag: f.Flag, Path: filepath.Join(f.Path, name), Use: Reads})
		}
	}
	return out
}

// Within adds to the files those of so many names that directories of results hold already, or may.
func Within(files []File, names []string) []File {
	for _, f := range files {
		if info, err := os.Stat(f.Path); f.Use != Fills || err != nil || !info.IsDir() {
			continue // what is not there holds nothing
		}
		for _, name := range names {
			files = append(files, File{Flag: f.Flag, Path: filepath.Join(f.Path, name), Use: Replaces})
		}
	}
	return files
}

// Folder tells whether a name asks for a directory: it ends as one does. A directory that is named without
// that may be a slip.
func Folder(path string) bool { return path != "" && os.IsPathSeparator(path[len(path)-1]) }

// unslashed is a name without separators at its end, unless they are all of it.
func unslashed(path string) string {
	for len(path) > 1 && os.IsPathSeparator(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

// trimmed is the directory of a file without the last separator, unless that is all of it.
func trimmed(path string) string {
	dir := dirOf(path)
	if len(dir) > 1 && os.IsPathSeparator(dir[len(dir)-1]) {
		return dir[:len(dir)-1]
	}
	return dir
}

// cause is an error of the system without the name of the file, which may be one that the
// user has not heard of.
func cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}
