//go:build unix

package calibration

import (
	"syscall"
	"time"
)

// processors returns the processor time that this program has used.
func processors() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0 // does not happen; the cost would be 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
