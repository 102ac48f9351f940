package event

import (
	"errors"
	"fmt"
)

// ErrDomain is wrapped by every error about an argument outside its domain.
var ErrDomain = errors.New("outside the domain")

func DomainError(format string, args ...any) error {
	return fmt.Errorf("accountant: "+format+": %w", append(args, ErrDomain)...)
}
