//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package empirical

import (
	"errors"
	"os"
)

// lockFile returns an error: this system has no locks that end with the process.
func lockFile(*os.File) error { return errors.ErrUnsupported }

// unlockFile does nothing: there is no lock.
func unlockFile(*os.File) {}
