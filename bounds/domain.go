package bounds

import (
	"errors"
	"fmt"
	"math"
)

// ErrDomain is wrapped by every error about a parameter out of its domain.
var ErrDomain = errors.New("out of domain")

func positive(name string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("%w: %s = %v, want a finite number above 0", ErrDomain, name, x)
	}
	return nil
}

func dimension(d int) error {
	if d < 1 {
		return fmt.Errorf("%w: d = %d, want a dimension of at least 1", ErrDomain, d)
	}
	return nil
}
