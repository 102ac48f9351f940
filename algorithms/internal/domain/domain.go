// Package domain checks the parameters and inputs of algorithms.
package domain

import (
	"errors"
	"fmt"
	"math"
)

// Err is wrapped by every error about a parameter or input outside its domain.
var Err = errors.New("outside the domain")

// Error returns an error that names the owner, the field, its value and the wanted domain. It wraps Err.
func Error(owner, field string, value any, want string) error {
	return fmt.Errorf("%s: %s = %v is %w: want %s", owner, field, value, Err, want)
}

// Positive returns nil if v is finite and above 0, else an Error.
func Positive(owner, field string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return Error(owner, field, v, "finite and > 0")
	}
	return nil
}

// Finite returns nil if v is finite, else an Error.
func Finite(owner, field string, v float64) error {
	if !(math.Abs(v) <= math.MaxFloat64) {
		return Error(owner, field, v, "finite")
	}
	return nil
}

// Answers returns nil if x has at least one entry and all are finite, else an Error.
func Answers(owner string, x []float64) error {
	if len(x) == 0 {
		return Error(owner, "number of answers", 0, ">= 1")
	}
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return Error(owner, fmt.Sprintf("answer[%d]", i), v, "finite")
		}
	}
	return nil
}
