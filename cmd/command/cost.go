package command

import (
	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/cmd/command/internal/cost"
)

// costFlag is --yes: a run that would take long is estimated, and refused unless it is given.
type costFlag struct{ yes bool }

func (f *costFlag) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.yes, "yes", false, "run also what is estimated to take more than a day")
}

// check estimates a run before it starts.
func (f costFlag) check(a *app, w cost.Work) error {
	said, err := w.Check(f.yes)
	if said != "" {
		a.say("%s", said)
	}
	return usage(err)
}
