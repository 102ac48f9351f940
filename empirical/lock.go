package empirical

import "errors"

// errLocked is the error of lockFile where another process has the lock. Any other error
// means that the file system has no locks, and nothing is locked.
var errLocked = errors.New("locked by another process")
