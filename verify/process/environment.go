package process

import (
	"fmt"
	"slices"
	"strings"
)

// CheckNames returns an error if a name is repeated or cannot name an environment variable.
func CheckNames(names []string) error {
	for i, name := range names {
		switch {
		case name == "":
			return fmt.Errorf("name %d is empty: want the names of variables, as in [PATH, HOME]", i+1)
		case strings.Contains(name, "="):
			return fmt.Errorf("%q holds a =: want only the name %q; the command gets the current value", name,
				name[:strings.Index(name, "=")])
		case strings.Contains(name, "\x00"):
			return fmt.Errorf("%q holds a zero byte: want the names of variables, as in [PATH, HOME]", name)
		case slices.Contains(names[:i], name):
			return fmt.Errorf("%q is given twice", name)
		}
	}
	return nil
}

// selectVariables returns the variables of an environment that have one of the names, or all variables if names is nil.
func selectVariables(environment, names []string) []string {
	if names == nil {
		return environment
	}
	out := []string{} // not nil: exec.Cmd treats nil as the whole environment
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); slices.Contains(names, name) {
			out = append(out, variable)
		}
	}
	return out
}
