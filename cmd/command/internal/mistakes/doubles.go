package mistakes

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/internal/plainyaml"
)

// Doubles makes the flags of a command, and of those below it, refuse numbers that would be read as 0.
func Doubles(c *cobra.Command) {
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Value.Type() == "float64" {
			flag.Value = double{flag.Value}
		}
	})
	for _, below := range c.Commands() {
		Doubles(below)
	}
}

// double is a flag of a number.
type double struct{ pflag.Value }

func (d double) Set(text string) error {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == 0 {
		if _, near := plainyaml.Double(text); !near {
			return errors.New("the number is too small")
		}
	}
	return d.Value.Set(text)
}
