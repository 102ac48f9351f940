package event

import (
	"errors"
	"fmt"
	"strings"
)

// ErrDomain is wrapped by every error about an argument outside its domain.
var ErrDomain = errors.New("outside the domain")

func DomainError(format string, args ...any) error {
	return fmt.Errorf("accountant: "+format+": %w", append(args, ErrDomain)...)
}

// NameError is about a name that is none of those that are known.
type NameError struct {
	What, Given string // "key", "sgima"
	Known       []string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%s %q is none of %s", e.What, e.Given, strings.Join(e.Known, ", "))
}
