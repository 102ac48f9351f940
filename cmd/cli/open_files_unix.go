//go:build unix

package cli

import (
	"errors"
	"os"
	"syscall"
)

// spareFiles is the number of files that must be available: two for the runtime's poller and a few for the command.
// Without its two files, the poller ends the process with a trace.
const spareFiles = 5

// checkOpenFiles returns an error if the limit on open files is too low for any command.
func checkOpenFiles() error {
	var opened []int
	defer func() {
		for _, fd := range opened {
			_ = syscall.Close(fd)
		}
	}()
	for range spareFiles {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) // not through package os: no poller
		if errors.Is(err, syscall.EMFILE) {
			return errors.New("the limit on open files is too low: raise it, as in 'ulimit -n 256'")
		}
		if err != nil {
			return nil // for another reason, which is reported if a file is needed
		}
		opened = append(opened, fd)
	}
	return nil
}
