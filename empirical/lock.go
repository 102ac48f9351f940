package empirical

import "errors"

// errLocked is the error of lockFile if another process holds the lock. Any other error means that the file system
// does not support locks, and the file is not locked.
var errLocked = errors.New("locked by another process")
