package mechanism

import (
	"math"
	"math/rand/v2"
)

// coin is a Bernoulli(p) variable that is exact for every float64 p. It compares a uniform number with p, 64
// binary digits at a time, until they differ. A comparison with a 53-bit uniform number would turn p < 2⁻⁵³ into
// 0, and a small privacy loss into an infinite one.
type coin struct {
	digits uint64  // the first 64 binary digits of p
	rest   float64 // the digits after them, shifted up: in [0, 1)
	sure   bool    // p = 1
}

// newCoin requires p in [0, 1].
func newCoin(p float64) coin {
	if p >= 1 {
		return coin{digits: math.MaxUint64, sure: true}
	}
	shifted := p * 0x1p64 // exact
	digits := math.Floor(shifted)
	return coin{digits: uint64(digits), rest: shifted - digits}
}

// toss returns true with probability p.
func (c *coin) toss(r *rand.Rand) bool {
	u := r.Uint64()
	if u != c.digits {
		return u < c.digits
	}
	return c.tie(r)
}

// tie decides by the digits after the first 64. It is separate so that toss can be inlined.
func (c *coin) tie(r *rand.Rand) bool {
	if c.rest == 0 {
		return c.sure
	}
	rest := newCoin(c.rest)
	return rest.toss(r)
}

// logistic returns 1/(1+e^(-t)) with full relative accuracy at both ends.
func logistic(t float64) float64 {
	if t < 0 {
		e := math.Exp(t)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-t))
}
