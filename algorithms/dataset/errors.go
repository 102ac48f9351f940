package dataset

import (
	"fmt"
	"io/fs"

	"github.com/dpverify/dpverify/internal/bounded"
)

// ErrTooLarge is wrapped by the error for a file above a reader's limit.
var ErrTooLarge = bounded.ErrTooLarge

// ParseError describes an error in a file and its location.
type ParseError struct {
	File   string // as given to the reader
	Line   int    // line of a text file, from 1; 0 for the whole file
	Column int    // column in bytes, from 1; 0 for the whole line
	Offset int64  // offset in a decompressed binary file, in bytes from 0; 0 for the whole file
	Err    error  // the error, with advice
}

// Error returns "file:line:column: error", which editors and terminals link, or "file: byte offset: error" for a
// binary file.
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

// Unwrap returns Err.
func (e *ParseError) Unwrap() error { return e.Err }

// MissingError reports that a known data set is not in the data directory. It matches fs.ErrNotExist. Callers
// report claims that need the data as not run.
type MissingError struct {
	Name string // name of the data set, as in [Known]
	Dir  string // the data directory
	File string // the first file that does not exist
}

// Error returns a message that names the file, the directory and the data set.
func (e *MissingError) Error() string {
	return fmt.Sprintf("data set %s: the file %s is not in the data directory %q", e.Name, e.File, e.Dir)
}

// Unwrap returns fs.ErrNotExist.
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }
