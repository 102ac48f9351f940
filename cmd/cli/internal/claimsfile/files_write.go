package claimsfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
)

var createdFiles atomic.Int64

// createTemporary creates a file with a short name that no other file of this process has.
func createTemporary(dir string, mode fs.FileMode) (*os.File, error) {
	name := fmt.Sprintf(".dpverify-%d-%d.tmp", os.Getpid(), createdFiles.Add(1))
	return os.OpenFile(dir+string(filepath.Separator)+name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// WriteFile replaces a file atomically: it writes a new file in the same directory and renames it. It follows a link,
// and writes to a device or a pipe directly. Errors name the given path.
func WriteFile(path string, data []byte) error {
	if err := replaceFile(linkTarget(path), data); err != nil {
		return fmt.Errorf("%s: %w", path, systemCause(err))
	}
	return nil
}

// WriteFiles writes files to a directory, each as [WriteFile] does, and creates the directory if it is missing. It
// writes first last, so that the files it refers to already exist.
func WriteFiles(dir string, first string, files map[string][]byte) error {
	if err := os.Mkdir(unslashed(dir), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", dir, systemCause(err))
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return name == first })
	for _, name := range append(names, first) {
		if err := WriteFile(unslashed(dir)+string(filepath.Separator)+name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

func replaceFile(path string, data []byte) (err error) {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(path, data, mode)
		}
		mode = info.Mode().Perm()
	}
	file, err := createTemporary(dirOf(path), mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
