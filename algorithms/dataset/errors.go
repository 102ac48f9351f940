package dataset

import "fmt"

// ParseError tells what is wrong in a file, and where.
type ParseError struct {
	File   string // as given to the reader
	Line   int    // from 1; 0 where the whole file is meant
	Column int    // in bytes, from 1; 0 where the whole line is meant
	Err    error  // what is wrong, and what to do about it
}

// Error renders "file:line:column: what is wrong", as editors and terminals link it.
func (e *ParseError) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap gives the cause, for errors.Is and errors.As.
func (e *ParseError) Unwrap() error { return e.Err }
