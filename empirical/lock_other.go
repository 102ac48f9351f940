//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package empirical

import (
	"errors"
	"os"
)

// lockFile locks nothing where there are no locks that die with the process.
func lockFile(*os.File) error { return errors.ErrUnsupported }

// unlockFile does nothing: there is no lock.
func unlockFile(*os.File) {}
