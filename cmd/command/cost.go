package command

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
)

// costFlag is --yes: a run that would take long is estimated, and refused unless it is given.
type costFlag struct{ yes bool }

func (f *costFlag) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.yes, "yes", false, "run also what is estimated to take more than a day")
}

// work is what a run is to do, as far as it is known before it starts.
type work struct {
	amount    float64
	what      string  // that is done so often
	perSecond float64 // by one processor, if it is quick: a run takes no less than the estimate, or little less
	workers   int
}

const (
	tolerable = 24 * time.Hour
	notable   = time.Hour
	// countable is the largest amount that leaves room for what is computed from it.
	countable = math.MaxInt64 / 64
)

// check estimates a run before it starts.
func (f costFlag) check(a *app, w work) error {
	seconds := w.amount / (w.perSecond * float64(max(1, w.workers)))
	estimate := fmt.Sprintf("%.3g %s are wanted: at %.3g a second on each of %d processors that takes %s", w.amount,
		w.what, w.perSecond, max(1, w.workers), inWords(seconds))
	switch {
	case w.amount > countable:
		return usage(fmt.Errorf("%.3g %s are more than can be counted: ask for fewer", w.amount, w.what))
	case seconds > tolerable.Seconds() && !f.yes:
		return usage(fmt.Errorf("%s; ask for fewer, or give --yes", estimate))
	case seconds > notable.Seconds():
		fmt.Fprintf(a.stderr, "%s: %s\n", a.command(), estimate)
	}
	return nil
}

// inWords is a long time in the largest unit of which it has two.
func inWords(seconds float64) string {
	for _, unit := range []struct {
		name    string
		seconds float64
	}{{"years", 365.25 * 86400}, {"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		if n := seconds / unit.seconds; n >= 2 {
			return fmt.Sprintf("about %.3g %s", n, unit.name)
		}
	}
	return fmt.Sprintf("about %.0f seconds", seconds)
}
