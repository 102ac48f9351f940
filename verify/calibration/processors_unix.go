//go:build unix

package calibration

import (
	"syscall"
	"time"
)

// processors is the time that this program has had of all processors.
func processors() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0 // which does not happen, and would make a cost of 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
