//go:build unix

package planned

import "syscall"

// processor is the time that this process has had of processors, in seconds.
func processor() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return clock()
	}
	const micro = 1e-6
	return float64(used.Utime.Sec+used.Stime.Sec) + micro*float64(used.Utime.Usec+used.Stime.Usec)
}
