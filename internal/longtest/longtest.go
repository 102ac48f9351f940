// Package longtest tells tests whether their long forms are asked for.
package longtest

import "os"

// Variable is the environment variable that asks for the long forms of tests, by any value.
const Variable = "DPVERIFY_LONG"

// Asked tells whether it is set.
func Asked() bool { return os.Getenv(Variable) != "" }

// Size is the size of a test: usual, or long where that is asked for.
func Size[N any](usual, long N) N {
	if Asked() {
		return long
	}
	return usual
}
