package words

import (
	"fmt"
	"slices"
	"strings"
)

// Counted is a number of things: "1 case", "3 cases", "2 pairs of points".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	head, tail, of := strings.Cut(noun, " of ") // "pair of points"
	if of {
		tail = " of " + tail
	}
	return fmt.Sprintf("%d %ss%s", n, head, tail)
}

// Sentences joins the parts that are there.
func Sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// What is said of a mechanism, or a process, with randomness of its own.
const (
	Unseeded          = "the process does not take all its randomness from the seed of the request: " + notRepeatable
	Seedless          = "the process takes no seed, as the claim says: " + notRepeatable
	UnseededMechanism = "the mechanism does not take all its randomness from the source it is given: " + notRepeatable
	notRepeatable     = "the figures cannot be repeated exactly, and the error probability is that of each run, over " +
		"the mechanism's own randomness, so that m runs spend it m times"
)
