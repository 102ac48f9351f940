package dataset

import (
	"fmt"
	"io/fs"

	"github.com/dpverify/dpverify/internal/bounded"
)

// ErrTooLarge is in the chain of the error for a file above a reader's limit.
var ErrTooLarge = bounded.ErrTooLarge

// ParseError tells what is wrong in a file, and where.
type ParseError struct {
	File   string // as given to the reader
	Line   int    // of a text, from 1; 0 where the whole file is meant
	Column int    // in bytes, from 1; 0 where the whole line is meant
	Offset int64  // of a binary file, in bytes from 0, after decompression; 0 where the whole file is meant
	Err    error  // what is wrong, and what to do about it
}

// Error renders "file:line:column: what is wrong", as editors and terminals
// link it, and for a binary file "file: byte offset: what is wrong".
func (e *ParseError) Error() string {
	switch {
	case e.Offset > 0:
		return fmt.Sprintf("%s: byte %d: %v", e.File, e.Offset, e.Err)
	case e.Line == 0:
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *ParseError) Unwrap() error { return e.Err }

// MissingError says that a known data set is not in the data directory. It
// matches fs.ErrNotExist; callers report what needs the data as not run.
type MissingError struct {
	Name string // of the data set, as in [Known]
	Dir  string // the data directory
	File string // the first file that is not there
}

// Error names the file, the directory and the data set.
func (e *MissingError) Error() string {
	return fmt.Sprintf("data set %s: the file %s is not in the data directory %q", e.Name, e.File, e.Dir)
}

// Unwrap returns fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }
