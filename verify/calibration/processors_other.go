//go:build !unix

package calibration

import "time"

var started = time.Now()

// processors is the time since the start where the system is not asked how much of that was spent.
func processors() time.Duration { return time.Since(started) }
