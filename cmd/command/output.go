package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// write renders a result in memory and then writes it in one go: to the file of
// -o, or to standard output.
func (a *app) write(f outputFlags, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return internal(fmt.Errorf("rendering the result: %w", err))
	}
	if f.path == "" {
		_, err := a.stdout.Write(b.Bytes())
		return internal(err)
	}
	return internal(writeFile(f.path, b.Bytes()))
}

// checkTarget refuses, before the work begins, a file that could not be written
// after it.
func checkTarget(path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("-o %s: is a directory", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("-o: %w", err)
	}
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-o %s: there is no directory %s", path, dir)
	}
	return nil
}

// writeFile replaces a file whole or not at all: the data goes to a new file
// beside it, which then takes its name. A device or a pipe is written to.
func writeFile(path string, data []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(path, data, mode)
		}
		mode = info.Mode().Perm()
	}
	temporary := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temporary))
		}
	}()
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
