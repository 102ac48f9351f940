package cli

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
)

// costFlag is --yes: a run that would take long is estimated, and refused unless it is given.
type costFlag struct{ yes bool }

func (f *costFlag) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.yes, "yes", false, "run even if the estimate exceeds one day")
}

// check estimates a run before it starts.
func (f costFlag) check(a *app, w plannedWork) error {
	said, err := w.Check(f.yes)
	if said != "" {
		a.say("%s", said)
	}
	return usage(err)
}

// plannedWork is what a run is to do, as far as it is known before it starts.
type plannedWork struct {
	Amount    float64
	What      string  // that is done so often
	PerSecond float64 // by one processor, if it is quick: a run takes no less than the estimate, or little less
	Workers   int
}

const (
	maxSilentTime = 24 * time.Hour
	minNotedTime  = time.Hour
	// maxCountable is the largest amount that leaves room for what is computed from it.
	maxCountable = math.MaxInt64 / 64
)

// Check estimates the run. What takes more than a day is an error unless it is allowed; what takes
// long is said.
func (w plannedWork) Check(allowed bool) (said string, err error) {
	seconds := w.Amount / (w.PerSecond * float64(max(1, w.Workers)))
	estimate := fmt.Sprintf("%.3g %s are wanted: at %.3g a second on each of %d processors that takes %s", w.Amount,
		w.What, w.PerSecond, max(1, w.Workers), longDuration(seconds))
	switch {
	case w.Amount > maxCountable:
		return "", fmt.Errorf("%.3g %s are more than can be counted: ask for fewer", w.Amount, w.What)
	case seconds > maxSilentTime.Seconds() && !allowed:
		return "", fmt.Errorf("%s; ask for fewer, or give --yes", estimate)
	case seconds > minNotedTime.Seconds():
		return estimate, nil
	}
	return "", nil
}

// longDuration is a long time in the largest unit of which it has two.
func longDuration(seconds float64) string {
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
