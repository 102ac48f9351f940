package cli

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
)

// costFlag is --yes. Without it, a run that is estimated to exceed one day is rejected.
type costFlag struct{ yes bool }

func (f *costFlag) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.yes, "yes", false, "run even if the estimate exceeds one day")
}

// check estimates the duration of a run before it starts. It prints a long estimate, and returns a usage error for a
// run that is rejected.
func (f costFlag) check(a *app, w plannedWork) error {
	note, err := w.Check(f.yes)
	if note != "" {
		a.say("%s", note)
	}
	return usage(err)
}

// plannedWork is the amount of work of a run, as far as it is known before the start.
type plannedWork struct {
	Amount    float64
	What      string  // unit of Amount, in the plural
	PerSecond float64 // units per second on one processor, for a fast task: most runs take longer than the estimate
	Workers   int
}

const (
	maxSilentTime = 24 * time.Hour
	minNotedTime  = time.Hour
	// maxCountable is the largest accepted amount. Integers computed from it do not overflow.
	maxCountable = math.MaxInt64 / 64
)

// Check estimates the duration of a run. It returns a note if the run takes more than an hour, and an error if the run
// takes more than a day and is not allowed.
func (w plannedWork) Check(allowed bool) (note string, err error) {
	seconds := w.Amount / (w.PerSecond * float64(max(1, w.Workers)))
	estimate := fmt.Sprintf("%.3g %s, at %.3g per second on each of %d processors, take %s", w.Amount,
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

// longDuration formats seconds in the largest unit of which there are at least two.
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
