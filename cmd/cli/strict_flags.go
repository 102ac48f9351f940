package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/internal/decimal"
)

// makeStrict makes the flags of a command and its subcommands parse numbers as data files do, and reject empty
// values. Flags of the type "file" have their own check, since an empty name can be valid.
func makeStrict(c *cobra.Command) {
	makeFlagsStrict(c.Flags())
	for _, below := range c.Commands() {
		makeStrict(below)
	}
}

// makeFlagsStrict is [makeStrict] for the flags of one command.
func makeFlagsStrict(flags *pflag.FlagSet) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if kind := flag.Value.Type(); kind == "bool" || kind == "file" {
			return
		}
		name, _ := pflag.UnquoteUsage(flag)
		one := strictValue{Value: flag.Value, name: name}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			if _, repeats := flag.Annotations[repeatsAnnotation]; !repeats {
				one.seen = make(map[any]bool)
			}
			flag.Value = strictList{one, list}
		} else {
			flag.Value = one
		}
	})
}

// repeatsAnnotation annotates a flag of a list whose entries may be equal, such as the noise multipliers of steps.
const repeatsAnnotation = "dpverify entries may be equal"

// strictValue is a flag that checks its text before it parses it.
type strictValue struct {
	pflag.Value
	name string       // of the value in the usage text
	seen map[any]bool // entries of a list so far; nil if entries may be equal
}

// strictList is a flag of several values. Completion recognizes it by the methods of [pflag.SliceValue].
type strictList struct {
	strictValue
	pflag.SliceValue
}

// Set returns an error for an empty text, and for a number that is not in JSON's form.
func (s strictValue) Set(text string) error {
	if text == "" {
		return errEmpty
	}
	kind, isList := strings.CutSuffix(s.Type(), "Slice")
	parts := []string{text}
	if isList {
		var err error
		if parts, err = csv.NewReader(strings.NewReader(text)).Read(); err != nil || slices.Contains(parts, "") ||
			strings.ContainsAny(text, "\r\n") {
			return fmt.Errorf("an entry is empty: want %s with one comma between entries", s.name)
		}
	}
	for _, part := range parts {
		v, err := readFlagValue(kind, part)
		switch {
		case err != nil:
			return err
		case s.seen[v]:
			return fmt.Errorf("%q is given twice: give each entry once", part)
		case s.seen != nil:
			s.seen[v] = true
		}
	}
	return s.Value.Set(text)
}

// errEmpty is the error for an empty flag value, for example from a shell variable that is not set.
var errEmpty = errors.New("the value is empty")

// readFlagValue parses a value of a flag type.
func readFlagValue(kind, text string) (any, error) {
	switch kind {
	case "int", "int64":
		return decimal.Int(text)
	case "float64":
		return decimal.Float(text)
	case "duration":
		return decimal.Duration(text)
	case "string":
		return text, nil
	}
	panic("mistakes: flags of type " + kind + " are not known")
}
