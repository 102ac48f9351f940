// Package testutil decides which slow tests run, and tests samples against distributions.
package testutil

import (
	"os"
	"testing"
)

// Variable is the environment variable that selects slow tests. If it is unset, tests that call Skip are skipped.
// With the value "ci" they run, and every test keeps its usual size. Any other value also selects the long sizes.
const Variable = "DPVERIFY_LONG"

// Asked reports whether the long sizes are selected.
func Asked() bool {
	value := os.Getenv(Variable)
	return value != "" && value != "ci"
}

// Included reports whether slow tests run.
func Included() bool { return os.Getenv(Variable) != "" }

// Skip skips a slow test, unless Variable is set.
func Skip(t testing.TB) {
	t.Helper()
	if !Included() {
		t.Skipf("takes long: set %s", Variable)
	}
}

// Size returns the size of a test: usual, or long if the long sizes are selected.
func Size[N any](usual, long N) N {
	if Asked() {
		return long
	}
	return usual
}
