//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package empirical

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file until it is closed or the process ends.
func lockFile(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// unlockFile releases the lock of a file before it is closed. Closing is not sufficient: a child process that has
// not yet executed its program has a copy of the file, and with it the lock.
func unlockFile(file *os.File) { _ = unix.Flock(int(file.Fd()), unix.LOCK_UN) }
