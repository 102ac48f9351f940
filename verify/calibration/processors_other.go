//go:build !unix

package calibration

import "time"

var started = time.Now()

// processors returns the time since the start of the program, because processor time is not available here.
func processors() time.Duration { return time.Since(started) }
