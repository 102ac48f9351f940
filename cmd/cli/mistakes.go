package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
)

// packagePrefix matches the package names at the beginning of errors, which users do not know.
var packagePrefix = regexp.MustCompile(`(^|: |\n)(?:study|dataset|accountant|event|json|yaml|time|strconv\.\w+): `)

// userMessage returns the text of an error without package names and without the suffix that marks a domain.
func userMessage(err error) string {
	text := err.Error()
	for packagePrefix.MatchString(text) { // prefixes may be nested
		text = packagePrefix.ReplaceAllString(text, "$1")
	}
	return strings.TrimSpace(strings.TrimSuffix(text, ": "+event.ErrDomain.Error()))
}

// commandLineMistake explains an error in a command line. It handles the errors of cobra and pflag about flags,
// groups of flags and arguments.
func commandLineMistake(called *cobra.Command, err error) string {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		return wantedValue(value)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		return fmt.Sprintf("unknown flag: --%s%s", name, claimsfile.DidYouMean("--"+name, flagNames(called)))
	case errors.As(err, &missing):
		name, _ := pflag.UnquoteUsage(missing.GetFlag())
		return fmt.Sprintf("--%s needs a value, %s", missing.GetFlag().Name, name)
	}
	text := userMessage(err)
	for _, known := range cobraMessages {
		if parts := known.form.FindStringSubmatch(text); parts != nil {
			return known.say(called, parts)
		}
	}
	return text
}

// wantedValue describes an invalid flag value and the values that the flag accepts.
func wantedValue(value *pflag.InvalidValueError) string {
	flag, cause := value.GetFlag(), value.Unwrap()
	switch {
	case errors.Is(cause, errEmpty):
		name, _ := pflag.UnquoteUsage(flag)
		return fmt.Sprintf("--%s is empty: give %s, or leave the flag out", flag.Name, name)
	case flag.Value.Type() == "bool":
		return fmt.Sprintf("--%s %q: want true or false", flag.Name, value.GetValue())
	case flag.Value.Type() == "file":
		return fmt.Sprintf("--%s %q: %v", flag.Name, value.GetValue(), cause)
	}
	return fmt.Sprintf("--%s: %s", flag.Name, userMessage(cause))
}

// cobraMessages holds the messages of cobra that use its own terms, each with a replacement.
var cobraMessages = []struct {
	form *regexp.Regexp
	say  func(called *cobra.Command, parts []string) string
}{
	{regexp.MustCompile(`^required flag\(s\) (.*) not set`), func(_ *cobra.Command, parts []string) string {
		return joinFlagNames(strings.NewReplacer(`"`, "", ",", "").Replace(parts[1]), " and ") + " must be given"
	}},
	{regexp.MustCompile(`^at least one of the flags in the group \[(.*)\]`),
		func(_ *cobra.Command, parts []string) string { return "give " + joinFlagNames(parts[1], " or ") }},
	{regexp.MustCompile(`^if any flags in the group \[.*\] are set they must all be set; missing \[(.*)\]`),
		func(_ *cobra.Command, parts []string) string {
			return "give " + joinFlagNames(parts[1], " and ") + " as well"
		}},
	{regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\]`),
		func(_ *cobra.Command, parts []string) string {
			return joinFlagNames(parts[1], " and ") + " exclude each other: give one of them"
		}},
	{regexp.MustCompile(`^(?:accepts|requires) .* received (\d+)`), func(called *cobra.Command, parts []string) string {
		return fmt.Sprintf("got %s arguments, but the command is %q%s", parts[1],
			strings.TrimSuffix(called.UseLine(), " [flags]"), knownArguments(called))
	}},
	{regexp.MustCompile(`^unknown command "(.*)" for "(.*)"`), func(called *cobra.Command, parts []string) string {
		return fmt.Sprintf("unknown command \"%s\" for %q%s", parts[1], parts[2], similarCommands(called.Root(), parts[1]))
	}},
	{regexp.MustCompile(`^invalid argument "(.*)" for "(.*)"`), func(called *cobra.Command, parts []string) string {
		return fmt.Sprintf("\"%s\" is not an argument of %q%s%s", parts[1], parts[2],
			claimsfile.DidYouMean(parts[1], called.ValidArgs), knownArguments(called))
	}},
}

// knownArguments lists the arguments that a command accepts, if there is a fixed list.
func knownArguments(c *cobra.Command) string {
	if len(c.ValidArgs) == 0 {
		return ""
	}
	return "; there are " + strings.Join(c.ValidArgs, ", ")
}

// joinFlagNames joins the names of flags.
func joinFlagNames(names, between string) string {
	list := strings.Fields(names)
	for i, name := range list {
		list[i] = "--" + name
	}
	return strings.Join(list, between)
}

func flagNames(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, "--"+flag.Name) })
	return names
}

// similarCommands suggests commands whose last word is similar.
func similarCommands(root *cobra.Command, given string) string {
	var exact, all []string
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Hidden {
				continue
			}
			path := strings.TrimPrefix(sub.CommandPath(), root.Name()+" ")
			if sub.Name() == given {
				exact = append(exact, fmt.Sprintf("'%s %s'", root.Name(), path))
			}
			if all = append(all, sub.Name()); sub.HasParent() {
				visit(sub)
			}
		}
	}
	visit(root)
	if len(exact) > 0 {
		return "; did you mean " + strings.Join(exact, " or ") + "?"
	}
	slices.Sort(all)
	return claimsfile.DidYouMean(given, slices.Compact(all))
}
