//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package empirical

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file until it is closed, which the death of the process does as well.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// unlockFile gives up the lock of a file that is about to be closed. Closing alone is not enough: a process that was
// just started has a copy of the file until it runs its program, and with it the lock.
func unlockFile(file *os.File) { _ = unix.Flock(int(file.Fd()), unix.LOCK_UN) }
