package bounds

import "github.com/dpverify/dpverify/bounds/internal/numeric"

// ErrDomain is wrapped by every error about a parameter out of its domain.
var ErrDomain = numeric.ErrDomain
