//go:build unix

package cli

import "syscall"

// processorSeconds is the time that this process has had of processors, in seconds.
func processorSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return wallSeconds()
	}
	const micro = 1e-6
	return float64(used.Utime.Sec+used.Stime.Sec) + micro*float64(used.Utime.Usec+used.Stime.Usec)
}
