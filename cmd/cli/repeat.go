package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// appendGivenFlags appends to words every flag that was given, in the order of their names, but for those that do not
// matter. Values that a flag does not print as it takes them come from instead.
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

// formatFloats writes numbers as a flag takes them, in full precision.
func formatFloats(list []float64) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// formatInts writes whole numbers as a flag takes them.
func formatInts(list []int64) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ",")
}
