// Package testutil decides which long tests run, and tests samples against distributions.
package testutil

import (
	"os"
	"testing"
)

// Variable is the environment variable that selects long tests. Unset, tests that call Skip are left out.
// With the value "ci" they run, and every test keeps its usual size. Any other value also selects long forms.
const Variable = "DPVERIFY_LONG"

// Asked reports whether the long forms are selected.
func Asked() bool {
	value := os.Getenv(Variable)
	return value != "" && value != "ci"
}

// Included reports whether the tests that take long run.
func Included() bool { return os.Getenv(Variable) != "" }

// Skip skips a test that takes long, unless Variable is set.
func Skip(t testing.TB) {
	t.Helper()
	if !Included() {
		t.Skipf("takes long: set %s", Variable)
	}
}

// Size is the size of a test: usual, or long if the long forms are selected.
func Size[N any](usual, long N) N {
	if Asked() {
		return long
	}
	return usual
}
