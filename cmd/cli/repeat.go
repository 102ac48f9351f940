package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// appendGivenFlags appends every given flag to words, in the order of names, except for the names in without. instead
// holds the values of flags whose String method does not give their input form.
func appendGivenFlags(words []string, flags *pflag.FlagSet, instead map[string]string, without ...string) []string {
	flags.Visit(func(flag *pflag.Flag) {
		if slices.Contains(without, flag.Name) {
			return
		}
		value, ok := instead[flag.Name]
		if !ok {
			value = flag.Value.String()
		}
		words = append(words, "--"+flag.Name, value)
	})
	return words
}

// formatFloats formats numbers for a flag, in full precision.
func formatFloats(list []float64) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// formatInts formats whole numbers for a flag.
func formatInts(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ",")
}
