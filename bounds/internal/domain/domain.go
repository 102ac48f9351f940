// Package domain checks parameters of formulas.
package domain

import (
	"errors"
	"fmt"
	"math"
)

// Err is wrapped by every error about a parameter out of its domain.
var Err = errors.New("out of domain")

// Positive refuses x unless it is finite and above 0.
func Positive(name string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("%w: %s = %v, want a finite number above 0", Err, name, x)
	}
	return nil
}

// Dimension refuses a d below 1.
func Dimension(d int) error {
	if d < 1 {
		return fmt.Errorf("%w: d = %d, want a dimension of at least 1", Err, d)
	}
	return nil
}

// Sampling refuses parameters that private sampling does not take: a dimension d, ε and the radius L
// of the inputs.
func Sampling(d int, epsilon, lipschitz float64) error {
	if err := Dimension(d); err != nil {
		return err
	}
	if err := Positive("epsilon", epsilon); err != nil {
		return err
	}
	return Positive("L", lipschitz)
}
